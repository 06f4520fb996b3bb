//! What an earlier sitting of a study has left: its folder, and the runs that are done.

use crate::error::StudyError;
use ropinn::config::RunConfig;
use ropinn_runs::folder::{FinishedRun, is_untouched, names};
use std::path::Path;

/// Refuses a folder that holds something else than such a study, whose folders have the file `mark`.
pub fn check_folder(path: &Path, mark: &str, study: &'static str) -> Result<(), StudyError> {
    let is_ours = path.join(mark).is_file() || path.is_dir() && is_untouched(path);
    if path.exists() && !is_ours { Err(StudyError::NotItsFolder(path.to_owned(), study)) } else { Ok(()) }
}

/// The run in `path` if it was trained to its end. One with other settings is refused: no table may mix what cannot be compared.
pub fn finished(path: &Path, config: &RunConfig, study: &'static str) -> Result<Option<FinishedRun>, StudyError> {
    if !path.join(names::RESULT).is_file() {
        return Ok(None);
    }
    let run = FinishedRun::load(path)?;
    match run.differs_from(config) {
        Some(setting) => Err(StudyError::OtherRun(path.to_owned(), setting, study)),
        None => Ok(Some(run).filter(|run| !run.result.interrupted)),
    }
}
