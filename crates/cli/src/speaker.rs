//! What a study says whose runs come one after another: which run is next, the run itself, what came of it.

use crate::failure::Failure;
use crate::output::{self, Voice};
use crate::solve;
use ropinn_runs::folder::Saved;
use ropinn_runs::watch::{Remark, Watch};
use ropinn_study::watch::StudyWatch;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Says how a study goes.
pub struct Speaker {
    voice: Voice,
    /// Set when nobody listens any more.
    stop: Arc<AtomicBool>,
    failure: Option<Failure>,
}

impl Speaker {
    /// Speaks in a voice, and sets `stop` once it is not heard.
    pub fn new(voice: Voice, stop: &Arc<AtomicBool>) -> Self {
        Self { voice, stop: stop.clone(), failure: None }
    }

    /// Why nothing more could be said, if that was a failure.
    pub fn end(self) -> Result<(), Failure> {
        self.failure.map_or(Ok(()), Err)
    }
}

impl StudyWatch for Speaker {
    fn on_round(&mut self, number: usize, of: usize, finished: Option<&Path>) {
        if self.voice == Voice::Words {
            let state = finished.map_or_else(String::new, |path| format!(": {} is finished", path.display()));
            output::remark(&format!("run {number} of {of}{state}"));
        }
    }

    fn run(&mut self) -> Box<dyn Watch + '_> {
        solve::watch(self.voice, &self.stop)
    }

    fn on_saved(&mut self, of: &str, saved: &Saved) {
        let told = match self.voice {
            Voice::Json => output::print_json_line(&solve::finish(saved)),
            Voice::Words => output::print(&format!("{of}, {}", saved.to_line())),
            Voice::Silence => Ok(()),
        };
        let Err(failure) = told else { return };
        self.stop.store(true, Ordering::Relaxed);
        self.failure = Some(failure).filter(|failure| !matches!(failure, Failure::OutputClosed));
    }

    fn on_remark(&mut self, remark: &Remark) {
        output::remark(&remark.to_string());
    }
}
