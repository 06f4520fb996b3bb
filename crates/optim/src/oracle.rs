//! What an optimiser asks of the world: loss and gradient, and what a Gauss–Newton step asks, the residuals behind a loss
//! f(θ) = ‖ρ(θ)‖² with their slopes.

/// What an optimiser asks of the world: loss and gradient at `theta`.
///
/// May be stochastic: region sampling draws fresh points at every call, so two calls at one `theta` need not agree.
/// Any `FnMut(&[f64], &mut [f64]) -> f64` is an oracle.
pub trait Oracle {
    /// Overwrites `grad` with ∇f(θ) and returns f(θ).
    fn evaluate(&mut self, theta: &[f64], grad: &mut [f64]) -> f64;

    /// The residuals behind the loss, for optimisers that need them; None if the loss is not known to be a sum of squares.
    fn least_squares(&mut self) -> Option<&mut dyn LeastSquares> {
        None
    }
}

impl<F> Oracle for F
where
    F: FnMut(&[f64], &mut [f64]) -> f64 + ?Sized,
{
    fn evaluate(&mut self, theta: &[f64], grad: &mut [f64]) -> f64 {
        self(theta, grad)
    }
}

/// A loss that is a sum of squares. J = ∂ρ/∂θ has [`residual_count`](Self::residual_count) rows.
///
/// A step works with *one* set of residuals: [`LeastSquares::begin`] chooses it (region sampling draws its points there) and
/// every other method uses it until the next `begin`.
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
