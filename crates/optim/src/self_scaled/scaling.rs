//! The scale τ_k and the member φ_k of Broyden's family that a pair (s, y) calls for.
//!
//! H_{k+1} = τ⁻¹ [H − H y yᵀ H / yᵀHy + φ v vᵀ] + s sᵀ / yᵀs,  v = √(yᵀHy) [s / yᵀs − H y / yᵀHy].
//!
//! With b = sᵀBs / yᵀs (B = H⁻¹) and h = yᵀHy / yᵀs:
//! - BFGS (Al-Baali 1998): φ = 1, τ = min(1, 1/b);
//! - Broyden (Al-Baali & Khalfan 2005, as Urbán, Stefanou & Pons 2025 choose θ; their code calls it SSBroyden2):
//!   a = b h − 1, c = √(a / (1 + a)), ρ⁻ = min(1, h (1 − c)), θ = max((ρ⁻ − 1)/a, min(1/ρ⁻, (1 − b)/b)), σ = 1 + a θ,
//!   φ = (1 − θ)/σ, and with τ₁ = min(1, 1/b), p = σ^{−1/(n−1)}: τ = τ₁ min(p, 1/θ) if θ > 0, else min(τ₁ p, σ).
//!
//! The first update of H = I has no scale to correct but one to find: τ = h/σ, which for BFGS is the usual yᵀy / yᵀs.

use crate::SelfScaledVariant;
use crate::descent::Taken;
use crate::vector::dot;

/// Pairs with yᵀs at or below this share of ‖y‖‖s‖ are ignored: their curvature is rounding. Relative, unlike that of
/// L-BFGS, because these methods are meant to go on where steps and gradients are tiny.
const LEAST_COSINE: f64 = 1e-12;

/// How the update treats what H held before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Factors {
    /// 1/τ.
    pub(super) gain: f64,
    pub(super) phi: f64,
}

/// b = sᵀBs / yᵀs, or nothing if the pair carries no curvature. As d = −H g, no B is needed: sᵀBs = −t² gᵀd.
pub(super) fn curvature_ratio(taken: Taken<'_>, ys: f64, yy: f64) -> Option<f64> {
    let Taken { grad_previous, t, direction, .. } = taken;
    let length = t * dot(direction, direction).sqrt();
    let ratio = -t * t * dot(grad_previous, direction) / ys;
    let informative = ys > LEAST_COSINE * yy.sqrt() * length && (1.0 / ys).is_finite() && yy.is_finite();
    (informative && ratio > 0.0 && ratio.is_finite()).then_some(ratio)
}

/// The factors of the update in n dimensions; `first` if H is the identity.
pub(super) fn factors(variant: SelfScaledVariant, n: usize, b: f64, h: f64, first: bool) -> Factors {
    let Member { theta, sigma } = match variant {
        SelfScaledVariant::Bfgs => Member { theta: 0.0, sigma: 1.0 },
        SelfScaledVariant::Broyden => member(b, h),
    };
    let tau_bfgs = (1.0 / b).min(1.0);
    // In one dimension a = 0: every member is the secant quotient s/y, and any power does.
    let power = if n > 1 { sigma.powf(-1.0 / (n - 1) as f64) } else { 1.0 };
    let tau = if first {
        h / sigma
    } else if theta > 0.0 {
        tau_bfgs * power.min(1.0 / theta)
    } else {
        (tau_bfgs * power).min(sigma)
    };
    Factors { gain: 1.0 / tau, phi: (1.0 - theta) / sigma }
}

/// A member of Broyden's family by its θ (0 is BFGS, 1 is DFP).
struct Member {
    theta: f64,
    /// σ = 1 + a θ.
    sigma: f64,
}

fn member(b: f64, h: f64) -> Member {
    // Cauchy–Schwarz: b h ≥ 1 but for rounding.
    let a = (b * h - 1.0).max(0.0);
    let c = (a / (1.0 + a)).sqrt();
    // h (1 − c) = 1 / (b (1 + c)) since 1 + a = b h; the quotient keeps its digits when c is close to 1.
    let rho = (1.0 / (b * (1.0 + c))).min(1.0);
    let lowest = if rho < 1.0 { (rho - 1.0) / a } else { 0.0 };
    let theta = lowest.max((1.0 / rho).min((1.0 - b) / b));
    // θ ≥ (ρ⁻ − 1)/a is σ ≥ ρ⁻ > 0, which is what keeps H positive definite.
    Member { theta, sigma: (1.0 + a * theta).max(rho) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// SSBroyden2 as its authors' program has it (τ, φ), free of any rearrangement.
    fn published(n: usize, b: f64, h: f64, first: bool) -> (f64, f64) {
        let a = b * h - 1.0;
        let lowest_rho = (h * (1.0 - (a.abs() / (1.0 + a)).sqrt())).min(1.0);
        let theta = ((lowest_rho - 1.0) / a).max((1.0 / lowest_rho).min((1.0 - b) / b));
        let sigma = 1.0 + theta * a;
        let power = sigma.abs().powf(1.0 / (1.0 - n as f64));
        let tau = match (first, theta <= 0.0) {
            (true, _) => h / sigma,
            (false, true) => ((1.0 / b).min(1.0) * power).min(sigma),
            (false, false) => (1.0 / b).min(1.0) * power.min(1.0 / theta),
        };
        (tau, (1.0 - theta) / (1.0 + a * theta))
    }

    proptest! {
        #[test]
        fn broyden_has_the_published_factors(n in 2usize..5000, log_b in -2.0..2.0f64, log_a in -2.0..3.0f64, first: bool) {
            let b = 10f64.powf(log_b);
            let h = (1.0 + 10f64.powf(log_a)) / b;
            let Factors { gain, phi } = factors(SelfScaledVariant::Broyden, n, b, h, first);
            let (tau, want) = published(n, b, h, first);
            prop_assert!((gain * tau - 1.0).abs() < 1e-8, "1/τ = {gain}, τ = {tau}");
            prop_assert!((phi - want).abs() < 1e-8 * (1.0 + want.abs()), "φ = {phi}, want {want}");
        }

        /// 1 + a φ > 0 is positive definiteness; τ ≤ 1 never shrinks H but at the start.
        #[test]
        fn factors_stay_usable_at_any_ratio(n in 1usize..9, log_b in -12.0..12.0f64, log_h in -12.0..12.0f64) {
            let b = 10f64.powf(log_b);
            let h = (1.0 / b).max(10f64.powf(log_h));
            for variant in [SelfScaledVariant::Bfgs, SelfScaledVariant::Broyden] {
                let Factors { gain, phi } = factors(variant, n, b, h, false);
                prop_assert!(gain.is_finite() && gain >= 1.0, "1/τ = {gain}");
                prop_assert!(phi.is_finite() && 1.0 + (b * h - 1.0).max(0.0) * phi > 0.0, "φ = {phi}");
                let Factors { gain, phi: same } = factors(variant, n, b, h, true);
                prop_assert!(gain.is_finite() && gain > 0.0 && same == phi);
            }
        }
    }

    #[test]
    fn bfgs_is_plain_when_the_model_curvature_is_not_too_large() {
        let plain = Factors { gain: 1.0, phi: 1.0 };
        assert_eq!(factors(SelfScaledVariant::Bfgs, 7, 0.5, 3.0, false), plain);
        assert_eq!(factors(SelfScaledVariant::Bfgs, 7, 1.0, 3.0, false), plain);
        assert_eq!(factors(SelfScaledVariant::Bfgs, 7, 4.0, 3.0, false), Factors { gain: 4.0, phi: 1.0 });
        assert_eq!(factors(SelfScaledVariant::Bfgs, 7, 4.0, 0.25, true), Factors { gain: 4.0, phi: 1.0 });
    }

    #[test]
    fn pairs_that_are_rounding_or_climb_are_ignored() {
        let ratio = |d: f64, g: f64, ys: f64, yy: f64| {
            curvature_ratio(Taken { grad: &[0.0], grad_previous: &[g], t: 1.0, direction: &[d] }, ys, yy)
        };
        assert_eq!(ratio(1.0, -3.0, 2.0, 4.0), Some(1.5));
        let refused = [
            (0.0, -3.0, 0.0, 4.0),           // no step
            (1.0, -3.0, -2.0, 4.0),          // negative curvature
            (1.0, -3.0, 1e-12, 4.0),         // orthogonal
            (1.0, 3.0, 2.0, 4.0),            // climbing direction
            (1.0, -3.0, f64::NAN, f64::NAN), // overflow in the products
            (1.0, -3.0, 2.0, f64::INFINITY),
            (1e-310, -3.0, 1e-310, 1.0), // 1/yᵀs overflows
        ];
        for (d, g, ys, yy) in refused {
            assert_eq!(ratio(d, g, ys, yy), None, "{d} {g} {ys} {yy}");
        }
    }
}
