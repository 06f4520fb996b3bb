//! One outer step in numbers, and its line of `metrics.csv`.

use super::nullable;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// What rows have one number each for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowNames {
    /// Terms of the trained loss.
    #[serde(rename = "term_names")]
    pub terms: Vec<String>,
    /// Equations, if there are several.
    #[serde(rename = "equation_names", default, skip_serializing_if = "Vec::is_empty")]
    pub equations: Vec<String>,
    /// Scalars trained along with the network.
    #[serde(rename = "trained_names", default, skip_serializing_if = "Vec::is_empty")]
    pub trained: Vec<String>,
    /// Unknowns, if there are several and a reference is known.
    #[serde(rename = "unknown_names", default, skip_serializing_if = "Vec::is_empty")]
    pub unknowns: Vec<String>,
}

/// One outer step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Outer steps done, this one included.
    pub iteration: u64,
    /// Phase, counted from 1.
    pub phase: usize,
    /// The trained loss: what the optimiser minimised, as the last accepted evaluation saw it, on moved points if there are
    /// regions, with the weights of that step and all terms of the objective.
    #[serde(rename = "trained_loss", alias = "loss", deserialize_with = "nullable::number")]
    pub loss: f64,
    /// What each term adds to it, weights included.
    #[serde(rename = "terms", deserialize_with = "nullable::list")]
    pub parts: Vec<f64>,
    /// What each equation adds to the first of them, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "nullable::list")]
    pub equations: Vec<f64>,
    /// Scalars trained along with the network, after the step.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "nullable::list")]
    pub trained: Vec<f64>,
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
    /// The same of each unknown, where it was measured and if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "nullable::list")]
    pub rmse_by_unknown: Vec<f64>,
}

impl RowNames {
    /// Whether a row has a number for each name.
    pub(crate) fn fit(&self, row: &Row) -> bool {
        let errors = row.rmse_by_unknown.len();
        (row.parts.len(), row.equations.len(), row.trained.len())
            == (self.terms.len(), self.equations.len(), self.trained.len())
            && (errors == 0 || errors == self.unknowns.len())
    }

    /// A row that has the columns `own` in these columns; what it does not have adds nothing to the loss.
    pub(crate) fn adopt(&self, row: &Row, own: &RowNames) -> Row {
        let place = |names: &[String], own: &[String], values: &[f64]| -> Vec<f64> {
            let value = |name: &String| own.iter().position(|known| known == name).and_then(|k| values.get(k).copied());
            names.iter().map(|name| value(name).unwrap_or(0.0)).collect()
        };
        Row {
            parts: place(&self.terms, &own.terms, &row.parts),
            equations: place(&self.equations, &own.equations, &row.equations),
            trained: place(&self.trained, &own.trained, &row.trained),
            ..row.clone()
        }
    }

    /// Names of the numbers of a row, in order.
    pub fn columns(&self) -> Vec<String> {
        let named = |word: &'static str, names: &[String]| names.iter().map(|name| format!("{word} {name}")).collect();
        let plain = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let numbers = ["sigma", "region_size", "region_raw", "grad_norm", "evaluations", "seconds", "rmae", "rmse"];
        [
            plain(&["iteration", "phase", "trained_loss"]),
            named("term", &self.terms),
            named("equation", &self.equations),
            named("trained", &self.trained),
            plain(&numbers),
            named("rmse", &self.unknowns),
        ]
        .concat()
    }

    /// The numbers of a row, in the order of [`Self::columns`]; none where nothing was measured.
    pub fn numbers(&self, row: &Row) -> Vec<Option<f64>> {
        let counts = [row.iteration as f64, row.phase as f64, row.loss];
        let losses = row.parts.iter().chain(&row.equations).chain(&row.trained);
        let sizes = [row.sigma, row.region_size, row.region_raw, row.grad_norm, row.evaluations as f64, row.seconds];
        let measured = counts.iter().chain(losses).chain(&sizes).map(|value| Some(*value));
        let by_unknown = (0..self.unknowns.len()).map(|k| row.rmse_by_unknown.get(k).copied());
        measured.chain([row.rmae, row.rmse]).chain(by_unknown).collect()
    }

    /// The header line of rows.
    pub fn csv_header(&self) -> String {
        self.columns().iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",") + "\n"
    }

    /// The line of a row.
    pub fn csv(&self, row: &Row) -> String {
        let mut line = format!("{},{},{:e}", row.iteration, row.phase, row.loss);
        let mut add = |text: std::fmt::Arguments<'_>| line.write_fmt(text).expect("writing to a string never fails");
        for value in row.parts.iter().chain(&row.equations).chain(&row.trained) {
            add(format_args!(",{value:e}"));
        }
        for value in [row.sigma, row.region_size, row.region_raw, row.grad_norm] {
            add(format_args!(",{value:e}"));
        }
        add(format_args!(",{},{:.6}", row.evaluations, row.seconds));
        let by_unknown = (0..self.unknowns.len()).map(|k| row.rmse_by_unknown.get(k).copied());
        for value in [row.rmae, row.rmse].into_iter().chain(by_unknown) {
            match value {
                Some(value) => add(format_args!(",{value:e}")),
                None => add(format_args!(",")),
            }
        }
        line + "\n"
    }
}

/// A CSV field, in quotes if it needs them.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
