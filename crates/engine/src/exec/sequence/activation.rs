//! Element-wise functions h = σ(z), half by half.
//!
//! ```text
//! lower values     h = σ,  h_b = σ' z_b
//! upper adjoints   z̄_L = σ' h̄_L,  z̄_W = σ' h̄_W + σ'' z_b h̄_L
//! upper values     h_W = σ' z_W,  h_L = σ' z_L + σ'' Σ_b z_b z_W
//! lower adjoints   z̄_b = σ' h̄_b + σ'' Σ z_W h̄_L,  z̄ = σ' h̄ + σ'' G₁ + σ''' G₂
//! ```
//!
//! with `G₁ = Σ h̄_b z_b + Σ (h̄_W z_W + h̄_L z_L)` and `G₂ = Σ h̄_L z_b z_W`. A wave ω₁ sin + ω₂ cos has σ'' = −σ and σ''' = −σ': with
//! σ stored as its value and σ' beside it, sine and cosine are computed once. Its lower adjoints are in [`super::wave`].

use super::{Both, Target, plane, plane_mut, put};
use crate::exec::activation::Shape;
use crate::exec::lanes;
use crate::plan::Jets;
use ropinn_vmath::{Activation, Real, dispatch, lane};

/// Planes of scratch the rules need: four of a tower, G₁ and G₂, or the lower ones and four of sums.
pub(crate) fn scratch_planes(jets: &Jets) -> usize {
    6.max(jets.lower() + 4)
}

/// Sizes of the node: units and columns.
type Size = (usize, usize);

/// σ' and, times a sign, σ'' and σ''' of one unit.
struct Slopes<'a, T> {
    first: &'a [T],
    second: &'a [T],
    third: &'a [T],
    sign: T,
}

/// What the rules read of a node: the function, its operand, its values, and σ' of waves.
#[derive(Clone, Copy)]
pub(crate) struct Function<'a, T> {
    pub shape: Shape<T>,
    pub z: Both<'a, T>,
    pub h: &'a [T],
    pub slopes: &'a [T],
}

impl<T: Real> Function<'_, T> {
    /// σ' … of a unit; `tower` is room for those that are not stored.
    #[inline(always)]
    fn at<'a>(&'a self, unit: usize, row: usize, n: usize, tower: &'a mut [T]) -> Slopes<'a, T> {
        let stored = &self.h[unit * row..][..n];
        if let Shape::Wave(_) = self.shape {
            let first = &self.slopes[unit * n..][..n];
            return Slopes { first, second: stored, third: first, sign: -T::ONE };
        }
        let tower = &mut tower[..4 * n];
        let kind = kind(self.shape);
        if !kind.tower_from_output(3, stored, tower) {
            kind.tower(3, &self.z.lower[unit * row..][..n], tower);
        }
        let (first, rest) = tower[n..].split_at(n);
        let (second, third) = rest.split_at(n);
        Slopes { first, second, third, sign: T::ONE }
    }
}

fn kind<T>(shape: Shape<T>) -> Activation {
    if let Shape::Fixed(kind) = shape { kind } else { Activation::Identity }
}

/// Lower values; `slopes` receives σ' of waves.
pub(crate) fn lower_values<T: Real>(
    jets: &Jets,
    shape: Shape<T>,
    z: &[T],
    h: &mut [T],
    slopes: &mut [T],
    (units, n): Size,
    scratch: &mut [T],
) {
    let row = jets.lower() * n;
    if let Shape::Wave([sine, cosine]) = shape {
        dispatch(inlined!(|| {
            for unit in 0..units {
                let (z, h) = (&z[unit * row..][..row], &mut h[unit * row..][..row]);
                let first = &mut slopes[unit * n..][..n];
                let (value, angle) = (&mut h[..n], &z[..n]);
                for i in 0..n {
                    let (sin, cos) = lane::sin_cos(angle[i]);
                    value[i] = sine * sin + cosine * cos;
                    first[i] = sine * cos - cosine * sin;
                }
                for p in 1..jets.lower() {
                    let z = plane(z, p, n, n);
                    lanes::set_with(plane_mut(h, p, n, n), inlined!(|i| first[i] * z[i]));
                }
            }
        }));
        return;
    }
    let tower = &mut scratch[..2 * n];
    for unit in 0..units {
        let (z, h) = (&z[unit * row..][..row], &mut h[unit * row..][..row]);
        kind(shape).tower(1, &z[..n], tower);
        h[..n].copy_from_slice(&tower[..n]);
        let first = &tower[n..][..n];
        dispatch(inlined!(|| for p in 1..jets.lower() {
            let z = plane(z, p, n, n);
            lanes::set_with(plane_mut(h, p, n, n), inlined!(|i| first[i] * z[i]));
        }));
    }
}

/// Upper values.
pub(crate) fn upper_values<T: Real>(
    jets: &Jets,
    function: Function<'_, T>,
    h: &mut [T],
    (units, n): Size,
    tower: &mut [T],
) {
    let (lower, upper) = (jets.lower() * n, jets.upper() * n);
    dispatch(inlined!(|| {
        for unit in 0..units {
            let Slopes { first, second, sign, .. } = function.at(unit, lower, n, tower);
            let (low, up) = (&function.z.lower[unit * lower..][..lower], &function.z.upper[unit * upper..][..upper]);
            let h = &mut h[unit * upper..][..upper];
            for group in &jets.groups {
                let z = plane(up, group.last, n, n);
                lanes::set_with(plane_mut(h, group.last, n, n), inlined!(|i| first[i] * z[i]));
                for &(b, w) in &group.pairs {
                    let (d, z) = (plane(low, b, n, n), plane(up, w, n, n));
                    lanes::set_with(plane_mut(h, w, n, n), inlined!(|i| first[i] * z[i]));
                    lanes::add_with(plane_mut(h, group.last, n, n), inlined!(|i| sign * second[i] * d[i] * z[i]));
                }
            }
        }
    }));
}

/// Upper adjoints.
pub(crate) fn upper_adjoints<T: Real>(
    jets: &Jets,
    function: Function<'_, T>,
    hbar: &[T],
    target: Target<'_, T>,
    (units, n): Size,
    tower: &mut [T],
) {
    let (lower, upper) = (jets.lower() * n, jets.upper() * n);
    let fresh = target.fresh;
    dispatch(inlined!(|| {
        for unit in 0..units {
            let Slopes { first, second, sign, .. } = function.at(unit, lower, n, tower);
            let low = &function.z.lower[unit * lower..][..lower];
            let (hbar, bar) = (&hbar[unit * upper..][..upper], &mut target.numbers[unit * upper..][..upper]);
            for group in &jets.groups {
                let last = plane(hbar, group.last, n, n);
                put(plane_mut(bar, group.last, n, n), fresh, inlined!(|i| first[i] * last[i]));
                for &(b, w) in &group.pairs {
                    let (d, h) = (plane(low, b, n, n), plane(hbar, w, n, n));
                    let bar = plane_mut(bar, w, n, n);
                    put(bar, fresh, inlined!(|i| first[i] * h[i] + sign * second[i] * d[i] * last[i]));
                }
            }
        }
    }));
}

/// Lower adjoints of a function without trained amplitudes.
pub(crate) fn lower_adjoints<T: Real>(
    jets: &Jets,
    function: Function<'_, T>,
    hbar: Both<'_, T>,
    target: Target<'_, T>,
    (units, n): Size,
    scratch: &mut [T],
) {
    let (lower, upper) = (jets.lower() * n, jets.upper() * n);
    let fresh = target.fresh;
    let (tower, rest) = scratch.split_at_mut(4 * n);
    let (g1, rest) = rest.split_at_mut(n);
    let g2 = &mut rest[..n];
    dispatch(inlined!(|| {
        for unit in 0..units {
            let Slopes { first, second, third, sign } = function.at(unit, lower, n, tower);
            let (low, up) = (&function.z.lower[unit * lower..][..lower], &function.z.upper[unit * upper..][..upper]);
            let (hbar, hup) = (&hbar.lower[unit * lower..][..lower], &hbar.upper[unit * upper..][..upper]);
            let bar = &mut target.numbers[unit * lower..][..lower];
            g1.fill(T::ZERO);
            g2.fill(T::ZERO);
            for p in 1..jets.lower() {
                let h = plane(hbar, p, n, n);
                lanes::add_product(g1, h, plane(low, p, n, n));
                put(plane_mut(bar, p, n, n), fresh, inlined!(|i| first[i] * h[i]));
            }
            for group in &jets.groups {
                let last = plane(hup, group.last, n, n);
                lanes::add_product(g1, last, plane(up, group.last, n, n));
                for &(b, w) in &group.pairs {
                    let (d, z, h) = (plane(low, b, n, n), plane(up, w, n, n), plane(hup, w, n, n));
                    for i in 0..n {
                        g1[i] += h[i] * z[i];
                        g2[i] += last[i] * d[i] * z[i];
                    }
                    lanes::add_with(plane_mut(bar, b, n, n), inlined!(|i| sign * second[i] * z[i] * last[i]));
                }
            }
            let (h0, bar) = (&hbar[..n], &mut bar[..n]);
            put(bar, fresh, inlined!(|i| first[i] * h0[i] + sign * (second[i] * g1[i] + third[i] * g2[i])));
        }
    }));
}
