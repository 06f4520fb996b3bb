//! What remains of a run: enough to plot it and to do it again.

mod stop;

pub use stop::StopReason;

use crate::case::Case;
use crate::config::RunConfig;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;

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
    /// Names of the parts of the loss, in the order of [`Row::parts`].
    #[serde(rename = "term_names")]
    pub part_names: Vec<String>,
    /// The course of training.
    pub rows: Vec<Row>,
    /// Why it ended.
    pub stop: StopReason,
    /// The same in words.
    pub stop_reason: String,
    /// Final numbers.
    pub results: Results,
}

/// Final numbers of a run. Loss and gradient are those at the points themselves, without any region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The weighted sum of the parts.
    #[serde(deserialize_with = "nullable::number")]
    pub loss: f64,
    /// Mean square of each part, before its weight.
    #[serde(rename = "terms", deserialize_with = "nullable::map")]
    pub parts: BTreeMap<String, f64>,
    /// Weights of the parts in the end. The loss above is that of the fixed weights, whatever the weighting.
    #[serde(default, deserialize_with = "nullable::map")]
    pub weights: BTreeMap<String, f64>,
    /// Euclidean norm of the gradient.
    #[serde(deserialize_with = "nullable::number")]
    pub grad_norm: f64,
    /// Relative mean absolute error, if a reference is known.
    pub rmae: Option<f64>,
    /// Relative root-mean-square error, if a reference is known.
    pub rmse: Option<f64>,
    /// The best parameters training has seen, by their numbers.
    #[serde(default)]
    pub best: Option<BestNumbers>,
    /// Scalars trained along with the network.
    #[serde(deserialize_with = "nullable::map")]
    pub trained: BTreeMap<String, f64>,
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
    /// The loss as training saw it.
    pub loss: f64,
    /// The error (rMSE), if it was measured.
    pub rmse: Option<f64>,
}

/// One outer step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Outer steps done, this one included.
    pub iteration: u64,
    /// Phase, counted from 1.
    pub phase: usize,
    /// Loss of the last accepted evaluation, on moved points if there are regions.
    #[serde(deserialize_with = "nullable::number")]
    pub loss: f64,
    /// Mean square of each part in that evaluation, before its weight.
    #[serde(rename = "terms", deserialize_with = "nullable::list")]
    pub parts: Vec<f64>,
    /// Spread σ of past gradients that set the region size of this step.
    pub sigma: f64,
    /// Region size R of this step; 0 for points.
    pub region_size: f64,
    /// r/σ, before the cap.
    pub region_raw: f64,
    /// Euclidean norm of the gradient that belongs to the loss.
    #[serde(deserialize_with = "nullable::number")]
    pub grad_norm: f64,
    /// Evaluations of loss and gradient so far.
    pub evaluations: u64,
    /// Seconds of training so far; measuring errors does not count.
    pub seconds: f64,
    /// Relative mean absolute error, where it was measured.
    pub rmae: Option<f64>,
    /// Relative root-mean-square error, where it was measured.
    pub rmse: Option<f64>,
}

impl Record {
    pub(crate) fn new(case: &Case, parts: &[String], rows: &[Row], stop: &StopReason, results: Results) -> Self {
        Self {
            config: case.config().clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            hardware: hardware(),
            threads: case.threads().count(),
            parameters: case.parameters(),
            part_names: parts.to_vec(),
            rows: rows.to_vec(),
            stop: stop.clone(),
            stop_reason: stop.to_string(),
            results,
        }
    }

    /// The rows as CSV, numbers written so that they read back exactly.
    pub fn csv(&self) -> String {
        let mut text = Row::csv_header(&self.part_names);
        for row in &self.rows {
            text.push_str(&row.csv());
        }
        text
    }
}

impl Row {
    /// The header line for parts of these names.
    pub fn csv_header(parts: &[String]) -> String {
        let parts: String = parts.iter().map(|name| quoted(&format!("term {name}")) + ",").collect();
        format!("iteration,phase,loss,{parts}sigma,region_size,region_raw,grad_norm,evaluations,seconds,rmae,rmse\n")
    }

    /// The line of this row.
    pub fn csv(&self) -> String {
        let mut line = format!("{},{},{:e},", self.iteration, self.phase, self.loss);
        let number = |line: &mut String, value: f64, end: char| {
            write!(line, "{value:e}{end}").expect("writing to a string never fails");
        };
        self.parts.iter().for_each(|&part| number(&mut line, part, ','));
        for value in [self.sigma, self.region_size, self.region_raw, self.grad_norm] {
            number(&mut line, value, ',');
        }
        write!(line, "{},{:.6},", self.evaluations, self.seconds).expect("writing to a string never fails");
        for (value, end) in [(self.rmae, ','), (self.rmse, '\n')] {
            match value {
                Some(value) => number(&mut line, value, end),
                None => line.push(end),
            }
        }
        line
    }
}

/// A CSV field, in quotes if it needs them.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// Processor, cores and system, as far as the system tells.
pub fn hardware() -> String {
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named = cpus.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(':'));
    let cpu = named.map_or("unknown processor", |(_, name)| name.trim());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{cpu}, {cores} cores, {} {}", std::env::consts::OS, std::env::consts::ARCH)
}

/// JSON has no NaN or infinity: such numbers are written as null, and read as NaN.
pub(crate) mod nullable {
    use serde::{Deserialize, Deserializer};
    use std::collections::BTreeMap;

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
