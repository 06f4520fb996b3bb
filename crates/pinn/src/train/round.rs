//! A trainer as one round of several: what the rounds before it have spent, and what a strategy reads off it.

use super::{StopReason, TrainOutcome, Trainer};
use crate::error::Error;
use crate::problem::TermGroup;
use crate::record::{Row, RowNames};

impl Trainer {
    /// What rows have numbers for.
    pub(crate) fn names(&self) -> &RowNames {
        &self.names
    }

    /// Counts on from rounds before this one.
    pub(crate) fn take_counts(&mut self, steps: u64, evaluations: u64, seconds: f64) {
        (self.progress.steps, self.progress.evaluations, self.progress.seconds) = (steps, evaluations, seconds);
    }

    /// Adds time that was spent between rounds.
    pub(crate) fn spend(&mut self, seconds: f64) {
        self.progress.seconds += seconds;
    }

    /// λ of the last step, if the optimiser has one.
    pub(crate) fn damping(&self) -> Option<f64> {
        self.optimizer.save().scalar("damping").ok()
    }

    /// Unweighted mean squares of the terms at the points as they are now.
    pub(crate) fn mean_squares(&mut self) -> Result<Vec<(String, f64)>, Error> {
        Ok(self.objective.unweighted_at_points(&self.progress.theta)?.terms)
    }

    /// The number of points of the equations.
    pub(crate) fn points_of_equations(&self) -> usize {
        self.points_by_group()[0]
    }

    /// The number of points of equations, on the boundary and at the first instant.
    pub(crate) fn points_by_group(&self) -> [usize; 3] {
        let of = |group| self.objective.points_of_group(group) / self.case.network().elements();
        [TermGroup::Residual, TermGroup::Boundary, TermGroup::Initial].map(of)
    }

    /// The weight of a term.
    pub(crate) fn weight_of(&self, term: &str) -> Option<f64> {
        let part = self.objective.part_names().iter().position(|name| name == term)?;
        self.objective.weights().get(part).copied()
    }

    /// The parameters that remain if it ends for this reason.
    pub(crate) fn final_parameters(&self, reason: &StopReason) -> Vec<f64> {
        self.final_theta(reason)
    }

    /// The outcome of a run that consisted of several rounds, measured on the case of this trainer.
    pub(crate) fn summed_up(
        &mut self,
        reason: StopReason,
        names: RowNames,
        rows: Vec<Row>,
    ) -> Result<TrainOutcome, Error> {
        (self.last, self.progress.rows) = (rows.last().cloned(), rows);
        let own = std::mem::replace(&mut self.names, names);
        let outcome = self.outcome(reason);
        self.names = own;
        outcome
    }
}
