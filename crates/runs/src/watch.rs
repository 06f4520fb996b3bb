//! Who watches a run: whatever training tells, and remarks about its folder.

use ropinn::checkpoint::CheckpointError;
use ropinn::preset::Change;
use ropinn::problem::{Doubt, MissingReadings};
use ropinn::train::Observer;
use std::path::PathBuf;
use thiserror::Error;

/// Worth knowing, but no reason to fail.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Remark {
    /// A setting of a built-in problem that the preset has replaced.
    #[error("{0}")]
    Preset(Change),
    /// Something about the problem itself.
    #[error("warning: {0}")]
    Doubt(Doubt),
    /// Gaps in files of readings.
    #[error("{0}")]
    MissingReadings(MissingReadings),
    /// Some network file systems have no locks.
    #[error("warning: cannot lock `{}`: {reason}; start no other run there", path.display())]
    NotLocked {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The run goes on from an older checkpoint.
    #[error("warning: {damaged}; using `{}`", used.display())]
    DamagedCheckpoint {
        /// What is wrong with the newer one.
        damaged: CheckpointError,
        /// The older one.
        used: PathBuf,
    },
    /// Every step can be repeated, so nothing but time is lost.
    #[error("warning: {damaged}; no other is intact, so the run starts from the beginning")]
    NoCheckpoint {
        /// What is wrong with the last one tried.
        damaged: CheckpointError,
    },
    /// So many evaluation points that nothing is heard of the run for a while.
    #[error(
        "errors are measured at {count} points: making them ready takes about {seconds:.0} s before the first step, and \
         saving predictions there takes as long again or longer; choose fewer with points.evaluation if that is too long"
    )]
    ManyEvaluationPoints {
        /// How many.
        count: usize,
        /// The estimate.
        seconds: f64,
    },
    /// A reference that takes its time, before anything else is heard of the run.
    #[error(
        "the reference of `{problem}` is computed first, by {method}: that takes about {seconds:.0} s, once{}",
        kept.as_ref().map_or(String::new(), |folder| format!("; it is kept in `{}`", folder.display()))
    )]
    Reference {
        /// The problem.
        problem: String,
        /// How it is solved.
        method: &'static str,
        /// The estimate.
        seconds: f64,
        /// Where it is kept.
        kept: Option<PathBuf>,
    },
    /// A kept reference that is of no use.
    #[error("warning: the reference kept in `{}` is not used: {reason}", path.display())]
    DamagedReference {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Events for TensorBoard that nobody can read any more; the run goes on.
    #[error("warning: nothing more is written to `{}`: {reason}", path.display())]
    NoEvents {
        /// The event file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// Numbers that cannot be drawn, such as those that ran away: everything else is still worth keeping.
    #[error("no picture `{name}`: {reason}")]
    NotDrawn {
        /// The picture.
        name: String,
        /// What is wrong with its numbers.
        reason: String,
    },
}

/// Is told what happens in a run and around it; `()` watches nothing.
pub trait Watch: Observer {
    /// Something worth knowing.
    fn on_remark(&mut self, _remark: &Remark) {}
}

impl Watch for () {}
