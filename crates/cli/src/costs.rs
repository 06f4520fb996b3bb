//! `ropinn costs`: what an iteration costs under each objective, side by side with the published times.

use crate::failure::Failure;
use crate::options::{self, PRECISIONS, check_count, one_of};
use crate::output;
use clap::Args;
use ropinn_engine::Precision;
use ropinn_plot::{Column, Table, sig};
use ropinn_runs::RunError;
use ropinn_runs::plan::Options;
use ropinn_study::costs::{self, Cost};
use std::process::ExitCode;

/// Measure what 100 iterations cost under each objective.
///
/// Everything but the objective is the paper's setting: its points, its L-BFGS, its network unless another is asked for. The
/// objectives take turns within each round, so that they share whatever else the machine does, and ratios are medians over
/// rounds. An iteration is one call of the optimiser, 21 evaluations; the published times, shown for the PINN on `reaction` they are of, are
/// those of an A100.
#[derive(Debug, Args)]
pub struct Costs {
    /// Name of a built-in problem, or a problem file.
    #[arg(default_value = "reaction")]
    problem: String,
    /// Model: pinn, qres, fls, pinnsformer, pinnsformer-encoder, kan, features.
    #[arg(long, default_value = "pinn")]
    model: String,
    /// Units per hidden layer [default: the paper's].
    #[arg(long)]
    width: Option<usize>,
    /// Hidden layers [default: the paper's].
    #[arg(long)]
    depth: Option<usize>,
    /// Rounds in which every objective takes its turn.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Threads [default: one per core].
    #[arg(long)]
    threads: Option<usize>,
    /// Numbers to compute with.
    #[arg(long, value_parser = one_of(PRECISIONS), default_value = "f32")]
    precision: Precision,
    /// Any setting of config.toml that all objectives know, such as points.interior=grid:51x51; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Costs {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        check_count("--rounds", Some(self.rounds), 10_000)?;
        options::check_sizes(self.width, self.depth)?;
        let options = Options {
            target: self.problem.clone(),
            model: Some(self.model.parse()?),
            width: self.width,
            depth: self.depth,
            precision: Some(self.precision),
            set: self.set.clone(),
            ..Options::default()
        };
        let costs = costs::measure(&options, self.rounds, &options::threads(self.threads)?)?;
        if self.json {
            output::print_json(&costs)?;
        } else {
            output::print(&table(&costs)?)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Columns of what was published; for a PINN on `reaction` only.
const PAPER: [&str; 2] = ["paper s", "paper ratio"];

fn table(costs: &[Cost]) -> Result<String, RunError> {
    let numbers = ["ms/evaluation", "s/100 iterations", "ratio", PAPER[0], PAPER[1]].map(Column::right);
    let mut table = Table::new([Column::left("objective")].into_iter().chain(numbers));
    for cost in costs {
        table.push([
            cost.objective.to_owned(),
            sig(cost.milliseconds_per_evaluation, 3),
            sig(cost.seconds_per_100_iterations, 4),
            format!("{:.2}", cost.ratio),
            cost.published_seconds.map_or_else(String::new, |seconds| format!("{seconds:.2}")),
            cost.published_ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}")),
        ])?;
    }
    let is_published = costs.iter().any(|cost| cost.published_seconds.is_some());
    Ok(if is_published { table } else { table.without(&PAPER) }.to_text())
}
