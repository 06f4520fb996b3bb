//! Products: flat, constants folded into one leading coefficient, like powers collected (x·x² = x³), sorted.

use super::sum::scaled;
use super::{folds, power};
use crate::hash::FastMap;
use crate::{Expr, Node};

impl Expr {
    /// The product of any number of factors. Much cheaper than multiplying one at a time when there are many.
    pub fn product(factors: impl IntoIterator<Item = Expr>) -> Expr {
        let mut pending: Vec<Expr> = factors.into_iter().collect();
        loop {
            let mut collected = LikePowers::default();
            for factor in &pending {
                match factor.node() {
                    Node::Mul(inner) => inner.iter().for_each(|f| collected.push(f)),
                    _ => collected.push(factor),
                }
            }
            let opened = collected.merge();
            if !opened {
                return collected.into_product();
            }
            // Exponents that met may leave a number or a product behind: √(xy)·√(xy) = xy.
            pending = collected.into_factors();
        }
    }
}

struct LikePowers {
    coefficient: f64,
    factors: Vec<Factor>,
    position: FastMap<Expr, usize>,
    /// Constants that cannot be folded without overflow. They go last, so that evaluation from the left meets
    /// the small factors first.
    apart: Vec<Expr>,
}

struct Factor {
    base: Expr,
    exponent: f64,
    expr: Expr,
    stale: bool,
}

impl Default for LikePowers {
    fn default() -> Self {
        Self { coefficient: 1.0, factors: Vec::new(), position: FastMap::default(), apart: Vec::new() }
    }
}

impl LikePowers {
    fn push(&mut self, factor: &Expr) {
        if let Some(c) = factor.as_constant() {
            let folded = self.coefficient * c;
            if folds(folded, c == 0.0 || self.coefficient == 0.0) {
                self.coefficient = folded;
            } else {
                self.apart.push(factor.clone());
            }
            return;
        }
        let (base, exponent) = match factor.node() {
            Node::Pow(base, exponent) => match exponent.as_constant() {
                Some(e) => (base, e),
                None => (factor, 1.0),
            },
            _ => (factor, 1.0),
        };
        if let Some(&i) = self.position.get(base) {
            let known = &mut self.factors[i];
            known.exponent += exponent;
            known.stale = true;
            return;
        }
        self.position.insert(base.clone(), self.factors.len());
        self.factors.push(Factor { base: base.clone(), exponent, expr: factor.clone(), stale: false });
    }

    /// Rebuilds the powers whose exponents met; true if one of them is no longer a single factor.
    fn merge(&mut self) -> bool {
        let mut opened = false;
        for factor in self.factors.iter_mut().filter(|f| f.stale) {
            factor.expr = power::power(&factor.base, factor.exponent);
            opened |= match factor.expr.node() {
                Node::Mul(_) => true,
                Node::Const(c) => *c != 1.0,
                _ => false,
            };
        }
        self.factors.retain(|f| !f.expr.is_constant(1.0));
        opened
    }

    fn into_factors(self) -> Vec<Expr> {
        let mut all = self.apart;
        all.push(Expr::constant(self.coefficient));
        all.extend(self.factors.into_iter().map(|f| f.expr));
        all
    }

    fn into_product(self) -> Expr {
        // Nothing times 0/0 is 0, and 0 times 1/0 is not either.
        let undefined = self.factors.iter().any(|factor| factor.expr.is_undefined());
        if self.apart.iter().any(|c| c.is_constant_nan()) || (self.coefficient == 0.0 && undefined) {
            return Expr::constant(f64::NAN);
        }
        if self.coefficient == 0.0 && self.apart.is_empty() {
            return Expr::constant(0.0);
        }
        let mut factors: Vec<Expr> = self.factors.into_iter().map(|f| f.expr).collect();
        factors.sort();
        factors.extend(self.apart);
        match factors.len() {
            0 => Expr::constant(self.coefficient),
            1 => scaled(self.coefficient, &factors[0]),
            _ => scaled(self.coefficient, &Expr::from_node(Node::Mul(factors))),
        }
    }
}
