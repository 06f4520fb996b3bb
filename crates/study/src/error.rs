//! What a study refuses, on top of what its runs do.

use ropinn_runs::RunError;
use std::path::PathBuf;
use thiserror::Error;

/// Why a study ended early. How to ask differently is for the caller to say.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StudyError {
    /// One of its runs.
    #[error(transparent)]
    Run(RunError),
    /// A time that is not a positive number.
    #[error("the time of each run is {0} s; it must be a positive number")]
    BadSeconds(f64),
    /// The same entry twice.
    #[error("{0} `{1}` is named twice; name it once")]
    Repeated(&'static str, String),
    /// A race for an error that cannot be measured.
    #[error("problem `{0}` has no reference solution, so there is no error to race for; choose a problem with one")]
    NothingToRaceFor(String),
    /// A setting that makes the race what it is.
    #[error("`{0}` is changed, which the race itself sets")]
    SetByTheRace(&'static str),
    /// A folder in the way that is not that of the study.
    #[error("`{path}` exists and is not the folder of a {1}", path = .0.display())]
    NotItsFolder(PathBuf, &'static str),
    /// A problem whose answer nobody knows.
    #[error(
        "`{0}` seeks no number whose truth it says (trainable = {{ k = {{ init = …, truth = … }} }}), so intervals cannot be counted"
    )]
    NoTruth(String),
    /// Runs of an earlier race that cannot be compared with new ones.
    #[error("`{path}` was run with another `{1}`, so the race cannot go on with it", path = .0.display())]
    OtherRace(PathBuf, String),
    /// A sweep of another size.
    #[error("the sweep in `{path}` has scale {1}, not {2}", path = .0.display())]
    OtherScale(PathBuf, String, &'static str),
    /// A run that is not the one a table needs.
    #[error("`{path}` was run with another `{1}`, so it does not belong into this {2}", path = .0.display())]
    OtherRun(PathBuf, String, &'static str),
    /// A problem the gallery does not have.
    #[error("the gallery does not show `{name}`{suggestion}; it shows: {known}")]
    #[expect(missing_docs, reason = "the message names every field")]
    NotInGallery { name: String, suggestion: String, known: String },
    /// A problem that the study of trust has no solves of.
    #[error("the study of trust has no solves of `{0}`{1}")]
    NotInTrust(String, String),
    /// A place where no page can be written.
    #[error("cannot write a page to `{path}`: {1}", path = .0.display())]
    NoPage(PathBuf, String),
    /// Filters that leave nothing of an experiment.
    #[error("{0} has no row for these problems, models and objectives; drop one of them")]
    NothingWanted(&'static str),
}

/// Whatever ends a run ends the study it belongs to.
impl<E: Into<RunError>> From<E> for StudyError {
    fn from(error: E) -> Self {
        Self::Run(error.into())
    }
}
