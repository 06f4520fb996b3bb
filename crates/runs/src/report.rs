//! One self-contained page that compares runs: settings, results, curves, fields.

mod curves;
mod page;
mod settings;

use crate::error::RunError;
use crate::folder::{FinishedRun, Metrics, names, seed_folders};
use std::path::{Path, PathBuf};

/// A run and its course.
struct ReportedRun {
    /// A short name, unique on the page.
    pub label: String,
    /// Settings and results.
    pub run: FinishedRun,
    /// The course of training.
    pub metrics: Metrics,
}

/// The page that compares the runs in these folders, which may be experiments over seeds, and how many there are.
pub fn compare(paths: &[PathBuf]) -> Result<(usize, String), RunError> {
    let runs = paths.iter().map(|path| load(path)).collect::<Result<Vec<_>, _>>()?;
    let runs: Vec<ReportedRun> = runs.into_iter().flatten().collect();
    Ok((runs.len(), page::write(&runs)?))
}

/// The run in a folder, or all runs of an experiment.
fn load(path: &Path) -> Result<Vec<ReportedRun>, RunError> {
    let is_experiment = path.join(names::SUMMARIES[0]).is_file();
    let folders = if is_experiment { seed_folders(path) } else { vec![path.to_owned()] };
    let load = |folder: &PathBuf| {
        let run = FinishedRun::load(folder)?;
        let metrics = run.metrics()?;
        Ok(ReportedRun { label: label(folder, is_experiment), run, metrics })
    };
    folders.iter().map(load).collect()
}

/// The last part of a path, or the last two where the last says only `seed-3`.
fn label(path: &Path, is_experiment: bool) -> String {
    let parts: Vec<String> = path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    let count = if is_experiment { 2 } else { 1 };
    parts[parts.len().saturating_sub(count)..].join("/")
}
