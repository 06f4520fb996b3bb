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
    /// Folders of runs, of experiments over seeds, of searches or of races.
    #[arg(required = true)]
    runs: Vec<PathBuf>,
    /// The page.
    #[arg(long, default_value = "report.html")]
    out: PathBuf,
    /// Replace the page, if there is one.
    #[arg(long)]
    overwrite: bool,
}

impl Report {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        // A mistyped name must not replace one of a run's own files.
        if self.out.extension().is_none_or(|ending| ending != "html") {
            return Err(Failure::NotAPage(self.out.clone()));
        }
        if self.out.exists() && !self.overwrite {
            return Err(Failure::FileExists(self.out.clone()));
        }
        let page = report::compare(&self.runs)?;
        ropinn_files::write(&self.out, page.html.as_bytes())
            .map_err(|error| RunError::unwritable(&self.out, &error))?;
        if page.unfinished > 0 {
            output::remark(&format!("unfinished and left out: {}", report::count(page.unfinished)));
        }
        output::print(&format!("{}: {}\n", report::count(page.runs), self.out.display()))?;
        Ok(ExitCode::SUCCESS)
    }
}
