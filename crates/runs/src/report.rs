//! One self-contained page that compares runs: settings, results, curves, fields.

mod curves;
mod page;
mod settings;

use crate::error::RunError;
use crate::folder::{FinishedRun, Metrics, names, seed_folders};
use std::fs::{self, DirEntry};
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

/// Folders within folders that are looked at: a race has problem, entrant and seed.
const DEEPEST: usize = 4;

/// The page that compares the runs in these folders, which may be experiments over seeds, searches or races.
pub fn compare(paths: &[PathBuf]) -> Result<Comparison, RunError> {
    let mut found = Found::default();
    for path in paths {
        // A run that is named must be one; what else is in a folder may be anything.
        let before = found.finished.len();
        if path.join(names::CONFIG).is_file() {
            found.finished.push((path.clone(), label(path, path)));
        } else {
            found.look(path, path, DEEPEST);
        }
        if found.finished.len() == before {
            return Err(nothing_in(path));
        }
    }
    let load = |(folder, label): (PathBuf, String)| {
        let run = FinishedRun::load(&folder)?;
        let metrics = run.metrics()?;
        Ok(ReportedRun { label, run, metrics })
    };
    let runs = found.finished.into_iter().map(load).collect::<Result<Vec<_>, RunError>>()?;
    Ok(Comparison { runs: runs.len(), unfinished: found.unfinished, html: page::write(&runs)? })
}

/// `1 run`, `2 runs`.
pub fn count(runs: usize) -> String {
    if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") }
}

/// What there is in a folder of runs.
#[derive(Default)]
struct Found {
    /// Folders and labels.
    finished: Vec<(PathBuf, String)>,
    unfinished: usize,
}

impl Found {
    /// Looks for runs below `folder`, those of smaller seeds first. Links are not followed.
    fn look(&mut self, home: &Path, folder: &Path, depth: usize) {
        if folder.join(names::CONFIG).is_file() {
            match folder.join(names::RESULT).is_file() {
                true => self.finished.push((folder.to_owned(), label(home, folder))),
                false => self.unfinished += 1,
            }
        } else if depth > 0 {
            let seeds = seed_folders(folder);
            let is_folder = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
            let entries = fs::read_dir(folder).into_iter().flatten().flatten().filter(is_folder);
            let mut others: Vec<PathBuf> =
                entries.map(|entry| entry.path()).filter(|path| !seeds.contains(path)).collect();
            others.sort();
            seeds.iter().chain(&others).for_each(|path| self.look(home, path, depth - 1));
        }
    }
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
