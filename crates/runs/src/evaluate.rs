//! Loss, gradient and errors of given weights, without training and without perturbation.

use crate::error::RunError;
use crate::references::References;
use crate::target::Target;
use ropinn::case::Case;
use ropinn::config::{ObjectiveKind, RunConfig};
use ropinn::metrics::ErrorMeter;
use ropinn::model::{ModelConfig, ModelKind};
use ropinn::objective::Objective;
use ropinn::preset::Preset;
use ropinn::weights::read_weights;
use ropinn_engine::{Precision, Threads};
use ropinn_optim::GradNorm;
use ropinn_plot::{scientific, sig};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What to evaluate on what.
#[derive(Clone, Debug)]
pub struct Options {
    /// A built-in problem, a problem file, or the folder or config.toml of a run.
    pub target: String,
    /// Model the weights belong to, unless they or the run say it; its sizes are read from the file.
    pub model: Option<ModelKind>,
    /// The weights; those of the run unless given.
    pub weights: Option<PathBuf>,
    /// Numbers to compute with; those of the file unless given.
    pub precision: Option<Precision>,
    /// Seed of random points.
    pub seed: Option<u64>,
    /// Settings of config.toml as `key=value`.
    pub set: Vec<String>,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Name of the problem.
    pub problem: String,
    /// Name of the model.
    pub model: &'static str,
    /// Length of θ.
    pub parameters: usize,
    /// Working precision.
    pub precision: String,
    /// The unweighted loss at fixed points: the sum of the terms.
    pub unweighted_loss: f64,
    /// Mean square of each term.
    pub terms: BTreeMap<String, f64>,
    /// Euclidean norm of the gradient.
    pub grad_norm: f64,
    /// Relative mean absolute error, if there is a reference.
    pub rmae: Option<f64>,
    /// Relative root-mean-square error, if there is a reference.
    pub rmse: Option<f64>,
}

/// The model that was asked for, that the weights say they are of, or that of the run. The first two must agree.
fn model(
    options: &Options,
    target: &Target,
    path: &Path,
    of_weights: Option<ModelKind>,
) -> Result<ModelKind, RunError> {
    let of_run = if let Target::Run { config, .. } = target { Some(config.model.kind()) } else { None };
    match (options.model, of_weights) {
        (Some(asked), Some(found)) if asked != found => {
            Err(RunError::OtherModel { path: path.to_owned(), asked, found })
        }
        (asked, found) => asked.or(found).or(of_run).ok_or_else(|| RunError::WhichModel(path.to_owned())),
    }
}

/// Whether weights that are given are those of the run.
fn is_same(given: &Path, own: Option<PathBuf>) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    own.and_then(|own| real(&own)).is_some_and(|own| real(given) == Some(own))
}

impl Report {
    /// Evaluates.
    pub fn new(options: &Options, threads: &Threads) -> Result<Self, RunError> {
        Self::on(options, Target::find(&options.target)?, threads)
    }

    /// The same for a target that is read already.
    pub fn on(options: &Options, mut target: Target, threads: &Threads) -> Result<Self, RunError> {
        if options.weights.as_ref().is_none_or(|given| is_same(given, target.trained_weights())) {
            target = target.solved()?;
        }
        let own = || target.trained_weights().ok_or_else(|| RunError::NoWeights(options.target.clone()));
        let path = options.weights.clone().map_or_else(own, Ok)?;
        let tensors = read_weights(&path)?;
        let model = model(options, &target, &path, ModelKind::of_weights(&tensors))?;
        let problem = target.problem().clone();
        let mut config = match target {
            // It also knows what shapes do not tell, such as the activation.
            Target::Run { config, .. } if config.model.kind() == model => *config,
            Target::Run { config, .. } => RunConfig { model: ModelConfig::from_weights(model, &tensors)?, ..*config },
            Target::Problem { name, .. } => {
                // The problem's own points; sizes come from the weights.
                let mut config = Preset::Paper.config(problem.builtin_name(), model, ObjectiveKind::Point);
                config.problem.name = name;
                config.model = ModelConfig::from_weights(model, &tensors)?;
                config
            }
        };
        config.objective.kind = ObjectiveKind::Point;
        config.seed = options.seed.unwrap_or(config.seed);
        config.precision = options.precision.or(tensors.precision).unwrap_or(config.precision);
        config.set_all(&options.set)?;
        let case = Case::with_problem(config, problem, threads)?;
        References::usual().prepare(case.problem())?;
        let theta = case.theta_from(&tensors)?;
        Self::of(&case, &theta)
    }

    fn of(case: &Case, theta: &[f64]) -> Result<Self, RunError> {
        let mut objective = Objective::new(case)?;
        let evaluation = objective.unweighted_at_points(theta)?;
        let errors = match ErrorMeter::new(case)? {
            Some(mut meter) => Some(meter.measure(theta)?),
            None => None,
        };
        Ok(Self {
            problem: case.problem().name.clone(),
            model: case.config().model.kind().name(),
            parameters: case.parameters(),
            precision: case.config().precision.to_string(),
            unweighted_loss: evaluation.loss,
            terms: evaluation.terms.into_iter().collect(),
            grad_norm: GradNorm::of(&evaluation.grad).l2,
            rmae: errors.map(|errors| errors.rmae),
            rmse: errors.map(|errors| errors.rmse),
        })
    }

    /// For a terminal.
    pub fn to_text(&self) -> String {
        let mut text =
            format!("{}, {}, {} parameters, {}\n", self.problem, self.model, self.parameters, self.precision);
        let mut line = |name: &str, value: String| text += &format!("  {name:<15} {value}\n");
        let terms = self.terms.iter().map(|(name, value)| format!("{name} {}", scientific(*value, 6)));
        let (loss, terms) = (scientific(self.unweighted_loss, 6), terms.collect::<Vec<_>>().join(", "));
        line("unweighted loss", format!("{loss} at fixed points ({terms})"));
        line("gradient", scientific(self.grad_norm, 6));
        if let (Some(rmae), Some(rmse)) = (self.rmae, self.rmse) {
            line("rMAE", sig(rmae, 6));
            line("rMSE", sig(rmse, 6));
        }
        text
    }
}
