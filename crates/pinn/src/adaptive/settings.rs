//! Settings of the adaptive samplers, with the defaults of the papers that introduced them.

use super::AdaptiveError;
use super::density::{OF, check_density};
use crate::setting::{require, require_positive};
use serde::{Deserialize, Serialize};

/// Residual-based adaptive refinement with distribution: every `period` steps `count` points join for good.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RarD {
    /// Uniform candidates among which the new points are chosen.
    pub pool: usize,
    /// Exponent of the residual.
    pub k: f64,
    /// Share of uniform sampling.
    pub c: f64,
    /// Outer steps between refinements.
    pub period: usize,
    /// Points added by each.
    pub count: usize,
}

impl Default for RarD {
    /// k = 2 and c = 0 from 100 000 candidates every 1000 steps; ten points are 1/200 of a budget of 2000.
    fn default() -> Self {
        Self { pool: 100_000, k: 2.0, c: 0.0, period: 1000, count: 10 }
    }
}

impl RarD {
    /// Refuses settings outside their ranges.
    pub fn validate(&self) -> Result<(), AdaptiveError> {
        check_density(self.k, self.c)?;
        require_positive(OF, "period", self.period)?;
        require_positive(OF, "count", self.count)?;
        Ok(require(OF, "pool", self.pool as f64, "at least `count`", self.pool >= self.count)?)
    }
}

/// Residual-based adaptive distribution: every `period` steps all points are drawn anew.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rad {
    /// Uniform candidates among which the points are chosen.
    pub pool: usize,
    /// Exponent of the residual.
    pub k: f64,
    /// Share of uniform sampling.
    pub c: f64,
    /// Outer steps between draws.
    pub period: usize,
    /// Share of the candidates whose residuals count as no larger than those of the others, so that a singular corner does not
    /// take all points.
    pub clip: f64,
}

impl Default for Rad {
    /// k = 1 and c = 1 from 100 000 candidates every 1000 steps.
    fn default() -> Self {
        Self { pool: 100_000, k: 1.0, c: 1.0, period: 1000, clip: 0.0 }
    }
}

impl Rad {
    /// Refuses settings outside their ranges.
    pub fn validate(&self) -> Result<(), AdaptiveError> {
        check_density(self.k, self.c)?;
        require_positive(OF, "period", self.period)?;
        require(OF, "clip", self.clip, "at least 0 and below 1", (0.0..1.0).contains(&self.clip))?;
        Ok(require_positive(OF, "pool", self.pool)?)
    }
}

/// Retain, resample, release: every `period` steps the points not above the mean residual are drawn anew, uniformly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct R3 {
    /// Outer steps between draws.
    pub period: usize,
}

impl Default for R3 {
    /// Every step.
    fn default() -> Self {
        Self { period: 1 }
    }
}

impl R3 {
    /// Refuses settings outside their ranges.
    pub fn validate(&self) -> Result<(), AdaptiveError> {
        Ok(require_positive(OF, "period", self.period)?)
    }
}
