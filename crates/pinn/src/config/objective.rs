//! What is minimised: the loss at the points, its mean over regions around them, and the rivals of that idea.

use super::named::named;
use super::region::RegionConfig;
use super::{ConfigError, check};
use crate::variational::Variational;
use ropinn_domain::Estimator;
use serde::{Deserialize, Serialize};

/// The objective. Settings of the kinds that are not chosen are kept without effect.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ObjectiveConfig {
    /// Which one.
    pub kind: ObjectiveKind,
    /// Settings of region optimisation.
    pub region: RegionConfig,
    /// Settings of gradient enhancement.
    pub gradient: GradientConfig,
    /// Settings of variational residuals.
    pub variational: Variational,
}

named! {
    /// What is minimised.
    #[derive(Default)]
    pub enum ObjectiveKind {
        /// The loss at the points themselves.
        Point = "point",
        /// The loss at one or a few places in a small region at each point (RoPINN, Wu et al. 2024).
        #[default]
        Region = "region",
        /// The loss at the points, and the derivatives of the equations there (gPINN, Yu et al. 2022).
        Gradient = "gradient",
        /// Integrals of the equations against test functions on elements (vPINN, Kharazmi et al. 2021).
        Variational = "variational",
    }
}

/// Settings of gradient enhancement: L + Σ_k w · mean (∂_k residual)² over the coordinates k.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GradientConfig {
    /// w of every coordinate; the weights of single terms, such as `residual d/dx`, go before it.
    pub weight: f64,
}

impl Default for GradientConfig {
    /// The middle of 1, 0.1 and 0.01, among which publications search.
    fn default() -> Self {
        Self { weight: 0.1 }
    }
}

impl ObjectiveConfig {
    /// Point optimisation.
    pub fn point() -> Self {
        Self { kind: ObjectiveKind::Point, ..Self::default() }
    }

    /// Region optimisation.
    pub fn region(region: RegionConfig) -> Self {
        Self { kind: ObjectiveKind::Region, region, ..Self::default() }
    }

    /// The size of regions before calibration: 0 where nothing moves.
    pub fn reach(&self) -> f64 {
        match self.kind {
            ObjectiveKind::Region => self.region.r,
            ObjectiveKind::Point | ObjectiveKind::Gradient | ObjectiveKind::Variational => 0.0,
        }
    }

    /// Whether gradients of past steps are needed.
    pub fn is_calibrated(&self) -> bool {
        self.reach() > 0.0 && self.region.calibrate
    }

    /// Whether the objective is one fixed function of θ: nothing moves, or always to the same places.
    pub fn is_deterministic(&self) -> bool {
        let nodes = self.region.estimator == Estimator::Gauss && !self.region.calibrate;
        self.reach() == 0.0 || self.region.cap == 0.0 || nodes
    }

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        self.region.validate()?;
        let weight = self.gradient.weight;
        check("objective.gradient.weight", weight, "finite and at least 0", weight >= 0.0)?;
        Ok(self.variational.validate()?)
    }
}
