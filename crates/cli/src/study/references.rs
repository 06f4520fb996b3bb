//! `ropinn study references`: every reference solution, computed and compared with values that are known elsewhere.

use crate::chosen::Chosen;
use crate::failure::Failure;
use crate::output::{self, remark};
use clap::Args;
use ropinn_runs::references::References as Kept;
use ropinn_study::references::{Study, disagreements, table};
use std::process::ExitCode;

/// Compute the reference of every task and compare it with values that other programs found.
///
/// What takes minutes is kept and used by later runs. The exit code is 1 if a value does not agree.
#[derive(Debug, Args)]
#[command(after_help = crate::EXIT_CODES)]
pub struct References {
    /// Only these problems, separated by commas; a variant is named `problem:variant` [default: all tasks].
    #[arg(long, value_delimiter = ',')]
    problems: Vec<String>,
    #[command(flatten)]
    chosen: Chosen,
    /// Compute what is kept again.
    #[arg(long)]
    again: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl References {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let tables = self.chosen.choices()?.tables;
        let study = Study { problems: self.problems.clone(), tables, again: self.again };
        let rows = study.run(&Kept::usual(), &mut |told| remark(&told.to_string()))?;
        match self.json {
            true => output::print_json(&rows)?,
            false => output::print(&(table(&rows)? + &disagreements(&rows)))?,
        }
        Ok(if disagreements(&rows).is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
