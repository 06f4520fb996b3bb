//! What one outer step did: losses, counts, norms and the reason it ended.

use crate::vector::{dot, max_abs};
use serde::{Deserialize, Serialize};

/// Report of one [`Optimizer::step`](crate::Optimizer::step).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepOutcome {
    /// Loss of the last accepted evaluation. Quasi-Newton methods: at the returned θ, as the line search saw it (not
    /// re-evaluated). Adam: at the θ the step started from, its only evaluation.
    pub loss: f64,
    /// Which evaluation of the step that was, counted from 0: losses of several may be equal.
    pub accepted: usize,
    /// Loss of the step's first evaluation, at the θ it was given; what PyTorch's `step` returns.
    pub first_loss: f64,
    /// Times the loss was computed, trials included. Gauss–Newton: times its residuals were, those that measure the bend of a
    /// step included; the products Jv and Jᵀw are not counted.
    pub evaluations: usize,
    /// Accepted inner iterations: up to `max_iter` for quasi-Newton methods, at most one for Adam.
    pub inner_iterations: usize,
    /// Line searches that ended short of the strong Wolfe conditions (bracket collapsed or trials used up). Always 0
    /// for Adam.
    pub weak_searches: usize,
    /// Size of the gradient that belongs to `loss`.
    pub grad_norm: GradNorm,
    /// Last step length along the search direction (quasi-Newton) or the learning rate used (Adam); 0 if θ did not move.
    pub step_size: f64,
    /// Why the step ended.
    pub status: StepStatus,
}

impl StepOutcome {
    /// The report after the first evaluation of a step, before θ moves: `NonFinite` if there is nothing to go on with.
    pub(crate) fn before_moving(first_loss: f64, grad_norm: GradNorm) -> Self {
        let status = if !first_loss.is_finite() {
            StepStatus::NonFinite { what: Quantity::Loss }
        } else if !grad_norm.l2.is_finite() {
            StepStatus::NonFinite { what: Quantity::Gradient }
        } else {
            StepStatus::Moved
        };
        Self {
            loss: first_loss,
            accepted: 0,
            first_loss,
            evaluations: 1,
            inner_iterations: 0,
            weak_searches: 0,
            grad_norm,
            step_size: 0.0,
            status,
        }
    }
}

/// Two norms of one gradient.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GradNorm {
    /// max_i |g_i|.
    pub max_abs: f64,
    /// √(Σ g_i²).
    pub l2: f64,
}

impl GradNorm {
    /// Both norms of `grad`. A NaN or infinity anywhere makes `l2` non-finite (`max_abs` may miss a NaN).
    pub fn of(grad: &[f64]) -> Self {
        Self { max_abs: max_abs(grad), l2: dot(grad, grad).sqrt() }
    }
}

/// Why a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepStatus {
    /// All inner iterations of the step were taken.
    Moved,
    /// The evaluation budget ended the step before the iteration budget did.
    EvaluationBudget,
    /// A tolerance was met.
    Converged(Tolerance),
    /// The last line search found no point better than where it started; its θ was kept.
    LineSearchStalled,
    /// A NaN or infinity appeared; θ is back at the last finite accepted point.
    NonFinite {
        /// Where it was seen.
        what: Quantity,
    },
}

/// The tolerance that ended a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tolerance {
    /// max|g| ≤ `tolerance_grad`.
    Gradient,
    /// max|Δθ| ≤ `tolerance_change`.
    Change,
    /// |Δf| < `tolerance_change`.
    Loss,
    /// gᵀd > −`tolerance_change`: the direction no longer descends, θ was not moved along it.
    DirectionalDerivative,
}

/// The quantity in which a NaN or infinity was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// The loss.
    Loss,
    /// The gradient, or its squared norm (overflow).
    Gradient,
    /// The search direction or the slope along it.
    Direction,
    /// The trial step length proposed by interpolation.
    TrialStep,
}
