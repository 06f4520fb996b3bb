//! The files a run's problem reads: copied into its folder, so that it can be moved, and checked when they are read again.

use super::{RunFolder, names};
use crate::error::RunError;
use ropinn::case::Case;
use ropinn::config::RunConfig;
use ropinn::problem::{Inputs, MAX_DATA_BYTES, Problem, ProblemError};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The problem of the configuration in a run's folder, with the files the run has kept.
pub fn problem_of(config: &RunConfig, run: &Path) -> Result<Problem, RunError> {
    open(config, run, Problem::from_toml_with)
}

/// The same for predictions, which need neither reference nor data.
pub fn problem_for_predictions(config: &RunConfig, run: &Path) -> Result<Problem, RunError> {
    open(config, run, Problem::for_predictions)
}

fn open(
    config: &RunConfig,
    run: &Path,
    read: fn(&str, &Path, Inputs) -> Result<Problem, ProblemError>,
) -> Result<Problem, RunError> {
    let (config, origin) = (&config.problem, Path::new(&config.problem.name));
    let Some(text) = &config.source else { return Ok(Problem::open(&config.name)?) };
    let kept = run.join(names::INPUTS);
    // A configuration may stand alone, and runs of old versions kept nothing.
    let folder = if kept.is_dir() && !config.inputs.is_empty() {
        config.inputs.keys().try_for_each(|name| copy_of(run, name).map(drop))?;
        &kept
    } else {
        origin.parent().unwrap_or(Path::new(""))
    };
    Ok(read(text, origin, Inputs::below(folder).knowing(&config.inputs))?)
}

/// Where a run keeps its copy of a file. Folders come from anywhere: neither names nor links may lead out of them.
fn copy_of(run: &Path, name: &str) -> Result<PathBuf, RunError> {
    let path = run.join(names::INPUTS).join(name);
    let stays = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    let home = || run.canonicalize().map(|run| run.join(names::INPUTS));
    match stays && path.canonicalize().map_or(true, |real| home().is_ok_and(|home| real.starts_with(home))) {
        true => Ok(path),
        false => Err(RunError::LeadsOut(run.to_owned(), name.to_owned())),
    }
}

impl RunFolder {
    /// Copies the files the problem was read from. A problem built in Rust is read by its program, which knows its files.
    pub(super) fn keep_inputs(&self, case: &Case) -> Result<(), RunError> {
        let files = case.problem().inputs().iter().filter(|_| case.config().problem.source.is_some());
        for file in files {
            let copy = copy_of(self.path(), &file.name)?;
            if copy == file.path {
                continue;
            }
            let bytes = ropinn_files::read(&file.path, MAX_DATA_BYTES)?;
            if ropinn_files::checksum(&bytes) != file.checksum {
                let reason = "it changed since the problem was read; run the command again".to_owned();
                return Err(RunError::Unreadable(file.path.clone(), reason));
            }
            let made = copy.parent().map_or(Ok(()), fs::create_dir_all);
            made.and_then(|()| ropinn_files::write(&copy, &bytes))
                .map_err(|error| RunError::unwritable(&copy, &error))?;
        }
        Ok(())
    }

    /// Removes the copies an earlier run has kept, and the folders that are empty then.
    pub(super) fn clear_inputs(&self) {
        let config = ropinn_files::read_text(&self.path().join(names::CONFIG), super::MAX_CONFIG_BYTES);
        let Some(config) = config.ok().and_then(|text| RunConfig::from_toml(&text).ok()) else { return };
        for copy in config.problem.inputs.keys().filter_map(|name| copy_of(self.path(), name).ok()) {
            let _ = fs::remove_file(&copy);
            let folders = copy.ancestors().skip(1).take_while(|folder| *folder != self.path());
            folders.for_each(|folder| drop(fs::remove_dir(folder)));
        }
    }
}
