//! Checkpoints: a run between two outer steps as a file that a crash, a full disk or a flipped bit cannot turn into nonsense.
//!
//! `bytes` knows the frame (magic, version, length, checksum), `codec` single values, `contents` what a run consists of,
//! `folder` the files, `pace` when they are due, `same_run` which configurations may go on from one.
//!
//! ```
//! use ropinn::{case::Case, checkpoint::CheckpointFolder, config::RunConfig, train::Trainer};
//! use ropinn_engine::Threads;
//! let folder = tempfile::tempdir()?;
//! let mut config = RunConfig::default();
//! config.set_all(&["problem.name=reaction", "points.interior=grid:7x7", "width=4", "phases=adam 5"])?;
//! let case = Case::new(config.clone(), &Threads::new(1)?)?;
//! Trainer::new(case)?.with_checkpoints(CheckpointFolder::new(folder.path())).run(&mut (), &Default::default())?;
//!
//! config.set("iterations=8")?; // three more
//! let found = CheckpointFolder::new(folder.path()).newest()?.expect("the run has left one");
//! let case = Case::new(config, &Threads::new(1)?)?;
//! let outcome = Trainer::from_checkpoint(case, found.checkpoint)?.run(&mut (), &Default::default())?;
//! assert_eq!(outcome.iterations, 8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bytes;
mod codec;
mod contents;
mod folder;
mod pace;
mod same_run;

pub use crate::error::{CheckpointError, Damage};
pub use bytes::MAX_CHECKPOINT_BYTES;
pub(crate) use folder::JOURNALS;
pub use folder::{CheckpointFolder, Found};
pub(crate) use pace::Pace;
pub use same_run::check_same_start;

use crate::state::TrainState;

/// Everything needed to go on with a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The complete configuration, as TOML.
    pub config: String,
    /// Where the run was.
    pub state: TrainState,
}
