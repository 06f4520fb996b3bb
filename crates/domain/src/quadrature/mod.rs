//! Gaussian quadrature on [−1, 1] and on boxes, and the Legendre polynomials behind it.
//!
//! ∫ f ≈ Σ_q w_q f(x_q). With n nodes, [`Quadrature::gauss_legendre`] is exact for polynomials up to degree 2n − 1;
//! [`Quadrature::gauss_lobatto`] keeps both ends of the interval as nodes and is exact up to degree 2n − 3.

mod legendre;
mod tensor;
#[cfg(test)]
mod tests;

pub use legendre::{Jet, legendre, legendre_difference};
pub use tensor::TensorQuadrature;

use crate::error::{DomainError, Result};
use std::f64::consts::PI;

/// Newton converges in fewer than ten steps from the asymptotic guesses; the bound only ends a loop that cannot run on.
const MAX_NEWTON_STEPS: usize = 50;

/// Nodes in rising order with their weights.
///
/// ```
/// use ropinn_domain::quadrature::Quadrature;
/// let rule = Quadrature::gauss_legendre(3)?.on(0.0, 2.0);
/// let integral: f64 = rule.iter().map(|(x, w)| w * x.powi(5)).sum();
/// assert!((integral - 64.0 / 6.0).abs() < 1e-14);
/// # Ok::<(), ropinn_domain::DomainError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Quadrature {
    nodes: Vec<f64>,
    weights: Vec<f64>,
}

impl Quadrature {
    /// The n zeros of P_n with weights 2/((1 − x²) P_n′(x)²), on [−1, 1].
    pub fn gauss_legendre(n: usize) -> Result<Self> {
        if n == 0 {
            return Err(DomainError::TooFewNodes { rule: "Gauss-Legendre", least: 1, found: n });
        }
        let root = |i: usize| {
            // Tricomi's guess for the i-th zero from the right.
            let guess = (PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
            newton(guess, |x| {
                let p = legendre(n, x);
                p.value / p.slope
            })
        };
        let weight = |x: f64| 2.0 / ((1.0 - x) * (1.0 + x) * legendre(n, x).slope.powi(2));
        Ok(symmetric(n, root, weight))
    }

    /// Both ends and the n − 2 zeros of P_{n−1}′ with weights 2/(n(n − 1) P_{n−1}(x)²), on [−1, 1]; n ≥ 2.
    pub fn gauss_lobatto(n: usize) -> Result<Self> {
        if n < 2 {
            return Err(DomainError::TooFewNodes { rule: "Gauss-Lobatto", least: 2, found: n });
        }
        let degree = n - 1;
        let root = |i: usize| {
            if i == 0 {
                return 1.0;
            }
            // Parter (1999), "On the Legendre-Gauss-Lobatto points and weights".
            let turn = (i as f64 + 0.25) * PI;
            let guess = (turn / degree as f64 - 3.0 / (8.0 * degree as f64 * turn)).cos();
            newton(guess, |x| {
                let p = legendre(degree, x);
                p.slope / p.curvature
            })
        };
        let weight = |x: f64| 2.0 / ((n * degree) as f64 * legendre(degree, x).value.powi(2));
        Ok(symmetric(n, root, weight))
    }

    /// The same rule on the interval from `low` to `high`.
    pub fn on(&self, low: f64, high: f64) -> Self {
        let half = 0.5 * (high - low);
        Self {
            // From the nearer end, so that nodes at ±1 land on the ends exactly.
            nodes: self
                .nodes
                .iter()
                .map(|&x| if x < 0.0 { low + half * (1.0 + x) } else { high - half * (1.0 - x) })
                .collect(),
            weights: self.weights.iter().map(|w| half * w).collect(),
        }
    }

    /// Nodes in rising order.
    pub fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    /// Their weights.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Number of nodes.
    #[expect(clippy::len_without_is_empty, reason = "a rule has at least one node")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// (node, weight) pairs.
    pub fn iter(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.nodes.iter().copied().zip(self.weights.iter().copied())
    }
}

/// Follows x ← x − step(x) until it stands still.
fn newton(guess: f64, step: impl Fn(f64) -> f64) -> f64 {
    let mut x = guess;
    for _ in 0..MAX_NEWTON_STEPS {
        let change = step(x);
        x -= change;
        if change.abs() <= 2.0 * f64::EPSILON * x.abs() {
            break;
        }
    }
    x
}

/// A rule from its right half: `root(i)` is the i-th node from the right; the left half mirrors it bit by bit.
fn symmetric(n: usize, root: impl Fn(usize) -> f64, weight: impl Fn(f64) -> f64) -> Quadrature {
    let (mut nodes, mut weights) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n.div_ceil(2) {
        let x = if 2 * i + 1 == n { 0.0 } else { root(i) };
        let w = weight(x);
        (nodes[i], nodes[n - 1 - i]) = (-x, x);
        (weights[i], weights[n - 1 - i]) = (w, w);
    }
    // A node in the middle was written as −0 and then as 0.
    Quadrature { nodes, weights }
}
