//! `ropinn study`: many runs with one purpose and one table at the end. Each study is a file of its own.

mod coverage;
mod gallery;
mod references;
mod sitting;
mod trust;

use crate::failure::Failure;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Make a study: many runs with one purpose, and a table of what came of them.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub struct Study {
    #[command(subcommand)]
    which: Which,
}

#[derive(Debug, Subcommand)]
enum Which {
    Coverage(coverage::Coverage),
    Gallery(gallery::Gallery),
    Precision(gallery::Precision),
    Trust(trust::Trust),
    References(references::References),
}

impl Study {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        match &self.which {
            Which::Coverage(coverage) => coverage.run(),
            Which::Gallery(gallery) => gallery.run(),
            Which::Precision(precision) => precision.run(),
            Which::Trust(trust) => trust.run(),
            Which::References(references) => references.run(),
        }
    }
}
