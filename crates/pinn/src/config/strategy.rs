//! Who decides how a run goes on: nobody, or what is measured on the way.

use super::named::named;
use super::{ConfigError, ObjectiveKind, OptimizerKind, RunConfig, SamplingKind, WeightingKind, check};
use crate::model::{Model, ModelKind};
use serde::{Deserialize, Serialize};

/// Settings of the strategy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StrategyConfig {
    /// Which one.
    pub kind: StrategyKind,
    /// Relative change of the solution from one look to the next below which it has settled.
    pub tolerance: f64,
    /// The most coefficients of a correction at the end; 0 for none.
    pub polish: usize,
    /// The most work, in 10⁹ multiply-adds of Gauss–Newton steps; several times as much where time is cut into intervals.
    pub work: f64,
}

impl Default for StrategyConfig {
    fn default() -> Self {
        Self { kind: StrategyKind::Plain, tolerance: 5e-7, polish: 2500, work: 3600.0 }
    }
}

named! {
    /// The strategies.
    #[derive(Default)]
    pub enum StrategyKind {
        /// The phases as they are written, from beginning to end.
        #[default]
        Plain = "plain",
        /// Train, measure the residual on fresh points, and act on what is found.
        Auto = "auto",
    }
}

impl StrategyConfig {
    /// Whether it is what is not even written down.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl RunConfig {
    /// Refuses settings of the strategy that make no sense, and what `auto` decides by itself.
    pub(super) fn check_strategy(&self) -> Result<(), ConfigError> {
        let StrategyConfig { kind, tolerance, work, .. } = self.strategy;
        check("strategy.tolerance", tolerance, "finite and above 0", tolerance > 0.0)?;
        check("strategy.work", work, "finite and above 0", work > 0.0)?;
        match self.why_not_auto().filter(|_| kind == StrategyKind::Auto) {
            Some((setting, value, reason)) => Err(ConfigError::NotAuto { setting, value, reason }),
            None => Ok(()),
        }
    }

    /// The first choice of this run that leaves nothing to decide, and why; none if `auto` can be chosen.
    pub fn why_not_auto(&self) -> Option<(&'static str, String, &'static str)> {
        let is_gauss_newton = |kind: OptimizerKind| kind == OptimizerKind::GaussNewton;
        let kinds: Vec<OptimizerKind> = self.phases.0.iter().map(|phase| phase.settings.kind()).collect();
        if kinds.len() != 1 || !kinds.into_iter().all(is_gauss_newton) {
            return Some(("phases", self.phases.to_string(), "it trains by a single phase of Gauss–Newton steps"));
        }
        if self.model.kind() == ModelKind::Custom {
            return Some(("model", self.model.name().to_owned(), "it must be able to build the network anew"));
        }
        if !matches!(self.objective.kind, ObjectiveKind::Point | ObjectiveKind::Region) {
            return Some(("objective", self.objective.kind.to_string(), "it reads the residual itself"));
        }
        if self.sampling.kind != SamplingKind::Fixed {
            return Some(("sampling", self.sampling.kind.to_string(), "it decides itself where the points are"));
        }
        if self.weighting.kind != WeightingKind::Fixed {
            return Some(("weighting", self.weighting.kind.to_string(), "it decides itself what terms weigh"));
        }
        (!self.pieces.is_empty()).then(|| ("pieces", format!("{:?}", self.pieces), "it cuts time itself"))
    }
}
