//! `result.json`: the final numbers of a run and where they come from.

use ropinn::problem::Problem;
use ropinn::record::{Entry, Record, Results, StopReason};
use serde::{Deserialize, Serialize};
use std::ops::Deref;

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
    /// Final numbers.
    #[serde(flatten)]
    pub numbers: Results,
    /// Error below which the problem counts as solved.
    pub success_threshold: Option<f64>,
    /// Why it ended, in words.
    pub stop_reason: String,
    /// Whether somebody stopped it before it was done.
    #[serde(default)]
    pub interrupted: bool,
    /// What the strategy has decided on the way, if it has decided anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Entry>,
    /// What looked wrong with the problem before it was trained, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
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

impl Deref for RunResult {
    type Target = Results;

    fn deref(&self) -> &Results {
        &self.numbers
    }
}

impl RunResult {
    /// The numbers of a finished run.
    pub fn new(problem: &Problem, record: &Record) -> Self {
        let (config, mut numbers) = (&record.config, record.results.clone());
        let finite = |value: &f64| value.is_finite();
        (numbers.rmae, numbers.rmse) = (numbers.rmae.filter(finite), numbers.rmse.filter(finite));
        Self {
            problem: problem.name.clone(),
            model: config.model.kind().name().to_owned(),
            objective: config.objective.kind.name().to_owned(),
            precision: config.precision.to_string(),
            seed: config.seed,
            parameters: record.parameters,
            numbers,
            success_threshold: problem.success_threshold(),
            stop_reason: record.stop_reason.clone(),
            interrupted: matches!(record.stop, StopReason::Interrupted { .. }),
            decisions: record.decisions.clone(),
            doubts: problem.doubts().iter().map(ToString::to_string).collect(),
            threads: record.threads,
            hardware: record.hardware.clone(),
            versions: Versions { ropinn: record.version.clone(), rustc: env!("ROPINN_RUSTC").to_owned() },
        }
    }

    /// Where it was made, and with what.
    pub fn machine(&self) -> String {
        let threads = if self.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", self.threads) };
        format!("{}, {threads}, ropinn {}, {}", self.hardware, self.versions.ropinn, self.versions.rustc)
    }

    /// Its line among other runs.
    pub fn line(&self) -> RunLine {
        RunLine {
            seed: self.seed,
            rmse: self.rmse,
            rmae: self.rmae,
            trained_loss: Some(self.trained_loss).filter(|loss| loss.is_finite()),
            unweighted_loss: Some(self.unweighted_loss).filter(|loss| loss.is_finite()),
            iterations: self.iterations,
            evaluations: self.evaluations,
            seconds: self.seconds,
            stop_reason: self.stop_reason.clone(),
        }
    }
}

/// One run among several.
#[derive(Clone, Debug, Serialize)]
pub struct RunLine {
    /// Seed.
    pub seed: u64,
    /// Relative root-mean-square error.
    pub rmse: Option<f64>,
    /// Relative mean absolute error.
    pub rmae: Option<f64>,
    /// The trained loss in the end, if it is finite.
    pub trained_loss: Option<f64>,
    /// The unweighted loss at fixed points, if it is finite.
    pub unweighted_loss: Option<f64>,
    /// Outer steps.
    pub iterations: u64,
    /// Evaluations of loss and gradient.
    pub evaluations: u64,
    /// Duration of training.
    pub seconds: f64,
    /// Why it ended, in words.
    pub stop_reason: String,
}
