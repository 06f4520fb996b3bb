//! Closed-form functions g of the coordinates of one element, half by half.
//!
//! Upper values are `g_W = Σ_a a_W ∂_a g` and `g_L = Σ_a (a_L ∂_a g + Σ_b a_W ∂_a∂_b g)`, with the upper values of the coordinates
//! a; upper adjoints are `ā_L += g̅_L ∂_a g` and `ā_W += g̅_W ∂_a g + g̅_L ∂_a∂_b g`.

use super::{plane, plane_mut};
use crate::exec::lanes;
use crate::plan::Jets;
use ropinn_vmath::{Real, dispatch};

/// Functions per unit that a field keeps: see `SequenceRule::Field`.
pub(crate) fn kept_planes(jets: &Jets, axes: usize) -> usize {
    1 + axes * jets.lower()
}

/// Lower values from what is kept.
pub(crate) fn lower_values<T: Real>(jets: &Jets, axes: usize, kept: &[T], y: &mut [T], columns: usize) {
    let units = kept.chunks_exact(kept_planes(jets, axes) * columns);
    for (kept, y) in units.zip(y.chunks_exact_mut(jets.lower() * columns)) {
        y[..columns].copy_from_slice(&kept[..columns]);
        for (p, axis) in jets.along.iter().enumerate() {
            plane_mut(y, 1 + p, columns, columns).copy_from_slice(plane(kept, 1 + axis, columns, columns));
        }
    }
}

/// Upper values from those of the coordinates.
pub(crate) fn upper_values<T: Real>(jets: &Jets, axes: usize, kept: &[T], x: &[T], y: &mut [T], columns: usize) {
    let upper = jets.upper();
    dispatch(inlined!(|| {
        let units = kept.chunks_exact(kept_planes(jets, axes) * columns);
        for (kept, y) in units.zip(y.chunks_exact_mut(upper * columns)) {
            y.fill(T::ZERO);
            for axis in 0..axes {
                let first = plane(kept, 1 + axis, columns, columns);
                let x = &x[axis * upper * columns..][..upper * columns];
                for p in 0..upper {
                    lanes::add_product(plane_mut(y, p, columns, columns), first, plane(x, p, columns, columns));
                }
                for group in &jets.groups {
                    for &(b, w) in &group.pairs {
                        let second = plane(kept, 1 + b * axes + axis, columns, columns);
                        let last = plane_mut(y, group.last, columns, columns);
                        lanes::add_product(last, second, plane(x, w, columns, columns));
                    }
                }
            }
        }
    }));
}

/// Adds the upper adjoints of the coordinates.
pub(crate) fn upper_adjoints<T: Real>(
    jets: &Jets,
    axes: usize,
    kept: &[T],
    ybar: &[T],
    xbar: &mut [T],
    columns: usize,
) {
    let upper = jets.upper();
    dispatch(inlined!(|| {
        let units = kept.chunks_exact(kept_planes(jets, axes) * columns);
        for (kept, ybar) in units.zip(ybar.chunks_exact(upper * columns)) {
            for axis in 0..axes {
                let first = plane(kept, 1 + axis, columns, columns);
                let bar = &mut xbar[axis * upper * columns..][..upper * columns];
                for p in 0..upper {
                    lanes::add_product(plane_mut(bar, p, columns, columns), first, plane(ybar, p, columns, columns));
                }
                for group in &jets.groups {
                    for &(b, w) in &group.pairs {
                        let second = plane(kept, 1 + b * axes + axis, columns, columns);
                        let last = plane(ybar, group.last, columns, columns);
                        lanes::add_product(plane_mut(bar, w, columns, columns), second, last);
                    }
                }
            }
        }
    }));
}
