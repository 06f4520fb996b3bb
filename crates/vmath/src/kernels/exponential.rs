//! e^x and what is made of it: tanh, the logistic function, and their shared reduction.
//!
//! x = n ln 2 + r with |r| ≤ ½ ln 2 (Cody & Waite, 1980), then e^r − 1 by a polynomial and 2^n by exponent bits.

use super::{multiply_add, polynomial};
use crate::Real;

/// (n in shifted form, e^r − 1) for x + x_lo = n ln 2 + r.
#[inline(always)]
fn reduced<T: Real, const FUSED: bool>(x: T, x_lo: T) -> (T, T) {
    let shifted = multiply_add::<T, FUSED>(x, T::LOG2_E, T::SHIFT);
    let n = shifted - T::SHIFT;
    let r = multiply_add::<T, FUSED>(-n, T::LN2_HI, x) - multiply_add::<T, FUSED>(n, T::LN2_LO, -x_lo);
    (shifted, multiply_add::<T, FUSED>(r * r, polynomial::<T, FUSED>(r, T::EXP_TAIL), r))
}

/// e^(x + x_lo) with |x_lo| far below |x|.
#[inline(always)]
pub(crate) fn exp_of_sum<T: Real, const FUSED: bool>(x: T, x_lo: T) -> T {
    // min and max return their second argument when it is NaN, so NaN passes through.
    let x = T::EXP_HIGHEST.min(T::EXP_LOWEST.max(x));
    let (shifted, r_exp_m1) = reduced::<T, FUSED>(x, x_lo);
    (T::ONE + r_exp_m1).scale(shifted)
}

/// e^x.
#[inline(always)]
pub(crate) fn exp<T: Real, const FUSED: bool>(x: T) -> T {
    exp_of_sum::<T, FUSED>(x, T::ZERO)
}

/// tanh |x| = e/(e + 2) with e = e^(2|x|) − 1 = 2^n(e^r − 1) + (2^n − 1): no cancellation, since n ≥ 0 and n = 0 near the origin.
#[inline(always)]
pub(crate) fn tanh<T: Real, const FUSED: bool>(x: T) -> T {
    let a = T::TANH_SATURATES.min(x.abs());
    let (shifted, r_exp_m1) = reduced::<T, FUSED>(a + a, T::ZERO);
    let power = T::power_of_two(shifted);
    let e = multiply_add::<T, FUSED>(power, r_exp_m1, power - T::ONE);
    (e / (e + T::from_f64(2.0))).copysign(x)
}

/// 1/(1 + e^−x), through e^−|x| so that nothing overflows.
#[inline(always)]
pub(crate) fn sigmoid<T: Real, const FUSED: bool>(x: T) -> T {
    let e = exp::<T, FUSED>(-x.abs());
    let numerator = if x < T::ZERO { e } else { T::ONE };
    numerator / (T::ONE + e)
}
