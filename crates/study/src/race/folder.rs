//! The folder of a race: made or found again, with the runs that are already in it.

use crate::error::StudyError;
use ropinn::config::RunConfig;
use ropinn_runs::folder::{FinishedRun, is_untouched, names};
use std::path::Path;

/// The tables of a race; the last one also marks its folder.
pub const TABLES: [&str; 3] = ["race.md", "race.csv", "race.json"];

/// Refuses a folder that holds something else than a race.
pub fn check(path: &Path) -> Result<(), StudyError> {
    let is_race = path.join(TABLES[2]).is_file();
    if path.exists() && !is_race && !(path.is_dir() && is_untouched(path)) {
        return Err(StudyError::NotARace(path.to_owned()));
    }
    Ok(())
}

/// The run in `path` if it is finished. One with other settings or threads belongs to another race.
pub fn finished(path: &Path, config: &RunConfig, threads: usize) -> Result<Option<FinishedRun>, StudyError> {
    if !path.join(names::RESULT).is_file() {
        return Ok(None);
    }
    let run = FinishedRun::load(path)?;
    let other = run.differs_from(config);
    let other = other.or_else(|| (run.result.threads != threads).then(|| "threads".to_owned()));
    match other {
        Some(setting) => Err(StudyError::OtherRace(path.to_owned(), setting)),
        None => Ok(Some(run)),
    }
}
