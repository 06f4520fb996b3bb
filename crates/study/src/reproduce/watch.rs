//! Who watches a sweep: runs done, the state of those under way, remarks. Runs at work share it.

use super::experiment::Experiment;
use super::scale::Scale;
use crate::error::StudyError;
use ropinn_runs::folder::RunResult;
use ropinn_runs::watch::Watch;

/// How a run of a sweep ended.
pub enum RunEnd<'a> {
    /// It is done.
    Finished(&'a RunResult),
    /// With an error.
    Failed(&'a StudyError),
    /// It was left where it is.
    Left,
}

/// Is told how a sweep goes.
pub trait SweepWatch: Sync {
    /// The runs of an experiment begin; each has so much work, in any unit.
    fn on_begin(&self, experiment: Experiment, scale: Scale, work: Vec<f64>);

    /// Watches one of the runs under way.
    fn run(&self, number: usize) -> Box<dyn Watch + '_>;

    /// One of the runs has ended.
    fn on_run_end(&self, number: usize, name: &str, end: &RunEnd<'_>);

    /// No more runs of the experiment.
    fn on_end(&self);

    /// A step of what comes after the runs.
    fn on_progress(&self, words: &str);

    /// Something worth knowing.
    fn on_remark(&self, words: &str);
}
