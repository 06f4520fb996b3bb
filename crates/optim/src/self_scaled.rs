//! Self-scaled quasi-Newton methods: BFGS and Broyden updates of the inverse Hessian that rescale what H held before
//! (Oren & Luenberger 1974; Al-Baali 1998, 2014), found to take the losses of physics-informed networks orders of
//! magnitude further down than BFGS and L-BFGS (Urbán, Stefanou & Pons, J. Comput. Phys. 523, 2025; Kiyani et al.,
//! Comput. Methods Appl. Mech. Eng. 446, 2025).
//!
//! The loop is that of L-BFGS, with habits for a long run instead of PyTorch's: H learns from a step as soon as it is
//! accepted, so a pair never mixes the samples of two calls; pairs are refused by their angle, not by the absolute size
//! of yᵀs, which near a minimum is always small; and H returns to the identity when its direction does not descend.

mod dense;
mod scaling;

use self::dense::DenseInverse;
use self::scaling::{curvature_ratio, factors};
use crate::descent::{Curvature, Descent, Habits, Limits, Taken, descends};
use crate::error::require;
use crate::history::{Base, History};
use crate::{OptimError, State, StrongWolfe};
use serde::{Deserialize, Serialize};

/// The update of H.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SelfScaledVariant {
    /// BFGS with Al-Baali's scale (SSBFGS).
    Bfgs,
    /// The member of Broyden's family that each pair calls for, with its own scale (SSBroyden).
    #[default]
    Broyden,
}

/// How H is kept; written as the number of pairs, 0 for the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(from = "usize", into = "usize")]
pub enum Memory {
    /// As a matrix: n(n + 1)/2 numbers, 64 MB for 4000 parameters.
    #[default]
    Dense,
    /// As this many pairs of vectors, replayed for every direction; [`SelfScaledVariant::Bfgs`] only.
    ///
    /// The oldest pair kept acts as the first of a run: below it lies (yᵀs / yᵀy) I. Until pairs are dropped the
    /// directions are those of [`Memory::Dense`].
    Limited(usize),
}

impl From<usize> for Memory {
    fn from(pairs: usize) -> Self {
        if pairs == 0 { Self::Dense } else { Self::Limited(pairs) }
    }
}

impl From<Memory> for usize {
    fn from(memory: Memory) -> Self {
        if let Memory::Limited(pairs) = memory { pairs } else { 0 }
    }
}

/// Settings of [`SelfScaled`].
///
/// The tolerances are far below those of [`LbfgsConfig`](crate::LbfgsConfig): these methods go on improving where
/// losses change by less than 10⁻⁹ per iteration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelfScaledConfig {
    /// The update of H (Broyden).
    pub variant: SelfScaledVariant,
    /// How H is kept (dense).
    #[serde(rename = "history")]
    pub memory: Memory,
    /// Inner iterations per step (20).
    pub max_iter: usize,
    /// A step ends after the iteration that reaches this many evaluations (25).
    pub max_eval: usize,
    /// Ends a step once max|g| is at or below it (10⁻¹²).
    pub tolerance_grad: f64,
    /// Ends a step once max|Δθ|, |Δf| or −gᵀd are this small (10⁻¹⁸).
    pub tolerance_change: f64,
    /// The line search (PyTorch's constants, but zooming down to 10⁻¹⁴).
    pub search: StrongWolfe,
}

impl Default for SelfScaledConfig {
    fn default() -> Self {
        Self {
            variant: SelfScaledVariant::default(),
            memory: Memory::default(),
            max_iter: 20,
            max_eval: 25,
            tolerance_grad: 1e-12,
            tolerance_change: 1e-18,
            search: StrongWolfe { width_tolerance: 1e-14, ..StrongWolfe::default() },
        }
    }
}

impl SelfScaledConfig {
    /// The name of the method these settings ask for.
    fn name(&self) -> &'static str {
        match (self.variant, self.memory) {
            (SelfScaledVariant::Bfgs, Memory::Dense) => "ssbfgs",
            (SelfScaledVariant::Bfgs, Memory::Limited(_)) => "ssbfgs_limited",
            (SelfScaledVariant::Broyden, _) => "ssbroyden",
        }
    }

    fn limits(&self) -> Limits {
        let Self { max_iter, max_eval, tolerance_grad, tolerance_change, search, .. } = *self;
        Limits { lr: 1.0, max_iter, max_eval, tolerance_grad, tolerance_change, search }
    }
}

/// Self-scaled BFGS or Broyden with strong-Wolfe search.
///
/// One [`step`](crate::Optimizer::step) is up to `max_iter` inner iterations d = −H g, θ ← θ + t d; H is kept between steps.
/// Its [`name`](crate::Optimizer::name) is `ssbfgs`, `ssbfgs_limited` or `ssbroyden`. After
/// [`StepStatus::NonFinite`](crate::StepStatus::NonFinite) θ is the last accepted point and H is as it was there.
///
/// ```
/// use ropinn_optim::{Optimizer, SelfScaled, SelfScaledConfig};
///
/// let mut rosenbrock = |theta: &[f64], grad: &mut [f64]| {
///     let (bend, pull) = (theta[1] - theta[0] * theta[0], 1.0 - theta[0]);
///     grad.copy_from_slice(&[-400.0 * bend * theta[0] - 2.0 * pull, 200.0 * bend]);
///     100.0 * bend * bend + pull * pull
/// };
/// let mut theta = [-1.2, 1.0];
/// let config = SelfScaledConfig { max_iter: 100, max_eval: 200, ..SelfScaledConfig::default() };
/// let outcome = SelfScaled::new(config, theta.len())?.step(&mut theta, &mut rosenbrock);
/// assert!(outcome.loss < 1e-20);
/// # Ok::<(), ropinn_optim::OptimError>(())
/// ```
#[derive(Debug, Clone)]
pub struct SelfScaled {
    descent: Descent<Inverse>,
}

impl SelfScaled {
    /// A self-scaled method for `dimension` parameters.
    pub fn new(config: SelfScaledConfig, dimension: usize) -> Result<Self, OptimError> {
        let (name, limits) = (config.name(), config.limits());
        limits.validate(name)?;
        let inverse = match (config.variant, config.memory) {
            (variant, Memory::Dense) => Inverse::Dense(DenseInverse::new(name, variant, dimension)?),
            (SelfScaledVariant::Bfgs, Memory::Limited(pairs)) => {
                require(name, "memory", pairs as f64, "at least 1", pairs >= 1)?;
                Inverse::Limited(History::new(pairs, dimension, Base::Oldest))
            }
            (SelfScaledVariant::Broyden, Memory::Limited(_)) => {
                return Err(OptimError::NoLimitedMemory { optimizer: name });
            }
        };
        Ok(Self { descent: Descent::new(name, limits, inverse, dimension) })
    }

    /// Inner iterations taken over all steps.
    pub fn iterations(&self) -> u64 {
        self.descent.iterations()
    }
}

#[derive(Debug, Clone)]
enum Inverse {
    Dense(DenseInverse),
    Limited(History),
}

impl Curvature for Inverse {
    const HABITS: Habits = Habits::Safeguarded;

    fn is_identity(&self) -> bool {
        match self {
            Self::Dense(inverse) => inverse.is_identity(),
            Self::Limited(pairs) => pairs.len() == 0,
        }
    }

    fn forget(&mut self) {
        match self {
            Self::Dense(inverse) => inverse.forget(),
            Self::Limited(pairs) => pairs.clear(),
        }
    }

    fn learn(&mut self, taken: Taken<'_>) {
        match self {
            Self::Dense(inverse) => inverse.learn(taken),
            Self::Limited(pairs) => {
                let measured = pairs.propose(taken);
                if let Some(b) = curvature_ratio(taken, measured.ys, measured.yy) {
                    // τ of BFGS does not depend on h, n or (below the oldest pair lies its own base) on the first update.
                    let factors = factors(SelfScaledVariant::Bfgs, taken.direction.len(), b, 1.0, false);
                    pairs.keep(measured, factors.gain);
                }
            }
        }
    }

    fn direction_into(&mut self, grad: &[f64], direction: &mut [f64]) {
        match self {
            Self::Dense(inverse) => inverse.direction_into(grad, direction),
            Self::Limited(pairs) => pairs.descend_into(grad, direction),
        }
    }

    fn save_into(&self, state: State) -> State {
        match self {
            Self::Dense(inverse) => inverse.save_into(state),
            Self::Limited(pairs) => pairs.save_into(state),
        }
    }

    fn load(&mut self, state: &State) -> Result<(), OptimError> {
        match self {
            Self::Dense(inverse) => inverse.load(state),
            Self::Limited(pairs) => pairs.load(state, "memory"),
        }
    }
}

descends!(SelfScaled);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::vector::dot;

    const N: usize = 5;

    proptest! {
        /// Replaying all pairs is multiplying by the matrix, for any steps along its directions.
        #[test]
        fn pairs_that_are_all_kept_give_the_directions_of_the_matrix(
            steps in prop::collection::vec((prop::array::uniform5(-1.0..1.0f64), 0.05..3.0f64), 1..12),
            weights in prop::array::uniform5(0.2..4.0f64),
        ) {
            let mut dense = Inverse::Dense(DenseInverse::new("test", SelfScaledVariant::Bfgs, N).unwrap());
            let mut limited = Inverse::Limited(History::new(steps.len(), N, Base::Oldest));
            for (grad_previous, t) in &steps {
                prop_assume!(dot(grad_previous, grad_previous) > 0.01);
                let (mut direction, mut replayed) = ([0.0; N], [0.0; N]);
                dense.direction_into(grad_previous, &mut direction);
                limited.direction_into(grad_previous, &mut replayed);
                let length = dot(&direction, &direction).sqrt();
                for (a, b) in direction.iter().zip(&replayed) {
                    prop_assert!((a - b).abs() < 1e-9 * length, "{direction:?}, {replayed:?}");
                }
                // ∇f(θ + s) − ∇f(θ) = diag(w) s.
                let grad: [f64; N] = std::array::from_fn(|i| grad_previous[i] + weights[i] * t * direction[i]);
                let taken = Taken { grad: &grad, grad_previous, t: *t, direction: &direction };
                dense.learn(taken);
                limited.learn(taken);
            }
        }
    }
}
