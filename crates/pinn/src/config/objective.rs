//! What is minimised: the loss at the points, or its mean over regions around them.

use super::{ConfigError, check};
use crate::problem::TermGroup;
use serde::{Deserialize, Serialize};

/// The objective. Settings of the region are kept, without effect, by the `point` objective.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ObjectiveConfig {
    /// Points or regions.
    pub kind: ObjectiveKind,
    /// Settings of region optimisation.
    pub region: RegionConfig,
}

/// Points or regions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ObjectiveKind {
    /// The loss at the points themselves.
    Point,
    /// The loss at one or a few random places in a small region at each point (RoPINN, Wu et al. 2024).
    #[default]
    Region,
}

impl ObjectiveKind {
    /// The name in configuration files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Point => "point",
            Self::Region => "region",
        }
    }
}

impl std::fmt::Display for ObjectiveKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// Settings of region optimisation; the defaults are those of the published code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RegionConfig {
    /// Region size r before calibration.
    pub r: f64,
    /// Past outer steps T₀ whose gradients calibrate it.
    pub past: usize,
    /// Random places per region and evaluation.
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
    /// What happens to places beyond the coordinate ranges.
    pub edge: Edge,
}

impl Default for RegionConfig {
    fn default() -> Self {
        Self {
            r: 1e-4,
            past: 10,
            samples: 1,
            cap: 0.01,
            rule: Rule::Code,
            resample: Resample::PerEvaluation,
            calibrate: true,
            groups: vec![PointGroup::Residual],
            edge: Edge::Free,
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

/// Points that can be told to move. Observed points cannot: their values elsewhere are unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PointGroup {
    /// Points of the equations.
    Residual,
    /// Points of initial conditions.
    Initial,
    /// Points of boundary conditions; linked points move together.
    Boundary,
}

impl PointGroup {
    /// The name in configuration files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Residual => "residual",
            Self::Initial => "initial",
            Self::Boundary => "boundary",
        }
    }

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

/// What happens to places beyond the coordinate ranges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Edge {
    /// They stay there, as in the published code.
    #[default]
    Free,
    /// They are put on the edge.
    Clamp,
    /// They are mirrored inside.
    Reflect,
}

impl ObjectiveConfig {
    /// Point optimisation.
    pub fn point() -> Self {
        Self { kind: ObjectiveKind::Point, ..Self::default() }
    }

    /// Region optimisation.
    pub fn region(region: RegionConfig) -> Self {
        Self { kind: ObjectiveKind::Region, region }
    }

    /// The size before calibration: 0 for points, which is all that tells the objectives apart.
    pub fn reach(&self) -> f64 {
        match self.kind {
            ObjectiveKind::Point => 0.0,
            ObjectiveKind::Region => self.region.r,
        }
    }

    /// Whether gradients of past steps are needed.
    pub fn is_calibrated(&self) -> bool {
        self.reach() > 0.0 && self.region.calibrate
    }

    /// Whether the objective is one fixed function of θ: nothing moves.
    pub fn is_deterministic(&self) -> bool {
        self.reach() == 0.0 || self.region.cap == 0.0
    }

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        let RegionConfig { r, past, samples, cap, groups, .. } = &self.region;
        check("objective.region.r", *r, "finite and at least 0", *r >= 0.0)?;
        check("objective.region.past", *past as f64, "at least 1", *past >= 1)?;
        check("objective.region.samples", *samples as f64, "from 1 to 1000", (1..=1000).contains(samples))?;
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
