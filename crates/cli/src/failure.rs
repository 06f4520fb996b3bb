//! Everything that can end a command early, in terms of its options, with its exit code.

use ropinn::error::Error as LibraryError;
use ropinn::problem::ProblemError;
use ropinn_engine::SimdError;
use ropinn_export::ExportError;
use ropinn_runs::RunError;
use ropinn_serve::ServeError;
use ropinn_study::StudyError;
use std::path::PathBuf;
use std::process::ExitCode;
use thiserror::Error;

/// Why a command ended early.
#[derive(Debug, Error)]
pub enum Failure {
    /// A number that must be at least one.
    #[error("{0} is 0; it must be at least 1")]
    Zero(&'static str),
    /// A number that is certainly a mistake.
    #[error("{0} is {1}; it can be at most {2}")]
    TooMany(&'static str, usize, usize),
    /// Neither an experiment nor `--list`.
    #[error("name an experiment or `all`; `ropinn reproduce --list` shows them with their cost")]
    NoExperiment,
    /// A text that does not name a table and a file.
    #[error("`--table {0}` does not name a table and a file; write e.g. --table a=numbers.dat")]
    BadTable(String),
    /// An instruction set that cannot be used.
    #[error(transparent)]
    Simd(SimdError),
    /// A file in the way.
    #[error("`{}` exists already; choose another file with --out, or replace it with --overwrite", .0.display())]
    FileExists(PathBuf),
    /// A problem file in the way.
    #[error("`{}` exists already and is left as it is; choose another name", .0.display())]
    ProblemExists(PathBuf),
    /// A path that ends in no name.
    #[error("`{}` is no name of a file; name the problem, e.g. `ropinn new mine`", .0.display())]
    NoName(PathBuf),
    /// A report under a name that is not a page's.
    #[error("`{}` does not end in .html; name the report's page, e.g. --out report.html", .0.display())]
    NotAPage(PathBuf),
    /// What a run or a study refused, or why it failed.
    #[error("{}", in_options(.0))]
    Study(StudyError),
    /// What an export refused, or why it failed.
    #[error("{}", export_in_options(.0))]
    Export(ExportError),
    /// A folder that takes no events.
    #[error("cannot write events to `{path}`: {1}; choose another folder with --tensorboard", path = .0.display())]
    NoEvents(PathBuf, String),
    /// A page that cannot be served.
    #[error(transparent)]
    Serve(ServeError),
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
        ExitCode::from(match self {
            Self::Study(StudyError::Run(error)) if !error.is_refusal() => 1,
            Self::Export(error) if !error.is_refusal() => 1,
            Self::Print(_) | Self::OutputClosed => 1,
            _ => 2,
        })
    }

    /// A command that helps to go on.
    pub fn hint(&self) -> Option<&'static str> {
        let Self::Study(StudyError::Run(RunError::Library(error))) = self else { return None };
        matches!(**error, LibraryError::Problem(ProblemError::UnknownBuiltin { .. }))
            .then_some("`ropinn list` shows all problems; a file needs its ending `.toml`")
    }
}

/// Whatever ends a run or a study ends the command.
impl<E: Into<StudyError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Study(error.into())
    }
}

/// What the libraries say, with the options that help.
fn in_options(error: &StudyError) -> String {
    let advice = match error {
        StudyError::Run(error) => return run_in_options(error),
        StudyError::BadSeconds(value) => return format!("--seconds is {value}; it must be a positive number"),
        StudyError::SetByTheRace(setting) => {
            let instead = match *setting {
                "phases" => "--optimizers",
                "objective.kind" => "--objectives",
                "seed" => "--seeds",
                _ => "--seconds",
            };
            return format!("--set changes `{setting}`, which the race itself sets; use {instead} instead");
        }
        StudyError::NothingWanted(experiment) => {
            return format!(
                "{experiment} has no row for these --problems, --models and --objectives; drop one of them"
            );
        }
        StudyError::OtherRace(_, _) => "; choose another folder with --out, or run it again with --overwrite",
        StudyError::OtherRun(_, _, _) => "; choose another folder with --out, or remove it",
        StudyError::NotItsFolder(_, _) | StudyError::OtherScale(_, _, _) => "; choose another folder with --out",
        StudyError::NoPage(_, _) => "; choose another folder with --page",
        _ => "",
    };
    format!("{error}{advice}")
}

fn export_in_options(error: &ExportError) -> String {
    let advice = match error {
        ExportError::Run(error) => return run_in_options(error),
        ExportError::Exists(_) => "; choose another file with --out, or replace it with --overwrite",
        ExportError::WhichFormat(_) => " with --vtk, --onnx, --npz, --csv or --tensorboard",
        ExportError::NotSaved { .. } => "; choose another place with --out",
        ExportError::TooManyNodes { .. } | ExportError::Memory { .. } | ExportError::NothingInside(_) => " with --grid",
        _ => "",
    };
    format!("{error}{advice}")
}

fn run_in_options(error: &RunError) -> String {
    let advice = match error {
        RunError::FolderExists(_) => {
            "; choose another folder with --out, replace the run with --overwrite, or go on with it with --resume"
        }
        RunError::FolderInUse(_) => "; wait for it to end, or choose another folder with --out",
        RunError::NotARunToReplace(_) => "; choose another folder with --out",
        RunError::OtherWeights(_) => "; give the same --init-from, or none if it had none",
        RunError::NoWeights(target) => {
            return format!("`{target}` is a problem and has no weights; name a run, or the weights with --init-from");
        }
        RunError::WhichModel(path) => {
            let path = path.display();
            return format!("`{path}` does not say which model its weights are of; name it with --model");
        }
        RunError::OtherModel { found, .. } => &format!("; drop --model, or write --model {found}"),
        RunError::Doubtful(_) => "\nmend it, or solve it all the same without --strict",
        RunError::Unwritable(_, _) => "; choose another place with --out",
        RunError::Unsaved(run, _) => &format!(": make room, then run `ropinn resume {}`", run.display()),
        RunError::BadThreshold(value) => return format!("--success is {value}; it must be a positive number"),
        RunError::PresetWithConfig(path) => {
            let path = path.display();
            return format!(
                "--preset has no effect on `{path}`, which is a complete configuration; drop it or name the problem instead"
            );
        }
        RunError::ChoiceWithConfig(path) => {
            let path = path.display();
            return format!(
                "--variant and --table have no effect on `{path}`, which is a complete configuration; drop them or name the problem instead"
            );
        }
        RunError::WhichPhase(iterations, phases) => {
            return format!(
                "--iterations {iterations} does not say which of the phases `{phases}` it is for; write the numbers in \
                 --optimizer, or change one with --set phases.1.iterations={iterations}"
            );
        }
        _ => "",
    };
    format!("{error}{advice}")
}
