//! `ropinn study trust`: are the verdicts right, and the estimated errors?

use super::sitting::Sitting;
use crate::failure::Failure;
use clap::Args;
use ropinn_study::trust;
use std::path::PathBuf;
use std::process::ExitCode;

/// Compare verdicts and estimated errors with the truth, on solves that are good and on solves that are bad on purpose.
///
/// The folder holds trust.csv (one row per solve), trust.json (everything), and the runs themselves. Half of the solves were used
/// to choose the numbers of the verdict, the other half was not: the table shows both. Repeating the command keeps what is
/// finished.
#[derive(Debug, Args)]
#[command(after_help = crate::EXIT_CODES)]
pub struct Trust {
    /// Folder of the runs and tables.
    #[arg(long, value_name = "DIR", default_value = "studies/trust")]
    out: PathBuf,
    #[command(flatten)]
    sitting: Sitting,
}

impl Trust {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let cases = trust::chosen(&self.sitting.problems)?;
        let study = trust::TrustStudy { cases, out: self.out.clone(), command: Sitting::command() };
        self.sitting.run(|threads, speaker, stop| {
            let findings = study.run(threads, speaker, stop)?;
            Ok((findings.to_text()?, findings.is_complete()))
        })
    }
}
