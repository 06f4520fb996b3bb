//! Products, sums and concatenations of jets.
//!
//! `y_c = Σ_t coef_t a_l b_r [+ c_c]` by the product rule. Its adjoints have the same form, `ā_l = Σ coef_t ȳ_c b_r`, so one loop over
//! lanes serves all three; the first to write an array assigns, and nothing is filled with zeros to be added to.

use super::lanes::{self, write};
use crate::plan::{ProductSlots, Side, SlotCoef};
use ropinn_vmath::{Real, dispatch};

/// What is added to products: for each plane of the result the plane it takes.
#[derive(Clone, Copy)]
pub(crate) struct Plus<'a, T> {
    pub values: &'a [T],
    pub side: Side,
    pub planes: &'a [Option<usize>],
}

/// y (=|+=) Σ coef·l·r + plus, plane by plane: `terms[p]` for each plane p of y.
pub(crate) fn products<T: Real>(
    terms: &[Vec<ProductSlots>],
    l: (&[T], Side),
    r: (&[T], Side),
    plus: Option<Plus<'_, T>>,
    (y, ys): (&mut [T], Side),
    coefs: &[T],
    fresh: bool,
) {
    let n = ys.columns;
    dispatch(inlined!(|| {
        for unit in 0..ys.units {
            for (slot, terms) in terms.iter().enumerate() {
                let target = &mut y[(unit * ys.full + slot) * n..][..n];
                let added = match plus {
                    Some(Plus { values, side, planes }) => {
                        planes[slot].map(inlined!(|plane| lanes_of((values, side), unit, plane, n)))
                    }
                    None => None,
                };
                plane_of_products(target, terms, (l, r, unit, n), added, coefs, fresh);
            }
        }
    }));
}

/// Two factors, which unit of them counts, and the length of a plane.
type Factors<'a, T> = ((&'a [T], Side), (&'a [T], Side), usize, usize);

/// target (=|+=) Σ coef·l·r + added, two terms in a loop: a first derivative has two, an operator a few more.
#[inline(always)]
fn plane_of_products<T: Real>(
    target: &mut [T],
    terms: &[ProductSlots],
    factors: Factors<'_, T>,
    added: Option<&[T]>,
    coefs: &[T],
    fresh: bool,
) {
    let n = factors.3;
    let (target, added) = (&mut target[..n], added.map(inlined!(|added| &added[..n])));
    if terms.is_empty() || terms.iter().any(|(coef, _, _)| coef.lanes.is_some()) {
        set_plane(target, added, fresh);
        for term in terms {
            let (_, l, r) = term_lanes(term, factors);
            add_scaled_product(target, &term.0, coefs, l, r);
        }
        return;
    }
    for (pass, pair) in terms.chunks(2).enumerate() {
        let fresh = fresh && pass == 0;
        let (c, l, r) = term_lanes(&pair[0], factors);
        match (pair.get(1), added.filter(|_| pass == 0)) {
            (Some(other), Some(added)) => {
                let (d, m, s) = term_lanes(other, factors);
                write(target, fresh, inlined!(|i| c * l[i] * r[i] + d * m[i] * s[i] + added[i]));
            }
            (Some(other), None) => {
                let (d, m, s) = term_lanes(other, factors);
                write(target, fresh, inlined!(|i| c * l[i] * r[i] + d * m[i] * s[i]));
            }
            (None, Some(added)) => write(target, fresh, inlined!(|i| c * l[i] * r[i] + added[i])),
            (None, None) => write(target, fresh, inlined!(|i| c * l[i] * r[i])),
        }
    }
}

/// The numbers of one term.
#[inline(always)]
fn term_lanes<'a, T: Real>(
    (coef, left, right): &ProductSlots,
    (l, r, unit, n): Factors<'a, T>,
) -> (T, &'a [T], &'a [T]) {
    (T::from_f64(coef.scale), lanes_of(l, unit, *left, n), lanes_of(r, unit, *right, n))
}

/// One plane of one unit, `n` lanes: all slices of a loop must be cut to one length for it to become vector code.
#[inline(always)]
fn lanes_of<T>((x, side): (&[T], Side), unit: usize, plane: usize, n: usize) -> &[T] {
    &x[(unit * side.full + plane) * n..][..n]
}

/// target (=|+=) source, which may be zero.
#[inline(always)]
fn set_plane<T: Real>(target: &mut [T], source: Option<&[T]>, fresh: bool) {
    match source {
        Some(source) if fresh => target.copy_from_slice(source),
        Some(source) => lanes::add(target, source),
        None if fresh => target.fill(T::ZERO),
        None => {}
    }
}

/// target += coef·a·b.
#[inline(always)]
pub(crate) fn add_scaled_product<T: Real>(target: &mut [T], coef: &SlotCoef, coefs: &[T], a: &[T], b: &[T]) {
    let scale = T::from_f64(coef.scale);
    match coef.lanes {
        None => {
            for ((y, &a), &b) in target.iter_mut().zip(a).zip(b) {
                *y += scale * a * b;
            }
        }
        Some(slot) => {
            let n = target.len();
            let c = &coefs[slot * n..][..n];
            for (((y, &a), &b), &c) in target.iter_mut().zip(a).zip(b).zip(c) {
                *y += scale * c * a * b;
            }
        }
    }
}

/// Units of y (=|+=) units of x: `planes[p]` is the plane of x that plane p of y takes. They begin at unit `y_first` of y and at
/// unit `x_first` of x, and there are `units` of them.
pub(crate) fn transfer<T: Real>(
    planes: &[Option<usize>],
    units: usize,
    (x, xs, x_first): (&[T], Side, usize),
    (y, ys, y_first): (&mut [T], Side, usize),
    fresh: bool,
) {
    let n = ys.columns;
    dispatch(inlined!(|| {
        for unit in 0..units {
            for (slot, plane) in planes.iter().enumerate() {
                let source = plane.map(inlined!(|plane| &x[((x_first + unit) * xs.full + plane) * n..][..n]));
                set_plane(&mut y[((y_first + unit) * ys.full + slot) * n..][..n], source, fresh);
            }
        }
    }));
}
