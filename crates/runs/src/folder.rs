//! The folder a run leaves behind: claimed before the work, filled after it, read again by other commands.

mod copy;
mod fields;
mod find;
mod inputs;
mod live;
mod lock;
mod pictures;
mod prediction;
mod raster;
mod read;
mod residuals;
mod result;
mod resume;
mod save;
mod snapshot;
mod snapshots;
mod solution;
mod streamlines;
mod training;
mod watch;

pub use fields::solution_figure;
pub use find::Found;
pub use inputs::{problem_for_predictions, problem_of};
pub use live::{Progress, request_stop, silent_for};
pub use prediction::csv_lines;
pub use read::{FinishedRun, Metrics};
pub use result::{RunLine, RunResult};
pub use save::Saved;
pub use snapshot::{Snapshot, SnapshotHead};
pub use snapshots::snapshots_in;
pub(crate) use solution::solution_of;

use crate::error::RunError;
use lock::FolderLock;
use ropinn::case::Case;
use ropinn_files::is_unfinished;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The files of a run.
pub mod names {
    /// The complete configuration.
    pub const CONFIG: &str = "config.toml";
    /// The configuration of what it ended with, if that is another model than was asked for.
    pub const SOLUTION: &str = "solution.toml";
    /// The weights it started from, if they were given.
    pub const INITIAL_WEIGHTS: &str = "initial.safetensors";
    /// One line per outer step.
    pub const METRICS: &str = "metrics.csv";
    /// The trained weights.
    pub const WEIGHTS: &str = "model.safetensors";
    /// The final numbers; written last, so that it marks a complete run.
    pub const RESULT: &str = "result.json";
    /// The solution on the evaluation points.
    pub const PREDICTION: &str = "prediction.csv";
    /// The same table for NumPy.
    pub const PREDICTION_NPY: &str = "prediction.npy";
    /// Copies of the files its problem reads.
    pub const INPUTS: &str = "inputs";
    /// What is needed to go on with the run.
    pub const CHECKPOINTS: &str = "checkpoints";
    /// The solution on a coarse raster after some of the steps.
    pub const SNAPSHOTS: &str = "snapshots";
    /// How far the run is, written again and again while it trains: its age is the pulse of the process.
    pub const PROGRESS: &str = "progress.json";
    /// What was said on the way.
    pub const LOG: &str = "log.txt";
    /// Asks the process that trains the run to end it.
    pub const STOP: &str = "stop";
    /// What runs belong together in a folder, beside those that are there already.
    pub const CELLS: &str = "cells.json";
    /// Held by the process that works on the run.
    pub const LOCK: &str = ".lock";
    /// Pictures, each as `.png` and `.svg`.
    pub const PICTURES: [&str; 5] = ["fields", "estimate", "residual", "training", "region"];
    /// Summaries of an experiment over seeds.
    pub const SUMMARIES: [&str; 3] = ["summary.json", "summary.csv", "summary.md"];
    /// Beginning of the folders of its runs.
    pub const SEED: &str = "seed-";
}

/// The largest configuration that is read: it holds the text of its problem and little else.
pub(crate) const MAX_CONFIG_BYTES: u64 = 2 * ropinn::problem::MAX_PROBLEM_BYTES;

/// A folder that is ours to write to.
#[derive(Clone, Debug)]
pub struct RunFolder {
    path: PathBuf,
    lock: FolderLock,
}

impl RunFolder {
    /// Makes the folder, or clears it if it holds a run to be replaced. Nothing is left behind on refusal.
    pub fn claim(path: &Path, overwrite: bool) -> Result<Self, RunError> {
        if path.is_dir() && !is_untouched(path) {
            if !overwrite {
                return Err(RunError::FolderExists(path.to_owned()));
            }
            if !holds_run(path) {
                return Err(RunError::NotARunToReplace(path.to_owned()));
            }
        } else if path.exists() && !path.is_dir() {
            return Err(RunError::NotARunToReplace(path.to_owned()));
        }
        let folder = Self::open(path)?;
        folder.clear()?;
        Ok(folder)
    }

    /// Makes the folder unless it is there, and makes sure that it can be written to.
    pub fn open(path: &Path) -> Result<Self, RunError> {
        let made = make_folders(path)?;
        // Permissions tell only half of it: a disk may be full or read-only.
        if let Err(error) = tempfile::tempfile_in(path).and_then(|mut file| file.write_all(b"probe")) {
            made.iter().for_each(|folder| drop(fs::remove_dir(folder)));
            return Err(RunError::unwritable(path, &error));
        }
        Ok(Self { path: path.to_owned(), lock: FolderLock::take(path)? })
    }

    /// The folder of a run to go on with; `None` if no run was begun there.
    pub fn reopen(path: &Path) -> Result<Option<Self>, RunError> {
        if !path.exists() || path.is_dir() && is_untouched(path) {
            return Ok(None);
        }
        if !holds_run(path) {
            let reason = format!("it has no {}", names::CONFIG);
            return Err(RunError::NotARunToResume(path.to_owned(), reason));
        }
        let folder = Self { path: path.to_owned(), lock: FolderLock::take(path)? };
        folder.remove_unfinished();
        Ok(Some(folder))
    }

    /// Removes what a killed process was about to write.
    fn remove_unfinished(&self) {
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            if entry.file_name().to_str().is_some_and(is_unfinished) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Removes the files of an earlier run, and no others.
    fn clear(&self) -> Result<(), RunError> {
        self.clear_inputs();
        let pictures = names::PICTURES.iter().flat_map(|name| [format!("{name}.png"), format!("{name}.svg")]);
        let tables = [names::CONFIG, names::INITIAL_WEIGHTS, names::METRICS, names::WEIGHTS, names::RESULT];
        let more = [
            names::SOLUTION,
            names::PREDICTION,
            names::PREDICTION_NPY,
            names::PROGRESS,
            names::LOG,
            names::STOP,
            names::CELLS,
        ];
        let known = tables.iter().chain(&more).chain(&names::SUMMARIES).map(|name| (*name).to_owned());
        for name in known.chain(pictures) {
            let file = self.path.join(name);
            if file.is_file() {
                fs::remove_file(&file).map_err(|error| RunError::unwritable(&file, &error))?;
            }
        }
        self.remove_unfinished();
        snapshots::clear(&self.path);
        self.checkpoints().clear().map_err(|error| RunError::unwritable(&self.path, &error))?;
        for run in seed_folders(&self.path) {
            Self { path: run.clone(), lock: self.lock.clone() }.clear()?;
            // Something of the user's own may be in there.
            let _ = fs::remove_dir(run);
        }
        Ok(())
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of one run of an experiment.
    pub fn seed(&self, seed: u64) -> Result<Self, RunError> {
        let path = self.path.join(format!("{}{seed}", names::SEED));
        fs::create_dir_all(&path).map_err(|error| RunError::unwritable(&path, &error))?;
        Ok(Self { path, lock: self.lock.clone() })
    }

    /// Writes what is known before the run: its configuration, and the weights it was given.
    fn begin(&self, case: &Case, initial_weights: Option<&[u8]>) -> Result<(), RunError> {
        let write = |name: &str, bytes: &[u8]| {
            let file = self.path.join(name);
            ropinn_files::write(&file, bytes).map_err(|error| RunError::unwritable(&file, &error))
        };
        let config = self.path.join(names::CONFIG);
        let is_new = !config.exists();
        // The configuration first: whatever stops us, the folder is known to be a run's.
        let begun = write(names::CONFIG, case.config().to_toml().as_bytes())
            .and_then(|()| self.keep_inputs(case))
            .and_then(|()| initial_weights.map_or(Ok(()), |weights| write(names::INITIAL_WEIGHTS, weights)));
        // A run that goes on keeps what it had.
        if begun.is_err() && is_new {
            self.clear_copies(case.config());
            drop(fs::remove_file(config));
            drop(fs::remove_file(self.path.join(names::LOCK)));
            drop(fs::remove_dir(&self.path));
        }
        begun
    }
}

/// Makes a folder and what is missing above it; tells which ones, the innermost first.
fn make_folders(path: &Path) -> Result<Vec<PathBuf>, RunError> {
    let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let made: Vec<PathBuf> = path.ancestors().take_while(missing).map(Path::to_owned).collect();
    fs::create_dir_all(path).map_err(|error| {
        made.iter().for_each(|folder| drop(fs::remove_dir(folder)));
        RunError::unwritable(path, &error)
    })?;
    Ok(made)
}

/// The runs of an experiment, in the order of their seeds.
pub fn seed_folders(path: &Path) -> Vec<PathBuf> {
    let seed = |path: &Path| path.file_name()?.to_str()?.strip_prefix(names::SEED)?.parse::<u64>().ok();
    let entries = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut runs: Vec<(u64, PathBuf)> = entries.filter_map(|path| Some((seed(&path)?, path))).collect();
    runs.sort();
    runs.into_iter().map(|(_, path)| path).collect()
}

/// Whether a folder is empty, but for what a process leaves that is killed before it begins.
pub fn is_untouched(path: &Path) -> bool {
    let mut entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.all(|entry| entry.file_name().to_str().is_some_and(|name| name == names::LOCK || is_unfinished(name)))
}

/// Whether a folder holds a run or an experiment, finished or not.
fn holds_run(path: &Path) -> bool {
    let marks = [names::CONFIG, names::SUMMARIES[0]];
    marks.iter().any(|name| path.join(name).is_file()) || !seed_folders(path).is_empty()
}
