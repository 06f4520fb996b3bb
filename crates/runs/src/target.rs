//! What a command line names: a problem, or an earlier run to be repeated or changed.

use crate::error::RunError;
use crate::folder::names;
use crate::problem_source;
use ropinn::config::RunConfig;
use ropinn::problem::{MAX_PROBLEM_BYTES, Problem};
use ropinn_files::read_text;
use std::path::{Path, PathBuf};

/// A problem or a run.
pub enum Target {
    /// A problem.
    Problem {
        /// As the user named it: a built-in name or a path.
        name: String,
        /// The name it has itself, by which presets know it.
        problem: String,
    },
    /// The complete configuration of a run.
    Run {
        /// The configuration file.
        path: PathBuf,
        /// Its content.
        config: Box<RunConfig>,
    },
}

impl Target {
    /// Finds out what `text` names.
    pub fn find(text: &str) -> Result<Self, RunError> {
        if Problem::builtin_source(text).is_some() {
            return Ok(Self::Problem { name: text.to_owned(), problem: Problem::builtin(text)?.name });
        }
        let path = match Path::new(text) {
            folder if folder.is_dir() => folder.join(names::CONFIG),
            path => path.to_owned(),
        };
        if Path::new(text).is_dir() && !path.is_file() {
            let reason = format!("it has no {}", names::CONFIG);
            return Err(RunError::NotARun { path: text.into(), reason });
        }
        if path.is_file() {
            // A configuration holds the text of its problem and little else.
            let config = read_text(&path, 2 * MAX_PROBLEM_BYTES)?;
            if RunConfig::is_run_config(&config) {
                let config = Box::new(RunConfig::from_toml(&config)?);
                return Ok(Self::Run { path, config });
            }
        }
        Ok(Self::Problem { name: text.to_owned(), problem: problem_source::find(text)?.name })
    }

    /// The weights a repeated run started from, if it was given any.
    pub fn initial_weights(&self) -> Option<PathBuf> {
        let Self::Run { path, .. } = self else { return None };
        Some(path.with_file_name(names::INITIAL_WEIGHTS)).filter(|weights| weights.is_file())
    }

    /// `runs/x/config.toml` is run again beside it, in `runs/x-rerun`.
    pub fn folder_of_rerun(&self) -> Option<PathBuf> {
        let Self::Run { path, .. } = self else { return None };
        let folder = path.parent()?;
        let name = folder.file_name()?.to_str()?;
        (path.file_name()? == names::CONFIG).then(|| folder.with_file_name(format!("{name}-rerun")))
    }
}
