//! sin, cos and tan: x = n π/2 + r with |r| ≤ π/4, both polynomials at r, then one is picked by the parity of n.
//!
//! Accurate for |x| ≤ [`Format::TRIG_RANGE`](crate::format::Format::TRIG_RANGE); the slice forms of the crate cover the rest.

use super::{multiply_add, polynomial};
use crate::Real;

/// (sin |x|, cos x).
#[inline(always)]
fn of_magnitude<T: Real, const FUSED: bool>(x: T) -> (T, T) {
    let a = x.abs();
    let shifted = a * T::TWO_OVER_PI + T::SHIFT;
    let r = a.minus_quarter_turns(shifted - T::SHIFT);
    let z = r * r;
    let sin_r = multiply_add::<T, FUSED>(z * r, polynomial::<T, FUSED>(z, T::SIN_TAIL), r);
    // 1 − z/2 loses bits of z/2; the term in brackets restores them (fdlibm, k_cos.c).
    let half_z = T::from_f64(0.5) * z;
    let head = T::ONE - half_z;
    let cos_r = head + (((T::ONE - head) - half_z) + (z * z) * polynomial::<T, FUSED>(z, T::COS_TAIL));
    let odd = T::is_odd(shifted);
    let sin = if odd { cos_r } else { sin_r };
    let cos = if odd { sin_r } else { cos_r };
    (sin.negate_on_half_turn(shifted, 0), cos.negate_on_half_turn(shifted, 1))
}

/// sin x and cos x.
#[inline(always)]
pub(crate) fn sin_cos<T: Real, const FUSED: bool>(x: T) -> (T, T) {
    let (sin, cos) = of_magnitude::<T, FUSED>(x);
    // Working with |x| keeps sin(−0) = −0.
    (sin.negate_with(x), cos)
}
