//! Products of one-dimensional rules: Σ_{q₁…q_D} w_{q₁}⋯w_{q_D} f(x_{q₁}, …, x_{q_D}).

use super::Quadrature;
use crate::error::{DomainError, Result};

/// Most nodes a product rule may have; beyond it the rule would not fit in memory long before it were useful.
const MAX_NODES: usize = 1 << 24;

/// A rule on a box, its nodes ordered like grids: the first axis varies fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorQuadrature {
    dim: usize,
    nodes: Vec<f64>,
    weights: Vec<f64>,
}

impl TensorQuadrature {
    /// The product of one rule per axis.
    ///
    /// ```
    /// use ropinn_domain::quadrature::{Quadrature, TensorQuadrature};
    /// let (x, y) = (Quadrature::gauss_legendre(2)?.on(0.0, 1.0), Quadrature::gauss_legendre(3)?.on(0.0, 2.0));
    /// let rule = TensorQuadrature::product(&[x, y])?;
    /// let integral: f64 = rule.iter().map(|(p, w)| w * p[0].powi(3) * p[1].powi(5)).sum();
    /// assert!((integral - 64.0 / 24.0).abs() < 1e-14);
    /// # Ok::<(), ropinn_domain::DomainError>(())
    /// ```
    pub fn product(axes: &[Quadrature]) -> Result<Self> {
        if axes.is_empty() {
            return Err(DomainError::NoDimensions { what: "a quadrature rule" });
        }
        let count = axes.iter().try_fold(1usize, |count, axis| count.checked_mul(axis.len()));
        let Some(count) = count.filter(|&count| count <= MAX_NODES) else {
            let per_axis = axes.iter().map(Quadrature::len).collect();
            return Err(DomainError::TooManyNodes { per_axis, most: MAX_NODES });
        };
        let dim = axes.len();
        let (mut nodes, mut weights) = (Vec::with_capacity(count * dim), Vec::with_capacity(count));
        for number in 0..count {
            let (mut rest, mut weight) = (number, 1.0);
            for axis in axes {
                let i = rest % axis.len();
                rest /= axis.len();
                nodes.push(axis.nodes()[i]);
                weight *= axis.weights()[i];
            }
            weights.push(weight);
        }
        Ok(Self { dim, nodes, weights })
    }

    /// The same rule on each of `dim` axes.
    pub fn power(rule: &Quadrature, dim: usize) -> Result<Self> {
        Self::product(&vec![rule.clone(); dim])
    }

    /// Number of axes.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of nodes.
    #[expect(clippy::len_without_is_empty, reason = "a rule has at least one node")]
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Nodes, row-major: `dim` numbers each.
    pub fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    /// Their weights.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// (node, weight) pairs.
    pub fn iter(&self) -> impl Iterator<Item = (&[f64], f64)> + '_ {
        self.nodes.chunks_exact(self.dim).zip(self.weights.iter().copied())
    }
}
