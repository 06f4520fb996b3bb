//! Powers: x⁰ = 1, x¹ = x, (xᵃ)ⁿ = xᵃⁿ and (xy)ⁿ = xⁿyⁿ for whole n, and folded numbers.

use super::folds;
use crate::function::power_value;
use crate::{Expr, Node};

impl Expr {
    /// self ^ exponent.
    pub fn pow(&self, exponent: impl Into<Expr>) -> Expr {
        let exponent = exponent.into();
        match exponent.as_constant() {
            Some(e) => power(self, e),
            None if self.is_constant(1.0) => self.clone(),
            None => Expr::from_node(Node::Pow(self.clone(), exponent)),
        }
    }

    /// self ^ n for a whole n.
    pub fn powi(&self, n: i32) -> Expr {
        power(self, f64::from(n))
    }

    /// self ^ exponent for a number.
    pub fn powf(&self, exponent: f64) -> Expr {
        power(self, exponent)
    }
}

pub(super) fn power(base: &Expr, exponent: f64) -> Expr {
    // Beyond 2⁵³ every f64 is whole, which says nothing about the exponent that was meant.
    let whole = exponent.fract() == 0.0 && exponent.abs() < 9e15;
    if exponent == 0.0 {
        return Expr::constant(1.0);
    }
    if exponent == 1.0 {
        return base.clone();
    }
    match base.node() {
        Node::Const(b) => {
            let value = power_value(*b, exponent);
            if folds(value, *b == 0.0) {
                return Expr::constant(value);
            }
        }
        Node::Pow(inner, e) if whole => {
            if let Some(e) = e.as_constant()
                && (e * exponent).is_finite()
            {
                return power(inner, e * exponent);
            }
        }
        Node::Mul(factors) if whole => {
            return Expr::product(factors.iter().map(|f| power(f, exponent)));
        }
        _ => {}
    }
    Expr::from_node(Node::Pow(base.clone(), Expr::constant(exponent)))
}
