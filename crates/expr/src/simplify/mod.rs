//! Constructors that simplify as they build, so that every [`crate::Expr`] is in canonical form.
//!
//! Rules preserve the value wherever the plain expression has one, up to rounding. A constant is folded only when
//! the result is finite and did not underflow to zero; what is never a number, such as 0/0, is NaN and stays so.

mod choice;
mod power;
mod product;
mod sum;

use crate::{Expr, Node};

impl Expr {
    /// A number. Negative zero becomes zero.
    pub fn constant(value: f64) -> Expr {
        let value = match value {
            v if v.is_nan() => f64::NAN, // one bit pattern, so that equal means equal
            v => v + 0.0,
        };
        Expr::from_node(Node::Const(value))
    }

    /// Coordinate number `axis` at the sample's own place.
    pub fn coord(axis: usize) -> Expr {
        Expr::from_node(Node::Coord { axis, site: 0 })
    }

    /// ∂^α of unknown number `field` at the sample's own place.
    pub fn unknown(field: usize, alpha: crate::MultiIndex) -> Expr {
        Expr::from_node(Node::Unknown { field, alpha, site: 0 })
    }

    /// Trainable scalar number `k`.
    pub fn trainable(k: usize) -> Expr {
        Expr::from_node(Node::Trainable(k))
    }

    /// Per-point data column number `k`.
    pub fn data(k: usize) -> Expr {
        Expr::from_node(Node::Data(k))
    }

    pub(crate) fn is_constant_nan(&self) -> bool {
        self.as_constant().is_some_and(f64::is_nan)
    }

    pub(crate) fn is_constant(&self, value: f64) -> bool {
        self.as_constant() == Some(value)
    }
}

/// Whether a product or power of constants may replace them: finite, and zero only if it has to be.
fn folds(result: f64, any_operand_is_zero: bool) -> bool {
    result.is_finite() && (result != 0.0 || any_operand_is_zero)
}
