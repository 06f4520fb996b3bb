//! Settings of the self-scaled quasi-Newton methods.

use super::SearchConfig;
use ropinn_optim::{Memory, SelfScaledConfig, SelfScaledVariant};
use serde::{Deserialize, Serialize};

/// Settings of self-scaled BFGS and Broyden.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelfScaledPhase {
    /// Outer steps.
    pub iterations: u64,
    /// Which update of the inverse Hessian.
    pub variant: VariantSetting,
    /// Curvature pairs kept; 0 keeps the whole matrix.
    pub history: usize,
    /// Inner iterations per outer step.
    pub max_iter: usize,
    /// An outer step ends after the inner iteration that reaches this many evaluations.
    pub max_eval: usize,
    /// An outer step ends once max|g| is at or below it.
    pub tolerance_grad: f64,
    /// An outer step ends once max|Δθ|, |Δf| or −gᵀd are this small.
    pub tolerance_change: f64,
    /// The strong-Wolfe search.
    pub search: SearchConfig,
}

/// Which update of the inverse Hessian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VariantSetting {
    /// Self-scaled BFGS.
    Bfgs,
    /// Self-scaled Broyden.
    Broyden,
}

impl Default for SelfScaledPhase {
    fn default() -> Self {
        let SelfScaledConfig { max_iter, max_eval, tolerance_grad, tolerance_change, search, .. } = Default::default();
        Self {
            iterations: 1000,
            variant: VariantSetting::Broyden,
            history: 0,
            max_iter,
            max_eval,
            tolerance_grad,
            tolerance_change,
            search: SearchConfig::of(search),
        }
    }
}

impl SelfScaledPhase {
    pub(super) fn of(variant: VariantSetting) -> Self {
        Self { variant, ..Self::default() }
    }

    pub(super) fn config(&self) -> SelfScaledConfig {
        SelfScaledConfig {
            variant: match self.variant {
                VariantSetting::Bfgs => SelfScaledVariant::Bfgs,
                VariantSetting::Broyden => SelfScaledVariant::Broyden,
            },
            memory: if self.history == 0 { Memory::Dense } else { Memory::Limited(self.history) },
            max_iter: self.max_iter,
            max_eval: self.max_eval,
            tolerance_grad: self.tolerance_grad,
            tolerance_change: self.tolerance_change,
            search: self.search.strong_wolfe(),
        }
    }
}
