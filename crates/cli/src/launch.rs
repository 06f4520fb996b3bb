//! A run made ready: from its beginning, or where its folder says it was.

use crate::bounded::read_bounded;
use crate::failure::Failure;
use crate::run_folder::RunFolder;
use ropinn::case::Case;
use ropinn::config::RunConfig;
use ropinn::memory::{self, MemoryEstimate};
use ropinn::train::Trainer;
use ropinn::weights::{MAX_FILE_BYTES, NamedTensors, read_weights};
use ropinn_engine::Threads;
use std::path::Path;

/// Weights from a file.
pub struct StartingWeights {
    /// The file as it was: a copy is kept with the run.
    pub bytes: Vec<u8>,
    tensors: NamedTensors,
}

impl StartingWeights {
    /// Reads a file of weights.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        // The size of the file is checked here, before all of it is read.
        let tensors = read_weights(path)?;
        let bytes = read_bounded(path, MAX_FILE_BYTES)?;
        Ok(Self { bytes, tensors })
    }
}

/// A run from its beginning.
pub fn fresh(config: RunConfig, weights: Option<&StartingWeights>, threads: &Threads) -> Result<Trainer, Failure> {
    start(case(config, threads)?, weights)
}

/// The run in `folder`, where its newest checkpoint is.
pub fn continued(
    config: RunConfig,
    weights: Option<&StartingWeights>,
    folder: &RunFolder,
    threads: &Threads,
) -> Result<Trainer, Failure> {
    let case = case(config, threads)?;
    folder.check_same_start(case.config(), weights.map(|weights| &weights.bytes[..]))?;
    let mut files = folder.checkpoints();
    let trainer = match folder.newest_checkpoint(&mut files)? {
        Some(checkpoint) => Trainer::from_checkpoint(case, checkpoint)?,
        None => start(case, weights)?,
    };
    Ok(trainer.with_checkpoints(files))
}

/// Problem and network, if there is memory for them.
fn case(config: RunConfig, threads: &Threads) -> Result<Case, Failure> {
    let case = Case::new(config, threads)?;
    MemoryEstimate::of(&case).check(&case, memory::available())?;
    Ok(case)
}

fn start(case: Case, weights: Option<&StartingWeights>) -> Result<Trainer, Failure> {
    Ok(match weights {
        None => Trainer::new(case)?,
        Some(weights) => {
            let theta = case.theta_from(&weights.tensors)?;
            Trainer::starting_at(case, theta)?
        }
    })
}
