//! `ropinn study coverage`: do intervals of numbers that were found hold the truth as often as they say?

use super::sitting::Sitting;
use crate::failure::Failure;
use clap::Args;
use ropinn_runs::seeds;
use ropinn_study::coverage::CoverageStudy;
use std::path::PathBuf;
use std::process::ExitCode;

/// Solve inverse problems whose answers are known, with other noise each time, and count how often the intervals hold the truth.
///
/// The folder holds coverage.csv (one row per number and draw), coverage.json (everything), and the runs themselves. Repeating the
/// command keeps what is finished.
#[derive(Debug, Args)]
#[command(after_help = crate::EXIT_CODES)]
pub struct Coverage {
    /// Draws of the noise, by the seeds of the runs: a range such as 0..199 (both ends included) or a list.
    #[arg(long, default_value = "0..199")]
    draws: String,
    /// Folder of the runs and tables.
    #[arg(long, value_name = "DIR", default_value = "studies/coverage")]
    out: PathBuf,
    #[command(flatten)]
    sitting: Sitting,
}

impl Coverage {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let problems = match self.sitting.problems.is_empty() {
            true => vec!["rod-inverse".to_owned()],
            false => self.sitting.problems.clone(),
        };
        let (draws, out, command) = (seeds::parse(&self.draws)?, self.out.clone(), Sitting::command());
        let study = CoverageStudy { problems, draws, out, command };
        self.sitting.run(|threads, speaker, stop| {
            let findings = study.run(threads, speaker, stop)?;
            Ok((findings.to_text()?, findings.is_complete()))
        })
    }
}
