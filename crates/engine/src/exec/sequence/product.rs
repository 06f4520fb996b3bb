//! Products of jets, y = a·b, and their adjoints.
//!
//! Values: `y_b = a_b b + a b_b`, `y_W = a_W b + a b_W`, `y_L = a_L b + a b_L + Σ_b (a_b b_W + a_W b_b)`. Adjoints of a, with x for
//! the other operand: `ā_L = x ȳ_L`, `ā_W = x ȳ_W + x_b ȳ_L`, `ā_b = x ȳ_b + x_W ȳ_L` and
//! `ā = x ȳ + Σ_b (x_b ȳ_b + x_W ȳ_W) + x_L ȳ_L`: the product rule once more, read from the other end.

use super::{Both, Target, plane, plane_mut};
use crate::plan::Jets;
use ropinn_vmath::{Real, dispatch};

/// A jet whose planes are `stride` apart, or its adjoint.
#[derive(Clone, Copy)]
pub(super) struct Jet<'a, T> {
    pub lower: &'a [T],
    pub upper: &'a [T],
    pub stride: usize,
}

impl<'a, T> Jet<'a, T> {
    #[inline(always)]
    fn low(&self, p: usize, n: usize) -> &'a [T] {
        plane(self.lower, p, self.stride, n)
    }

    #[inline(always)]
    fn up(&self, p: usize, n: usize) -> &'a [T] {
        plane(self.upper, p, self.stride, n)
    }
}

/// y += c·a·b.
#[inline(always)]
fn add1<T: Real>(y: &mut [T], c: T, a: &[T], b: &[T]) {
    let n = y.len();
    let (a, b) = (&a[..n], &b[..n]);
    for i in 0..n {
        y[i] += c * a[i] * b[i];
    }
}

/// y += c·(a·b + d·e).
#[inline(always)]
fn add2<T: Real>(y: &mut [T], c: T, (a, b): (&[T], &[T]), (d, e): (&[T], &[T])) {
    let n = y.len();
    let (a, b, d, e) = (&a[..n], &b[..n], &d[..n], &e[..n]);
    for i in 0..n {
        y[i] += c * (a[i] * b[i] + d[i] * e[i]);
    }
}

/// Lower planes of y += c·a·b, n lanes each.
#[inline(always)]
pub(super) fn add_lower<T: Real>(jets: &Jets, c: T, a: Jet<'_, T>, b: Jet<'_, T>, y: (&mut [T], usize), n: usize) {
    let (y, stride) = y;
    add1(plane_mut(y, 0, stride, n), c, a.low(0, n), b.low(0, n));
    for p in 1..jets.lower() {
        add2(plane_mut(y, p, stride, n), c, (a.low(p, n), b.low(0, n)), (a.low(0, n), b.low(p, n)));
    }
}

/// Upper planes of y += c·a·b.
#[inline(always)]
pub(super) fn add_upper<T: Real>(jets: &Jets, c: T, a: Jet<'_, T>, b: Jet<'_, T>, y: (&mut [T], usize), n: usize) {
    let (y, stride) = y;
    for group in &jets.groups {
        for &p in group.pairs.iter().map(|(_, w)| w).chain([&group.last]) {
            add2(plane_mut(y, p, stride, n), c, (a.up(p, n), b.low(0, n)), (a.low(0, n), b.up(p, n)));
        }
        for &(d, w) in &group.pairs {
            let last = plane_mut(y, group.last, stride, n);
            add2(last, c, (a.low(d, n), b.up(w, n)), (a.up(w, n), b.low(d, n)));
        }
    }
}

/// Upper planes of ā += c·x·ȳ.
#[inline(always)]
pub(super) fn adjoint_upper<T: Real>(
    jets: &Jets,
    c: T,
    x: Jet<'_, T>,
    ybar: Jet<'_, T>,
    (bar, stride): (&mut [T], usize),
    n: usize,
) {
    for group in &jets.groups {
        let last = ybar.up(group.last, n);
        add1(plane_mut(bar, group.last, stride, n), c, x.low(0, n), last);
        for &(d, w) in &group.pairs {
            add2(plane_mut(bar, w, stride, n), c, (x.low(0, n), ybar.up(w, n)), (x.low(d, n), last));
        }
    }
}

/// Lower planes of ā += c·x·ȳ.
#[inline(always)]
pub(super) fn adjoint_lower<T: Real>(
    jets: &Jets,
    c: T,
    x: Jet<'_, T>,
    ybar: Jet<'_, T>,
    (bar, stride): (&mut [T], usize),
    n: usize,
) {
    add1(plane_mut(bar, 0, stride, n), c, x.low(0, n), ybar.low(0, n));
    for p in 1..jets.lower() {
        add1(plane_mut(bar, p, stride, n), c, x.low(0, n), ybar.low(p, n));
        add1(plane_mut(bar, 0, stride, n), c, x.low(p, n), ybar.low(p, n));
    }
    for group in &jets.groups {
        let last = ybar.up(group.last, n);
        add1(plane_mut(bar, 0, stride, n), c, x.up(group.last, n), last);
        for &(d, w) in &group.pairs {
            add1(plane_mut(bar, d, stride, n), c, x.up(w, n), last);
            add1(plane_mut(bar, 0, stride, n), c, x.up(w, n), ybar.up(w, n));
        }
    }
}

/// One unit of a node.
#[inline(always)]
fn unit<'a, T>(jets: &Jets, both: Both<'a, T>, unit: usize, columns: usize) -> Jet<'a, T> {
    let (lower, upper) = (jets.lower() * columns, jets.upper() * columns);
    let slice = |numbers: &'a [T], row: usize| if numbers.is_empty() { numbers } else { &numbers[unit * row..][..row] };
    Jet { lower: slice(both.lower, lower), upper: slice(both.upper, upper), stride: columns }
}

/// A half of y = a ⊙ b.
pub(crate) fn forward<T: Real>(
    jets: &Jets,
    is_upper: bool,
    a: Both<'_, T>,
    b: Both<'_, T>,
    y: &mut [T],
    (units, columns): (usize, usize),
) {
    let row = columns * if is_upper { jets.upper() } else { jets.lower() };
    dispatch(inlined!(|| {
        for u in 0..units {
            let (a, b) = (unit(jets, a, u, columns), unit(jets, b, u, columns));
            let y = &mut y[u * row..][..row];
            y.fill(T::ZERO);
            if is_upper {
                add_upper(jets, T::ONE, a, b, (y, columns), columns);
            } else {
                add_lower(jets, T::ONE, a, b, (y, columns), columns);
            }
        }
    }));
}

/// A half of the adjoint of one operand of a product, `other` being the values of the other one.
pub(crate) fn backward<T: Real>(
    jets: &Jets,
    is_upper: bool,
    other: Both<'_, T>,
    ybar: Both<'_, T>,
    target: Target<'_, T>,
    (units, columns): (usize, usize),
) {
    let row = columns * if is_upper { jets.upper() } else { jets.lower() };
    dispatch(inlined!(|| {
        for u in 0..units {
            let (other, ybar) = (unit(jets, other, u, columns), unit(jets, ybar, u, columns));
            let bar = &mut target.numbers[u * row..][..row];
            if target.fresh {
                bar.fill(T::ZERO);
            }
            if is_upper {
                adjoint_upper(jets, T::ONE, other, ybar, (bar, columns), columns);
            } else {
                adjoint_lower(jets, T::ONE, other, ybar, (bar, columns), columns);
            }
        }
    }));
}
