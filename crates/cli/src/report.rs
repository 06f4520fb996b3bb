//! `ropinn report`: one self-contained page that compares runs.

mod curves;
mod page;
mod settings;

use crate::failure::Failure;
use crate::output;
use crate::run_folder::{FinishedRun, Metrics, names, seed_folders, write_whole};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Compare runs on one self-contained HTML page: settings, results, curves, fields.
#[derive(Debug, Args)]
pub struct Report {
    /// Folders of runs, or of experiments over seeds.
    #[arg(required = true)]
    runs: Vec<PathBuf>,
    /// The page.
    #[arg(long, default_value = "report.html")]
    out: PathBuf,
}

/// A run and its course.
pub struct ReportedRun {
    /// A short name, unique on the page.
    pub label: String,
    /// Settings and results.
    pub run: FinishedRun,
    /// The course of training.
    pub metrics: Metrics,
}

impl Report {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        // A mistyped name must not replace one of a run's own files.
        if self.out.extension().is_none_or(|ending| ending != "html") {
            return Err(Failure::NotAPage { path: self.out.clone() });
        }
        let runs = self.runs.iter().map(|path| load(path)).collect::<Result<Vec<_>, _>>()?;
        let runs: Vec<ReportedRun> = runs.into_iter().flatten().collect();
        let html = page::write(&runs)?;
        write_whole(&self.out, html.as_bytes()).map_err(|error| Failure::unwritable(&self.out, &error))?;
        output::print(&format!("{} runs: {}\n", runs.len(), self.out.display()))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The run in a folder, or all runs of an experiment.
fn load(path: &Path) -> Result<Vec<ReportedRun>, Failure> {
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
