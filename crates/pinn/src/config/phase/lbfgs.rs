//! Settings of L-BFGS.

use super::{SearchConfig, ToleranceSetting};
use ropinn_engine::Precision;
use ropinn_optim::LbfgsConfig;
use serde::{Deserialize, Serialize};

/// Settings of L-BFGS; the defaults are those of the RoPINN experiments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LbfgsPhase {
    /// Outer steps.
    pub iterations: u64,
    /// First trial step of every search but the very first.
    pub lr: f64,
    /// Inner iterations per outer step.
    pub max_iter: usize,
    /// An outer step ends after the inner iteration that reaches this many evaluations.
    pub max_eval: usize,
    /// Curvature pairs kept.
    pub history: usize,
    /// An outer step ends once max|g| is at or below it.
    pub tolerance_grad: ToleranceSetting,
    /// An outer step ends once max|Δθ|, |Δf| or −gᵀd are this small.
    pub tolerance_change: ToleranceSetting,
    /// The strong-Wolfe search.
    pub search: SearchConfig,
}

impl Default for LbfgsPhase {
    fn default() -> Self {
        let LbfgsConfig { lr, max_iter, max_eval, history, search, .. } = LbfgsConfig::default();
        let auto = ToleranceSetting::Auto;
        let search = SearchConfig::of(search);
        Self { iterations: 1000, lr, max_iter, max_eval, history, tolerance_grad: auto, tolerance_change: auto, search }
    }
}

impl LbfgsPhase {
    pub(super) fn config(&self, precision: Precision) -> LbfgsConfig {
        let published = LbfgsConfig::default();
        LbfgsConfig {
            lr: self.lr,
            max_iter: self.max_iter,
            max_eval: self.max_eval,
            tolerance_grad: self.tolerance_grad.resolve(published.tolerance_grad, precision),
            tolerance_change: self.tolerance_change.resolve(published.tolerance_change, precision),
            history: self.history,
            search: self.search.strong_wolfe(),
        }
    }
}
