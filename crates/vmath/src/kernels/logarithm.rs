//! ln x, ln(1 + x) and the softplus ln(1 + e^x), after fdlibm's `e_log.c` and `s_log1p.c`.
//!
//! u = 2^k(1 + f) with √½ ≤ 1 + f < √2; with s = f/(2 + f), ln(1 + f) = f − f²/2 + s(f²/2 + R(s²)).

use super::exponential::exp;
use super::polynomial;
use crate::Real;

/// k ln 2 + ln(1 + f) + correction.
#[inline(always)]
fn assemble<T: Real>(k: T, f: T, correction: T) -> T {
    let s = f / (T::from_f64(2.0) + f);
    let z = s * s;
    let half_f2 = T::from_f64(0.5) * f * f;
    let tail = z * polynomial::<T, false>(z, T::LOG_TAIL);
    ((s * (half_f2 + tail) + (k * T::LN2_LO + correction)) - half_f2) + f + k * T::LN2_HI
}

/// Replaces `finite` by the value at the edges of the domain: −∞ at 0, ∞ at ∞, NaN below 0 and at NaN.
#[inline(always)]
fn on_domain<T: Real>(u: T, finite: T) -> T {
    let at_zero = if u == T::ZERO { -T::INFINITY } else { T::NAN };
    let edge = if u > T::ZERO { u } else { at_zero };
    if (u > T::ZERO) & (u < T::INFINITY) { finite } else { edge }
}

/// ln x.
#[inline(always)]
pub(crate) fn ln<T: Real>(x: T) -> T {
    let subnormal = x < T::MIN_POSITIVE;
    let normal = if subnormal { x * T::LIFT } else { x };
    let lifted = if subnormal { T::LIFT_EXPONENT } else { T::ZERO };
    let (k, m) = normal.exponent_and_mantissa();
    on_domain(x, assemble(k - lifted, m - T::ONE, T::ZERO))
}

/// ln(1 + x) = ln u + lost/u, where u is the rounded sum and `correction` = lost/u; near 0 f is x itself and nothing is lost.
#[inline(always)]
fn ln_of_sum<T: Real>(x: T, u: T, correction: T) -> T {
    let (k, m) = u.exponent_and_mantissa();
    let near_zero = k == T::ZERO;
    let f = if near_zero { x } else { m - T::ONE };
    assemble(k, f, if near_zero { T::ZERO } else { correction })
}

/// ln(1 + x).
#[inline(always)]
pub(crate) fn ln_1p<T: Real>(x: T) -> T {
    let u = T::ONE + x;
    let lost = if u > T::from_f64(2.0) { T::ONE - (u - x) } else { x - (u - T::ONE) };
    let value = on_domain(u, ln_of_sum(x, u, lost / u));
    if x == T::ZERO { x } else { value }
}

/// ln(1 + e^x) = max(x, 0) + ln(1 + e^−|x|), which never overflows.
#[inline(always)]
pub(crate) fn softplus<T: Real>(x: T) -> T {
    let e = exp::<T, false>(-x.abs());
    let u = T::ONE + e;
    // The correction is used for √2 ≤ u ≤ 2, where this line is 1/u to 2%: enough for a term of half a unit in the last place.
    let inverse = T::from_f64(1.195) - T::from_f64(0.35) * u;
    T::ZERO.max(x) + ln_of_sum(e, u, (e - (u - T::ONE)) * inverse)
}
