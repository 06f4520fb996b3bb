//! When the next checkpoint is due.

use crate::config::CheckpointConfig;

/// Largest share of the time that goes into checkpoints.
const SHARE: f64 = 0.02;

/// Times of the checkpoints of one sitting, in seconds of the run.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    config: CheckpointConfig,
    began: f64,
    last_step: u64,
    last_ended: f64,
    /// Seconds the last one took, and all of them.
    cost: f64,
    spent: f64,
}

impl Pace {
    /// A run that starts, or goes on, after `steps` and `seconds`.
    pub fn new(config: CheckpointConfig, steps: u64, seconds: f64) -> Self {
        Self { config, began: seconds, last_step: steps, last_ended: seconds, cost: 0.0, spent: 0.0 }
    }

    /// Whether one is due, and can be afforded if it takes as long as the last one did.
    pub fn is_due(&self, steps: u64, seconds: f64) -> bool {
        let CheckpointConfig { every_iterations, every_seconds } = self.config;
        let (passed, waited) = (steps.saturating_sub(self.last_step), seconds - self.last_ended);
        let by_steps = every_iterations > 0 && passed >= every_iterations;
        let by_time = every_seconds > 0.0 && passed > 0 && waited >= every_seconds;
        let affordable = self.spent + self.cost <= SHARE * (seconds - self.began + self.cost);
        (by_steps || by_time) && affordable
    }

    /// Takes note of a checkpoint, written or attempted between two times.
    pub fn note(&mut self, step: u64, began: f64, ended: f64) {
        (self.last_step, self.last_ended, self.cost) = (step, ended, ended - began);
        self.spent += self.cost;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates steps of `step` seconds and writes of `write` seconds; counts checkpoints and their share of time.
    fn simulate(config: CheckpointConfig, step: f64, write: f64) -> (u64, f64) {
        let (mut pace, mut clock, mut written) = (Pace::new(config, 0, 0.0), 0.0, 0);
        for k in 1..=10_000 {
            clock += step;
            if pace.is_due(k, clock) {
                pace.note(k, clock, clock + write);
                clock += write;
                written += 1;
            }
        }
        (written, written as f64 * write / clock)
    }

    #[test]
    fn checkpoints_come_by_steps_or_by_time() {
        let by = |every_iterations, every_seconds| CheckpointConfig { every_iterations, every_seconds };
        assert_eq!(simulate(by(100, 0.0), 1.0, 0.0).0, 100);
        assert_eq!(simulate(by(0, 50.0), 1.0, 0.0).0, 200);
        assert_eq!(simulate(by(100, 50.0), 1.0, 0.0).0, 200);
        assert_eq!(simulate(by(0, 0.0), 1.0, 0.0).0, 0);
    }

    #[test]
    fn slow_writes_are_spaced_out() {
        for write in [0.5, 3.0, 40.0] {
            let (written, share) = simulate(CheckpointConfig { every_iterations: 1, every_seconds: 1.0 }, 1.0, write);
            assert!(written > 1 && share <= 0.02 + 1e-12, "{written} writes took {share}");
        }
    }
}
