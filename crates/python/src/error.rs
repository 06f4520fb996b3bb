//! What went wrong, as exceptions of the package: the words of the command line, with keywords where it has options.

use pyo3::exceptions::PyException;
use pyo3::import_exception;
use pyo3::prelude::*;
use ropinn::error::Error as LibraryError;
use ropinn::problem::{Position, ProblemError};
use ropinn_engine::EngineError;
use ropinn_runs::RunError;
use ropinn_study::StudyError;

mod classes {
    use super::import_exception;
    import_exception!(ropinn._errors, ProblemError);
    import_exception!(ropinn._errors, OptionError);
    import_exception!(ropinn._errors, RunError);
    import_exception!(ropinn._errors, ForkError);
}

/// Anything the crates below refuse, or why they failed.
pub enum Refused {
    /// A study or a run.
    Study(StudyError),
    /// A keyword or an argument.
    Option(String),
    /// A pool of threads that belongs to another process.
    Forked(String),
    /// An exception of somebody else's.
    Raised(PyErr),
}

impl Refused {
    /// A keyword or an argument that makes no sense.
    pub fn new(message: impl Into<String>) -> Self {
        Self::Option(message.into())
    }
}

impl From<StudyError> for Refused {
    fn from(error: StudyError) -> Self {
        Self::Study(error)
    }
}

impl From<RunError> for Refused {
    fn from(error: RunError) -> Self {
        Self::Study(error.into())
    }
}

impl From<PyErr> for Refused {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

impl From<Refused> for PyErr {
    fn from(refused: Refused) -> Self {
        let error = match refused {
            Refused::Raised(error) => return error,
            Refused::Option(message) => return classes::OptionError::new_err(message),
            Refused::Forked(message) => return classes::ForkError::new_err(message),
            Refused::Study(error) => error,
        };
        let message = in_keywords(&error);
        match &error {
            StudyError::Run(RunError::Library(error)) => match &**error {
                LibraryError::Problem(problem) => at_place(problem, message),
                LibraryError::Wanted { .. } => classes::ProblemError::new_err(message),
                _ => classes::OptionError::new_err(message),
            },
            StudyError::Run(error) if !error.is_refusal() => classes::RunError::new_err(message),
            _ => classes::OptionError::new_err(message),
        }
    }
}

/// What is wrong with a problem, with line and column if it is a text.
fn at_place(problem: &ProblemError, message: String) -> PyErr {
    let error = classes::ProblemError::new_err(message);
    if let ProblemError::At { at, .. } = problem
        && let Position::File { line, column, .. } = **at
    {
        // The words are what matters; a place that cannot be attached is in them too.
        Python::attach(|py| {
            let value = error.value(py).cast::<PyException>();
            let _ = value.map(|value| (value.setattr("line", line), value.setattr("column", column)));
        });
    }
    error
}

/// A problem that was refused.
pub fn of_problem(error: ProblemError) -> Refused {
    RunError::from(error).into()
}

/// A network or an evaluation that was refused.
pub fn of_engine(error: EngineError) -> Refused {
    RunError::from(error).into()
}

/// What the libraries say, with the keywords that help.
fn in_keywords(error: &StudyError) -> String {
    let advice = match error {
        StudyError::Run(error) => return run_in_keywords(error),
        StudyError::BadSeconds(value) => return format!("seconds is {value}; it must be a positive number"),
        StudyError::SetByTheRace(setting) => {
            let instead = match *setting {
                "phases" => "optimizers",
                "objective.kind" => "objectives",
                "seed" => "seeds",
                _ => "seconds",
            };
            return format!("set changes `{setting}`, which the race itself sets; use {instead}=… instead");
        }
        StudyError::OtherRace(_, _) => "; choose another folder with out=…, or run it again with overwrite=True",
        StudyError::OtherRun(_, _, _) => "; choose another folder with out=…, or remove it",
        StudyError::NotItsFolder(_, _) => "; choose another folder with out=…",
        _ => "",
    };
    format!("{error}{advice}")
}

fn run_in_keywords(error: &RunError) -> String {
    let advice = match error {
        RunError::FolderExists(_) => {
            "; choose another folder, replace the run with overwrite=True, or go on with it with ropinn.resume"
        }
        RunError::FolderInUse(_) => "; wait for it to end, or choose another folder",
        RunError::NotARunToReplace(_) | RunError::Unwritable(_, _) => "; choose another folder",
        RunError::OtherWeights(_) => "; give the same init_from, or none if it had none",
        RunError::NoWeights(target) => {
            return format!("`{target}` is a problem and has no weights; name a run, or the weights with init_from=…");
        }
        RunError::WhichModel(path) => {
            let path = path.display();
            return format!("`{path}` does not say which model its weights are of; name it with model=…");
        }
        RunError::OtherModel { found, .. } => &format!("; drop model, or write model=\"{found}\""),
        RunError::Doubtful(_) => "\nmend it, or solve it all the same without strict=True",
        RunError::Unsaved(run, _) => &format!(": make room, then call ropinn.resume({:?})", run.display().to_string()),
        RunError::BadThreshold(value) => return format!("success is {value}; it must be a positive number"),
        RunError::PresetWithConfig(path) => {
            let path = path.display();
            return format!(
                "preset has no effect on `{path}`, which is a complete configuration; drop it or name the problem instead"
            );
        }
        RunError::WhichPhase(iterations, phases) => {
            return format!(
                "iterations={iterations} does not say which of the phases `{phases}` it is for; write the numbers in \
                 optimizer=…, or change one with set={{\"phases.1.iterations\": {iterations}}}"
            );
        }
        _ => "",
    };
    format!("{error}{advice}")
}
