//! Learning rates over time: an optional linear warm-up to a peak, then a decay.
//!
//! With k steps already taken, W warm-up steps and peak η:
//! `rate(k) = η (k + 1) / W` while k < W, afterwards η · decay(k − W).

use std::f64::consts::PI;

use crate::OptimError;
use crate::error::require;
use serde::{Deserialize, Serialize};

/// A learning rate as a function of the number of steps already taken.
///
/// ```
/// use ropinn_optim::{Decay, Schedule};
/// let schedule = Schedule::constant(1e-3)
///     .with_warmup(10)
///     .with_decay(Decay::Cosine { total: 100, floor: 1e-5 });
/// assert_eq!(schedule.rate(0), 1e-4);
/// assert_eq!(schedule.rate(9), 1e-3);
/// assert_eq!(schedule.rate(110), 1e-5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Schedule {
    /// The rate at the end of the warm-up, where the decay starts.
    #[serde(rename = "lr")]
    pub peak: f64,
    /// Number of steps of linear warm-up; 0 for none.
    pub warmup: u64,
    /// What follows.
    pub decay: Decay,
}

/// How the rate falls from its peak; k counts the steps since the warm-up ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Decay {
    /// η.
    Constant {},
    /// η · factor^⌊k / every⌋.
    Step {
        /// Steps between two drops.
        #[serde(default = "thousand")]
        every: u64,
        /// What each drop multiplies by.
        #[serde(default = "half")]
        factor: f64,
    },
    /// η · factor^(k / every), the smooth version of [`Decay::Step`].
    Exponential {
        /// Steps over which the rate changes by `factor`.
        #[serde(default = "thousand")]
        every: u64,
        /// The change over `every` steps.
        #[serde(default = "half")]
        factor: f64,
    },
    /// floor + (η − floor) (1 + cos(π k / total)) / 2 for k < total, then floor (Loshchilov & Hutter 2017, eq. 5,
    /// without restarts).
    Cosine {
        /// Length of the half period in steps; 0 is left to whoever knows how many there will be.
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

impl Default for Schedule {
    fn default() -> Self {
        Self::constant(1e-3)
    }
}

impl Schedule {
    /// The same rate at every step.
    pub fn constant(rate: f64) -> Self {
        Self { peak: rate, warmup: 0, decay: Decay::Constant {} }
    }

    /// Climbs linearly to the peak over the first `steps` steps.
    pub fn with_warmup(self, steps: u64) -> Self {
        Self { warmup: steps, ..self }
    }

    /// Falls from the peak as `decay` says.
    pub fn with_decay(self, decay: Decay) -> Self {
        Self { decay, ..self }
    }

    /// The rate of the step after `taken` steps.
    pub fn rate(&self, taken: u64) -> f64 {
        let Some(k) = taken.checked_sub(self.warmup) else {
            return self.peak * ((taken + 1) as f64 / self.warmup as f64);
        };
        match self.decay {
            Decay::Constant {} => self.peak,
            Decay::Step { every, factor } => self.peak * factor.powf((k / every) as f64),
            Decay::Exponential { every, factor } => self.peak * factor.powf(k as f64 / every as f64),
            Decay::Cosine { total, floor } if k < total => {
                floor + (self.peak - floor) * (1.0 + (PI * k as f64 / total as f64).cos()) / 2.0
            }
            Decay::Cosine { floor, .. } => floor,
        }
    }

    pub(crate) fn validate(&self, optimizer: &'static str) -> Result<(), OptimError> {
        let require = |setting, value, needs, holds| require(optimizer, setting, value, needs, holds);
        require("lr.peak", self.peak, "finite and above 0", self.peak > 0.0)?;
        match self.decay {
            Decay::Constant {} => Ok(()),
            Decay::Step { every, factor } | Decay::Exponential { every, factor } => {
                require("lr.decay.every", every as f64, "at least 1", every >= 1)?;
                require("lr.decay.factor", factor, "finite and above 0", factor > 0.0)
            }
            Decay::Cosine { total, floor } => {
                require("lr.decay.total", total as f64, "at least 1", total >= 1)?;
                require("lr.decay.floor", floor, "from 0 up to the peak", (0.0..=self.peak).contains(&floor))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn warm_up_is_linear_and_hands_over_at_the_peak(peak in 1e-5..1.0, warmup in 1u64..500, total in 1u64..500) {
            let decays = [
                Decay::Constant {},
                Decay::Step { every: total, factor: 0.5 },
                Decay::Exponential { every: total, factor: 0.5 },
                Decay::Cosine { total, floor: 0.1 * peak },
            ];
            for decay in decays {
                let schedule = Schedule::constant(peak).with_warmup(warmup).with_decay(decay);
                for k in 1..warmup {
                    let climb = schedule.rate(k) - schedule.rate(k - 1);
                    prop_assert!((climb - peak / warmup as f64).abs() < 1e-12);
                }
                prop_assert_eq!(schedule.rate(warmup - 1), peak);
                prop_assert!((schedule.rate(warmup) - peak).abs() <= 1e-15);
            }
        }

        #[test]
        fn step_and_exponential_agree_at_every_drop(peak in 1e-5..1.0, every in 1u64..50, factor in 0.1..0.99, drops in 0u64..20) {
            let step = Schedule::constant(peak).with_decay(Decay::Step { every, factor });
            let smooth = Schedule::constant(peak).with_decay(Decay::Exponential { every, factor });
            let want = peak * factor.powi(drops as i32);
            for k in drops * every..(drops + 1) * every {
                prop_assert!((step.rate(k) - want).abs() < 1e-12 * want);
                prop_assert!(smooth.rate(k) <= step.rate(k) * (1.0 + 1e-12));
            }
            prop_assert!((smooth.rate(drops * every) - want).abs() < 1e-12 * want);
        }

        #[test]
        fn cosine_is_halfway_at_half_time_and_flat_at_the_end(peak in 1e-3..1.0, half in 1u64..500, share in 0.0..0.9) {
            let floor = share * peak;
            let schedule = Schedule::constant(peak).with_decay(Decay::Cosine { total: 2 * half, floor });
            prop_assert!((schedule.rate(half) - 0.5 * (peak + floor)).abs() < 1e-12);
            prop_assert_eq!(schedule.rate(2 * half), floor);
            prop_assert_eq!(schedule.rate(u64::MAX), floor);
        }
    }
}
