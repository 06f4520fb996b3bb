//! Directional and operator collapse: which linear combinations of derivatives a residual uses as one.
//!
//! The residual is expanded to a sum of products. A product with exactly one derivative factor is
//! `cofactor · c(x) · ∂^α u`; products that share unknown, site and cofactor merge into one operator `Σ c_α(x) ∂^α`:
//! `u_t + u u_x − ν u_xx` becomes `(∂t − ν ∂xx)u + u·(∂x u)`. Everything else stays in `rest` and reads plain derivatives.

use ropinn_expr::{Expr, MultiIndex, Node};
use std::collections::BTreeMap;

/// `Σ c_α ∂^α` with coefficients free of unknowns and of trained scalars, moved to site 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SymbolicOperator {
    pub parts: Vec<(MultiIndex, Expr)>,
}

/// One product `factor · (operator u_field)(site)`.
#[derive(Clone, Debug)]
pub(crate) struct Product {
    pub factor: Expr,
    pub field: usize,
    pub site: usize,
    pub operator: SymbolicOperator,
}

/// A residual split into operator products and a remainder over plain derivatives.
#[derive(Clone, Debug)]
pub(crate) struct Collapsed {
    pub products: Vec<Product>,
    pub rest: Expr,
}

impl Collapsed {
    /// The plain derivatives (order ≥ 1) read by factors and remainder.
    pub fn plain_derivatives(&self) -> impl Iterator<Item = (usize, MultiIndex, usize)> + '_ {
        let expressions = self.products.iter().map(|p| &p.factor).chain(std::iter::once(&self.rest));
        expressions.flat_map(|e| e.unknowns()).filter(|(_, alpha, _)| alpha.order() > 0)
    }
}

/// Splits one residual. Derivatives that are `kept` out of operators are read like values.
pub(crate) fn collapse(residual: &Expr, kept: impl Fn(&MultiIndex) -> bool) -> Collapsed {
    let expanded = residual.expand();
    let addends = match expanded.node() {
        Node::Add(parts) => parts.clone(),
        _ => vec![expanded.clone()],
    };
    let mut groups: BTreeMap<(usize, usize, Expr), BTreeMap<MultiIndex, Expr>> = BTreeMap::new();
    let mut rest = Expr::constant(0.0);
    for addend in addends {
        match split(&addend, &kept) {
            Some(Split { field, site, alpha, cofactor, coefficient }) => {
                let sum = groups
                    .entry((field, site, cofactor))
                    .or_default()
                    .entry(alpha)
                    .or_insert_with(|| Expr::constant(0.0));
                *sum = sum.clone() + coefficient;
            }
            None => rest = rest + addend,
        }
    }
    let products = groups
        .into_iter()
        .filter_map(|((field, site, cofactor), parts)| {
            let (common, operator) = normalise(parts)?;
            Some(Product { factor: common.at(site) * cofactor, field, site, operator })
        })
        .collect();
    Collapsed { products, rest }
}

struct Split {
    field: usize,
    site: usize,
    alpha: MultiIndex,
    cofactor: Expr,
    coefficient: Expr,
}

/// Reads an addend as `cofactor · coefficient · ∂^α u`, if it has exactly one derivative factor.
fn split(addend: &Expr, kept: impl Fn(&MultiIndex) -> bool) -> Option<Split> {
    let single = [addend.clone()];
    let factors: &[Expr] = match addend.node() {
        Node::Mul(factors) => factors,
        _ => &single,
    };
    let mut derivative = None;
    let mut others = Vec::new();
    for factor in factors {
        match factor.node() {
            Node::Unknown { field, alpha, site } if alpha.order() > 0 && !kept(alpha) => {
                if derivative.replace((*field, *alpha, *site)).is_some() {
                    return None;
                }
            }
            _ => others.push(factor),
        }
    }
    let (field, alpha, site) = derivative?;
    let mut cofactor = Expr::constant(1.0);
    let mut coefficient = Expr::constant(1.0);
    for factor in others {
        // Trained scalars stay outside the operator: their gradient is taken on the tape, not through the channels.
        let closed = !factor.depends_on_unknowns() && !factor.depends_on_trainables();
        if closed && factor.at(site) == *factor {
            coefficient = coefficient * factor.at(0);
        } else {
            cofactor = cofactor * factor;
        }
    }
    Some(Split { field, site, alpha, cofactor, coefficient })
}

/// Takes the common factor out of the coefficients, so that ν(∂xx + ∂yy) and ∂xx + ∂yy share one channel.
fn normalise(parts: BTreeMap<MultiIndex, Expr>) -> Option<(Expr, SymbolicOperator)> {
    let mut parts: Vec<(MultiIndex, Expr)> =
        parts.into_iter().filter(|(_, c)| !matches!(c.node(), Node::Const(0.0))).collect();
    parts.sort_by_key(|(alpha, _)| (alpha.order(), *alpha));
    let (scale, shape) = constant_factor(&parts.last()?.1);
    let split: Vec<(f64, Expr)> = parts.iter().map(|(_, c)| constant_factor(c)).collect();
    if split.iter().any(|(_, other)| *other != shape) {
        return Some((Expr::constant(1.0), SymbolicOperator { parts }));
    }
    let parts = parts.iter().zip(&split).map(|((alpha, _), (c, _))| (*alpha, Expr::constant(c / scale))).collect();
    Some((Expr::constant(scale) * shape, SymbolicOperator { parts }))
}

/// `c·e` as (c, e).
fn constant_factor(expr: &Expr) -> (f64, Expr) {
    match expr.node() {
        Node::Const(c) => (*c, Expr::constant(1.0)),
        Node::Mul(factors) => {
            let mut constant = 1.0;
            let mut shape = Expr::constant(1.0);
            for factor in factors {
                match factor.node() {
                    Node::Const(c) => constant *= c,
                    _ => shape = shape * factor,
                }
            }
            (constant, shape)
        }
        _ => (1.0, expr.clone()),
    }
}
