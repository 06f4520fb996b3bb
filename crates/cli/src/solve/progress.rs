//! What a run says while it trains: words for people, events for programs.

mod events;
mod status;
mod words;

pub use status::duration;
pub use words::{new_bar, show};

use crate::output::Voice;
use crate::output::remark;
use ropinn::checkpoint::CheckpointError;
use ropinn::train::Observer;
use ropinn_runs::watch::{Remark, Watch};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The way to watch a run that suits the voice. Events that nobody reads any more set `stop`.
pub fn watch(voice: Voice, stop: &Arc<AtomicBool>) -> Box<dyn Watch> {
    match voice {
        Voice::Silence => Box::new(Silence),
        Voice::Json => Box::new(events::Events::new(stop.clone())),
        Voice::Words => Box::new(words::Words::default()),
    }
}

/// What is said of a checkpoint that could not be written: the run goes on, and tries again when the next one is due.
fn trouble(written: Result<&Path, &CheckpointError>) -> Option<String> {
    written.err().map(|error| format!("warning: {error}"))
}

/// Silence is for progress, not for trouble.
struct Silence;

impl Observer for Silence {
    fn on_checkpoint(&mut self, written: Result<&Path, &CheckpointError>) {
        trouble(written).iter().for_each(|text| remark(text));
    }
}

impl Watch for Silence {
    fn on_remark(&mut self, about: &Remark) {
        if !matches!(about, Remark::Preset(_)) {
            remark(&about.to_string());
        }
    }
}
