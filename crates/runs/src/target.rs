//! What a name means: a problem, or an earlier run to be repeated or changed.

use crate::error::RunError;
use crate::folder::{MAX_CONFIG_BYTES, names, problem_of, solution_of};
use ropinn::config::RunConfig;
use ropinn::problem::{Choices, Problem};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A problem or a run.
pub enum Target {
    /// A problem.
    Problem {
        /// As it was named: a built-in name or a path.
        name: String,
        /// The problem itself.
        problem: Arc<Problem>,
    },
    /// The complete configuration of a run.
    Run {
        /// The configuration file.
        path: PathBuf,
        /// Its content.
        config: Box<RunConfig>,
        /// The problem it is about.
        problem: Arc<Problem>,
    },
}

impl Target {
    /// Finds out what `text` names, and reads it.
    pub fn find(text: &str) -> Result<Self, RunError> {
        Self::find_with(text, &Choices::default())
    }

    /// The same with what is chosen of a problem; of a run nothing is left to choose.
    pub fn find_with(text: &str, choices: &Choices) -> Result<Self, RunError> {
        let (is_builtin, folder) = (Problem::builtin_source(text).is_some(), Path::new(text));
        let path = if folder.is_dir() { folder.join(names::CONFIG) } else { folder.to_owned() };
        if !is_builtin && folder.is_dir() && !path.is_file() {
            return Err(RunError::NotARun(text.into(), format!("it has no {}", names::CONFIG)));
        }
        if !is_builtin
            && path.is_file()
            && let Some(run) = Self::run(path)?
        {
            return match *choices == Choices::default() {
                true => Ok(run),
                false => Err(RunError::ChoiceWithConfig(text.into())),
            };
        }
        Ok(Self::Problem { name: text.to_owned(), problem: Problem::open_with(text, choices)?.into() })
    }

    /// The run of a configuration file, if it is one.
    fn run(path: PathBuf) -> Result<Option<Self>, RunError> {
        let config = ropinn_files::read_text(&path, MAX_CONFIG_BYTES)?;
        if !RunConfig::is_run_config(&config) {
            return Ok(None);
        }
        let config = Box::new(RunConfig::from_toml(&config)?);
        let problem = problem_of(&config, path.parent().unwrap_or(Path::new("")))?.into();
        Ok(Some(Self::Run { path, config, problem }))
    }

    /// The problem.
    pub fn problem(&self) -> &Arc<Problem> {
        match self {
            Self::Problem { problem, .. } | Self::Run { problem, .. } => problem,
        }
    }

    /// The same for weights of the run's own, which may belong to another model than it was asked for.
    pub fn solved(mut self) -> Result<Self, RunError> {
        if let Self::Run { path, config, .. } = &mut self
            && path.file_name().is_some_and(|name| name == names::CONFIG)
        {
            **config = solution_of(config, path.parent().unwrap_or(Path::new("")))?;
        }
        Ok(self)
    }

    /// The weights a repeated run started from, if it was given any.
    pub fn initial_weights(&self) -> Option<PathBuf> {
        let Self::Run { path, .. } = self else { return None };
        Some(path.with_file_name(names::INITIAL_WEIGHTS)).filter(|weights| weights.is_file())
    }

    /// Where the trained weights of a run are.
    pub fn trained_weights(&self) -> Option<PathBuf> {
        let Self::Run { path, .. } = self else { return None };
        Some(path.with_file_name(names::WEIGHTS))
    }

    /// `runs/x/config.toml` is run again beside it, in `runs/x-rerun`.
    pub fn folder_of_rerun(&self) -> Option<PathBuf> {
        let Self::Run { path, .. } = self else { return None };
        let folder = path.parent()?;
        let name = folder.file_name()?.to_str()?;
        (path.file_name()? == names::CONFIG).then(|| folder.with_file_name(format!("{name}-rerun")))
    }
}
