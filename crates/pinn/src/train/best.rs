//! The best parameters a run has seen: what remains of it if its numbers run away later.

use super::Progress;
use ropinn_optim::StepOutcome;
use serde::{Deserialize, Serialize};

/// Parameters and what makes them the best: the lowest error if a reference is known, else the lowest loss.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// The parameters.
    pub theta: Vec<f64>,
    /// Outer steps after which they were reached.
    pub iteration: u64,
    /// Their loss as training saw it, on moved points if there are regions.
    pub loss: f64,
    /// Their error (rMSE), if it was measured.
    pub rmse: Option<f64>,
}

/// [`Best`] without the parameters, for records.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestNumbers {
    /// Outer steps after which it was reached.
    pub iteration: u64,
    /// The loss as training saw it.
    pub loss: f64,
    /// The error (rMSE), if it was measured.
    pub rmse: Option<f64>,
}

impl Best {
    /// Without the parameters.
    pub fn numbers(&self) -> BestNumbers {
        BestNumbers { iteration: self.iteration, loss: self.loss, rmse: self.rmse }
    }
}

impl Progress {
    /// Takes note of a step that stayed finite. An error counts if it was measured in turn: what is measured because a run
    /// ends must not tell a continued run from one that never ended.
    pub(super) fn note_best(&mut self, outcome: &StepOutcome, rmse: Option<f64>) {
        let rmse = rmse.filter(|rmse| rmse.is_finite());
        let better = match (&self.best, rmse) {
            (None, _) => true,
            (Some(best), Some(rmse)) => best.rmse.is_none_or(|least| rmse < least),
            (Some(best), None) => best.rmse.is_none() && outcome.loss < best.loss,
        };
        if !better {
            return;
        }
        // A step that reports the loss it began with has measured it where it began: Adam's only evaluation.
        let at_start = rmse.is_none() && outcome.loss.to_bits() == outcome.first_loss.to_bits();
        let (theta, iteration) = if at_start { (&self.good, self.steps - 1) } else { (&self.theta, self.steps) };
        let mut memory = self.best.take().map_or_else(Vec::new, |best| best.theta);
        memory.clone_from(theta);
        self.best = Some(Best { theta: memory, iteration, loss: outcome.loss, rmse });
    }
}
