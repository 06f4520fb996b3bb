//! `ropinn resume`: go on with a run that was stopped, killed, or is to be longer.

use crate::failure::Failure;
use crate::solve::{Sitting, Solve};
use clap::Args;
use ropinn_runs::RunError;
use ropinn_runs::folder::{names, seed_folders};
use std::path::PathBuf;
use std::process::ExitCode;

/// Go on with a run that was interrupted or killed, or make a finished one longer.
///
/// The result has the same bits as that of a run that was never interrupted. A newest checkpoint that is damaged is passed over for
/// the one before. Only settings of [stop] and [checkpoint] and the iterations of phases that have not ended may change.
#[derive(Debug, Args)]
pub struct Resume {
    /// Folder of the run.
    run: PathBuf,
    #[command(flatten)]
    sitting: Sitting,
}

impl Resume {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let not_a_run = |reason: &str| Failure::from(RunError::NotARunToResume(self.run.clone(), reason.to_owned()));
        if !self.run.join(names::CONFIG).is_file() {
            return Err(match (self.run.is_dir(), seed_folders(&self.run).is_empty()) {
                (false, _) => not_a_run("there is no such folder"),
                (true, true) => not_a_run("it has no config.toml"),
                (true, false) => not_a_run("it holds several seeds; repeat its `ropinn solve` command with --resume"),
            });
        }
        let solve = Solve {
            target: self.run.display().to_string(),
            out: Some(self.run.clone()),
            resume: true,
            sitting: self.sitting.clone(),
            ..Solve::default()
        };
        solve.run()
    }
}
