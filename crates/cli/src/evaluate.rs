//! `ropinn evaluate`: loss, gradient and errors of given weights, without training and without perturbation.

use crate::failure::Failure;
use crate::options::{self, PRECISIONS, one_of};
use crate::output;
use clap::Args;
use ropinn_engine::Precision;
use ropinn_runs::evaluate::{Options, Report};
use std::path::PathBuf;
use std::process::ExitCode;

/// Evaluate given weights on a problem: loss by term, gradient norm, errors. `ropinn evaluate RUN` takes those of the run.
#[derive(Debug, Args)]
pub struct Evaluate {
    /// A built-in problem, a problem file, or the folder or config.toml of a run.
    target: String,
    /// Model the weights belong to; its sizes are read from the file [default: what the file or the run says].
    #[arg(long)]
    model: Option<String>,
    /// The weights (safetensors, names as in PyTorch) [default: those of the run].
    #[arg(long, value_name = "FILE")]
    init_from: Option<PathBuf>,
    /// Numbers to compute with [default: those of the weights' file].
    #[arg(long, value_parser = one_of(PRECISIONS))]
    precision: Option<Precision>,
    /// Seed of random points; grids do not depend on it.
    #[arg(long)]
    seed: Option<u64>,
    /// Any setting of config.toml, such as points.interior=grid:51x51 or model.heads=4; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Threads; results do not depend on them [default: one per core].
    #[arg(long)]
    threads: Option<usize>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Evaluate {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let threads = options::threads(self.threads)?;
        let options = Options {
            target: self.target.clone(),
            model: self.model.as_deref().map(str::parse).transpose()?,
            weights: self.init_from.clone(),
            precision: self.precision,
            seed: self.seed,
            set: self.set.clone(),
        };
        let report = Report::new(&options, &threads)?;
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&report.to_text())?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
