//! `ropinn report`: one self-contained page that compares runs.

use crate::failure::Failure;
use crate::output;
use clap::Args;
use ropinn_runs::{RunError, report};
use std::path::PathBuf;
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

impl Report {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        // A mistyped name must not replace one of a run's own files.
        if self.out.extension().is_none_or(|ending| ending != "html") {
            return Err(Failure::NotAPage(self.out.clone()));
        }
        let (count, html) = report::compare(&self.runs)?;
        ropinn_files::write(&self.out, html.as_bytes()).map_err(|error| RunError::unwritable(&self.out, &error))?;
        output::print(&format!("{count} runs: {}\n", self.out.display()))?;
        Ok(ExitCode::SUCCESS)
    }
}
