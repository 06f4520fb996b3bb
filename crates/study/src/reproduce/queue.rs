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

/// Does the runs that are open, in order. `stop` ends it after the steps under way.
pub fn work(
    sweep: &Sweep,
    runs: &[RunId],
    share: Share,
    watch: &dyn SweepWatch,
    stop: &AtomicBool,
) -> Result<(), StudyError> {
    let waiting = Mutex::new(VecDeque::from_iter(runs.iter().copied().enumerate()));
    let fatal: Mutex<Option<StudyError>> = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..share.jobs {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let Some((number, run)) = next else { break };
                    if let Err(failure) = one(sweep, number, &run, share.threads, watch, stop) {
                        // Whoever cannot write does not get further with the next run either.
                        stop.store(true, Ordering::Relaxed);
                        fatal.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
                    }
                }
            });
        }
    });
    match fatal.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(failure) => Err(failure),
        None => Ok(()),
    }
}

/// One run; an error ends the whole sweep.
fn one(
    sweep: &Sweep,
    number: usize,
    run: &RunId,
    threads: usize,
    watch: &dyn SweepWatch,
    stop: &AtomicBool,
) -> Result<(), StudyError> {
    let trained = train(sweep, run, threads, &mut *watch.run(number), stop);
    let ended = |end| watch.on_run_end(number, &run.name(), &end);
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
            sweep.note_failure(run, &error)?;
            ended(RunEnd::Failed(&error));
        }
    }
    Ok(())
}

/// Trains a run to its end, or until somebody asks to stop.
fn train(
    sweep: &Sweep,
    run: &RunId,
    threads: usize,
    watch: &mut dyn Watch,
    stop: &AtomicBool,
) -> Result<Option<RunResult>, StudyError> {
    let (path, threads) = (sweep.run_path(run), Threads::new(threads)?);
    let case = Case::new(run.cell.config(sweep.scale(), run.seed)?, &threads)?;
    let (folder, mut trainer) = match RunFolder::reopen(&path)? {
        Some(folder) => {
            let trainer = launch::continued(case, None, &folder, watch)?;
            (folder, trainer)
        }
        None => {
            let trainer = launch::fresh(case, None)?;
            let folder = RunFolder::claim(&path, false)?;
            let checkpoints = folder.checkpoints();
            (folder, trainer.with_checkpoints(checkpoints))
        }
    };
    let outcome = folder.train(&mut trainer, None, watch, stop)?;
    if matches!(outcome.stop_reason, StopReason::Interrupted { .. }) {
        return Ok(None);
    }
    folder.finish(trainer.case(), outcome, watch)?;
    // What is read back is what the tables will show.
    match sweep.state(run)? {
        RunState::Finished(finished) => Ok(Some(finished.result)),
        _ => Ok(None),
    }
}
