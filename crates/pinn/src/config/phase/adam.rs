//! Settings of Adam and its learning-rate schedules.

use ropinn_optim::{AdamConfig, Decay, Schedule};
use serde::{Deserialize, Serialize};

/// Settings of Adam.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdamPhase {
    /// Outer steps.
    pub iterations: u64,
    /// Learning rate at its peak.
    pub lr: f64,
    /// Steps of linear warm-up to it.
    pub warmup: u64,
    /// Memory of the first moment.
    pub beta1: f64,
    /// Memory of the second moment.
    pub beta2: f64,
    /// Keeps the denominator away from 0.
    pub eps: f64,
    /// How the rate falls afterwards.
    pub decay: DecayConfig,
}

impl Default for AdamPhase {
    fn default() -> Self {
        let AdamConfig { lr, beta1, beta2, eps } = AdamConfig::default();
        Self { iterations: 2000, lr: lr.peak, warmup: 0, beta1, beta2, eps, decay: DecayConfig::Constant {} }
    }
}

/// How a learning rate falls; k counts steps after the warm-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum DecayConfig {
    /// It does not.
    Constant {},
    /// × factor every so many steps.
    Step {
        /// Steps between drops.
        #[serde(default = "thousand")]
        every: u64,
        /// What each drop multiplies by.
        #[serde(default = "half")]
        factor: f64,
    },
    /// factor^(k/every).
    Exponential {
        /// Steps over which the rate changes by `factor`.
        #[serde(default = "thousand")]
        every: u64,
        /// The change.
        #[serde(default = "half")]
        factor: f64,
    },
    /// Half a cosine down to `floor`.
    Cosine {
        /// Steps it takes; 0 for the rest of the phase.
        #[serde(default)]
        total: u64,
        /// The final rate.
        #[serde(default)]
        floor: f64,
    },
}

fn thousand() -> u64 {
    1000
}

fn half() -> f64 {
    0.5
}

impl AdamPhase {
    pub(super) fn config(&self) -> AdamConfig {
        let decay = match self.decay {
            DecayConfig::Constant {} => Decay::Constant,
            DecayConfig::Step { every, factor } => Decay::Step { every, factor },
            DecayConfig::Exponential { every, factor } => Decay::Exponential { every, factor },
            DecayConfig::Cosine { total: 0, floor } => {
                Decay::Cosine { total: self.iterations.saturating_sub(self.warmup).max(1), floor }
            }
            DecayConfig::Cosine { total, floor } => Decay::Cosine { total, floor },
        };
        let lr = Schedule { peak: self.lr, warmup: self.warmup, decay };
        AdamConfig { lr, beta1: self.beta1, beta2: self.beta2, eps: self.eps }
    }
}
