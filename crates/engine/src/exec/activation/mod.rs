//! Element-wise functions on jets by the chain rule, and their adjoints.
//!
//! Forward, channel c of `h = σ(z)` is `Σ_t a_t σ^(k_t)(z) Π z_f`. Backward, with `G_k = Σ_{c,t: k_t = k} h̄_c a_t Π z_f`,
//! every factor receives `h̄_c a_t σ^(k)(z) Π_{others} z` and the value receives `Σ_k G_k σ^(k+1)(z)`. The same `G_k` give the
//! gradient of trained amplitudes: `h` is linear in them.

mod backward;
mod forward;
pub(crate) mod spline;

pub(crate) use backward::{OperandAdjoint, Output, backward};
pub(crate) use forward::forward;

use crate::jet::JET_ORDER;
use crate::network::Activation;
use crate::plan::{Operand, SlotCoef, SlotTerm};
use ropinn_vmath::{Real, dispatch, lane};

/// Which function, with its trained numbers if it has any.
#[derive(Clone, Copy)]
pub(crate) enum Shape<T> {
    Fixed(Activation),
    /// ω₁ sin + ω₂ cos.
    Wave([T; 2]),
}

impl<T: Real> Shape<T> {
    /// σ^(k)(z) for k = 0..=k_max into `s`, order-major.
    fn tower(&self, k_max: usize, z: &[T], s: &mut [T]) {
        let n = z.len();
        match self {
            Self::Fixed(kind) => kind.tower(k_max, z, s),
            Self::Wave([sine, cosine]) => dispatch(inlined!(|| {
                for (i, &z) in z.iter().enumerate() {
                    let (sin, cos) = lane::sin_cos(z);
                    let (value, slope) = (*sine * sin + *cosine * cos, *sine * cos - *cosine * sin);
                    let cycle = [value, slope, -value, -slope];
                    for k in 0..=k_max {
                        s[k * n + i] = cycle[k % 4];
                    }
                }
            })),
        }
    }
}

impl<T: Real> Shape<T> {
    /// The tower once more for the backward sweep, from the stored output where that determines everything.
    fn tower_again(&self, k_max: usize, z: &[T], stored: Option<&[T]>, s: &mut [T]) {
        match (self, stored) {
            (Self::Fixed(kind), Some(y)) if kind.tower_from_output(k_max, y, s) => {}
            _ => self.tower(k_max, z, s),
        }
    }
}

/// A term with the uniform factors of this unit folded into its number.
struct Folded<'a, T> {
    scale: T,
    lanes: Option<&'a [T]>,
    planes: [usize; JET_ORDER],
    count: usize,
}

#[inline(always)]
fn fold<'a, T: Real>(term: &SlotTerm, uniforms: &[T], coefs: &'a [T], n: usize) -> Folded<'a, T> {
    let mut folded = Folded {
        scale: T::from_f64(term.coef.scale),
        lanes: coef_lanes(&term.coef, coefs, n),
        planes: [0; JET_ORDER],
        count: 0,
    };
    for factor in &term.factors {
        match factor {
            Operand::Uniform(u) => folded.scale *= uniforms[*u],
            Operand::Full(plane) => {
                folded.planes[folded.count] = *plane;
                folded.count += 1;
            }
        }
    }
    folded
}

#[inline(always)]
fn coef_lanes<'a, T>(coef: &SlotCoef, coefs: &'a [T], n: usize) -> Option<&'a [T]> {
    coef.lanes.map(|slot| &coefs[slot * n..(slot + 1) * n])
}
