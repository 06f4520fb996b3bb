//! Weights by the sizes of the terms' gradients.

use super::WeightingError;
use crate::setting::{require, require_positive};
use serde::{Deserialize, Serialize};

/// Settings of gradient balancing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GradientBalance {
    /// Outer steps between measurements; the first is at step 0.
    pub period: usize,
    /// α in λ ← (1 − α) λ + α λ̂: how fast weights follow what is measured.
    pub alpha: f64,
    /// How λ̂ is measured.
    pub rule: BalanceRule,
}

impl Default for GradientBalance {
    /// A tenth of the way every 10 steps, as in the published code.
    fn default() -> Self {
        Self { period: 10, alpha: 0.1, rule: BalanceRule::MaxOverMean }
    }
}

impl GradientBalance {
    /// Refuses settings outside their ranges.
    pub fn validate(&self) -> Result<(), WeightingError> {
        let (of, alpha) = ("the weighting", self.alpha);
        require_positive(of, "period", self.period)?;
        Ok(require(of, "alpha", alpha, "above 0 and at most 1", alpha > 0.0 && alpha <= 1.0)?)
    }
}

/// What the weights aim at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BalanceRule {
    /// λ̂_t = max |∇L_ref| / mean |∇L_t|; the reference term, the equations', keeps weight 1 (Wang et al. 2021).
    #[default]
    MaxOverMean,
    /// λ̂_t = Σ_j ‖∇L_j‖ / ‖∇L_t‖ for every term (Wang et al., "An expert's guide to training PINNs", 2023).
    EqualNorms,
}

/// The size of the gradient of one unweighted term, measured in three ways.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GradientSize {
    /// Largest |∂L/∂θ_p|.
    pub largest: f64,
    /// Mean |∂L/∂θ_p|.
    pub mean: f64,
    /// ‖∇L‖.
    pub norm: f64,
}

impl GradientSize {
    /// Measures a gradient.
    pub fn of(gradient: &[f64]) -> Self {
        let count = gradient.len().max(1) as f64;
        let mut size = Self::default();
        for g in gradient {
            // Not `f64::max`, which would lose a NaN.
            size.largest = if size.largest >= g.abs() { size.largest } else { g.abs() };
            size.mean += g.abs() / count;
            size.norm += g * g;
        }
        Self { norm: size.norm.sqrt(), ..size }
    }
}

/// λ̂ of every term; `reference` is the term that [`BalanceRule::MaxOverMean`] compares with.
///
/// ```
/// use ropinn::weighting::{BalanceRule, GradientSize, balance_targets};
/// let sizes = [GradientSize::of(&[3.0, -1.0]), GradientSize::of(&[0.5, 0.25])];
/// assert_eq!(balance_targets(&sizes, 0, BalanceRule::MaxOverMean)?, [1.0, 8.0]);
/// # Ok::<(), ropinn::weighting::WeightingError>(())
/// ```
pub fn balance_targets(
    sizes: &[GradientSize],
    reference: usize,
    rule: BalanceRule,
) -> Result<Vec<f64>, WeightingError> {
    let Some(against) = sizes.get(reference) else {
        return Err(WeightingError::NoReference { reference, terms: sizes.len() });
    };
    for (term, size) in sizes.iter().enumerate() {
        if !(size.norm > 0.0 && size.norm.is_finite() && size.mean > 0.0) {
            return Err(WeightingError::NoSize { what: "the gradient", term, value: size.norm });
        }
    }
    let total: f64 = sizes.iter().map(|size| size.norm).sum();
    let target = |(term, size): (usize, &GradientSize)| match rule {
        BalanceRule::MaxOverMean if term == reference => 1.0,
        BalanceRule::MaxOverMean => against.largest / size.mean,
        BalanceRule::EqualNorms => total / size.norm,
    };
    Ok(sizes.iter().enumerate().map(target).collect())
}

/// Moves weights towards their targets: λ ← (1 − α) λ + α λ̂.
pub fn smoothed(weights: &mut [f64], targets: &[f64], alpha: f64) {
    weights.iter_mut().zip(targets).for_each(|(weight, target)| *weight = (1.0 - alpha) * *weight + alpha * target);
}
