//! What remains of a run: enough to plot it and to do it again.

mod decision;
mod row;
mod stop;
mod trained;
mod verdict;

pub use decision::{Decision, Entry};
pub use row::{Row, RowNames};
pub use stop::StopReason;
pub use trained::{Reading, Trained};
pub use verdict::{EstimatedError, Trust, Verdict};

use crate::case::Case;
use crate::config::RunConfig;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Settings, circumstances, curves and results of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The complete configuration, seed included.
    pub config: RunConfig,
    /// Version of this library.
    pub version: String,
    /// The machine.
    pub hardware: String,
    /// Threads used. Results do not depend on them.
    pub threads: usize,
    /// Length of θ.
    pub parameters: usize,
    /// What the rows have one number each for.
    #[serde(flatten)]
    pub names: RowNames,
    /// The course of training.
    pub rows: Vec<Row>,
    /// What was decided on the way, if anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Entry>,
    /// Why it ended.
    pub stop: StopReason,
    /// The same in words.
    pub stop_reason: String,
    /// Final numbers.
    pub results: Results,
}

/// Final numbers of a run: the trained loss as training saw it last, and everything else at the points themselves, without
/// regions and weights, so that runs can be compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The trained loss: what the optimiser minimised, with its regions, weights and terms, as the last step saw it; that of
    /// the best parameters if the numbers ran away.
    #[serde(default = "nullable::nan", deserialize_with = "nullable::number")]
    pub trained_loss: f64,
    /// What each term adds to it, weights included.
    #[serde(default, deserialize_with = "nullable::map")]
    pub trained_terms: BTreeMap<String, f64>,
    /// The unweighted loss at fixed points: the sum of the terms below.
    #[serde(alias = "loss", deserialize_with = "nullable::number")]
    pub unweighted_loss: f64,
    /// Mean square of each term of the problem at its fixed points.
    #[serde(rename = "terms", deserialize_with = "nullable::map")]
    pub parts: BTreeMap<String, f64>,
    /// Mean square of each equation there, if there are several; they add up to the term `residual`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "nullable::map")]
    pub equations: BTreeMap<String, f64>,
    /// Weights of the parts of the trained loss in the end.
    #[serde(default, deserialize_with = "nullable::map")]
    pub weights: BTreeMap<String, f64>,
    /// Euclidean norm of the gradient of the unweighted loss at fixed points.
    #[serde(deserialize_with = "nullable::number")]
    pub grad_norm: f64,
    /// Relative mean absolute error, if a reference is known.
    pub rmae: Option<f64>,
    /// Relative root-mean-square error, if a reference is known.
    pub rmse: Option<f64>,
    /// Relative mean absolute error of each unknown, if there are several.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "nullable::map")]
    pub rmae_by_unknown: BTreeMap<String, f64>,
    /// Relative root-mean-square error of each unknown, if there are several.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "nullable::map")]
    pub rmse_by_unknown: BTreeMap<String, f64>,
    /// What the solution is off by, as far as that can be told without a reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_error: Option<EstimatedError>,
    /// Whether to trust it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The best parameters training has seen, by their numbers.
    #[serde(default)]
    pub best: Option<BestNumbers>,
    /// Numbers found along with the solution, with intervals where readings allow them.
    pub trained: BTreeMap<String, Trained>,
    /// How their errors go together: the correlation of each with each other one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub correlations: BTreeMap<String, BTreeMap<String, f64>>,
    /// The readings they were found from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<Reading>,
    /// Outer steps.
    pub iterations: u64,
    /// Evaluations of loss and gradient.
    pub evaluations: u64,
    /// Duration.
    pub seconds: f64,
}

/// The best parameters a run has seen, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestNumbers {
    /// Outer steps after which it was reached.
    pub iteration: u64,
    /// Their trained loss.
    #[serde(rename = "trained_loss", alias = "loss")]
    pub loss: f64,
    /// The error (rMSE), if it was measured.
    pub rmse: Option<f64>,
}

impl Record {
    pub(crate) fn new(case: &Case, names: RowNames, rows: &[Row], stop: &StopReason, results: Results) -> Self {
        Self {
            config: case.config().clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            hardware: hardware(),
            threads: case.threads().count(),
            parameters: case.parameters(),
            names,
            rows: rows.to_vec(),
            decisions: Vec::new(),
            stop: stop.clone(),
            stop_reason: stop.to_string(),
            results,
        }
    }

    /// The rows as CSV, numbers written so that they read back exactly.
    pub fn csv(&self) -> String {
        let rows = self.rows.iter().map(|row| self.names.csv(row));
        std::iter::once(self.names.csv_header()).chain(rows).collect()
    }
}

/// Processor, cores, system and the instruction set in use, as far as the system tells.
pub fn hardware() -> String {
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named = cpus.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(':'));
    let cpu = named.map_or("unknown processor", |(_, name)| name.trim());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let simd = ropinn_engine::simd();
    format!("{cpu}, {cores} cores, {} {}, {simd}", std::env::consts::OS, std::env::consts::ARCH)
}

/// JSON has no NaN or infinity: such numbers are written as null, and read as NaN.
pub(crate) mod nullable {
    use serde::{Deserialize, Deserializer};
    use std::collections::BTreeMap;

    pub fn nan() -> f64 {
        f64::NAN
    }

    pub fn number<'a, D: Deserializer<'a>>(from: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
    }

    pub fn list<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<f64>, D::Error> {
        let values = Vec::<Option<f64>>::deserialize(from)?;
        Ok(values.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect())
    }

    pub fn map<'a, D: Deserializer<'a>>(from: D) -> Result<BTreeMap<String, f64>, D::Error> {
        let values = BTreeMap::<String, Option<f64>>::deserialize(from)?;
        Ok(values.into_iter().map(|(name, value)| (name, value.unwrap_or(f64::NAN))).collect())
    }
}
