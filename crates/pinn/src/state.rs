//! Everything the next outer step depends on, in one place: what a checkpoint holds.

use crate::objective::ObjectiveMemory;
use crate::record::{BestNumbers, Row, StopReason};
use ropinn_optim::{State, StepOutcome};

/// A run between two outer steps. With the configuration it was saved under, it continues bit for bit.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainState {
    /// Parameters, counters and rows.
    pub progress: Progress,
    /// Memory of the current phase's optimiser.
    pub optimizer: State,
    /// What the objective remembers: calibration, adapted weights and points.
    pub objective: ObjectiveMemory,
    /// Why the run ended, if it has.
    pub ended: Option<StopReason>,
}

/// How far a run has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Current parameters.
    pub theta: Vec<f64>,
    /// Parameters at which loss and gradient were finite last; empty before that.
    pub good: Vec<f64>,
    /// Current phase, counted from 0.
    pub phase: usize,
    /// Outer steps done in it.
    pub phase_steps: u64,
    /// Outer steps done in all.
    pub steps: u64,
    /// Evaluations of loss and gradient.
    pub evaluations: u64,
    /// Time spent.
    pub seconds: f64,
    /// Lowest loss that counted as a fall.
    pub best_loss: f64,
    /// The outer step it was reached in.
    pub best_step: u64,
    /// Outer steps in a row without progress.
    pub stalled: u64,
    /// Times the current phase has gone back after a NaN or infinity.
    pub retries: u64,
    /// The first finite loss.
    pub first_loss: Option<f64>,
    /// Outer steps in a row with a loss far above it.
    pub runaway: u64,
    /// The best parameters so far.
    pub best: Option<Best>,
    /// Rows recorded so far.
    pub rows: Vec<Row>,
}

/// The best parameters a run has seen, which remain of it if its numbers run away later, and what makes them the best: the lowest error if a reference is known, else the lowest loss.
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

impl Best {
    /// Without the parameters.
    pub fn numbers(&self) -> BestNumbers {
        BestNumbers { iteration: self.iteration, loss: self.loss, rmse: self.rmse }
    }
}

impl Progress {
    /// The beginning.
    pub fn new(theta: Vec<f64>) -> Self {
        Self {
            theta,
            good: Vec::new(),
            phase: 0,
            phase_steps: 0,
            steps: 0,
            evaluations: 0,
            seconds: 0.0,
            best_loss: f64::INFINITY,
            best_step: 0,
            stalled: 0,
            retries: 0,
            first_loss: None,
            runaway: 0,
            best: None,
            rows: Vec::new(),
        }
    }

    pub(crate) fn enter_next_phase(&mut self) {
        self.phase += 1;
        self.phase_steps = 0;
        self.stalled = 0;
        self.retries = 0;
        self.runaway = 0;
    }

    /// Remembers a loss that is lower than the best by the relative `drop`.
    pub(crate) fn note_loss(&mut self, loss: f64, drop: f64) {
        if loss < self.best_loss * (1.0 - drop) {
            self.best_loss = loss;
            self.best_step = self.steps;
        }
    }

    /// Takes note of a step that stayed finite. An error counts if it was measured in turn: what is measured because a run
    /// ends must not tell a continued run from one that never ended.
    pub(crate) fn note_best(&mut self, outcome: &StepOutcome, rmse: Option<f64>) {
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
