//! `ropinn resume`: go on with a run that was stopped, killed, or is to be longer.

use crate::failure::Failure;
use crate::solve::Solve;
use clap::Args;
use ropinn_runs::RunError;
use ropinn_runs::folder::{names, seed_folders};
use std::path::PathBuf;
use std::process::ExitCode;

/// Go on with a run that was interrupted or killed, or make a finished one longer.
///
/// The result has the same bits as that of a run that was never interrupted. A newest checkpoint that is damaged is passed over for
/// the one before.
#[derive(Debug, Args)]
pub struct Resume {
    /// Folder of the run.
    run: PathBuf,
    /// Outer steps of the only optimiser phase, those already done included.
    #[arg(long)]
    iterations: Option<u64>,
    /// Longest training time in seconds, earlier sittings included; 0 for no limit.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    max_seconds: Option<f64>,
    /// Stop once the relative error (rMSE) is this small; 0 for never.
    #[arg(long, value_name = "ERROR", allow_negative_numbers = true)]
    target_error: Option<f64>,
    /// A setting that may change on the way: of [stop], [checkpoint], or the iterations of a phase; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Threads; results do not depend on them [default: one per core].
    #[arg(long)]
    threads: Option<usize>,
    /// Say nothing but errors.
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
    /// Print events as JSON, one object per line.
    #[arg(long)]
    json: bool,
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
            iterations: self.iterations,
            max_seconds: self.max_seconds,
            target_error: self.target_error,
            set: self.set.clone(),
            threads: self.threads,
            quiet: self.quiet,
            json: self.json,
            ..Solve::default()
        };
        solve.run()
    }
}
