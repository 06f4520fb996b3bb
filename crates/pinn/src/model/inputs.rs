//! What a model is built for.

use ropinn_expr::Expr;

/// What a model must know of the problem it is built for.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelInputs {
    /// Number of coordinates, e.g. 2 for (x, t).
    pub coordinates: usize,
    /// Number of unknowns.
    pub unknowns: usize,
    /// Range of each coordinate, for models that normalise their input.
    pub ranges: Vec<(f64, f64)>,
    /// Seed of what is random but not trained: the frequencies of Fourier features.
    pub seed: u64,
    /// Conditions the network satisfies by construction.
    pub hard_constraint: Option<HardConstraint>,
}

impl ModelInputs {
    /// No ranges, seed 0, no hard constraint.
    pub fn new(coordinates: usize, unknowns: usize) -> Self {
        Self { coordinates, unknowns, ranges: Vec::new(), seed: 0, hard_constraint: None }
    }
}

/// A solution of the form `u = g(x) + d(x)·N(x; θ)`: where d vanishes, u is g whatever θ is (Lagaris et al. 1998).
#[derive(Clone, Debug, PartialEq)]
pub struct HardConstraint {
    /// The prescribed values, one function of the coordinates per unknown.
    pub g: Vec<Expr>,
    /// The distances, one function of the coordinates per unknown.
    pub d: Vec<Expr>,
}
