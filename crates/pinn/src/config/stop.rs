//! When to stop before all iterations are done.

use super::{ConfigError, check};
use serde::{Deserialize, Serialize};

/// Reasons to stop early. Zero switches a limit off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StopConfig {
    /// Relative error (rMSE) against the reference at which the run is done; 0 for none.
    pub target_error: f64,
    /// Longest time of training in seconds, without that of measuring errors, tested after each outer step; 0 for none.
    pub max_seconds: f64,
    /// Whether an optimiser that no longer gets anywhere ends its phase. The published code goes on regardless; where
    /// points are drawn anew at every evaluation, so do we.
    pub on_convergence: bool,
    /// Whether a loss that no longer falls ends the run.
    pub plateau: PlateauConfig,
}

impl Default for StopConfig {
    fn default() -> Self {
        Self { target_error: 0.0, max_seconds: 0.0, on_convergence: true, plateau: PlateauConfig::default() }
    }
}

/// The run ends if the best loss has not fallen by `drop` (relative) within `window` outer steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlateauConfig {
    /// Outer steps; 0 for never.
    pub window: u64,
    /// Smallest relative fall that counts.
    pub drop: f64,
}

impl Default for PlateauConfig {
    fn default() -> Self {
        Self { window: 0, drop: 0.01 }
    }
}

impl StopConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        let needs = "finite and at least 0";
        check("stop.target_error", self.target_error, needs, self.target_error >= 0.0)?;
        check("stop.max_seconds", self.max_seconds, needs, self.max_seconds >= 0.0)?;
        let drop = self.plateau.drop;
        check("stop.plateau.drop", drop, "at least 0 and below 1", (0.0..1.0).contains(&drop))
    }
}
