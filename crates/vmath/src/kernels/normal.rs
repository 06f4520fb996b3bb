//! The normal distribution function Φ, its density φ, and erf.
//!
//! For a ≥ 0, Φ(−a) = e^(−a²/2)·M(a) with M smooth and slowly varying; (a + k)·M(a) is a polynomial in t = (a − k)/(a + k),
//! after Shepherd & Laframboise, Math. Comp. 36 (1981). One formula covers the whole axis with full relative accuracy in the tail.

use super::exponential::exp_of_sum;
use super::polynomial;
use crate::Real;

/// 1/√(2π).
const DENSITY_AT_ZERO: f64 = 0.398_942_280_401_432_7;

/// M(a) = Φ(−a)·e^(a²/2) for a ≥ 0: Mills' ratio over √(2π).
#[inline(always)]
fn mills<T: Real>(a: T) -> T {
    let w = T::ONE / (a + T::MILLS_CENTRE);
    // t + 1 is exact to rounding near a = 0, where the polynomial is steepest.
    let t = (a + a) * w - T::ONE;
    // The large leading terms by plain Horner: each then costs one rounding of its own size and no more.
    let (lead, tail) = T::MILLS.split_at(3);
    (lead[0] + t * (lead[1] + t * (lead[2] + t * polynomial::<T, false>(t, tail)))) * w
}

/// e^(−scale·a²), where scale is a power of two: a² = h² + (a − h)(a + h) with h² exact, since an error of one bit in the
/// exponent would cost a² bits in the result.
#[inline(always)]
fn exp_minus_square<T: Real>(a: T, scale: T) -> T {
    let h = a.head();
    exp_of_sum::<T, false>(-(scale * (h * h)), -(scale * ((a - h) * (a + h))))
}

/// (Φ(x), φ(x)).
#[inline(always)]
pub(crate) fn normal_cdf_and_density<T: Real>(x: T) -> (T, T) {
    let a = T::MILLS_LARGEST.min(x.abs());
    let bell = exp_minus_square(a, T::from_f64(0.5));
    let tail = bell * mills(a);
    let cdf = if x > T::ZERO { T::ONE - tail } else { tail };
    (cdf, bell * T::from_f64(DENSITY_AT_ZERO))
}

/// erf x = 1 − 2Φ(−√2 x) away from the origin, a polynomial near it.
#[inline(always)]
pub(crate) fn erf<T: Real>(x: T) -> T {
    let a = T::MILLS_LARGEST.min(x.abs());
    let sqrt2 = T::from_f64(std::f64::consts::SQRT_2);
    let tail = exp_minus_square(a, T::ONE) * mills(a * sqrt2);
    let far = T::ONE - (tail + tail);
    // Clamped as well, so that the polynomial cannot overflow where it is not used.
    let near = a + a * polynomial::<T, false>(a * a, T::ERF_SMALL);
    (if a < T::from_f64(0.84375) { near } else { far }).copysign(x)
}
