//! The runs of a sweep, several at a time: each goes on where it was, one that fails is noted and skipped, Ctrl-C saves all.

use super::cell::RunId;
use super::progress::{Progress, RunWatch};
use super::sweep::{RunState, Sweep};
use crate::failure::Failure;
use crate::launch;
use crate::run_folder::{RunFolder, RunResult};
use ropinn::train::StopReason;
use ropinn_engine::Threads;
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
    progress: &Progress,
    stop: &AtomicBool,
) -> Result<(), Failure> {
    let waiting = Mutex::new(VecDeque::from_iter(runs.iter().copied().enumerate()));
    let fatal: Mutex<Option<Failure>> = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..share.jobs {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let Some((number, run)) = next else { break };
                    if let Err(failure) = one(sweep, number, &run, share.threads, progress, stop) {
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
    progress: &Progress,
    stop: &AtomicBool,
) -> Result<(), Failure> {
    match train(sweep, run, threads, progress.watch(number), stop) {
        Ok(Some(result)) => progress.finished(number, run, &result),
        Ok(None) => progress.left(number),
        Err(failure @ (Failure::NotSaved { .. } | Failure::Unwritable { .. } | Failure::FolderInUse { .. })) => {
            progress.left(number);
            return Err(failure);
        }
        Err(failure) => {
            sweep.note_failure(run, &failure)?;
            progress.failed(number, run, &failure);
        }
    }
    Ok(())
}

/// Trains a run to its end, or until somebody asks to stop.
fn train(
    sweep: &Sweep,
    run: &RunId,
    threads: usize,
    watch: RunWatch<'_>,
    stop: &AtomicBool,
) -> Result<Option<RunResult>, Failure> {
    let (path, threads) = (sweep.run_path(run), Threads::new(threads)?);
    let config = run.cell.config(sweep.scale(), run.seed)?;
    let (folder, mut trainer) = match RunFolder::reopen(&path)? {
        Some(folder) => {
            let trainer = launch::continued(config, None, &folder, &threads)?;
            (folder, trainer)
        }
        None => {
            let trainer = launch::fresh(config, None, &threads)?;
            let folder = RunFolder::claim(&path, false)?;
            let checkpoints = folder.checkpoints();
            (folder, trainer.with_checkpoints(checkpoints))
        }
    };
    folder.begin(trainer.case(), None)?;
    let earlier = trainer.progress().rows.clone();
    let outcome = trainer.run(&mut folder.watched_by(watch, earlier), stop).map_err(Failure::run)?;
    if matches!(outcome.stop_reason, StopReason::Interrupted { .. }) {
        return Ok(None);
    }
    folder.finish(trainer.case(), &outcome)?;
    // What is read back is what the tables will show.
    match sweep.state(run)? {
        RunState::Finished(finished) => Ok(Some(finished.result)),
        _ => Ok(None),
    }
}
