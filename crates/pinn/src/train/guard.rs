//! What happens when numbers run away.
//!
//! A NaN or infinity puts θ back to where loss and gradient were finite last, tells the optimiser to back off (a tenth of
//! Adam's rate, no curvature memory, a hundred times the damping) and goes on, up to [`RETRIES`] times per phase. Then, or
//! if the loss stays far above its first value, the run ends, and the best parameters are what remains.

use super::{StopReason, Trainer};
use crate::error::Error;
use crate::objective::Fault;
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
        let (iteration, retries) = (self.progress.steps, self.progress.retries);
        let term = self.objective.fault().map(str::to_owned);
        let reason = StopReason::NonFinite { what, iteration, term, retries, outside: self.is_undefined_outside() };
        if retries < RETRIES {
            self.progress.retries += 1;
            self.optimizer.back_off();
            self.fault = Some(reason);
            return None;
        }
        Some(reason)
    }

    /// Whether residuals are undefined at places outside the domain, and only there.
    fn is_undefined_outside(&mut self) -> bool {
        let problem = self.case.problem();
        let axes = self.case.network().coordinates();
        let is_inside = |point: &[f64]| problem.geometry().contains(point, problem.touching());
        self.objective.faults(&self.progress.theta, true).is_ok_and(|faults| {
            let outside = |fault: &Fault| !fault.points.chunks_exact(axes).all(is_inside);
            !faults.is_empty() && faults.iter().all(outside)
        })
    }

    /// The reason, unless a run that ended as planned did so with numbers that are not finite: in its last step, or at the
    /// fixed points, where the result is measured. A run that was interrupted may still recover.
    pub(super) fn unless_not_finite(&mut self, reason: StopReason) -> Result<StopReason, Error> {
        if reason.is_failure() || matches!(reason, StopReason::Interrupted { .. }) {
            return Ok(reason);
        }
        if let Some(fault) = self.fault.clone() {
            return Ok(fault);
        }
        let last = self.objective.evaluate_at_points(&self.progress.theta)?;
        let Some(part) = last.parts.iter().position(|part| !part.is_finite()) else { return Ok(reason) };
        let fault = self.objective.faults(&self.progress.theta, false)?.into_iter().next();
        let place = |fault: &Fault| {
            let names = self.case.problem().coordinate_names().iter().zip(&fault.points);
            names.map(|(name, x)| format!("{name} = {x}")).collect::<Vec<_>>().join(", ")
        };
        let point = fault.as_ref().map(place);
        let term = fault.map_or_else(|| self.objective.part_names()[part].clone(), |fault| fault.part);
        Ok(StopReason::UndefinedAtPoints { term, point, iteration: self.progress.steps })
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
