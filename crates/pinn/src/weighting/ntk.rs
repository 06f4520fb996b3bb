//! Weights by the traces of neural tangent kernels.

use super::WeightingError;
use crate::setting::require_positive;
use serde::{Deserialize, Serialize};

/// Settings of NTK weighting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ntk {
    /// Outer steps between measurements; the first is at step 0.
    pub period: usize,
    /// Points per term at which kernels are measured; a term with fewer uses all of its own.
    pub samples: usize,
    /// Whether the number of rows counts.
    pub scale: TraceScale,
    /// Whose gradients the kernels are made of.
    pub of: KernelOf,
}

impl Default for Ntk {
    /// 300 points every 10 steps, sums of rows of residuals.
    fn default() -> Self {
        Self { period: 10, samples: 300, scale: TraceScale::Sum, of: KernelOf::Residual }
    }
}

impl Ntk {
    /// Refuses settings outside their ranges.
    pub fn validate(&self) -> Result<(), WeightingError> {
        require_positive("the weighting", "period", self.period)?;
        Ok(require_positive("the weighting", "samples", self.samples)?)
    }
}

/// Whose gradients kernels are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KernelOf {
    /// The residuals of each term, as derived.
    #[default]
    Residual,
    /// The network's outputs at the points of each term, as the PINNsFormer code does (Zhao et al. 2024).
    Output,
}

/// What is compared between terms of different numbers of points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TraceScale {
    /// Tr K, as published: a term measured at more points weighs less.
    #[default]
    Sum,
    /// Tr K per row: the weights do not depend on how many points were measured.
    Mean,
}

/// The trace of a term's kernel, or of several terms' together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KernelTrace {
    /// Σ_i ‖∂r_i/∂θ‖².
    pub trace: f64,
    /// Number of rows i.
    pub rows: usize,
}

impl std::ops::Add for KernelTrace {
    type Output = Self;
    /// The trace of a group: rows of both terms.
    fn add(self, other: Self) -> Self {
        Self { trace: self.trace + other.trace, rows: self.rows + other.rows }
    }
}

impl std::iter::Sum for KernelTrace {
    fn sum<I: Iterator<Item = Self>>(traces: I) -> Self {
        traces.fold(Self::default(), std::ops::Add::add)
    }
}

/// λ_t = Σ_j a_j / a_t, where a_t is the trace of term (or group) t, or the trace per row.
///
/// ```
/// use ropinn::weighting::{KernelTrace, TraceScale, ntk_weights};
/// let traces = [KernelTrace { trace: 6.0, rows: 3 }, KernelTrace { trace: 2.0, rows: 2 }];
/// assert_eq!(ntk_weights(&traces, TraceScale::Sum)?, [8.0 / 6.0, 4.0]);
/// assert_eq!(ntk_weights(&traces, TraceScale::Mean)?, [1.5, 3.0]);
/// # Ok::<(), ropinn::weighting::WeightingError>(())
/// ```
pub fn ntk_weights(traces: &[KernelTrace], scale: TraceScale) -> Result<Vec<f64>, WeightingError> {
    let mut sizes = Vec::with_capacity(traces.len());
    for (term, &KernelTrace { trace, rows }) in traces.iter().enumerate() {
        if rows == 0 {
            return Err(WeightingError::NoRows { term });
        }
        if !(trace > 0.0 && trace.is_finite()) {
            return Err(WeightingError::NoSize { what: "the kernel trace", term, value: trace });
        }
        sizes.push(match scale {
            TraceScale::Sum => trace,
            TraceScale::Mean => trace / rows as f64,
        });
    }
    let total: f64 = sizes.iter().sum();
    Ok(sizes.into_iter().map(|size| total / size).collect())
}
