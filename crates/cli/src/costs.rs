//! `ropinn costs`: what an iteration costs under each objective, side by side with the published times.

mod measure;

use crate::failure::Failure;
use crate::options::{self, PrecisionName, check_count};
use crate::{output, problem_source};
use clap::Args;
use measure::{Cost, Rival};
use ropinn::config::{ObjectiveKind, Phases};
use ropinn::model::ModelKind;
use ropinn::preset::Preset;
use ropinn_plot::{Column, Table, sig};
use std::process::ExitCode;

/// Measure what 100 iterations cost under each objective.
///
/// Everything but the objective is the paper's setting: its points, its L-BFGS, its network unless another is asked for. The
/// objectives take turns within each round, so that they share whatever else the machine does, and ratios are medians over
/// rounds. An iteration is one call of the optimiser, 21 evaluations; the published times are those of an A100.
#[derive(Debug, Args)]
pub struct Costs {
    /// Name of a built-in problem, or a problem file.
    #[arg(default_value = "reaction")]
    problem: String,
    /// Model: pinn, qres, fls, pinnsformer, pinnsformer-encoder, kan.
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
    #[arg(long, value_enum, default_value_t = PrecisionName::F32)]
    precision: PrecisionName,
    /// Any setting of config.toml that all objectives know, such as points.interior=grid:51x51; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Objective, settings on top of the paper's, and the paper's seconds per 100 iterations (Wu et al. 2024).
const RIVALS: [(&str, ObjectiveKind, &[&str], f64); 5] = [
    ("point", ObjectiveKind::Point, &[], 18.47),
    ("region", ObjectiveKind::Region, &[], 20.04),
    ("gradient", ObjectiveKind::Gradient, &[], 37.91),
    ("variational", ObjectiveKind::Variational, &[], 38.78),
    ("point, ntk", ObjectiveKind::Point, &["weighting=ntk"], 27.99),
];

impl Costs {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        check_count("--rounds", Some(self.rounds), 10_000)?;
        check_count("--width", self.width, usize::MAX)?;
        check_count("--depth", self.depth, usize::MAX)?;
        let threads = options::threads(self.threads)?;
        let model = self.model.parse::<ModelKind>()?;
        let problem = problem_source::find(&self.problem)?.name;
        let rivals = RIVALS.iter().map(|&(name, kind, settings, published)| {
            let mut config = Preset::Paper.config(&problem, model, kind);
            config.problem.name.clone_from(&self.problem);
            config.precision = self.precision.into();
            config.phases = "lbfgs 1".parse::<Phases>()?;
            config.model.resize(self.width, self.depth);
            config.set_all(settings)?;
            config.set_all(&self.set)?;
            Rival::new(name, published, config, &threads)
        });
        let mut rivals = rivals.collect::<Result<Vec<_>, Failure>>()?;
        let costs = measure::measure(&mut rivals, self.rounds, &threads)?;
        if self.json {
            output::print_json(&costs)?;
        } else {
            output::print(&table(&costs)?)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn table(costs: &[Cost]) -> Result<String, Failure> {
    let numbers = ["ms/evaluation", "s/100 iterations", "ratio", "paper s", "paper ratio"].map(Column::right);
    let mut table = Table::new([Column::left("objective")].into_iter().chain(numbers));
    for cost in costs {
        table.push([
            cost.objective.to_owned(),
            sig(cost.milliseconds_per_evaluation, 3),
            sig(cost.seconds_per_100_iterations, 4),
            format!("{:.2}", cost.ratio),
            format!("{:.2}", cost.published_seconds),
            format!("{:.2}", cost.published_ratio),
        ])?;
    }
    Ok(table.to_text())
}
