//! Names in the text and what their parentheses mean: functions, tables, `d`, `at` and `where`.

use std::sync::Arc;

use winnow::combinator::{fail, opt};
use winnow::prelude::*;
use winnow::stream::{Location, Stream};
use winnow::token::{any, take_while};

use super::{Input, Operand, Parsed, enter, leave, name, spaces, stop, sum, unexpected};
use crate::parse::symbol::shorten;
use crate::parse::{MAX_TEXT_ORDER, ParseErrorKind};
use crate::scope::{KEYWORDS, Symbol};
use crate::{Expr, Function, Table};

/// The highest linked site text can name.
const MAX_SITE: usize = 255;

/// A name, or a call if parentheses follow it.
pub(super) fn named(i: &mut Input) -> Parsed<Expr> {
    let at = i.current_token_start();
    let before = i.checkpoint();
    let word = name(i)?;
    if ["and", "or", "not"].contains(&word) {
        i.reset(&before);
        return fail.parse_next(i);
    }
    let after = i.checkpoint();
    spaces(i)?;
    match (i.peek_token(), i.state.scope.symbol(word)) {
        (Some('(' | '['), Some(Symbol::Table(table))) => {
            let table = Arc::clone(table);
            table_call(i, word, at, &table)
        }
        (Some('('), _) => call(i, word, at),
        _ => {
            i.reset(&after);
            let scope = i.state.scope;
            scope.resolve(word).or_else(|kind| stop(at, kind))
        }
    }
}

fn call(i: &mut Input, word: &str, at: usize) -> Parsed<Expr> {
    match word {
        "d" => derivative_call(i, at),
        "at" => site_call(i, at),
        "where" => {
            let [cond, a, b] = fixed(arguments(i)?, word, at)?;
            Ok(Expr::select(cond.condition()?.0, a.expr()?, b.expr()?))
        }
        "min" => {
            let [a, b] = fixed(arguments(i)?, word, at)?;
            Ok(Expr::minimum(a.expr()?, b.expr()?))
        }
        "max" => {
            let [a, b] = fixed(arguments(i)?, word, at)?;
            Ok(Expr::maximum(a.expr()?, b.expr()?))
        }
        _ => match Function::from_name(word) {
            Some(function) => {
                let [a] = fixed(arguments(i)?, word, at)?;
                Ok(Expr::apply(function, &a.expr()?))
            }
            None => not_callable(i, word, at),
        },
    }
}

fn not_callable(i: &Input, word: &str, at: usize) -> Parsed<Expr> {
    let scope = i.state.scope;
    let name = shorten(word);
    // `u_x(…)` or `pi(…)`: the name means something, but not a function.
    if KEYWORDS.contains(&word) || scope.resolve(word).is_ok() {
        return stop(at, ParseErrorKind::NotCallable { name });
    }
    let (suggestion, known) = (scope.nearest_function(word), scope.functions().join(", "));
    stop(at, ParseErrorKind::UnknownFunction { name, suggestion, known })
}

/// The arguments between parentheses, separated by commas.
fn arguments(i: &mut Input) -> Parsed<Vec<Operand>> {
    let open = i.current_token_start();
    '('.parse_next(i)?;
    enter(i)?;
    let mut found = Vec::new();
    spaces(i)?;
    if opt(')').parse_next(i)?.is_none() {
        loop {
            found.push(sum(i)?);
            if !another(i, open)? {
                break;
            }
        }
    }
    leave(i);
    Ok(found)
}

/// Past a comma: true; past the closing parenthesis: false.
fn another(i: &mut Input, open: usize) -> Parsed<bool> {
    spaces(i)?;
    match i.peek_token() {
        Some(c @ (',' | ')')) => {
            any.parse_next(i)?;
            Ok(c == ',')
        }
        _ => unexpected(i, Some(open)),
    }
}

fn fixed<const N: usize>(found: Vec<Operand>, word: &str, at: usize) -> Parsed<[Operand; N]> {
    let count = found.len();
    found.try_into().or_else(|_| stop(at, wrong_count(word, N, false, count)))
}

fn wrong_count(word: &str, expected: usize, or_more: bool, found: usize) -> ParseErrorKind {
    ParseErrorKind::ArgumentCount { name: shorten(word), expected, or_more, found }
}

/// `d(expr, x, …)`: the total derivative.
fn derivative_call(i: &mut Input, at: usize) -> Parsed<Expr> {
    let open = i.current_token_start();
    '('.parse_next(i)?;
    enter(i)?;
    // Orders of nested calls add up, or a short text could ask for an enormous expression.
    let outer = std::mem::replace(&mut i.state.order, 0);
    let mut expr = sum(i)?.expr()?;
    let mut coords = Vec::new();
    while another(i, open)? {
        coords.push(coordinate(i)?);
    }
    leave(i);
    if coords.is_empty() {
        return stop(at, wrong_count("d", 2, true, 1));
    }
    let order = i.state.order.saturating_add(coords.len() as u32);
    if order > MAX_TEXT_ORDER {
        return stop(at, ParseErrorKind::OrderTooHigh { order });
    }
    for axis in coords {
        expr = expr.derivative(axis);
    }
    if expr.max_order() > MAX_TEXT_ORDER {
        let order = expr.max_order();
        return stop(at, ParseErrorKind::OrderTooHigh { order });
    }
    i.state.order = outer.max(order);
    Ok(expr)
}

fn coordinate(i: &mut Input) -> Parsed<usize> {
    let (at, text) = plain_argument(i)?;
    let scope = i.state.scope;
    match scope.coord(text) {
        Ok(axis) => Ok(axis.index()),
        Err(_) if text.is_empty() => missing(i, at),
        Err(_) => stop(
            at,
            ParseErrorKind::NotACoordinate { name: shorten(text), coordinates: scope.coord_names().join(", ") },
        ),
    }
}

/// `at(expr, k)`: everything in the expression moved to linked site k.
fn site_call(i: &mut Input, at: usize) -> Parsed<Expr> {
    let open = i.current_token_start();
    '('.parse_next(i)?;
    enter(i)?;
    let expr = sum(i)?.expr()?;
    let mut sites = Vec::new();
    while another(i, open)? {
        let (place, text) = plain_argument(i)?;
        if text.is_empty() {
            return missing(i, place);
        }
        let site = text.parse::<usize>().ok().filter(|k| *k <= MAX_SITE);
        match site {
            Some(site) if text.bytes().all(|b| b.is_ascii_digit()) => sites.push(site),
            _ => {
                return stop(place, ParseErrorKind::InvalidSite { text: shorten(text), limit: MAX_SITE });
            }
        }
    }
    leave(i);
    match sites[..] {
        [site] => Ok(expr.at(site)),
        _ => stop(at, wrong_count("at", 2, false, 1 + sites.len())),
    }
}

/// An argument that is not an expression, up to the next comma or parenthesis, without spaces around it.
fn plain_argument<'i>(i: &mut Input<'i>) -> Parsed<(usize, &'i str)> {
    spaces(i)?;
    let at = i.current_token_start();
    let text = take_while(0.., |c| !matches!(c, ',' | ')')).parse_next(i)?;
    Ok((at, text.trim_end()))
}

fn missing<T>(i: &Input, at: usize) -> Parsed<T> {
    let before = i.peek_token().map(String::from);
    stop(at, ParseErrorKind::MissingOperand { before })
}

/// `k(a, b)`, or `k[1,0](a, b)` for the derivative of the table itself in its first argument.
fn table_call(i: &mut Input, word: &str, at: usize, table: &Arc<Table>) -> Parsed<Expr> {
    let axes = table.axes().len();
    let orders = match i.peek_token() {
        Some('[') => table_orders(i, word, axes)?,
        _ => vec![0; axes],
    };
    spaces(i)?;
    if i.peek_token() != Some('(') {
        let name = shorten(word);
        return stop(at, ParseErrorKind::MissingArguments { name });
    }
    let found = arguments(i)?;
    if found.len() != axes {
        return stop(at, wrong_count(word, axes, false, found.len()));
    }
    let args = found.into_iter().map(Operand::expr);
    Ok(Expr::look_up(table, args.collect::<Parsed<_>>()?, orders))
}

fn table_orders(i: &mut Input, word: &str, axes: usize) -> Parsed<Vec<u8>> {
    let at = i.current_token_start();
    '['.parse_next(i)?;
    let text = take_while(0.., |c| c != ']').parse_next(i)?;
    if opt(']').parse_next(i)?.is_none() {
        return stop(at, ParseErrorKind::Unclosed { open: '[' });
    }
    let orders: Option<Vec<u8>> = text
        .split(',')
        .map(|part| match part.trim() {
            "0" => Some(0),
            "1" => Some(1),
            _ => None,
        })
        .collect();
    match orders {
        Some(orders) if orders.len() == axes => Ok(orders),
        _ => stop(at, ParseErrorKind::TableOrders { table: shorten(word), text: shorten(text), axes }),
    }
}
