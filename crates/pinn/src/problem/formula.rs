//! Formulas as they are given: text, a number or a ready expression, with the place in the file they come from.

use ropinn_expr::{Env, Expr, Scope};

use super::error::ProblemError;
use super::source::{Position, Source, caret};

#[derive(Clone, Debug, PartialEq)]
enum Content {
    Text(String),
    Expr(Expr),
}

/// An expression to be, given as text, as a number or ready-made.
///
/// ```
/// use ropinn::problem::Formula;
/// let from_text: Formula = "sin(pi*x)".into();
/// let from_number: Formula = 0.0.into();
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    content: Content,
    /// Byte of the file at which the value starts, quotes included.
    value_at: usize,
    /// Byte of the file at which the text itself starts, if it stands there letter by letter.
    text_at: Option<usize>,
}

impl From<&str> for Formula {
    fn from(text: &str) -> Self {
        Formula { content: Content::Text(text.to_owned()), value_at: 0, text_at: None }
    }
}

impl From<String> for Formula {
    fn from(text: String) -> Self {
        Formula { content: Content::Text(text), value_at: 0, text_at: None }
    }
}

impl From<f64> for Formula {
    fn from(value: f64) -> Self {
        Formula::from(Expr::constant(value))
    }
}

impl From<Expr> for Formula {
    fn from(expr: Expr) -> Self {
        Formula { content: Content::Expr(expr), value_at: 0, text_at: None }
    }
}

impl Formula {
    /// The same formula, found in a file at these bytes.
    pub(super) fn found_at(self, value_at: usize, text_at: Option<usize>) -> Self {
        Formula { value_at, text_at, ..self }
    }

    /// Its text, unless it is a number or a ready expression.
    pub(super) fn as_text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            Content::Expr(_) => None,
        }
    }

    /// The place of the whole formula.
    pub(super) fn position(&self, source: &Source) -> Box<Position> {
        source.position(self.value_at)
    }

    /// The expression over the names of `scope`, if it has a value somewhere.
    pub(super) fn resolve(&self, scope: &Scope, what: &str, source: &Source) -> Result<Expr, ProblemError> {
        let expr = self.parse(scope, what, source)?;
        // Infinite numbers are refused by those who need finite ones, with the number.
        match expr.is_undefined() && !expr.as_constant().is_some_and(f64::is_infinite) {
            true => Err(ProblemError::NeverANumber { what: what.to_owned() }.at(self.position(source))),
            false => Ok(expr),
        }
    }

    fn parse(&self, scope: &Scope, what: &str, source: &Source) -> Result<Expr, ProblemError> {
        let text = match &self.content {
            Content::Expr(expr) => return Ok(expr.clone()),
            Content::Text(text) => text,
        };
        scope.parse(text).map_err(|error| {
            let at = source.position(self.text_at.map_or(self.value_at, |start| start + error.offset));
            let snippet = match (&source.text, self.text_at) {
                (Some(_), Some(_)) => source.snippet(&at),
                _ => caret(text, error.line, error.column),
            };
            ProblemError::Formula { what: what.to_owned(), kind: Box::new(error.kind), snippet }.at(at)
        })
    }

    /// The same for an end of an interval, which may be infinite.
    pub(super) fn limit(&self, scope: &Scope, what: &str, source: &Source) -> Result<f64, ProblemError> {
        match self.parse(scope, what, source)?.as_constant() {
            Some(value) if value.is_infinite() => Ok(value),
            _ => self.number(scope, what, source),
        }
    }

    /// The number this is, in terms of the constants of `scope`.
    pub(super) fn number(&self, scope: &Scope, what: &str, source: &Source) -> Result<f64, ProblemError> {
        let expr = self.parse(scope, what, source)?;
        let value = expr.as_constant().unwrap_or_else(|| expr.eval(&Env::at(&[])));
        if value.is_finite() {
            return Ok(value);
        }
        let depends = expr.depends_on_coords() || expr.depends_on_unknowns() || expr.depends_on_trainables();
        let value = if depends { format!("`{}`", expr.display(scope)) } else { value.to_string() };
        Err(ProblemError::NotANumber { what: what.to_owned(), value }.at(self.position(source)))
    }
}
