//! Expansion: products distributed over sums, and small whole powers of sums multiplied out.

use crate::traverse::fold;
use crate::{Expr, Node};

/// A node that would grow beyond this many terms stays as it is.
const MAX_TERMS: usize = 2000;
/// Factors written in one call, all nodes together; past it the remaining nodes stay as they are.
const MAX_FACTORS: usize = 1_000_000;

impl Expr {
    /// Distributes products over sums, also in whole positive powers of sums. Arguments of functions, conditions and
    /// branches are left alone, and so is a node that would grow beyond 2000 terms.
    ///
    /// ```
    /// # use ropinn_expr::Scope;
    /// let scope = Scope::new(["x"], ["u"])?;
    /// assert_eq!(scope.parse("(u + x)^2")?.expand(), scope.parse("u^2 + 2*u*x + x^2")?);
    /// # Ok::<(), ropinn_expr::Error>(())
    /// ```
    pub fn expand(&self) -> Expr {
        let mut budget = MAX_FACTORS;
        fold(self, |expr, operands: &[Expr]| match expr.node() {
            Node::Add(_) => expr.with_children(operands),
            Node::Mul(_) => match operands.iter().any(is_sum) {
                true => distribute(operands.iter(), &mut budget).unwrap_or_else(|| expr.with_children(operands)),
                false => expr.with_children(operands),
            },
            Node::Pow(_, exponent) => {
                // An exponent is not arithmetic over its own terms: keep it, expand only the base.
                let rebuilt = operands[0].pow(exponent);
                match power_of_sum(&rebuilt) {
                    Some((base, n)) => distribute(std::iter::repeat_n(&base, n), &mut budget).unwrap_or(rebuilt),
                    None => rebuilt,
                }
            }
            _ => expr.clone(),
        })
    }
}

fn is_sum(expr: &Expr) -> bool {
    matches!(expr.node(), Node::Add(_))
}

/// (base, n) of a sum to a power n ≥ 2 that could stay within the limit: (a + b)ⁿ has at least n + 1 terms.
fn power_of_sum(expr: &Expr) -> Option<(Expr, usize)> {
    let Node::Pow(base, exponent) = expr.node() else {
        return None;
    };
    let n = exponent.as_constant()?;
    let small = n.fract() == 0.0 && (2.0..MAX_TERMS as f64).contains(&n);
    (small && is_sum(base)).then(|| (base.clone(), n as usize))
}

/// The product of the factors as one sum; None if a limit is passed on the way.
fn distribute<'a>(factors: impl Iterator<Item = &'a Expr>, budget: &mut usize) -> Option<Expr> {
    let mut product = Expr::constant(1.0);
    for factor in factors {
        let (left, right) = (terms(&product), terms(factor));
        if left.len().saturating_mul(right.len()) > MAX_TERMS {
            return None;
        }
        let written = right.len() * count_factors(left) + left.len() * count_factors(right);
        *budget = budget.checked_sub(written)?;
        let pairs = left.iter().flat_map(|a| right.iter().map(move |b| a * b));
        product = Expr::sum(pairs);
    }
    Some(product)
}

fn terms(expr: &Expr) -> &[Expr] {
    match expr.node() {
        Node::Add(terms) => terms,
        _ => std::slice::from_ref(expr),
    }
}

fn count_factors(terms: &[Expr]) -> usize {
    let count = |term: &Expr| match term.node() {
        Node::Mul(factors) => factors.len(),
        _ => 1,
    };
    terms.iter().map(count).sum()
}
