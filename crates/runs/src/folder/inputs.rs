//! The files a run's problem reads: copied into its folder, so that it can be moved, and checked when they are read again.

use super::{RunFolder, names};
use crate::error::RunError;
use ropinn::case::Case;
use ropinn::config::RunConfig;
use ropinn::problem::{Inputs, Problem, ProblemError};
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
    let Some(text) = &config.source else { return named(&config.name, run) };
    // A configuration may stand alone; what it reads is beside it, wherever its problem came from.
    let kept = run.join(names::INPUTS);
    let inputs = if kept.exists() { Inputs::below(&kept) } else { Inputs::below(run) };
    if kept.exists() {
        config.inputs.keys().try_for_each(|name| copy_of(run, name).map(drop))?;
    }
    Ok(read(text, origin, if config.inputs.is_empty() { inputs } else { inputs.knowing(&config.inputs) })?)
}

/// The problem a configuration only names: a built-in one, or a file beside the configuration.
fn named(name: &str, run: &Path) -> Result<Problem, RunError> {
    if Problem::builtin_source(name).is_some() {
        return Ok(Problem::open(name)?);
    }
    let path = run.join(name);
    match stays(Path::new(name)) && ropinn_files::is_below(run, &path) {
        true => Ok(Problem::load(path)?),
        false => Err(RunError::LeadsOut(run.to_owned(), name.to_owned())),
    }
}

/// Whether a name cannot climb.
fn stays(name: &Path) -> bool {
    name.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Where a run keeps its copy of a file. Folders come from anywhere: neither names nor links may lead out of them.
fn copy_of(run: &Path, name: &str) -> Result<PathBuf, RunError> {
    let path = run.join(names::INPUTS).join(name);
    match stays(Path::new(name)) && ropinn_files::is_below(run, &path) {
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
            let bytes = file.bytes()?;
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
        if let Some(config) = config.ok().and_then(|text| RunConfig::from_toml(&text).ok()) {
            self.clear_copies(&config);
        }
    }

    /// Removes the copies of the files of a configuration.
    pub(super) fn clear_copies(&self, config: &RunConfig) {
        for copy in config.problem.inputs.keys().filter_map(|name| copy_of(self.path(), name).ok()) {
            let _ = fs::remove_file(&copy);
            let folders = copy.ancestors().skip(1).take_while(|folder| *folder != self.path());
            folders.for_each(|folder| drop(fs::remove_dir(folder)));
        }
    }
}
