//! Everything that can go wrong with a run: refused before it starts, failed under way, or not saved.

use ropinn::error::Error as LibraryError;
use ropinn::model::ModelKind;
use ropinn::problem::Doubt;
use ropinn_files::FileError;
use ropinn_plot::PlotError;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What a run refuses, or why it failed. Messages name the culprit; how to ask differently is for the caller to say.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages name every field")]
pub enum RunError {
    /// A text that does not name seeds.
    #[error("`{0}` does not name seeds; write a range such as 0..9 (both ends included) or a list such as 0,3,7")]
    BadSeeds(String),
    /// A seed given twice.
    #[error("seed {0} is named twice in `{1}`; name it once")]
    RepeatedSeed(u64, String),
    /// More seeds than anybody has time for.
    #[error("the number of seeds is {0}; it can be at most {1}")]
    TooManySeeds(usize, usize),
    /// A text that does not name a setting with values.
    #[error("`{0}` is no search; write a setting and its values, e.g. gradient.weight=1,0.1,0.01")]
    BadSearch(String),
    /// A value given twice.
    #[error("value {0} is named twice in `{1}`; name it once")]
    RepeatedValue(String, String),
    /// Iterations for several phases at once.
    #[error("{0} iterations do not say which of the phases `{1}` they are for; give each phase its own")]
    WhichPhase(u64, String),
    /// A preset on top of a complete configuration.
    #[error("a preset has no effect on `{}`, which is a complete configuration; name the problem instead", .0.display())]
    PresetWithConfig(PathBuf),
    /// A variant or a table on top of a complete configuration.
    #[error("a variant or a table has no effect on `{}`, which is a complete configuration; name the problem instead", .0.display())]
    ChoiceWithConfig(PathBuf),
    /// A problem without a solution to compare with.
    #[error("`{0}` has no reference; say in its file what to compare with, under [reference]")]
    NoReference(String),
    /// A reference in more dimensions than a format has.
    #[error("a VTK file has three coordinates at most, and `{0}` has {1}; export it with --npz")]
    TooManyAxes(String, usize),
    /// A threshold that is not a positive number.
    #[error("the error that counts as solved is {0}; it must be a positive number")]
    BadThreshold(f64),
    /// A problem that looks ill posed, where that was not to be accepted.
    #[error("the problem looks ill posed:{}", .0.iter().map(|doubt| format!("\n  - {doubt}")).collect::<String>())]
    Doubtful(Vec<Doubt>),
    /// Nothing to evaluate: a problem has no weights.
    #[error("`{0}` is a problem and has no weights; name a run, or the weights")]
    NoWeights(String),
    /// Weights that do not say which model they are of.
    #[error("`{}` does not say which model its weights are of; name it", .0.display())]
    WhichModel(PathBuf),
    /// Weights of another model than was asked for.
    #[error("`{}` holds the weights of a model `{found}`, not of a `{asked}`", path.display())]
    OtherModel { path: PathBuf, asked: ModelKind, found: ModelKind },
    /// A folder in the way.
    #[error("`{}` exists already", .0.display())]
    FolderExists(PathBuf),
    /// A folder another process works on.
    #[error("another process is working on `{}`", .0.display())]
    FolderInUse(PathBuf),
    /// A folder in the way that is not ours to replace.
    #[error("`{}` exists and is not the folder of a run, so it is not overwritten", .0.display())]
    NotARunToReplace(PathBuf),
    /// A folder that holds nothing to go on with.
    #[error("`{path}` holds no run to go on with: {1}", path = .0.display())]
    NotARunToResume(PathBuf, String),
    /// A folder in which no run was begun.
    #[error("`{path}` is not the folder of a run: {1}", path = .0.display())]
    NotARunToFollow(PathBuf, String),
    /// A run that started from other weights.
    #[error("the run in `{}` did not start from these weights", .0.display())]
    OtherWeights(PathBuf),
    /// A file of a run that is none of its own.
    #[error("the file `{1}` leads out of the run's folder `{path}`, so it is not read", path = .0.display())]
    LeadsOut(PathBuf, String),
    /// A run that nobody trains.
    #[error("`{}` is not being trained: there is nothing to stop", .0.display())]
    NotTraining(PathBuf),
    /// A folder that is not a run.
    #[error("`{path}` is not the folder of a finished run: {1}", path = .0.display())]
    NotARun(PathBuf, String),
    /// A file that cannot be read.
    #[error("cannot read `{path}`: {1}", path = .0.display())]
    Unreadable(PathBuf, String),
    /// A place where nothing can be written, found before the work began.
    #[error("cannot write to `{path}`: {1}", path = .0.display())]
    Unwritable(PathBuf, String),
    /// A result that could not be written after the work was done.
    #[error("cannot write `{path}`: {1}", path = .0.display())]
    NotSaved(PathBuf, String),
    /// Results of a run that can go on, not all of which could be written.
    #[error("{1}; what was saved before is untouched")]
    Unsaved(PathBuf, Box<RunError>),
    /// A table of points without one of the coordinates.
    #[error("`{file}` has no column `{column}`; its first line must name the coordinates {needed}, but it is: {found}")]
    NoColumn { file: String, column: String, needed: String, found: String },
    /// A line of a table of points that cannot be read.
    #[error("`{0}` line {1}: {2}")]
    BadLine(String, u64, String),
    /// A table without points.
    #[error("`{0}` has no points; put one on each line after the names of the coordinates")]
    NoPoints(String),
    /// Whatever the library refuses before a run.
    #[error(transparent)]
    Library(Box<LibraryError>),
    /// What went wrong while it ran.
    #[error("the run failed: {0}")]
    Run(Box<LibraryError>),
    /// A picture or table that cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// Numbers that cannot be put into words.
    #[error("cannot print: {0}")]
    Print(std::io::Error),
}

impl RunError {
    /// Whether the request was refused and nothing was done: asked differently, it can work. Otherwise the run itself failed.
    pub fn is_refusal(&self) -> bool {
        !matches!(self, Self::Run(_) | Self::Unsaved(_, _) | Self::NotSaved(_, _) | Self::Plot(_) | Self::Print(_))
    }

    /// What went wrong while a run was under way or being saved.
    pub fn run(error: impl Into<LibraryError>) -> Self {
        Self::Run(Box::new(error.into()))
    }

    /// A file that cannot be read.
    pub fn unreadable(path: &Path, error: &std::io::Error) -> Self {
        Self::Unreadable(path.to_owned(), error.to_string())
    }

    /// A place that cannot be written to, found in time.
    pub fn unwritable(path: &Path, error: &std::io::Error) -> Self {
        Self::Unwritable(path.to_owned(), error.to_string())
    }

    /// A result that could not be written.
    pub fn not_saved(path: &Path, error: &std::io::Error) -> Self {
        Self::NotSaved(path.to_owned(), error.to_string())
    }
}

impl From<FileError> for RunError {
    fn from(error: FileError) -> Self {
        Self::Unreadable(error.path, error.reason.to_string())
    }
}

/// Errors of the library's parts are errors of the library.
macro_rules! from_library {
    ($($part:ty),*) => {
        $(impl From<$part> for RunError {
            fn from(error: $part) -> Self {
                Self::Library(Box::new(error.into()))
            }
        })*
    };
}

from_library!(
    LibraryError,
    ropinn::checkpoint::CheckpointError,
    ropinn::config::ConfigError,
    ropinn::model::ModelError,
    ropinn::problem::ProblemError,
    ropinn::weights::WeightsError,
    ropinn_engine::EngineError
);
