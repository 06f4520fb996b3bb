//! What happens when numbers run away.
//!
//! A NaN or infinity puts θ back to where loss and gradient were finite last, tells the optimiser to back off (a tenth of
//! Adam's rate, no curvature memory, a hundred times the damping) and goes on, up to [`RETRIES`] times per phase. Then, or
//! if the loss stays far above its first value, the run ends, and the best parameters are what remains.

use super::{StopReason, Trainer};
use ropinn_optim::{StepOutcome, StepStatus};

/// Times a phase goes back before the run ends.
pub(super) const RETRIES: u64 = 3;
/// A loss this many times the first one …
const RUNAWAY: f64 = 1e6;
/// … in so many outer steps one after another is divergence.
const RUNAWAY_STEPS: u64 = 5;

/// Whether all numbers of a step were finite.
pub(super) fn is_finite(outcome: &StepOutcome) -> bool {
    !matches!(outcome.status, StepStatus::NonFinite { .. })
}

impl Trainer {
    /// Goes back after a step that met a NaN or infinity; a reason to stop if that has been done too often.
    pub(super) fn recover(&mut self, outcome: &StepOutcome) -> Option<StopReason> {
        let StepStatus::NonFinite { what } = outcome.status else { return None };
        // A search that met the bad number on its way has returned to a good point itself.
        let is_good = outcome.loss.is_finite() && outcome.grad_norm.l2.is_finite();
        if !is_good && !self.progress.good.is_empty() {
            self.progress.theta.clone_from(&self.progress.good);
        }
        if self.progress.retries < RETRIES {
            self.progress.retries += 1;
            self.optimizer.back_off();
            return None;
        }
        let (iteration, retries) = (self.progress.steps, self.progress.retries);
        let term = self.objective.fault().map(str::to_owned);
        Some(StopReason::NonFinite { what, iteration, term, retries })
    }

    /// Whether the loss has been far above its first value for a while.
    pub(super) fn divergence(&mut self, loss: f64) -> Option<StopReason> {
        let first = *self.progress.first_loss.get_or_insert(loss);
        self.progress.runaway = if loss > RUNAWAY * first { self.progress.runaway + 1 } else { 0 };
        let iteration = self.progress.steps;
        (self.progress.runaway >= RUNAWAY_STEPS).then_some(StopReason::Diverged { iteration, loss, first })
    }

    /// The parameters a run leaves behind: the last ones, or the best ones if its numbers ran away.
    pub(super) fn final_theta(&self, reason: &StopReason) -> Vec<f64> {
        let best = self.progress.best.as_ref().filter(|_| reason.is_failure());
        best.map_or(&self.progress.theta, |best| &best.theta).clone()
    }
}
