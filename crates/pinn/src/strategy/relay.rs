//! One run to those who watch it, whatever rounds it is made of: it starts once, ends once, and its rows have the same columns.

use crate::case::Case;
use crate::config::Phase;
use crate::error::CheckpointError;
use crate::polish::Tried;
use crate::record::{Row, RowNames};
use crate::train::{Observer, Start, TrainOutcome};
use std::path::Path;

/// Passes on what concerns the whole run.
pub(super) struct Relay<'a> {
    pub to: &'a mut dyn Observer,
    /// Columns of the whole run, and those of the present round.
    pub names: &'a RowNames,
    pub own: RowNames,
    /// Whether it was told that the run starts, and what it was told last of how the optimiser works.
    pub started: &'a mut bool,
    pub choice: &'a mut String,
    /// The case that was asked for, and the steps that are planned at the least.
    pub asked: &'a Case,
    pub planned: u64,
}

impl Observer for Relay<'_> {
    fn on_start(&mut self, start: &Start<'_>) {
        if !std::mem::replace(self.started, true) {
            let (case, names, steps_planned) = (self.asked, self.names, self.planned);
            self.to.on_start(&Start { case, names, steps_planned, ..*start });
        }
    }

    fn on_phase(&mut self, _: usize, _: &Phase) {}

    fn on_choice(&mut self, choice: &str) {
        if self.choice != choice {
            choice.clone_into(self.choice);
            self.to.on_choice(choice);
        }
    }

    fn on_step(&mut self, row: &Row) {
        self.to.on_step(&self.names.adopt(row, &self.own));
    }

    fn on_parameters(&mut self, case: &Case, theta: &[f64]) {
        self.to.on_parameters(case, theta);
    }

    fn on_tried(&mut self, tried: &Tried) {
        self.to.on_tried(tried);
    }

    fn on_checkpoint(&mut self, written: Result<&Path, &CheckpointError>) {
        self.to.on_checkpoint(written);
    }

    fn on_finish(&mut self, _: &TrainOutcome) {}
}

/// A run as it is written, whose end is told once it is judged.
pub(super) struct Tail<'a> {
    pub to: &'a mut dyn Observer,
    /// The case that was asked for.
    pub asked: &'a Case,
}

impl Observer for Tail<'_> {
    fn on_start(&mut self, start: &Start<'_>) {
        self.to.on_start(&Start { case: self.asked, ..*start });
    }

    fn on_phase(&mut self, number: usize, phase: &Phase) {
        self.to.on_phase(number, phase);
    }

    fn on_choice(&mut self, choice: &str) {
        self.to.on_choice(choice);
    }

    fn on_step(&mut self, row: &Row) {
        self.to.on_step(row);
    }

    fn on_parameters(&mut self, case: &Case, theta: &[f64]) {
        self.to.on_parameters(case, theta);
    }

    fn on_checkpoint(&mut self, written: Result<&Path, &CheckpointError>) {
        self.to.on_checkpoint(written);
    }

    fn on_finish(&mut self, _: &TrainOutcome) {}
}
