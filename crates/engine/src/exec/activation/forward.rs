//! The chain rule forward.

use super::{Folded, Shape, fold};
use crate::exec::lanes;
use crate::exec::quadratic::{self, MOST_FIRST};
use crate::plan::{ActivationPlan, Side};
use ropinn_vmath::{Real, dispatch};

/// y = σ(x) on all channels.
pub(crate) fn forward<T: Real>(
    plan: &ActivationPlan,
    shape: Shape<T>,
    (x, xu, xs): (&[T], &[T], Side),
    (y, ys): (&mut [T], Side),
    coefs: &[T],
    scratch: &mut [T],
) {
    let n = xs.columns;
    let (tower, rest) = scratch.split_at_mut((plan.order + 1) * n);
    let product = &mut rest[..n];
    for unit in 0..ys.units {
        let z = &x[unit * xs.row()..][..xs.row()];
        let uniforms = &xu[unit * xs.uniform..][..xs.uniform];
        let out = &mut y[unit * ys.row()..][..ys.row()];
        shape.tower(plan.order, &z[plan.value_in * n..][..n], tower);
        if let Some(value) = plan.value_out {
            out[value * n..][..n].copy_from_slice(&tower[..n]);
        }
        if let Some(q) = plan.quadratic.as_ref().filter(|q| q.first.len() <= MOST_FIRST) {
            dispatch(inlined!(|| match q.first.len() {
                0 => quadratic::unit_forward::<T, 0>(q, z, out, tower, n),
                1 => quadratic::unit_forward::<T, 1>(q, z, out, tower, n),
                2 => quadratic::unit_forward::<T, 2>(q, z, out, tower, n),
                _ => quadratic::unit_forward::<T, MOST_FIRST>(q, z, out, tower, n),
            }));
            continue;
        }
        dispatch(inlined!(|| {
            for (slot, terms) in &plan.outs {
                let target = &mut out[slot * n..][..n];
                for (t, term) in terms.iter().enumerate() {
                    let term_fold = fold(term, uniforms, coefs, n);
                    let s = &tower[term.factors.len() * n..][..n];
                    write_term(target, t == 0, &term_fold, s, z, n, product);
                }
            }
        }));
    }
}

/// target (=|+=) scale·s·Π planes[·lanes].
#[inline(always)]
fn write_term<T: Real>(
    target: &mut [T],
    first: bool,
    term: &Folded<'_, T>,
    s: &[T],
    z: &[T],
    n: usize,
    product: &mut [T],
) {
    let plane = |i: usize| &z[term.planes[i] * n..][..n];
    let (c, s) = (term.scale, &s[..n]);
    let target = &mut target[..n];
    match (term.count, term.lanes) {
        (0, None) => lanes::product(target, first, c, [s]),
        (1, None) => lanes::product(target, first, c, [s, plane(0)]),
        (2, None) => lanes::product(target, first, c, [s, plane(0), plane(1)]),
        _ => {
            lanes::product(&mut product[..n], true, c, [s]);
            if let Some(l) = term.lanes {
                lanes::scale_by(product, l);
            }
            for f in 0..term.count {
                lanes::scale_by(product, plane(f));
            }
            if first { target.copy_from_slice(product) } else { lanes::add(target, product) }
        }
    }
}
