//! Adam (Kingma & Ba 2015, Algorithm 1), in the order of operations PyTorch uses:
//!
//! m ← m + (1 − β₁)(g − m),  v ← β₂ v + (1 − β₂) g²,  θ ← θ − η/(1 − β₁ᵏ) · m / (√v / √(1 − β₂ᵏ) + ε).

use crate::error::require;
use crate::optimizer::assert_dimension;
use crate::{GradNorm, OptimError, Optimizer, Oracle, Schedule, State, StepOutcome, StepStatus};
use serde::{Deserialize, Serialize};

const NAME: &str = "adam";
/// What backing off multiplies the rate by.
const BACK_OFF: f64 = 0.1;

/// Settings of [`Adam`]; the default is η = 10⁻³ constant, β = (0.9, 0.999), ε = 10⁻⁸.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdamConfig {
    /// Learning rate η over time.
    #[serde(flatten)]
    pub lr: Schedule,
    /// Memory of the first moment, β₁.
    pub beta1: f64,
    /// Memory of the second moment, β₂.
    pub beta2: f64,
    /// Keeps the denominator away from 0.
    pub eps: f64,
}

impl Default for AdamConfig {
    fn default() -> Self {
        Self { lr: Schedule::default(), beta1: 0.9, beta2: 0.999, eps: 1e-8 }
    }
}

/// Adam: one evaluation and one move per step.
///
/// A non-finite loss or gradient leaves θ and the moments untouched, so a caller may skip the batch and go on.
#[derive(Debug, Clone)]
pub struct Adam {
    config: AdamConfig,
    taken: u64,
    /// Steps taken before the moments were last set to zero.
    restarted: u64,
    /// What the scheduled rate is multiplied by: 1 unless it had to back off.
    caution: f64,
    first_moment: Vec<f64>,
    second_moment: Vec<f64>,
    grad: Vec<f64>,
}

impl Adam {
    /// Adam for `dimension` parameters.
    pub fn new(config: AdamConfig, dimension: usize) -> Result<Self, OptimError> {
        config.lr.validate(NAME)?;
        for (setting, beta) in [("beta1", config.beta1), ("beta2", config.beta2)] {
            require(NAME, setting, beta, "at least 0 and below 1", (0.0..1.0).contains(&beta))?;
        }
        require(NAME, "eps", config.eps, "finite and at least 0", config.eps >= 0.0)?;
        let zeros = || vec![0.0; dimension];
        Ok(Self {
            config,
            taken: 0,
            restarted: 0,
            caution: 1.0,
            first_moment: zeros(),
            second_moment: zeros(),
            grad: zeros(),
        })
    }

    /// Steps taken so far; steps refused for non-finite numbers do not count.
    pub fn steps_taken(&self) -> u64 {
        self.taken
    }

    fn update(&mut self, theta: &mut [f64], rate: f64) {
        let AdamConfig { beta1, beta2, eps, .. } = self.config;
        self.taken += 1;
        let k = (self.taken - self.restarted) as f64;
        let step = rate / (1.0 - beta1.powf(k));
        let unbias = (1.0 - beta2.powf(k)).sqrt();
        let moments = self.first_moment.iter_mut().zip(&mut self.second_moment);
        for ((theta, g), (m, v)) in theta.iter_mut().zip(&self.grad).zip(moments) {
            *m += (1.0 - beta1) * (g - *m);
            *v = beta2 * *v + (1.0 - beta2) * g * g;
            *theta -= step * (*m / (v.sqrt() / unbias + eps));
        }
    }
}

impl Optimizer for Adam {
    fn step(&mut self, theta: &mut [f64], oracle: &mut dyn Oracle) -> StepOutcome {
        assert_dimension(NAME, self.dimension(), theta);
        let loss = oracle.evaluate(theta, &mut self.grad);
        let still = StepOutcome::before_moving(loss, GradNorm::of(&self.grad));
        if still.status != StepStatus::Moved {
            return still;
        }
        let rate = self.caution * self.config.lr.rate(self.taken);
        self.update(theta, rate);
        StepOutcome { inner_iterations: 1, step_size: rate, ..still }
    }

    fn name(&self) -> &'static str {
        NAME
    }

    fn dimension(&self) -> usize {
        self.grad.len()
    }

    /// A tenth of the rate, and moments that start afresh: huge gradients would hold them up for 1/(1 − β₂) steps.
    fn back_off(&mut self) {
        self.caution *= BACK_OFF;
        self.restarted = self.taken;
        self.first_moment.fill(0.0);
        self.second_moment.fill(0.0);
    }

    fn save(&self) -> State {
        State::new(NAME)
            .with_count("taken", self.taken)
            .with_count("restarted", self.restarted)
            .with_scalar("caution", self.caution)
            .with_vector("first_moment", self.first_moment.clone())
            .with_vector("second_moment", self.second_moment.clone())
    }

    fn load(&mut self, state: &State) -> Result<(), OptimError> {
        state.expect_optimizer(NAME)?;
        let taken = state.count("taken")?;
        // A count beyond the steps taken can only come from a damaged file.
        let restarted = state.count("restarted")?.min(taken);
        let caution = state.scalar("caution")?;
        let first_moment = state.vector("first_moment", self.dimension())?;
        let second_moment = state.vector("second_moment", self.dimension())?;
        (self.taken, self.restarted, self.caution) = (taken, restarted, caution);
        self.first_moment.copy_from_slice(first_moment);
        self.second_moment.copy_from_slice(second_moment);
        Ok(())
    }
}
