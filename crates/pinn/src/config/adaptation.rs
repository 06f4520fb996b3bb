//! What follows the training: weights of the terms and points of the equations.

use super::ConfigError;
use super::named::named;
use crate::adaptive::{R3, Rad, RarD};
use crate::weighting::{GradientBalance, Ntk};
use serde::{Deserialize, Serialize};

/// How the terms are weighted. Settings of the kinds that are not chosen are kept without effect.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct WeightingConfig {
    /// Which rule.
    pub kind: WeightingKind,
    /// Settings of kernel traces.
    pub ntk: Ntk,
    /// Settings of gradient balancing.
    pub grad_norm: GradientBalance,
}

named! {
    /// The rules of weighting. What they find multiplies the fixed weights; terms of weight 0 take no part.
    #[derive(Default)]
    pub enum WeightingKind {
        /// The weights of the problem and of `[weights]`.
        #[default]
        Fixed = "fixed",
        /// By the traces of neural tangent kernels (Wang, Yu & Perdikaris 2022).
        Ntk = "ntk",
        /// By the sizes of the terms' gradients (Wang, Teng & Perdikaris 2021).
        GradNorm = "grad-norm",
    }
}

impl WeightingConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        self.ntk.validate()?;
        Ok(self.grad_norm.validate()?)
    }
}

/// How the points of the equations are chosen. Settings of the kinds that are not chosen are kept without effect.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SamplingConfig {
    /// Which rule.
    pub kind: SamplingKind,
    /// Settings of refinement.
    pub rar_d: RarD,
    /// Settings of resampling.
    pub rad: Rad,
    /// Settings of retaining, resampling and releasing.
    pub r3: R3,
}

named! {
    /// The rules of sampling.
    #[derive(Default)]
    pub enum SamplingKind {
        /// The points of the problem, from beginning to end.
        #[default]
        Fixed = "fixed",
        /// Points are added where the residual is large (Wu et al. 2023).
        RarD = "rar-d",
        /// All points are drawn anew, more of them where the residual is large (Wu et al. 2023).
        Rad = "rad",
        /// Points with a residual above the mean stay, the others are drawn anew (Daw et al. 2023).
        R3 = "r3",
    }
}

impl SamplingConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        self.rar_d.validate()?;
        self.rad.validate()?;
        Ok(self.r3.validate()?)
    }
}
