//! Who watches a run: progress lines, files, plots.

use super::TrainOutcome;
use crate::case::Case;
use crate::config::Phase;
use crate::error::CheckpointError;
use crate::polish::Tried;
use crate::record::{Entry, Row, RowNames};
use std::path::Path;

/// Is told what happens in a run. Every method does nothing unless implemented; `()` watches nothing.
pub trait Observer: Send {
    /// The run starts, or goes on after `steps_done` outer steps.
    fn on_start(&mut self, _start: &Start<'_>) {}

    /// A phase starts; `number` counts from 1.
    fn on_phase(&mut self, _number: usize, _phase: &Phase) {}

    /// The phase's optimiser chose how to work, by the sizes at hand.
    fn on_choice(&mut self, _choice: &str) {}

    /// An outer step is done. Rows come for every step, whatever is kept in the record.
    fn on_step(&mut self, _row: &Row) {}

    /// The parameters after that step, with the case they belong to: what was asked for, a wider network, or a part of time.
    fn on_parameters(&mut self, _case: &Case, _theta: &[f64]) {}

    /// A strategy has decided something.
    fn on_decision(&mut self, _entry: &Entry) {}

    /// A space of features was tried.
    fn on_tried(&mut self, _tried: &Tried) {}

    /// A strategy plans for so many outer steps in all, at the most.
    fn on_plan(&mut self, _steps: u64) {}

    /// A checkpoint was written, or could not be; the run goes on either way.
    fn on_checkpoint(&mut self, _written: Result<&Path, &CheckpointError>) {}

    /// The run has ended.
    fn on_finish(&mut self, _outcome: &TrainOutcome) {}
}

impl Observer for () {}

/// What an observer may want to know in the beginning.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Problem, model and configuration.
    pub case: &'a Case,
    /// What the rows have one number each for.
    pub names: &'a RowNames,
    /// Length of θ.
    pub parameters: usize,
    /// Outer steps done before.
    pub steps_done: u64,
    /// Outer steps of all phases.
    pub steps_planned: u64,
}
