//! Settings of region optimisation (RoPINN, Wu et al. 2024).

use super::named::named;
use super::{ConfigError, check};
use crate::problem::TermGroup;
use ropinn_domain::Estimator;
use serde::{Deserialize, Serialize};

/// Settings of region optimisation. The defaults are those of the published code, except that regions stay inside the domain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RegionConfig {
    /// Region size r before calibration.
    pub r: f64,
    /// Past outer steps T₀ whose gradients calibrate it.
    pub past: usize,
    /// How the places in a region are chosen.
    pub estimator: Estimator,
    /// Places per region and evaluation; for `gauss` along each axis.
    pub samples: usize,
    /// Largest size after calibration.
    pub cap: f64,
    /// What divides r.
    pub rule: Rule,
    /// When new places are drawn.
    pub resample: Resample,
    /// Whether the size is calibrated at all; if not, it stays r.
    pub calibrate: bool,
    /// Which points move.
    pub groups: Vec<PointGroup>,
    /// What happens to places outside the domain.
    pub edge: Edge,
}

impl Default for RegionConfig {
    fn default() -> Self {
        Self {
            r: 1e-4,
            past: 10,
            estimator: Estimator::MonteCarlo,
            samples: 1,
            cap: 0.01,
            rule: Rule::Code,
            resample: Resample::PerEvaluation,
            calibrate: true,
            groups: vec![PointGroup::Residual],
            edge: Edge::Reflect,
        }
    }
}

/// How σ, the spread of recent gradients, is measured; `std` is over outer steps, parameter by parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Mean over parameters of std/(mean |g| + 10⁻⁶), as in the published code.
    #[default]
    Code,
    /// Norm of the vector of std, as in the paper's Algorithm 1.
    Paper,
}

/// When new places in the regions are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resample {
    /// At every evaluation, line-search trials included, as in the published code: the objective moves during a search.
    #[default]
    PerEvaluation,
    /// Once per outer step: the objective holds still during a search.
    PerStep,
}

named! {
    /// Points that can be told to move. Observed points cannot: their values elsewhere are unknown.
    pub enum PointGroup {
        /// Points of the equations.
        Residual = "residual",
        /// Points of initial conditions.
        Initial = "initial",
        /// Points of boundary conditions; linked points move together.
        Boundary = "boundary",
    }
}

impl PointGroup {
    /// Whether a term belongs to the group.
    pub fn holds(self, term: TermGroup) -> bool {
        matches!(
            (self, term),
            (Self::Residual, TermGroup::Residual)
                | (Self::Initial, TermGroup::Initial)
                | (Self::Boundary, TermGroup::Boundary)
        )
    }
}

/// What happens to places outside the domain: beyond a coordinate's range, in a hole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Edge {
    /// They stay there, as in the published code, and so do those of conditions that leave their part of the boundary.
    Free,
    /// They are put on the edge: a region at the end of a coordinate shrinks to its point.
    Clamp,
    /// They are mirrored inside: a region at the end of a coordinate keeps its size.
    #[default]
    Reflect,
}

impl RegionConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        let Self { r, past, samples, cap, groups, .. } = self;
        check("objective.region.r", *r, "finite and at least 0", *r >= 0.0)?;
        check("objective.region.past", *past as f64, "at least 1", *past >= 1)?;
        let (needs, fit) = match self.estimator {
            Estimator::MonteCarlo | Estimator::Sobol => ("from 1 to 1000", (1..=1000).contains(samples)),
            Estimator::Gauss => ("from 1 to 64 with the `gauss` estimator", (1..=64).contains(samples)),
            Estimator::Antithetic => (
                "even and from 2 to 1000 with the `antithetic` estimator",
                samples.is_multiple_of(2) && (2..=1000).contains(samples),
            ),
        };
        check("objective.region.samples", *samples as f64, needs, fit)?;
        check("objective.region.cap", *cap, "finite and at least 0", *cap >= 0.0)?;
        if groups.is_empty() {
            return Err(ConfigError::NoGroups);
        }
        for (i, group) in groups.iter().enumerate() {
            if groups[..i].contains(group) {
                return Err(ConfigError::RepeatedGroup { group: group.name() });
            }
        }
        Ok(())
    }
}
