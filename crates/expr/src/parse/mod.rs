//! Text to expressions.
//!
//! ```text
//! sum        = product { ("+" | "-") product }          power = operand [ ("^" | "**") power ]      right associative
//! product    = signed { ("*" | "/") signed }            signed = ("-" | "+") signed | power        −x² = −(x²)
//! operand    = number | name | name "(" sum { "," sum } ")" | "(" sum ")"
//! condition  = sum ("<" | "<=" | ">" | ">=" | "==" | "!=") sum, joined by not, and, or             inside where(…) only
//! ```
//! `grammar` holds the operators, `grammar::call` what takes parentheses, `symbol` the names and derivative names.

mod error;
mod grammar;
mod suggest;
mod symbol;

pub use error::{ParseError, ParseErrorKind};

use crate::{Expr, Scope};

/// Parentheses, calls, signs and exponents nest at most this deep in text.
pub const MAX_DEPTH: usize = 200;
/// The longest text that is parsed.
pub const MAX_TEXT_BYTES: usize = 1_000_000;
/// The highest derivative order text can ask for.
pub const MAX_TEXT_ORDER: u32 = 4;

impl Scope {
    /// Parses an expression over the names of this scope.
    ///
    /// Besides arithmetic and functions there are derivative names (`u_xt`), `d(expr, x, t)` for the total derivative of
    /// anything, `at(expr, 1)` for a linked site, `where(x < 0 and t > 1, a, b)`, and calls of tables.
    ///
    /// ```
    /// # use ropinn_expr::Scope;
    /// let scope = Scope::new(["x"], ["u"])?;
    /// assert_eq!(scope.parse("d(x*u, x)")?, scope.parse("u + x*u_x")?);
    /// let text = "u_x + sn(x)";
    /// assert_eq!(scope.parse(text).unwrap_err().render(text), "\
    /// column 7: unknown function `sn` (did you mean `sin`?); the functions are: sin, cos, tan, exp, log, sqrt, tanh, sinh, cosh, atan, erf, abs, sign, min, max, where, d, at
    ///   u_x + sn(x)
    ///         ^");
    /// # Ok::<(), ropinn_expr::Error>(())
    /// ```
    pub fn parse(&self, text: &str) -> Result<Expr, ParseError> {
        grammar::parse(self, text).map_err(|failure| ParseError::locate(text, failure.offset, failure.kind))
    }
}
