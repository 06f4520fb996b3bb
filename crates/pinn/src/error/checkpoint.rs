//! What can be wrong with a checkpoint.

use std::path::PathBuf;
use thiserror::Error;

/// What checkpoints refuse, and what to do about it.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages name every field")]
pub enum CheckpointError {
    /// The system cannot read it.
    #[error("cannot read the checkpoint `{}`: {reason}", path.display())]
    Read { path: PathBuf, reason: String },
    /// The system cannot write it.
    #[error("cannot write the checkpoint `{}`: {reason}; earlier checkpoints are untouched", path.display())]
    Write { path: PathBuf, reason: String },
    /// Its bytes are not what was written.
    #[error("the checkpoint `{}` is damaged: {damage}", path.display())]
    Damaged { path: PathBuf, damage: Damage },
    /// Its format is not known here.
    #[error(
        "the checkpoint `{}` has format {found}, but this version reads format {known}; resume with the version that wrote it", path.display()
    )]
    Version { path: PathBuf, found: u32, known: u32 },
    /// Its configuration makes no sense to this version.
    #[error("the configuration in the checkpoint is refused: {reason}; resume with the version that wrote it")]
    Configuration { reason: String },
    /// It belongs to a run with other settings.
    #[error(
        "this is another run than the one saved: `{setting}` is {there} there and {here} here; only `stop`, `checkpoint` and the iterations of unfinished phases may change"
    )]
    OtherRun { setting: String, there: String, here: String },
    /// Fewer iterations than are done.
    #[error(
        "phase {phase} has done {done} iterations already, so it cannot end after {asked}; ask for at least {done}"
    )]
    AlreadyDone { phase: usize, done: u64, asked: u64 },
}

/// In what way bytes are not a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Damage {
    /// It does not begin like one.
    #[error("it does not begin like a checkpoint")]
    Magic,
    /// It is larger than any checkpoint.
    #[error("it has {bytes} bytes, more than the {max} a checkpoint may have")]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The most allowed.
        max: u64,
    },
    /// Bytes are missing or were added.
    #[error("it has {found} bytes instead of {expected}")]
    Length {
        /// Bytes it should have.
        expected: u64,
        /// Bytes it has.
        found: u64,
    },
    /// The checksum does not fit.
    #[error("its checksum does not fit its content")]
    Checksum,
    /// The checksum fits, but the content makes no sense.
    #[error("its {what} cannot be read")]
    Content {
        /// Which part.
        what: &'static str,
    },
    /// It is of a format of another version.
    #[error("it has format {found}")]
    Version {
        /// The format.
        found: u32,
    },
}
