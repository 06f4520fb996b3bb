//! What a run says while it trains: a line that moves on a terminal, a log elsewhere, events for programs.

mod events;
mod log;
mod status;
mod terminal;

pub use status::duration;

use super::Voice;
use crate::output::remark;
use ropinn::checkpoint::CheckpointError;
use ropinn::config::Phase;
use ropinn::record::Row;
use ropinn::train::{Observer, Start, TrainOutcome};
use ropinn_runs::watch::{Remark, Watch};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// One of the ways to watch a run.
pub enum Progress {
    /// A moving line on standard error.
    Terminal(terminal::Bar),
    /// Lines on standard error.
    Log(log::Log),
    /// JSON on standard output.
    Events(events::Events),
    /// Nothing.
    Silence,
}

impl Progress {
    /// The way that suits the voice and where it goes. Events that nobody reads any more set `stop`.
    pub fn new(voice: Voice, stop: &Arc<AtomicBool>) -> Self {
        match voice {
            Voice::Silence => Self::Silence,
            Voice::Json => Self::Events(events::Events::new(stop.clone())),
            Voice::Words if std::io::stderr().is_terminal() => Self::Terminal(terminal::Bar::default()),
            Voice::Words => Self::Log(log::Log::default()),
        }
    }

    /// Silence is for progress, not for trouble.
    fn warn(&self, text: &str) {
        match self {
            Self::Terminal(bar) => bar.interrupt(text),
            Self::Log(_) | Self::Events(_) | Self::Silence => remark(text),
        }
    }

    fn observer(&mut self) -> Option<&mut dyn Observer> {
        match self {
            Self::Terminal(bar) => Some(bar),
            Self::Log(log) => Some(log),
            Self::Events(events) => Some(events),
            Self::Silence => None,
        }
    }
}

impl Observer for Progress {
    fn on_start(&mut self, start: &Start<'_>) {
        self.observer().into_iter().for_each(|observer| observer.on_start(start));
    }

    fn on_phase(&mut self, number: usize, phase: &Phase) {
        self.observer().into_iter().for_each(|observer| observer.on_phase(number, phase));
    }

    fn on_choice(&mut self, choice: &str) {
        self.observer().into_iter().for_each(|observer| observer.on_choice(choice));
    }

    fn on_step(&mut self, row: &Row) {
        self.observer().into_iter().for_each(|observer| observer.on_step(row));
    }

    fn on_checkpoint(&mut self, written: Result<&Path, &CheckpointError>) {
        let Err(error) = written else { return };
        // The run goes on, and tries again when the next one is due.
        self.warn(&format!("warning: {error}"));
    }

    fn on_finish(&mut self, outcome: &TrainOutcome) {
        self.observer().into_iter().for_each(|observer| observer.on_finish(outcome));
    }
}

impl Watch for Progress {
    fn on_remark(&mut self, remark: &Remark) {
        match (self, remark) {
            (Self::Silence, Remark::Preset(_)) => {}
            (Self::Events(events), Remark::Preset(change)) => events.on_preset(change),
            (own, remark) => own.warn(&remark.to_string()),
        }
    }
}
