//! What others see of a run while it trains, and how they end it.
//!
//! `progress.json` is written again every second or two, by a thread of its own: its age is the pulse of the process, however long
//! a step takes. A file `stop` in the folder ends the run as Ctrl-C does. No other process is asked for anything.

use super::names;
use crate::error::RunError;
use crate::outlook::Outlook;
use ropinn::record::Row;
use ropinn::train::Start;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

/// Times between two looks for a request to stop, and looks between two beats.
const LOOK: Duration = Duration::from_millis(500);
const LOOKS_PER_BEAT: u32 = 3;
/// A process that was not heard of for so long has ended, or stands still.
const SILENT: Duration = Duration::from_secs(20);

/// How far a run is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Outer steps done.
    pub steps: u64,
    /// Outer steps planned.
    pub planned: u64,
    /// Seconds of training.
    pub seconds: f64,
    /// Seconds that are left at the pace so far; none before the first step.
    pub left: Option<f64>,
}

/// How long the process that trains a run has been silent: nothing if it was heard of just now, `None` if the run is not being
/// trained, as far as its folder tells.
pub fn silent_for(run: &Path) -> Option<Duration> {
    let written = fs::symlink_metadata(run.join(names::PROGRESS)).and_then(|file| file.modified()).ok()?;
    let silent = SystemTime::now().duration_since(written).unwrap_or_default();
    Some(if silent < SILENT { Duration::ZERO } else { silent })
}

/// Asks the process that trains a run to finish its step, save and end.
pub fn request_stop(run: &Path) -> Result<(), RunError> {
    if silent_for(run) != Some(Duration::ZERO) {
        return Err(RunError::NotTraining(run.to_owned()));
    }
    let path = run.join(names::STOP);
    // Never through a link that somebody put there; that somebody else has asked already is as good.
    match OpenOptions::new().write(true).create_new(true).open(&path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(RunError::not_saved(&path, &error)),
        _ => Ok(()),
    }
}

/// Tells others of one run.
pub(super) struct Live {
    run: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    outlook: Outlook,
    progress: Progress,
    log: Option<File>,
}

impl Live {
    /// The run in a folder begins. A request to stop an earlier sitting is none to stop this one.
    pub fn new(run: &Path) -> Self {
        let _ = fs::remove_file(run.join(names::STOP));
        let path = run.join(names::LOG);
        // Never through a link that somebody put there.
        let is_ours = fs::symlink_metadata(&path).map_or(true, |file| file.is_file());
        let log = is_ours.then(|| OpenOptions::new().create(true).append(true).open(path).ok()).flatten();
        Self { run: run.to_owned(), state: Mutex::new(State { log, ..State::default() }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The first step is about to be made.
    pub fn start(&self, start: &Start<'_>) {
        let mut state = self.state();
        state.outlook = Outlook::new(start);
        (state.progress.steps, state.progress.planned) = (start.steps_done, start.steps_planned);
        drop(state);
        self.say(&match start.steps_done {
            0 => "the run starts".to_owned(),
            done => format!("the run goes on after step {done} of {}", start.steps_planned),
        });
    }

    /// Another number of steps is planned.
    pub fn plan(&self, steps: u64) {
        self.state().outlook.plan(steps);
    }

    /// A step is done.
    pub fn step(&self, row: &Row) {
        let mut state = self.state();
        let left = Some(state.outlook.left(row).as_secs_f64());
        let planned = state.outlook.steps_planned();
        state.progress = Progress { steps: row.iteration, planned, seconds: row.seconds, left };
    }

    /// A line of the log. One that cannot be written is lost.
    pub fn say(&self, words: &str) {
        let mut state = self.state();
        let line = format!("{:9.1} s  {}\n", state.progress.seconds, words.replace('\n', " "));
        if let Some(log) = &mut state.log {
            let _ = log.write_all(line.as_bytes());
        }
    }

    /// Beats and listens until the other end is gone.
    pub fn beat(&self, ended: &Receiver<()>, stop: &AtomicBool) {
        let mut looks = 0;
        loop {
            if looks % LOOKS_PER_BEAT == 0 {
                self.write();
            }
            looks += 1;
            if fs::remove_file(self.run.join(names::STOP)).is_ok() {
                self.say("asked to stop: finishing this step, then saving");
                stop.store(true, Ordering::Relaxed);
            }
            match ended.recv_timeout(LOOK) {
                Err(RecvTimeoutError::Timeout) => {}
                _ => return,
            }
        }
    }

    /// Without waiting for the disk: a beat that is lost in a power cut is no loss.
    fn write(&self) {
        let text = serde_json::to_vec(&self.state().progress).unwrap_or_default();
        let write = || {
            let mut file = ropinn_files::unfinished_in(&self.run)?;
            file.write_all(&text)?;
            file.persist(self.run.join(names::PROGRESS)).map_err(|error| error.error)
        };
        let _: std::io::Result<File> = write();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn a_request_reaches_who_listens_and_nobody_else() {
        let here = tempfile::tempdir().expect("a folder");
        let run = here.path();
        let refused = request_stop(run).expect_err("nobody trains").to_string();
        assert!(refused.ends_with("is not being trained: there is nothing to stop"), "{refused}");
        fs::write(run.join(names::STOP), "").expect("writable");
        let (live, stop) = (Live::new(run), AtomicBool::new(false));
        assert!(!run.join(names::STOP).exists(), "an old request is forgotten");
        let (alive, ended) = channel();
        std::thread::scope(|scope| {
            let (live, stop) = (&live, &stop);
            scope.spawn(move || live.beat(&ended, stop));
            while silent_for(run).is_none() {
                std::thread::yield_now();
            }
            request_stop(run).expect("it is heard");
            while !stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            drop(alive);
        });
        assert_eq!(silent_for(run), Some(Duration::ZERO));
        let log = fs::read_to_string(run.join(names::LOG)).expect("a log");
        assert_eq!(log, "      0.0 s  asked to stop: finishing this step, then saving\n");
    }
}
