//! What a Gauss–Newton step asks of the world: the residuals behind a loss f(θ) = ‖ρ(θ)‖², with their slopes.
//!
//! A step works with *one* set of residuals: [`LeastSquares::begin`] chooses it (region sampling draws its points there) and
//! every other method uses it until the next `begin`.

use crate::Oracle;

/// A loss that is a sum of squares. J = ∂ρ/∂θ has [`residual_count`](Self::residual_count) rows.
pub trait LeastSquares: Oracle {
    /// Number of residuals.
    fn residual_count(&self) -> usize;

    /// Chooses the residuals of the next step.
    fn begin(&mut self);

    /// Returns f and overwrites `grad` with ∇f = 2Jᵀρ and the lower triangle of `gram` (row by row) with JᵀJ.
    fn normal_equations(&mut self, theta: &[f64], grad: &mut [f64], gram: &mut Vec<f64>) -> f64;

    /// Returns f and overwrites `residuals` with ρ and `rows` with J, row by row.
    fn jacobian(&mut self, theta: &[f64], residuals: &mut Vec<f64>, rows: &mut Vec<f64>) -> f64;

    /// Returns f and overwrites `grad` with ∇f = 2Jᵀρ.
    fn gradient(&mut self, theta: &[f64], grad: &mut [f64]) -> f64;

    /// Overwrites `out` with ρ and returns f = ‖ρ‖².
    fn residuals(&mut self, theta: &[f64], out: &mut Vec<f64>) -> f64;

    /// Overwrites `out` with Jv.
    fn push_forward(&mut self, theta: &[f64], v: &[f64], out: &mut Vec<f64>);

    /// Overwrites `out` with Jᵀw.
    fn pull_back(&mut self, theta: &[f64], w: &[f64], out: &mut Vec<f64>);

    /// Told once per step what it was judged by: the loss and gradient at the θ it started from.
    fn end(&mut self, _loss: f64, _grad: &[f64]) {}
}
