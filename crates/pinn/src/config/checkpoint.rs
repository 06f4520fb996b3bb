//! How often a run is saved.

use super::{ConfigError, check};
use serde::{Deserialize, Serialize};

/// When checkpoints are written, besides the one at the end. Writing never takes more than 2 % of the time: slow writes are
/// spaced out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CheckpointConfig {
    /// After so many outer steps; 0 for no such rule.
    pub every_iterations: u64,
    /// After so many seconds; 0 for no such rule.
    pub every_seconds: f64,
}

impl Default for CheckpointConfig {
    fn default() -> Self {
        Self { every_iterations: 0, every_seconds: 30.0 }
    }
}

impl CheckpointConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        check("checkpoint.every_seconds", self.every_seconds, "finite and at least 0", self.every_seconds >= 0.0)
    }
}
