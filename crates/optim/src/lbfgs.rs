//! Limited-memory BFGS (Nocedal 1980; Nocedal & Wright 2006, Algorithm 7.5) exactly as `torch.optim.LBFGS` with
//! `line_search_fn="strong_wolfe"` runs it, so that published results can be followed iterate by iterate.
//!
//! One [`step`](crate::Optimizer::step) is one `optimizer.step(closure)`: up to `max_iter` inner iterations
//! d = −H g, t = strong-Wolfe search, θ ← θ + t d, with all memory kept between calls. Habits of the original that
//! matter when the oracle is stochastic, and are therefore kept:
//! - the loss and gradient of an accepted point are those the search saw; only a new call evaluates afresh, so the
//!   first pair of a call compares gradients from two different draws;
//! - leaving because gᵀd > −`tolerance_change` stores d and the initial t although θ stayed, and the next call forms
//!   s = t d from them;
//! - `max_eval` is tested after complete iterations only, so a call may exceed it.

use crate::descent::{Curvature, Descent, Habits, Limits, Taken, descends};
use crate::error::require;
use crate::history::{Base, History};
use crate::{OptimError, State, StrongWolfe};
use serde::{Deserialize, Serialize};

const NAME: &str = "lbfgs";

/// Tolerances of the RoPINN experiments, made for single precision.
const PUBLISHED_GRAD: f64 = 1e-7;
const PUBLISHED_CHANGE: f64 = 1e-9;

/// Pairs with yᵀs at or below this are not stored.
const LEAST_CURVATURE: f64 = 1e-10;

/// Settings of [`Lbfgs`]; the defaults are those of the RoPINN experiments.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LbfgsConfig {
    /// First trial step of every search but the very first (1).
    pub lr: f64,
    /// Inner iterations per step (20).
    pub max_iter: usize,
    /// A step ends after the iteration that reaches this many evaluations (25).
    pub max_eval: usize,
    /// Ends a step once max|g| is at or below it (10⁻⁷ in single precision).
    pub tolerance_grad: ToleranceSetting,
    /// Ends a step once max|Δθ|, |Δf| or −gᵀd are this small (10⁻⁹ in single precision).
    pub tolerance_change: ToleranceSetting,
    /// Curvature pairs kept (100).
    pub history: usize,
    /// The line search.
    pub search: StrongWolfe,
}

impl Default for LbfgsConfig {
    fn default() -> Self {
        Self {
            lr: 1.0,
            max_iter: 20,
            max_eval: 25,
            tolerance_grad: ToleranceSetting::Auto,
            tolerance_change: ToleranceSetting::Auto,
            history: 100,
            search: StrongWolfe::default(),
        }
    }
}

/// A tolerance: a number, or one that scales with the precision of the loss.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "NumberOrWord", into = "NumberOrWord")]
pub enum ToleranceSetting {
    /// The published number in single precision; smaller by √(ε₆₄/ε₃₂) in double, where rounding permits to go on further.
    Auto,
    /// This number.
    Value(f64),
}

/// How a tolerance is written.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number or \"auto\"")]
enum NumberOrWord {
    Number(f64),
    Word(String),
}

impl From<ToleranceSetting> for NumberOrWord {
    fn from(setting: ToleranceSetting) -> Self {
        match setting {
            ToleranceSetting::Auto => Self::Word("auto".to_owned()),
            ToleranceSetting::Value(value) => Self::Number(value),
        }
    }
}

impl TryFrom<NumberOrWord> for ToleranceSetting {
    type Error = &'static str;

    fn try_from(written: NumberOrWord) -> Result<Self, &'static str> {
        match written {
            NumberOrWord::Number(value) => Ok(Self::Value(value)),
            NumberOrWord::Word(word) if word == "auto" => Ok(Self::Auto),
            NumberOrWord::Word(_) => Err("expected a number or \"auto\""),
        }
    }
}

impl ToleranceSetting {
    fn or(self, published: f64) -> f64 {
        if let Self::Value(value) = self { value } else { published }
    }
}

impl LbfgsConfig {
    /// The same settings for a loss computed in double precision.
    pub fn in_double_precision(self) -> Self {
        let scale = (f64::EPSILON / f64::from(f32::EPSILON)).sqrt();
        Self {
            tolerance_grad: ToleranceSetting::Value(self.tolerance_grad.or(PUBLISHED_GRAD * scale)),
            tolerance_change: ToleranceSetting::Value(self.tolerance_change.or(PUBLISHED_CHANGE * scale)),
            ..self
        }
    }

    fn limits(&self) -> Limits {
        let Self { lr, max_iter, max_eval, search, .. } = *self;
        let tolerance_grad = self.tolerance_grad.or(PUBLISHED_GRAD);
        let tolerance_change = self.tolerance_change.or(PUBLISHED_CHANGE);
        Limits { lr, max_iter, max_eval, tolerance_grad, tolerance_change, search }
    }
}

/// The newest pairs, on top of γ I with γ = yᵀs / yᵀy of the newest.
impl Curvature for History {
    const HABITS: Habits = Habits::Torch;

    fn is_identity(&self) -> bool {
        self.len() == 0
    }

    fn forget(&mut self) {
        self.clear();
    }

    fn learn(&mut self, taken: Taken<'_>) {
        let measured = self.propose(taken);
        if measured.ys > LEAST_CURVATURE {
            self.keep(measured, 1.0);
        }
    }

    fn direction_into(&mut self, grad: &[f64], direction: &mut [f64]) {
        self.descend_into(grad, direction);
    }

    fn save_into(&self, state: State) -> State {
        self.save_into(state)
    }

    fn load(&mut self, state: &State) -> Result<(), OptimError> {
        self.load(state, "history")
    }
}

/// L-BFGS with strong-Wolfe search.
///
/// After [`StepStatus::NonFinite`](crate::StepStatus::NonFinite) the iteration that met the bad number is undone: θ is
/// the last accepted point and the next call continues from the pairs stored so far.
#[derive(Debug, Clone)]
pub struct Lbfgs {
    descent: Descent<History>,
}

impl Lbfgs {
    /// L-BFGS for `dimension` parameters.
    pub fn new(config: LbfgsConfig, dimension: usize) -> Result<Self, OptimError> {
        let limits = config.limits();
        limits.validate(NAME)?;
        require(NAME, "history", config.history as f64, "at least 1", config.history >= 1)?;
        let history = History::new(config.history, dimension, Base::Newest);
        Ok(Self { descent: Descent::new(NAME, limits, history, dimension) })
    }

    /// Inner iterations taken over all calls.
    pub fn iterations(&self) -> u64 {
        self.descent.iterations()
    }

    /// Curvature pairs currently stored.
    pub fn pairs(&self) -> usize {
        self.descent.curvature.len()
    }
}

descends!(Lbfgs);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_without_curvature_change_nothing() {
        let mut history = History::new(3, 1, Base::Newest);
        history.learn(Taken { grad: &[2.0], grad_previous: &[1.0], t: 1.0, direction: &[0.5] });
        let before = history.save_into(State::new(NAME));
        for flat in [0.0, -1.0, 1e-10, f64::NAN] {
            history.learn(Taken { grad: &[flat], grad_previous: &[0.0], t: 1.0, direction: &[1.0] });
        }
        assert_eq!(history.len(), 1);
        assert_eq!(history.save_into(State::new(NAME)), before);
    }
}
