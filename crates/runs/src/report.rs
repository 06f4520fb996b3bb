//! One self-contained page that compares runs: settings, results, curves, fields.

mod curves;
mod fields;
mod page;
mod settings;

use crate::error::RunError;
use crate::folder::{FinishedRun, Found, Metrics, names};
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

/// A page that compares runs.
pub struct Comparison {
    /// How many runs there are on it.
    pub runs: usize,
    /// Runs in the folders that have not ended, and are left out.
    pub unfinished: usize,
    /// The page.
    pub html: String,
}

/// The page that compares the runs in these folders, which may be experiments over seeds, searches or races.
pub fn compare(paths: &[PathBuf]) -> Result<Comparison, RunError> {
    let (mut finished, mut unfinished) = (Vec::new(), 0);
    for path in paths {
        let found = Found::below(path).runs;
        // A run that is named must be finished; what else is in a folder may be anything.
        let ended = |run: &&PathBuf| *run == path || run.join(names::RESULT).is_file();
        let ended: Vec<_> = found.iter().filter(ended).map(|run| (run.clone(), label(path, run))).collect();
        if ended.is_empty() {
            return Err(nothing_in(path));
        }
        unfinished += found.len() - ended.len();
        finished.extend(ended);
    }
    let load = |(folder, label): (PathBuf, String)| {
        let run = FinishedRun::load(&folder)?;
        let metrics = run.metrics()?;
        Ok(ReportedRun { label, run, metrics })
    };
    let runs = finished.into_iter().map(load).collect::<Result<Vec<_>, RunError>>()?;
    Ok(Comparison { runs: runs.len(), unfinished, html: page::write(&runs)? })
}

/// `1 run`, `2 runs`.
pub fn count(runs: usize) -> String {
    if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") }
}

fn nothing_in(path: &Path) -> RunError {
    let reason = match path.is_dir() {
        true => format!("it has no {}, and no folder in it is a finished run either", names::CONFIG),
        false => format!("it has no {}", names::CONFIG),
    };
    RunError::NotARun(path.to_owned(), reason)
}

/// The last part of the path that was named, and the way from there.
fn label(home: &Path, folder: &Path) -> String {
    let parts = |path: &Path| path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    let (named, below): (Vec<String>, Vec<String>) =
        (parts(home), folder.strip_prefix(home).map(parts).unwrap_or_default());
    named.last().into_iter().chain(&below).cloned().collect::<Vec<_>>().join("/")
}
