//! Operators: a Pratt parser built from winnow's `expression` combinator.
//!
//! Sums and products gather their operands in a list and are simplified once, so a long one costs O(n log n).

mod call;

use winnow::ascii::{digit0, digit1, multispace0};
use winnow::combinator::{Infix, Prefix, alt, expression, fail, opt, peek};
use winnow::error::{ErrMode, ParserError};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location, Stateful, Stream};
use winnow::token::{any, one_of, take_while};

use super::symbol::shorten;
use super::{MAX_DEPTH, MAX_TEXT_BYTES, ParseErrorKind};
use crate::operators::div;
use crate::scope::continues_name;
use crate::{Comparison, Cond, Expr, Scope};

pub(super) type Input<'i> = Stateful<LocatingSlice<&'i str>, Context<'i>>;
pub(super) type Parsed<T> = Result<T, ErrMode<Refusal>>;

/// What the parser knows besides the rest of the text.
#[derive(Debug)]
pub(super) struct Context<'i> {
    pub scope: &'i Scope,
    pub source: &'i str,
    depth: usize,
    /// The highest order of nested calls of `d` in the operand being read.
    pub order: u32,
}

/// Why and where parsing stopped.
#[derive(Debug)]
pub(super) struct Failure {
    pub offset: usize,
    pub kind: ParseErrorKind,
}

/// Winnow's view of a failure: empty while other alternatives remain, so that backtracking allocates nothing.
#[derive(Debug)]
pub(super) struct Refusal(Option<Box<Failure>>);

impl<I: Stream> ParserError<I> for Refusal {
    type Inner = Self;
    fn from_input(_: &I) -> Self {
        Refusal(None)
    }
    fn into_inner(self) -> Result<Self::Inner, Self> {
        Ok(self)
    }
}

pub(super) fn stop<T>(offset: usize, kind: ParseErrorKind) -> Parsed<T> {
    let failure = Box::new(Failure { offset, kind });
    Err(ErrMode::Cut(Refusal(Some(failure))))
}

/// A piece of the text and what it means so far.
pub(super) struct Operand {
    pub start: usize,
    pub end: usize,
    pub value: Value,
}

pub(super) enum Value {
    Sum(Vec<Expr>),
    Product(Vec<Expr>),
    Single(Expr),
    /// A condition, how deep it nests and where its operator stands.
    Condition(Cond, usize, usize),
}

impl Operand {
    pub(super) fn expr(self) -> Parsed<Expr> {
        match self.value {
            Value::Sum(terms) => Ok(Expr::sum(terms)),
            Value::Product(factors) => Ok(Expr::product(factors)),
            Value::Single(expr) => Ok(expr),
            Value::Condition(_, _, at) => stop(at, ParseErrorKind::ComparisonOutsideWhere),
        }
    }

    pub(super) fn condition(self) -> Parsed<(Cond, usize, usize)> {
        match self.value {
            Value::Condition(cond, depth, at) => Ok((cond, depth, at)),
            _ => stop(self.start, ParseErrorKind::ConditionExpected),
        }
    }
}

pub(super) fn parse(scope: &Scope, source: &str) -> Result<Expr, Failure> {
    let at_start = |kind| Failure { offset: 0, kind };
    if source.len() > MAX_TEXT_BYTES {
        return Err(at_start(ParseErrorKind::TooLong { bytes: source.len() }));
    }
    if source.trim().is_empty() {
        return Err(at_start(ParseErrorKind::Empty));
    }
    let mut input =
        Stateful { input: LocatingSlice::new(source), state: Context { scope, source, depth: 0, order: 0 } };
    let whole = |i: &mut Input| {
        let operand = sum(i)?;
        spaces(i)?;
        match i.peek_token() {
            None => operand.expr(),
            Some(_) => unexpected(i, None),
        }
    };
    whole(&mut input).map_err(|error| match error {
        ErrMode::Backtrack(Refusal(Some(failure))) | ErrMode::Cut(Refusal(Some(failure))) => *failure,
        _ => Failure { offset: input.current_token_start(), kind: ParseErrorKind::MissingOperand { before: None } },
    })
}

/// An operand with everything that operators attach to it.
pub(super) fn sum(i: &mut Input) -> Parsed<Operand> {
    expression(operand).prefix(prefix).infix(infix).parse_next(i)
}

pub(super) fn spaces(i: &mut Input) -> Parsed<()> {
    multispace0.void().parse_next(i)
}

/// Goes one level deeper; each caller comes back with [`leave`].
pub(super) fn enter(i: &mut Input) -> Parsed<()> {
    i.state.depth += 1;
    match i.state.depth > MAX_DEPTH {
        true => stop(i.current_token_start(), ParseErrorKind::TooDeep),
        false => Ok(()),
    }
}

pub(super) fn leave(i: &mut Input) {
    i.state.depth -= 1;
}

fn operand(i: &mut Input) -> Parsed<Operand> {
    spaces(i)?;
    let start = i.current_token_start();
    let value = match i.peek_token() {
        Some('(') => group(i)?,
        Some(c) if c.is_ascii_digit() || c == '.' => Value::Single(number(i)?),
        Some(c) if c.is_alphabetic() || c == '_' => Value::Single(call::named(i)?),
        _ => fail.parse_next(i)?,
    };
    let end = i.current_token_start();
    Ok(Operand { start, end, value })
}

fn group(i: &mut Input) -> Parsed<Value> {
    let open = i.current_token_start();
    '('.parse_next(i)?;
    enter(i)?;
    let inner = sum(i)?;
    spaces(i)?;
    if opt(')').parse_next(i)?.is_none() {
        return unexpected(i, Some(open));
    }
    leave(i);
    Ok(match inner.value {
        // A group is one operand: what follows does not join its sum or product.
        Value::Sum(_) | Value::Product(_) => Value::Single(inner.expr()?),
        single => single,
    })
}

fn number(i: &mut Input) -> Parsed<Expr> {
    let start = i.current_token_start();
    let mantissa = alt(((digit1, opt(('.', digit0))).void(), ('.', digit1).void()));
    let exponent = (one_of(['e', 'E']), opt(one_of(['+', '-'])), digit1);
    let text = (mantissa, opt(exponent)).take().parse_next(i)?;
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Expr::constant(value)),
        _ => {
            let text = shorten(text);
            stop(start, ParseErrorKind::NumberTooLarge { text })
        }
    }
}

pub(super) fn name<'i>(i: &mut Input<'i>) -> Parsed<&'i str> {
    let first = one_of(|c: char| c.is_alphabetic() || c == '_');
    (first, take_while(0.., continues_name)).take().parse_next(i)
}

/// A sign or `not`. Tried only where no operand begins, so anything else here means one is missing.
fn prefix<'i>(i: &mut Input<'i>) -> Parsed<Prefix<Input<'i>, Operand, ErrMode<Refusal>>> {
    spaces(i)?;
    let start = i.current_token_start();
    if let Some(sign) = opt(one_of(['-', '+'])).parse_next(i)? {
        enter(i)?;
        return Ok(match sign {
            '-' => Prefix(9, |i, a| signed(i, a, |a| -a)),
            _ => Prefix(9, |i, a| signed(i, a, |a| a)),
        });
    }
    if opt(name.verify(|word: &str| word == "not")).parse_next(i)?.is_some() {
        enter(i)?;
        return Ok(Prefix(3, |i: &mut Input, a: Operand| {
            leave(i);
            let (start, end) = (a.start, a.end);
            let (cond, depth, at) = a.condition()?;
            let value = Value::Condition(cond.not(), depth, at);
            Ok(Operand { start, end, value })
        }));
    }
    match opt(peek(any)).parse_next(i)? {
        None => stop(start, ParseErrorKind::MissingOperand { before: None }),
        Some(')') if i.state.depth == 0 => stop(start, ParseErrorKind::Unopened),
        Some(c) if "*/^<>=!,)".contains(c) || c.is_alphabetic() => {
            let before = Some(next_word(i));
            stop(start, ParseErrorKind::MissingOperand { before })
        }
        Some(found) => stop(start, ParseErrorKind::UnexpectedCharacter { found }),
    }
}

fn signed(i: &mut Input, a: Operand, apply: fn(Expr) -> Expr) -> Parsed<Operand> {
    leave(i);
    let (start, end) = (a.start, a.end);
    let value = Value::Single(apply(a.expr()?));
    Ok(Operand { start, end, value })
}

fn infix<'i>(i: &mut Input<'i>) -> Parsed<Infix<Input<'i>, Operand, ErrMode<Refusal>>> {
    use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
    spaces(i)?;
    let start = i.current_token_start();
    if opt(alt(("**", "^"))).parse_next(i)?.is_some() {
        enter(i)?;
        return Ok(Infix::Right(11, power));
    }
    let comparison = alt(("<=", ">=", "==", "!=", "<", ">"));
    let mut symbol = alt((comparison, alt(("+", "-", "*", "/", "=")), name));
    Ok(match symbol.parse_next(i)? {
        "+" => Infix::Left(5, |_, a, b| add(a, b, |b| b)),
        "-" => Infix::Left(5, |_, a, b| add(a, b, |b| -b)),
        "*" => Infix::Left(7, |_, a, b| multiply(a, b)),
        "/" => Infix::Left(7, |_, a, b| divide(a, b)),
        "<" => Infix::Left(4, |i, a, b| compare(i, a, b, Lt)),
        "<=" => Infix::Left(4, |i, a, b| compare(i, a, b, Le)),
        ">" => Infix::Left(4, |i, a, b| compare(i, a, b, Gt)),
        ">=" => Infix::Left(4, |i, a, b| compare(i, a, b, Ge)),
        "==" => Infix::Left(4, |i, a, b| compare(i, a, b, Eq)),
        "!=" => Infix::Left(4, |i, a, b| compare(i, a, b, Ne)),
        "and" => Infix::Left(2, |_, a, b| join(a, b, Cond::and)),
        "or" => Infix::Left(1, |_, a, b| join(a, b, Cond::or)),
        "=" => return stop(start, ParseErrorKind::EqualsSign),
        _ => fail.parse_next(i)?,
    })
}

fn power(i: &mut Input, a: Operand, b: Operand) -> Parsed<Operand> {
    leave(i);
    let (start, end) = (a.start, b.end);
    let value = Value::Single(a.expr()?.pow(b.expr()?));
    Ok(Operand { start, end, value })
}

fn add(a: Operand, b: Operand, sign: fn(Expr) -> Expr) -> Parsed<Operand> {
    let (start, end) = (a.start, b.end);
    let mut terms = match a.value {
        Value::Sum(terms) => terms,
        _ => vec![a.expr()?],
    };
    terms.push(sign(b.expr()?));
    let value = Value::Sum(terms);
    Ok(Operand { start, end, value })
}

fn multiply(a: Operand, b: Operand) -> Parsed<Operand> {
    let (start, end) = (a.start, b.end);
    let mut factors = match a.value {
        Value::Product(factors) => factors,
        _ => vec![a.expr()?],
    };
    let factor = b.expr()?;
    let value = match (&factors[..], factor.as_constant()) {
        // Numbers multiply at once, as they would in Rust.
        ([only], Some(_)) if only.as_constant().is_some() => Value::Single(only * factor),
        _ => {
            factors.push(factor);
            Value::Product(factors)
        }
    };
    Ok(Operand { start, end, value })
}

fn divide(a: Operand, b: Operand) -> Parsed<Operand> {
    let (start, end) = (a.start, b.end);
    let value = match a.value {
        Value::Product(mut factors) => {
            factors.push(b.expr()?.powi(-1));
            Value::Product(factors)
        }
        _ => match (a.expr()?, b.expr()?) {
            (a, b) if a.as_constant().is_some() && b.as_constant().is_some() => Value::Single(div(a, b)),
            (a, b) => Value::Product(vec![a, b.powi(-1)]),
        },
    };
    Ok(Operand { start, end, value })
}

fn compare(i: &mut Input, a: Operand, b: Operand, how: Comparison) -> Parsed<Operand> {
    let (start, end) = (a.start, b.end);
    let gap = &i.state.source[a.end..];
    let at = a.end + gap.len() - gap.trim_start().len();
    if let Value::Condition(..) = a.value {
        return stop(at, ParseErrorKind::ChainedComparison);
    }
    let value = Value::Condition(Cond::Compare(how, a.expr()?, b.expr()?), 0, at);
    Ok(Operand { start, end, value })
}

fn join(a: Operand, b: Operand, how: fn(Cond, Cond) -> Cond) -> Parsed<Operand> {
    let (start, end) = (a.start, b.end);
    let (a, a_depth, at) = a.condition()?;
    let (b, b_depth, _) = b.condition()?;
    let depth = 1 + a_depth.max(b_depth);
    if depth > MAX_DEPTH {
        return stop(start, ParseErrorKind::TooDeep);
    }
    let value = Value::Condition(how(a, b), depth, at);
    Ok(Operand { start, end, value })
}

/// The error for text that cannot follow a complete operand, inside the parenthesis opened at `open`.
pub(super) fn unexpected<T>(i: &mut Input, open: Option<usize>) -> Parsed<T> {
    let at = i.current_token_start();
    let found = match (i.peek_token(), open) {
        (None, Some(open)) => return stop(open, ParseErrorKind::Unclosed { open: '(' }),
        (None, None) => return stop(at, ParseErrorKind::MissingOperand { before: None }),
        (Some(')'), None) => return stop(at, ParseErrorKind::Unopened),
        (Some(found), _) => found,
    };
    if found.is_alphanumeric() || "_.(".contains(found) {
        let before = next_word(i);
        return stop(at, ParseErrorKind::MissingOperator { before });
    }
    stop(at, ParseErrorKind::UnexpectedCharacter { found })
}

/// The next name, number or character, for a message.
fn next_word(i: &mut Input) -> String {
    let rest = i.input.peek_finish();
    let word =
        rest.find(|c: char| !continues_name(c)).filter(|end| *end > 0).unwrap_or_else(|| match rest.chars().next() {
            Some(c) if continues_name(c) => rest.len(),
            Some(c) => c.len_utf8(),
            None => 0,
        });
    shorten(&rest[..word])
}
