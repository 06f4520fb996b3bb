//! The runs of a sweep, several at a time: each goes on where it was, one that fails is noted and skipped, Ctrl-C saves all.

use super::cell::RunId;
use super::sweep::{RunState, Sweep};
use super::watch::{RunEnd, SweepWatch};
use crate::error::StudyError;
use ropinn::case::Case;
use ropinn::train::StopReason;
use ropinn_engine::Threads;
use ropinn_runs::RunError;
use ropinn_runs::folder::{RunFolder, RunResult};
use ropinn_runs::launch;
use ropinn_runs::watch::Watch;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// How the machine is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Runs at the same time.
    pub jobs: usize,
    /// Threads of each.
    pub threads: usize,
}

/// Whoever does the work of a sweep, watched and stopped from outside.
#[derive(Clone, Copy)]
pub struct Worker<'a> {
    /// The sweep.
    pub sweep: &'a Sweep,
    /// How the machine is shared.
    pub share: Share,
    /// Who watches.
    pub watch: &'a dyn SweepWatch,
    /// Ends the work after the steps under way.
    pub stop: &'a AtomicBool,
}

impl Worker<'_> {
    /// Does the runs that are open, in order.
    pub fn work(&self, runs: &[RunId]) -> Result<(), StudyError> {
        let waiting = Mutex::new(VecDeque::from_iter(runs.iter().copied().enumerate()));
        let fatal: Mutex<Option<StudyError>> = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..self.share.jobs {
                scope.spawn(|| {
                    while !self.stop.load(Ordering::Relaxed) {
                        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                        let Some((number, run)) = next else { break };
                        if let Err(failure) = self.run(number, &run) {
                            // Whoever cannot write does not get further with the next run either.
                            self.stop.store(true, Ordering::Relaxed);
                            fatal.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
                        }
                    }
                });
            }
        });
        fatal.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// One run; an error ends the whole sweep.
    fn run(&self, number: usize, run: &RunId) -> Result<(), StudyError> {
        let trained = self.train(run, &mut *self.watch.run(number));
        let ended = |end| self.watch.on_run_end(number, &run.name(), &end);
        match trained {
            Ok(Some(result)) => ended(RunEnd::Finished(&result)),
            Ok(None) => ended(RunEnd::Left),
            Err(StudyError::Run(
                error @ (RunError::NotSaved(_, _) | RunError::Unwritable(_, _) | RunError::FolderInUse(_)),
            )) => {
                ended(RunEnd::Left);
                return Err(error.into());
            }
            Err(error) => {
                self.sweep.note_failure(run, &error)?;
                ended(RunEnd::Failed(&error));
            }
        }
        Ok(())
    }

    /// Trains a run to its end, or until somebody asks to stop.
    fn train(&self, run: &RunId, watch: &mut dyn Watch) -> Result<Option<RunResult>, StudyError> {
        let (path, threads) = (self.sweep.run_path(run), Threads::new(self.share.threads)?);
        let case = Case::new(run.cell.config(self.sweep.scale(), run.seed)?, &threads)?;
        let (folder, mut solver) = match RunFolder::reopen(&path)? {
            Some(folder) => {
                let solver = launch::continued(case, None, &folder, watch)?;
                (folder, solver)
            }
            None => {
                let solver = launch::fresh(case, None)?;
                let folder = RunFolder::claim(&path, false)?;
                let checkpoints = folder.checkpoints();
                (folder, solver.with_checkpoints(checkpoints))
            }
        };
        let solved = folder.train(&mut solver, None, watch, self.stop)?;
        if matches!(solved.outcome.stop_reason, StopReason::Interrupted { .. }) {
            return Ok(None);
        }
        folder.finish(&solved.case, solved.outcome, watch)?;
        // What is read back is what the tables will show.
        match self.sweep.state(run)? {
            RunState::Finished(finished) => Ok(Some(finished.result)),
            _ => Ok(None),
        }
    }
}
