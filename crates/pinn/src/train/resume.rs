//! Leaving a run and coming back to it.

use super::guard::RETRIES;
use super::{Observer, StopReason, TrainState, Trainer};
use crate::case::Case;
use crate::checkpoint::{Checkpoint, CheckpointFolder, Pace};
use crate::config::StopConfig;
use crate::error::Error;

/// Where checkpoints go, and when.
pub(super) struct Checkpoints {
    folder: CheckpointFolder,
    pace: Pace,
}

impl Trainer {
    /// Continues from a state saved by a run of the same configuration: the rest has the same bits as without the break.
    pub fn resuming(case: Case, state: TrainState) -> Result<Self, Error> {
        let mut trainer = Self::starting_at(case, state.progress.theta.clone())?;
        let config = trainer.case.config();
        let Some(phase) = config.phases.0.get(state.progress.phase) else {
            let (what, expected, found) = ("the phase", config.phases.0.len(), state.progress.phase.saturating_add(1));
            return Err(Error::ForeignState { what, expected, found });
        };
        let own = trainer.case.parameters();
        let best = state.progress.best.as_ref().map_or(own, |best| best.theta.len());
        let good = if state.progress.good.is_empty() { own } else { state.progress.good.len() };
        if let Some(found) = [best, good].into_iter().find(|length| *length != own) {
            return Err(Error::ThetaLength { expected: own, found });
        }
        if let Some(row) = state.progress.rows.iter().find(|row| !trainer.names.fit(row)) {
            let (what, expected, found) = ("the number of parts in a row", trainer.names.terms.len(), row.parts.len());
            return Err(Error::ForeignState { what, expected, found });
        }
        let residuals = trainer.objective.residuals_at_start();
        trainer.optimizer = phase.optimizer(config.precision, own, residuals)?;
        trainer.optimizer.load(&state.optimizer)?;
        trainer.objective.restore(state.objective)?;
        trainer.fault = state.ended.clone().filter(|reason| matches!(reason, StopReason::NonFinite { .. }));
        trainer.ended = state.ended.filter(|reason| still_holds(reason, &trainer.case.config().stop));
        trainer.progress = state.progress;
        if trainer.ended.is_none() {
            trainer.forget_what_an_end_added();
        }
        Ok(trainer)
    }

    /// Continues from a checkpoint, if the configuration of the case is that of its run. Reasons to stop and the iterations
    /// of phases that have not ended may have changed.
    pub fn from_checkpoint(case: Case, checkpoint: Checkpoint) -> Result<Self, Error> {
        checkpoint.check_belongs_to(case.config())?;
        Self::resuming(case, checkpoint.state)
    }

    /// Saves the run in this folder: as often as the configuration says, and at the end.
    pub fn with_checkpoints(mut self, folder: CheckpointFolder) -> Self {
        self.keep_checkpoints(folder);
        self
    }

    pub(crate) fn keep_checkpoints(&mut self, folder: CheckpointFolder) {
        let pace = Pace::new(self.config().checkpoint.clone(), self.progress.steps, self.progress.seconds);
        self.checkpoints = Some(Checkpoints { folder, pace });
    }

    /// Everything the next outer step depends on.
    pub fn state(&self) -> TrainState {
        let (optimizer, objective) = (self.optimizer.save(), self.objective.memory());
        TrainState { progress: self.progress.clone(), optimizer, objective, ended: self.ended.clone() }
    }

    /// The run as a file would hold it.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint { config: self.config().to_toml(), state: self.state() }
    }

    /// Writes a checkpoint if one is due, or if it must be. A full disk is no reason to stop: it may have room again when
    /// the next one is due.
    pub(super) fn save_if(&mut self, must: bool, seconds: impl Fn() -> f64, observer: &mut dyn Observer) {
        let (steps, began) = (self.progress.steps, seconds());
        let Some(mut checkpoints) = self.checkpoints.take() else { return };
        if must || checkpoints.pace.is_due(steps, began) {
            let written = checkpoints.folder.write(&self.checkpoint());
            checkpoints.pace.note(steps, began, seconds());
            observer.on_checkpoint(written.as_deref());
        }
        self.checkpoints = Some(checkpoints);
    }

    /// The last step of a run is logged, and its error measured, out of turn. A run that goes on after all must not show
    /// that it once ended there.
    fn forget_what_an_end_added(&mut self) {
        let (steps, number) = (self.progress.steps, self.progress.phase + 1);
        let config = self.case.config();
        if self.progress.phase_steps == config.phases.0[self.progress.phase].iterations {
            return;
        }
        let (logs, measures) = (config.log_every, config.evaluate_every);
        let Some(last) = self.progress.rows.last_mut().filter(|row| row.iteration == steps && row.phase == number)
        else {
            return;
        };
        if !steps.is_multiple_of(measures) {
            (last.rmae, last.rmse) = (None, None);
            last.rmse_by_unknown.clear();
        }
        if !steps.is_multiple_of(logs) {
            self.progress.rows.pop();
        }
    }
}

/// Whether the reason for which a run ended still ends it under these settings.
pub(super) fn still_holds(reason: &StopReason, stop: &StopConfig) -> bool {
    match reason {
        StopReason::Budget { .. } | StopReason::Interrupted { .. } | StopReason::TimeLimit { .. } => false,
        StopReason::TargetReached { rmse, .. } => *rmse <= stop.target_error,
        StopReason::Plateau { window, drop } => (*window, *drop) == (stop.plateau.window, stop.plateau.drop),
        StopReason::Converged { .. } | StopReason::LineSearchFailed { .. } => stop.on_convergence,
        // With retries left more steps may still get over it.
        StopReason::NonFinite { retries, .. } => *retries >= RETRIES,
        StopReason::UndefinedAtPoints { .. } => false,
        // A matter of strategies, which decide anew.
        StopReason::Settled { .. }
        | StopReason::Polished { .. }
        | StopReason::WorkDone { .. }
        | StopReason::NotSolved { .. } => false,
        StopReason::Diverged { .. } => true,
    }
}
