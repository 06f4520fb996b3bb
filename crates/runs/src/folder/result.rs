//! `result.json`: the final numbers of a run and where they come from.

use ropinn::record::Record;
use ropinn::train::{BestNumbers, StopReason};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Final numbers; those that are not finite are null.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunResult {
    /// Name of the problem.
    pub problem: String,
    /// Name of the model.
    pub model: String,
    /// Name of the objective.
    pub objective: String,
    /// Working precision.
    pub precision: String,
    /// Seed.
    pub seed: u64,
    /// Length of θ.
    pub parameters: usize,
    /// Weighted sum of the terms, at the points themselves.
    pub loss: Option<f64>,
    /// Mean square of each term.
    pub terms: BTreeMap<String, Option<f64>>,
    /// Weight of each term in the end; the loss above is that of the fixed weights.
    #[serde(default)]
    pub weights: BTreeMap<String, Option<f64>>,
    /// Euclidean norm of the gradient.
    pub grad_norm: Option<f64>,
    /// Relative mean absolute error.
    pub rmae: Option<f64>,
    /// Relative root-mean-square error.
    pub rmse: Option<f64>,
    /// Error below which the problem counts as solved.
    pub success_threshold: Option<f64>,
    /// The best weights training has seen, by their numbers.
    #[serde(default)]
    pub best: Option<BestNumbers>,
    /// Scalars trained along with the network.
    pub trained: BTreeMap<String, Option<f64>>,
    /// Outer steps.
    pub iterations: u64,
    /// Evaluations of loss and gradient.
    pub evaluations: u64,
    /// Duration of training.
    pub seconds: f64,
    /// Why it ended, in words.
    pub stop_reason: String,
    /// Whether somebody stopped it before it was done.
    #[serde(default)]
    pub interrupted: bool,
    /// Threads used.
    pub threads: usize,
    /// The machine.
    pub hardware: String,
    /// What made the numbers.
    pub versions: Versions,
}

/// What made the numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Versions {
    /// This program.
    pub ropinn: String,
    /// The compiler that built it.
    pub rustc: String,
}

impl RunResult {
    /// The numbers of a finished run.
    pub fn new(problem: &str, record: &Record, success_threshold: Option<f64>) -> Self {
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        let all =
            |map: &BTreeMap<String, f64>| map.iter().map(|(name, value)| (name.clone(), finite(*value))).collect();
        let (config, results) = (&record.config, &record.results);
        Self {
            problem: problem.to_owned(),
            model: config.model.kind().name().to_owned(),
            objective: config.objective.kind.name().to_owned(),
            precision: config.precision.to_string(),
            seed: config.seed,
            parameters: record.parameters,
            loss: finite(results.loss),
            terms: all(&results.parts),
            weights: all(&results.weights),
            grad_norm: finite(results.grad_norm),
            rmae: results.rmae.and_then(finite),
            rmse: results.rmse.and_then(finite),
            success_threshold,
            best: results.best,
            trained: all(&results.trained),
            iterations: results.iterations,
            evaluations: results.evaluations,
            seconds: results.seconds,
            stop_reason: record.stop_reason.clone(),
            interrupted: matches!(record.stop, StopReason::Interrupted { .. }),
            threads: record.threads,
            hardware: record.hardware.clone(),
            versions: Versions { ropinn: record.version.clone(), rustc: env!("ROPINN_RUSTC").to_owned() },
        }
    }
}
