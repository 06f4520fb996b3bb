//! Products, sums and concatenations of jets, and closed-form fields.

use super::lanes;
use crate::plan::{ProductPlan, Side, SlotCoef};
use ropinn_vmath::{Real, dispatch};

/// y = a ⊙ b by the product rule.
pub(crate) fn product_forward<T: Real>(
    plan: &ProductPlan,
    (a, sa): (&[T], Side),
    (b, sb): (&[T], Side),
    (y, sy): (&mut [T], Side),
    coefs: &[T],
) {
    let n = sy.columns;
    dispatch(inlined!(|| {
        for unit in 0..sy.units {
            for (slot, terms) in &plan.outs {
                let target = &mut y[(unit * sy.full + slot) * n..][..n];
                target.fill(T::ZERO);
                for (coef, left, right) in terms {
                    let l = &a[(unit * sa.full + left) * n..][..n];
                    let r = &b[(unit * sb.full + right) * n..][..n];
                    add_scaled_product(target, coef, coefs, l, r);
                }
            }
        }
    }));
}

/// Adjoint of one operand of y = a ⊙ b: `xbar` belongs to the left operand if `left`, else to the right one.
pub(crate) fn product_backward<T: Real>(
    plan: &ProductPlan,
    left: bool,
    (other, so): (&[T], Side),
    (ybar, sy): (&[T], Side),
    (xbar, sx): (&mut [T], Side),
    coefs: &[T],
) {
    let n = sy.columns;
    dispatch(inlined!(|| {
        for unit in 0..sy.units {
            for (slot, terms) in &plan.outs {
                let h = &ybar[(unit * sy.full + slot) * n..][..n];
                for (coef, l, r) in terms {
                    let (own, opposite) = if left { (l, r) } else { (r, l) };
                    let target = &mut xbar[(unit * sx.full + own) * n..][..n];
                    add_scaled_product(target, coef, coefs, h, &other[(unit * so.full + opposite) * n..][..n]);
                }
            }
        }
    }));
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

/// Adds the planes of `part` into `y` starting at `first_unit` (sum: 0, concatenation: the units before it).
pub(crate) fn add_planes<T: Real>(
    pairs: &[(usize, usize)],
    units: usize,
    first_unit: usize,
    (part, sp): (&[T], Side),
    (y, sy): (&mut [T], Side),
) {
    let n = sy.columns;
    for unit in 0..units {
        for &(from, to) in pairs {
            let source = &part[(unit * sp.full + from) * n..][..n];
            lanes::add(&mut y[((first_unit + unit) * sy.full + to) * n..][..n], source);
        }
    }
}

/// The adjoint of [`add_planes`].
pub(crate) fn take_planes<T: Real>(
    pairs: &[(usize, usize)],
    units: usize,
    first_unit: usize,
    (ybar, sy): (&[T], Side),
    (part, sp): (&mut [T], Side),
) {
    let n = sy.columns;
    for unit in 0..units {
        for &(from, to) in pairs {
            let source = &ybar[((first_unit + unit) * sy.full + to) * n..][..n];
            lanes::add(&mut part[(unit * sp.full + from) * n..][..n], source);
        }
    }
}
