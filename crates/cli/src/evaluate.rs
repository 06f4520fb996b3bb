//! `ropinn evaluate`: loss, gradient and errors of given weights, without training and without perturbation.

use crate::failure::Failure;
use crate::options::{self, PrecisionName};
use crate::output;
use crate::target::Target;
use clap::Args;
use ropinn::case::Case;
use ropinn::config::{ObjectiveKind, RunConfig};
use ropinn::metrics::ErrorMeter;
use ropinn::model::{ModelConfig, ModelKind};
use ropinn::objective::Objective;
use ropinn::preset::Preset;
use ropinn::weights::read_weights;
use ropinn_optim::GradNorm;
use ropinn_plot::{scientific, sig};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

/// Evaluate given weights on a problem: loss by term, gradient norm, errors.
#[derive(Debug, Args)]
pub struct Evaluate {
    /// A built-in problem, a problem file, or the folder or config.toml of a run.
    target: String,
    /// Model the weights belong to; its sizes are read from the file.
    #[arg(long)]
    model: String,
    /// The weights (safetensors, names as in PyTorch).
    #[arg(long, value_name = "FILE")]
    init_from: PathBuf,
    /// Numbers to compute with [default: f32].
    #[arg(long, value_enum)]
    precision: Option<PrecisionName>,
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

#[derive(Serialize)]
struct Report {
    problem: String,
    model: &'static str,
    parameters: usize,
    precision: String,
    loss: f64,
    terms: BTreeMap<String, f64>,
    grad_norm: f64,
    rmae: Option<f64>,
    rmse: Option<f64>,
}

impl Evaluate {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let threads = options::threads(self.threads)?;
        let kind: ModelKind = self.model.parse()?;
        let tensors = read_weights(&self.init_from)?;
        let mut config = match Target::find(&self.target)? {
            // It also knows what shapes do not tell, such as the activation.
            Target::Run { config, .. } if config.model.kind() == kind => *config,
            Target::Run { config, .. } => RunConfig { model: ModelConfig::from_weights(kind, &tensors)?, ..*config },
            Target::Problem { name, problem } => {
                // The problem's own points; sizes come from the weights.
                let mut config = Preset::Paper.config(&problem, kind, ObjectiveKind::Point);
                config.problem.name = name;
                config.model = ModelConfig::from_weights(kind, &tensors)?;
                config
            }
        };
        self.apply(&mut config)?;
        let case = Case::new(config, &threads)?;
        let theta = case.theta_from(&tensors)?;
        let report = Report::new(&case, &theta)?;
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&report.to_text())?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn apply(&self, config: &mut RunConfig) -> Result<(), Failure> {
        config.objective.kind = ObjectiveKind::Point;
        config.seed = self.seed.unwrap_or(config.seed);
        config.precision = self.precision.map_or(config.precision, Into::into);
        Ok(config.set_all(&self.set)?)
    }
}

impl Report {
    fn new(case: &Case, theta: &[f64]) -> Result<Self, Failure> {
        let mut objective = Objective::new(case)?;
        let evaluation = objective.evaluate_at_points(theta)?;
        let errors = match ErrorMeter::new(case)? {
            Some(mut meter) => Some(meter.measure(theta)?),
            None => None,
        };
        Ok(Self {
            problem: case.problem().name.clone(),
            model: case.config().model.kind().name(),
            parameters: case.parameters(),
            precision: case.config().precision.to_string(),
            loss: evaluation.loss,
            terms: objective.part_names().iter().cloned().zip(evaluation.terms).collect(),
            grad_norm: GradNorm::of(&evaluation.grad).l2,
            rmae: errors.map(|errors| errors.rmae),
            rmse: errors.map(|errors| errors.rmse),
        })
    }

    fn to_text(&self) -> String {
        let mut text =
            format!("{}, {}, {} parameters, {}\n", self.problem, self.model, self.parameters, self.precision);
        let mut line = |name: &str, value: String| text += &format!("  {name:<9} {value}\n");
        let terms = self.terms.iter().map(|(name, value)| format!("{name} {}", scientific(*value, 6)));
        line("loss", format!("{} ({})", scientific(self.loss, 6), terms.collect::<Vec<_>>().join(", ")));
        line("gradient", scientific(self.grad_norm, 6));
        if let (Some(rmae), Some(rmse)) = (self.rmae, self.rmse) {
            line("rMAE", sig(rmae, 6));
            line("rMSE", sig(rmse, 6));
        }
        text
    }
}
