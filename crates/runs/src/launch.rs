//! A run made ready: from its beginning, or where its folder says it was.

use crate::error::RunError;
use crate::folder::RunFolder;
use crate::references::References;
use crate::watch::Watch;
use ropinn::case::Case;
use ropinn::memory::{self, MemoryEstimate};
use ropinn::strategy::Solver;
use ropinn::weights::{MAX_FILE_BYTES, NamedTensors, read_weights};
use std::path::Path;

/// Weights from a file.
#[derive(Debug)]
pub struct StartingWeights {
    /// The file as it was: a copy is kept with the run.
    pub bytes: Vec<u8>,
    tensors: NamedTensors,
}

impl StartingWeights {
    /// Reads a file of weights.
    pub fn read(path: &Path) -> Result<Self, RunError> {
        // The size of the file is checked here, before all of it is read.
        let tensors = read_weights(path)?;
        let bytes = ropinn_files::read(path, MAX_FILE_BYTES)?;
        Ok(Self { bytes, tensors })
    }
}

/// A run from its beginning, if there is memory for it.
pub fn fresh(case: Case, weights: Option<&StartingWeights>) -> Result<Solver, RunError> {
    check_memory(&case)?;
    References::usual().prepare(case.problem())?;
    let theta = first_theta(&case, weights)?;
    Ok(Solver::starting_at(case, theta)?)
}

/// The run in `folder`, where its newest checkpoint is.
pub fn continued(
    case: Case,
    weights: Option<&StartingWeights>,
    folder: &RunFolder,
    watch: &mut dyn Watch,
) -> Result<Solver, RunError> {
    check_memory(&case)?;
    folder.check_same_start(case.config(), weights.map(|weights| &weights.bytes[..]))?;
    let mut files = folder.checkpoints();
    let newest = folder.newest_checkpoint(&mut files, watch)?;
    let references = References::usual();
    references.pending(case.problem())?.iter().for_each(|remark| watch.on_remark(remark));
    references.prepare(case.problem())?;
    let theta = first_theta(&case, weights)?;
    Ok(Solver::resumed(case, theta, &files, newest)?.with_checkpoints(files))
}

fn check_memory(case: &Case) -> Result<(), RunError> {
    Ok(MemoryEstimate::of(case).check(case, memory::available())?)
}

/// The parameters a run starts with.
fn first_theta(case: &Case, weights: Option<&StartingWeights>) -> Result<Vec<f64>, RunError> {
    Ok(match weights {
        None => case.initial_theta(),
        Some(weights) => case.theta_from(&weights.tensors)?,
    })
}
