//! Where and why a text is not an expression.

use super::{MAX_DEPTH, MAX_TEXT_BYTES, MAX_TEXT_ORDER};

/// Where and why a text is not an expression. Displays as one line; [`ParseError::render`] adds the source.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{}: {kind}", place(*line, *column))]
pub struct ParseError {
    /// Byte offset of the place in the text.
    pub offset: usize,
    /// Line of the place, from 1.
    pub line: usize,
    /// Column of the place in its line, in characters from 1.
    pub column: usize,
    /// What is wrong there.
    pub kind: ParseErrorKind,
}

/// What is wrong with a text.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "messages name every field")]
pub enum ParseErrorKind {
    /// Nothing but white space.
    #[error("the expression is empty")]
    Empty,
    /// More than [`MAX_TEXT_BYTES`].
    #[error("the text has {bytes} bytes, the limit is {MAX_TEXT_BYTES}")]
    TooLong { bytes: usize },
    /// Nested deeper than [`MAX_DEPTH`].
    #[error("nested deeper than {MAX_DEPTH} levels; define parts of it under names of their own")]
    TooDeep,
    /// A name that is not declared.
    #[error("unknown symbol `{name}`{}", or_nearest(suggestion))]
    UnknownSymbol { name: String, suggestion: Option<String> },
    /// A derivative name whose ending is not made of coordinates.
    #[error(
        "unknown symbol `{name}`: `{ending}` is not a coordinate (coordinates: {coordinates}){}",
        or_nearest(suggestion)
    )]
    UnknownDerivative { name: String, ending: String, coordinates: String, suggestion: Option<String> },
    /// A call of a name that is not declared.
    #[error("unknown function `{name}`{}; the functions are: {known}", maybe(suggestion))]
    UnknownFunction { name: String, suggestion: Option<String>, known: String },
    /// A call of something that is not a function.
    #[error("`{name}` is not a function; write `{name}*(...)` to multiply")]
    NotCallable { name: String },
    /// A function without parentheses.
    #[error("function `{name}` needs arguments in parentheses: `{name}(...)`")]
    MissingArguments { name: String },
    /// Too few or too many arguments.
    #[error("`{name}` takes {}, found {found}", arguments(*expected, *or_more))]
    ArgumentCount { name: String, expected: usize, or_more: bool, found: usize },
    /// Something to compute with is missing.
    #[error("expected a value before {}", quoted(before))]
    MissingOperand { before: Option<String> },
    /// Two values next to each other.
    #[error("expected an operator before `{before}`; write `*` to multiply")]
    MissingOperator { before: String },
    /// An opening parenthesis without its partner.
    #[error("`{open}` is never closed")]
    Unclosed { open: char },
    /// A closing parenthesis without its partner.
    #[error("`)` closes nothing; remove it or add `(`")]
    Unopened,
    /// A character that has no place here.
    #[error("unexpected character `{}`", found.escape_debug())]
    UnexpectedCharacter { found: char },
    /// An equation in place of a residual.
    #[error("`=` is not an operator; write the equation as a residual, `left - (right)`, or compare with `==`")]
    EqualsSign,
    /// A comparison where a number is needed.
    #[error("a comparison can stand only in the condition of `where(condition, a, b)`")]
    ComparisonOutsideWhere,
    /// `a < b < c`.
    #[error("comparisons cannot be chained; join two of them with `and`")]
    ChainedComparison,
    /// A number where a condition is needed.
    #[error("expected a condition such as `x < 0`")]
    ConditionExpected,
    /// `d` with respect to something else.
    #[error("cannot differentiate in `{name}`: it is not a coordinate (coordinates: {coordinates})")]
    NotACoordinate { name: String, coordinates: String },
    /// A derivative name with several readings.
    #[error("`{name}` is ambiguous; write {}", readings.join(" or "))]
    Ambiguous { name: String, readings: Vec<String> },
    /// A derivative above [`MAX_TEXT_ORDER`].
    #[error("derivative of order {order}; the highest order in text is {MAX_TEXT_ORDER}")]
    OrderTooHigh { order: u32 },
    /// A number beyond the range of `f64`.
    #[error("the number `{text}` is too large")]
    NumberTooLarge { text: String },
    /// `at` with something other than a small whole number.
    #[error("`{text}` is not a linked site; write a whole number from 0 to {limit}")]
    InvalidSite { text: String, limit: usize },
    /// A table used bare whose axes are not coordinates.
    #[error("table `{table}` needs arguments: its axis `{axis}` is not a coordinate (coordinates: {coordinates})")]
    TableAxis { table: String, axis: String, coordinates: String },
    /// Orders of a table derivative that are not one 0 or 1 for each axis.
    #[error("`{text}` is not a derivative of table `{table}`; write one 0 or 1 for each of its {axes} axes")]
    TableOrders { table: String, text: String, axes: usize },
}

fn place(line: usize, column: usize) -> String {
    match line {
        1 => format!("column {column}"),
        _ => format!("line {line}, column {column}"),
    }
}

fn or_nearest(suggestion: &Option<String>) -> String {
    match suggestion {
        Some(name) => format!("; did you mean `{name}`?"),
        None => String::new(),
    }
}

fn maybe(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

fn quoted(before: &Option<String>) -> String {
    match before {
        Some(text) => format!("`{text}`"),
        None => "the end of the text".to_owned(),
    }
}

fn arguments(expected: usize, or_more: bool) -> String {
    let plural = if expected == 1 { "" } else { "s" };
    let more = if or_more { " or more" } else { "" };
    format!("{expected}{more} argument{plural}")
}

/// Characters of the source shown on each side of the place.
const SHOWN: usize = 60;

impl ParseError {
    pub(super) fn locate(text: &str, offset: usize, kind: ParseErrorKind) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        ParseError {
            offset,
            line: 1 + before.matches('\n').count(),
            column: 1 + before[line_start..].chars().count(),
            kind,
        }
    }

    /// The message, the line of `source` it is about, and a caret under the place. Long lines are cut around it.
    pub fn render(&self, source: &str) -> String {
        let line = source.lines().nth(self.line - 1).unwrap_or("");
        let caret = self.column - 1;
        let first = caret.saturating_sub(SHOWN);
        let shown = line.chars().skip(first).take(caret - first + SHOWN);
        // One column for each character, or the caret would miss its place.
        let shown: String = shown.map(|c| if c.is_control() { ' ' } else { c }).collect();
        let (head, tail) =
            (if first > 0 { "…" } else { "" }, if line.chars().count() > caret + SHOWN { "…" } else { "" });
        let indent = " ".repeat(caret - first + head.chars().count());
        format!("{self}\n  {head}{shown}{tail}\n  {indent}^")
    }
}
