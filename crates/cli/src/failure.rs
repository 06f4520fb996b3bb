//! Everything that can end a command early, with its exit code.

use ropinn::error::Error as LibraryError;
use ropinn::problem::ProblemError;
use ropinn_plot::PlotError;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use thiserror::Error;

/// Why a command ended early.
#[derive(Debug, Error)]
pub enum Failure {
    /// A number that must be at least one.
    #[error("{option} is 0; it must be at least 1")]
    Zero {
        /// The option as written on the command line.
        option: &'static str,
    },
    /// A number that is certainly a mistake.
    #[error("{option} is {value}; it can be at most {max}")]
    TooMany {
        /// The option as written on the command line.
        option: &'static str,
        /// The number given.
        value: usize,
        /// The largest accepted.
        max: usize,
    },
    /// A text that does not name seeds.
    #[error("`{text}` does not name seeds; write a range such as 0..9 (both ends included) or a list such as 0,3,7")]
    BadSeeds {
        /// The text given.
        text: String,
    },
    /// A seed given twice.
    #[error("seed {seed} is named twice in `{text}`; name it once")]
    RepeatedSeed {
        /// The seed.
        seed: u64,
        /// The text given.
        text: String,
    },
    /// A text that does not name a setting with values.
    #[error("`{text}` is no search; write a setting and its values, e.g. gradient.weight=1,0.1,0.01")]
    BadSearch {
        /// The text given.
        text: String,
    },
    /// A value given twice.
    #[error("value {value} is named twice in `{text}`; name it once")]
    RepeatedValue {
        /// The value.
        value: String,
        /// The text given.
        text: String,
    },
    /// Iterations for several phases at once.
    #[error(
        "--iterations {iterations} does not say which of the phases `{phases}` it is for; write the numbers in --optimizer, or change one with --set phases.1.iterations={iterations}"
    )]
    WhichPhase {
        /// The number given.
        iterations: u64,
        /// The phases.
        phases: String,
    },
    /// A preset on top of a complete configuration.
    #[error("--preset has no effect on `{}`, which is a complete configuration; drop it or name the problem instead", path.display())]
    PresetWithConfig {
        /// The configuration file.
        path: PathBuf,
    },
    /// A threshold that is not a positive number.
    #[error("--success is {value}; it must be a positive number")]
    BadThreshold {
        /// The number given.
        value: f64,
    },
    /// A time that is not a positive number.
    #[error("--seconds is {value}; it must be a positive number")]
    BadSeconds {
        /// The number given.
        value: f64,
    },
    /// The same entry twice.
    #[error("{what} `{name}` is named twice; name it once")]
    Repeated {
        /// What kind of entry.
        what: &'static str,
        /// The entry.
        name: String,
    },
    /// A race for an error that cannot be measured.
    #[error(
        "problem `{problem}` has no reference solution, so there is no error to race for; choose a problem with one"
    )]
    NothingToRaceFor {
        /// The problem.
        problem: String,
    },
    /// A setting that makes the race what it is.
    #[error("--set changes `{setting}`, which the race itself sets; use {instead} instead")]
    SetByTheRace {
        /// The setting.
        setting: &'static str,
        /// The option that is meant for it.
        instead: &'static str,
    },
    /// A folder in the way that is not that of a race.
    #[error("`{}` exists and is not the folder of a race; choose another folder with --out", path.display())]
    NotARace {
        /// The folder or file.
        path: PathBuf,
    },
    /// Runs of an earlier race that cannot be compared with new ones.
    #[error(
        "`{}` was run with another `{setting}`, so the race cannot go on with it; choose another folder with --out, or run it again with --overwrite",
        path.display()
    )]
    OtherRace {
        /// The folder of the run.
        path: PathBuf,
        /// The first setting that differs.
        setting: String,
    },
    /// A folder in the way that is not that of a sweep.
    #[error("`{}` exists and is not the folder of a sweep; choose another folder with --out", path.display())]
    NotASweep {
        /// The folder or file.
        path: PathBuf,
    },
    /// A sweep of another size.
    #[error("the sweep in `{}` has scale {found}, not {wanted}; choose another folder with --out", path.display())]
    OtherScale {
        /// The folder.
        path: PathBuf,
        /// Its scale.
        found: String,
        /// The scale asked for.
        wanted: &'static str,
    },
    /// A run that is not the one a table needs.
    #[error(
        "`{}` was run with another `{setting}`, so it does not belong into this sweep; choose another folder with --out, or remove it",
        path.display()
    )]
    OtherRun {
        /// The folder of the run.
        path: PathBuf,
        /// The first setting that differs.
        setting: String,
    },
    /// Filters that leave nothing of an experiment.
    #[error("{experiment} has no row for these --problems, --models and --objectives; drop one of them")]
    NothingWanted {
        /// The experiment.
        experiment: &'static str,
    },
    /// Neither an experiment nor `--list`.
    #[error("name an experiment or `all`; `ropinn reproduce --list` shows them with their cost")]
    NoExperiment,
    /// A folder in the way.
    #[error("`{}` exists already; choose another folder with --out, replace the run with --overwrite, or go on with it with --resume", path.display())]
    FolderExists {
        /// The folder.
        path: PathBuf,
    },
    /// A folder another process works on.
    #[error("another process is working on `{}`; wait for it to end, or choose another folder with --out", path.display())]
    FolderInUse {
        /// The folder.
        path: PathBuf,
    },
    /// A folder that holds nothing to go on with.
    #[error("`{}` holds no run to go on with: {reason}", path.display())]
    NotARunToResume {
        /// The folder.
        path: PathBuf,
        /// What is missing or wrong.
        reason: String,
    },
    /// A run that started from other weights.
    #[error("the run in `{}` did not start from these weights; give the same --init-from, or none if it had none", path.display())]
    OtherWeights {
        /// The folder.
        path: PathBuf,
    },
    /// Results that could not be written.
    #[error("{cause}; what was saved before is untouched: make room, then run `ropinn resume {}`", run.display())]
    Unsaved {
        /// The folder of the run.
        run: PathBuf,
        /// What went wrong.
        cause: Box<Failure>,
    },
    /// A file in the way.
    #[error("`{}` exists already; choose another file with --out, or replace it with --overwrite", path.display())]
    FileExists {
        /// The file.
        path: PathBuf,
    },
    /// A report under a name that is not a page's.
    #[error("`{}` does not end in .html; name the report's page, e.g. --out report.html", path.display())]
    NotAPage {
        /// The file.
        path: PathBuf,
    },
    /// A folder in the way that is not ours to replace.
    #[error("`{}` exists and is not the folder of a run, so it is not overwritten; choose another folder with --out", path.display())]
    NotARunToReplace {
        /// The folder or file.
        path: PathBuf,
    },
    /// A folder that is not a run.
    #[error("`{}` is not the folder of a finished run: {reason}", path.display())]
    NotARun {
        /// The folder.
        path: PathBuf,
        /// What is missing or wrong.
        reason: String,
    },
    /// A file that cannot be read.
    #[error("cannot read `{}`: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A place where nothing can be written, found before the work began.
    #[error("cannot write to `{}`: {reason}; choose another place with --out", path.display())]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A result that could not be written after the work was done.
    #[error("cannot write `{}`: {reason}", path.display())]
    NotSaved {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A table of points without one of the coordinates.
    #[error("`{file}` has no column `{column}`; its first line must name the coordinates {needed}, but it is: {found}")]
    NoColumn {
        /// The file.
        file: String,
        /// The coordinate.
        column: String,
        /// All coordinates.
        needed: String,
        /// The first line.
        found: String,
    },
    /// A line of a table of points that cannot be read.
    #[error("`{file}` line {line}: {reason}")]
    BadLine {
        /// The file.
        file: String,
        /// Line, counted from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// A table without points.
    #[error("`{file}` has no points; put one on each line after the names of the coordinates")]
    NoPoints {
        /// The file.
        file: String,
    },
    /// Whatever the library refuses before a run.
    #[error(transparent)]
    Library(Box<LibraryError>),
    /// What went wrong while it ran.
    #[error("the run failed: {0}")]
    Run(Box<LibraryError>),
    /// A picture or table that cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// Text that cannot be printed.
    #[error("cannot print: {0}")]
    Print(std::io::Error),
    /// Nobody reads the output any more.
    #[error("the output was closed")]
    OutputClosed,
}

impl Failure {
    /// 2 if the user can mend it by asking differently, 1 if the run itself failed.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Run(_)
            | Self::Unsaved { .. }
            | Self::NotSaved { .. }
            | Self::Plot(_)
            | Self::Print(_)
            | Self::OutputClosed => ExitCode::from(1),
            _ => ExitCode::from(2),
        }
    }

    /// A command that helps to go on.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Library(error) => match **error {
                LibraryError::Problem(ProblemError::UnknownBuiltin { .. }) => {
                    Some("`ropinn list` shows all problems; a file needs its ending `.toml`".to_owned())
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// What went wrong while a run was under way or being saved.
    pub fn run(error: impl Into<LibraryError>) -> Self {
        Self::Run(Box::new(error.into()))
    }

    /// A file that cannot be read.
    pub fn unreadable(path: &Path, error: &std::io::Error) -> Self {
        Self::Unreadable { path: path.to_owned(), reason: error.to_string() }
    }

    /// A place that cannot be written to, found in time.
    pub fn unwritable(path: &Path, error: &std::io::Error) -> Self {
        Self::Unwritable { path: path.to_owned(), reason: error.to_string() }
    }

    /// A result that could not be written.
    pub fn not_saved(path: &Path, error: &std::io::Error) -> Self {
        Self::NotSaved { path: path.to_owned(), reason: error.to_string() }
    }
}

/// Errors of the library's parts are errors of the library.
macro_rules! from_library {
    ($($part:ty),*) => {
        $(impl From<$part> for Failure {
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
