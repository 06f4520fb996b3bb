//! Element-wise functions on jets by the chain rule, and their adjoints.
//!
//! Forward, channel c of `h = σ(z)` is `Σ_t a_t σ^(k_t)(z) Π z_f`. Backward, with `G_k = Σ_{c,t: k_t = k} h̄_c a_t Π z_f`,
//! every factor receives `h̄_c a_t σ^(k)(z) Π_{others} z` and the value receives `Σ_k G_k σ^(k+1)(z)`. The same `G_k` give the
//! gradient of trained amplitudes: `h` is linear in them.

use super::lanes;
use super::sink::GradSink;
use crate::network::{Activation, SplineBasis};
use crate::plan::{ActivationPlan, Operand, Side, SlotCoef, SlotTerm};
use ropinn_vmath::{Real, dispatch, lane};

/// Which function, with its trained numbers if it has any.
#[derive(Clone, Copy)]
pub(crate) enum Shape<'a, T> {
    Fixed(Activation),
    /// ω₁ sin + ω₂ cos.
    Wave([T; 2]),
    /// Every basis function in turn: unit u of the result is basis u mod B of operand unit u div B.
    Spline(&'a SplineBasis),
}

impl<T: Real> Shape<'_, T> {
    /// Units of the result per unit of the operand.
    fn fan_out(&self) -> usize {
        match self {
            Self::Spline(basis) => basis.len(),
            _ => 1,
        }
    }

    /// σ^(k)(z) for k = 0..=k_max into `s`, order-major.
    #[inline(always)]
    fn tower(&self, unit: usize, k_max: usize, z: &[T], s: &mut [T]) {
        let n = z.len();
        match self {
            Self::Fixed(kind) => kind.tower(k_max, z, s),
            Self::Wave([sine, cosine]) => {
                for (i, &z) in z.iter().enumerate() {
                    let (sin, cos) = lane::sin_cos(z);
                    let cycle = [
                        *sine * sin + *cosine * cos,
                        *sine * cos - *cosine * sin,
                        -(*sine * sin) - *cosine * cos,
                        *cosine * sin - *sine * cos,
                    ];
                    for k in 0..=k_max {
                        s[k * n + i] = cycle[k % 4];
                    }
                }
            }
            Self::Spline(basis) => {
                let mut tower = [T::ZERO; crate::jet::MAX_ORDER + 2];
                for (i, &z) in z.iter().enumerate() {
                    basis.tower(unit % basis.len(), z, k_max, &mut tower);
                    for k in 0..=k_max {
                        s[k * n + i] = tower[k];
                    }
                }
            }
        }
    }
}

/// A term with the uniform factors of this unit folded into its number.
struct Folded<'a, T> {
    scale: T,
    lanes: Option<&'a [T]>,
    planes: [usize; crate::jet::MAX_ORDER],
    count: usize,
}

#[inline(always)]
fn fold<'a, T: Real>(term: &SlotTerm, uniforms: &[T], coefs: &'a [T], n: usize) -> Folded<'a, T> {
    let mut folded = Folded {
        scale: T::from_f64(term.coef.scale),
        lanes: coef_lanes(&term.coef, coefs, n),
        planes: [0; 5],
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

/// y = σ(x) on all channels.
pub(crate) fn forward<T: Real>(
    plan: &ActivationPlan,
    shape: Shape<'_, T>,
    (x, xu, xs): (&[T], &[T], Side),
    (y, ys): (&mut [T], Side),
    coefs: &[T],
    scratch: &mut [T],
) {
    let n = xs.columns;
    let fan_out = shape.fan_out();
    dispatch(
        #[inline(always)]
        || {
            let (tower, rest) = scratch.split_at_mut((plan.order + 1) * n);
            let product = &mut rest[..n];
            for unit in 0..ys.units {
                let source = unit / fan_out;
                let z = &x[source * xs.full * n..][..xs.full * n];
                let uniforms = &xu[source * xs.uniform..][..xs.uniform];
                let out = &mut y[unit * ys.full * n..][..ys.full * n];
                shape.tower(unit, plan.order, &z[plan.value_in * n..][..n], tower);
                if let Some(value) = plan.value_out {
                    out[value * n..][..n].copy_from_slice(&tower[..n]);
                }
                for (slot, terms) in &plan.outs {
                    let target = &mut out[slot * n..][..n];
                    for (t, term) in terms.iter().enumerate() {
                        let term_fold = fold(term, uniforms, coefs, n);
                        let s = &tower[term.factors.len() * n..][..n];
                        write_term(target, t == 0, &term_fold, s, z, n, product);
                    }
                }
            }
        },
    );
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
    let c = term.scale;
    match (term.count, term.lanes, first) {
        (0, None, true) => (0..n).for_each(|i| target[i] = c * s[i]),
        (0, None, false) => (0..n).for_each(|i| target[i] += c * s[i]),
        (1, None, true) => {
            let a = plane(0);
            (0..n).for_each(|i| target[i] = c * s[i] * a[i]);
        }
        (1, None, false) => {
            let a = plane(0);
            (0..n).for_each(|i| target[i] += c * s[i] * a[i]);
        }
        (2, None, false) => {
            let (a, b) = (plane(0), plane(1));
            (0..n).for_each(|i| target[i] += c * s[i] * a[i] * b[i]);
        }
        _ => {
            (0..n).for_each(|i| product[i] = c * s[i]);
            if let Some(l) = term.lanes {
                lanes::scale_by(product, l);
            }
            (0..term.count).for_each(|f| lanes::scale_by(product, plane(f)));
            if first { target.copy_from_slice(product) } else { lanes::add(target, product) }
        }
    }
}

/// Buffers of one backward call, carved from the tile's scratch.
struct Scratch<'a, T> {
    tower: &'a mut [T],
    /// G_0..=G_order, order-major.
    gathered: &'a mut [T],
    weighted: &'a mut [T],
    product: &'a mut [T],
}

/// x̄ += adjoint of y = σ(x); trained amplitudes go to the sink.
#[expect(clippy::too_many_arguments, reason = "operand, adjoints, storage, sink and scratch are all distinct buffers")]
pub(crate) fn backward<T: Real>(
    plan: &ActivationPlan,
    shape: Shape<'_, T>,
    (x, xu, xs): (&[T], &[T], Side),
    (ybar, ys): (&[T], Side),
    adjoint: Option<(&mut [T], &mut [T])>,
    amplitudes: Option<[usize; 2]>,
    sink: &mut GradSink<'_, T>,
    (coefs, scratch): (&[T], &mut [T]),
) {
    let n = xs.columns;
    let fan_out = shape.fan_out();
    let (tower, rest) = scratch.split_at_mut((plan.order + 2) * n);
    let (gathered, rest) = rest.split_at_mut((plan.order + 1) * n);
    let (weighted, rest) = rest.split_at_mut(n);
    let mut scratch = Scratch { tower, gathered, weighted, product: &mut rest[..n] };
    let (mut none_full, mut none_uniform): ([T; 0], [T; 0]) = ([], []);
    let wanted = adjoint.is_some();
    let (xbar, xubar) = adjoint.unwrap_or((&mut none_full, &mut none_uniform));
    dispatch(
        #[inline(always)]
        || {
            for unit in 0..ys.units {
                let source = unit / fan_out;
                let z = &x[source * xs.full * n..][..xs.full * n];
                let uniforms = &xu[source * xs.uniform..][..xs.uniform];
                let hbar = &ybar[unit * ys.full * n..][..ys.full * n];
                shape.tower(unit, plan.order + 1, &z[plan.value_in * n..][..n], scratch.tower);
                let (zbar, ubar) = if wanted {
                    (&mut xbar[source * xs.full * n..][..xs.full * n], &mut xubar[source * xs.uniform..][..xs.uniform])
                } else {
                    (&mut xbar[..0], &mut xubar[..0])
                };
                unit_backward(plan, z, uniforms, hbar, wanted.then_some((zbar, ubar)), coefs, n, &mut scratch);
                if let Some([sine, cosine]) = amplitudes {
                    amplitude_adjoints(plan.order, &z[plan.value_in * n..][..n], &mut scratch, [sine, cosine], sink);
                }
            }
        },
    );
}

/// Adjoint of one unit; leaves G_k in the scratch.
#[expect(clippy::too_many_arguments, reason = "one unit of operand, adjoints and scratch")]
#[inline(always)]
fn unit_backward<T: Real>(
    plan: &ActivationPlan,
    z: &[T],
    uniforms: &[T],
    hbar: &[T],
    mut adjoint: Option<(&mut [T], &mut [T])>,
    coefs: &[T],
    n: usize,
    scratch: &mut Scratch<'_, T>,
) {
    let Scratch { tower, gathered, weighted, product } = scratch;
    match plan.value_out {
        Some(value) => gathered[..n].copy_from_slice(&hbar[value * n..][..n]),
        None => gathered[..n].fill(T::ZERO),
    }
    gathered[n..].fill(T::ZERO);
    for (slot, terms) in &plan.outs {
        let h = &hbar[slot * n..][..n];
        for term in terms {
            let k = term.factors.len();
            let s = &tower[k * n..][..n];
            let folded = fold(term, uniforms, coefs, n);
            let g = &mut gathered[k * n..][..n];
            // weighted = h̄·scale[·lanes]: common to every adjoint of this term.
            (0..n).for_each(|i| weighted[i] = h[i] * folded.scale);
            if let Some(l) = folded.lanes {
                lanes::scale_by(weighted, l);
            }
            let plane = |i: usize| &z[folded.planes[i] * n..][..n];
            match folded.count {
                0 => lanes::add(g, weighted),
                1 => lanes::add_product(g, weighted, plane(0)),
                _ => {
                    product.copy_from_slice(weighted);
                    (0..folded.count).for_each(|f| lanes::scale_by(product, plane(f)));
                    lanes::add(g, product);
                }
            }
            let Some((zbar, ubar)) = adjoint.as_mut() else { continue };
            for f in 0..folded.count {
                let target = &mut zbar[folded.planes[f] * n..][..n];
                match folded.count {
                    1 => lanes::add_product(target, weighted, s),
                    2 => {
                        let other = plane(1 - f);
                        (0..n).for_each(|i| target[i] += weighted[i] * s[i] * other[i]);
                    }
                    _ => {
                        (0..n).for_each(|i| product[i] = weighted[i] * s[i]);
                        (0..folded.count).filter(|&o| o != f).for_each(|o| lanes::scale_by(product, plane(o)));
                        lanes::add(target, product);
                    }
                }
            }
            uniform_adjoints(term, uniforms, ubar, &folded, h, s, z, n, product);
        }
    }
    if let Some((zbar, _)) = adjoint {
        let target = &mut zbar[plan.value_in * n..][..n];
        for k in 0..=plan.order {
            lanes::add_product(target, &gathered[k * n..][..n], &tower[(k + 1) * n..][..n]);
        }
    }
}

/// Each uniform factor receives the sum over lanes of h̄ · s · (everything else in the term).
#[expect(clippy::too_many_arguments, reason = "one term with its operands")]
#[inline(always)]
fn uniform_adjoints<T: Real>(
    term: &SlotTerm,
    uniforms: &[T],
    ubar: &mut [T],
    folded: &Folded<'_, T>,
    h: &[T],
    s: &[T],
    z: &[T],
    n: usize,
    product: &mut [T],
) {
    if folded.count == term.factors.len() {
        return;
    }
    (0..n).for_each(|i| product[i] = h[i] * s[i]);
    if let Some(l) = folded.lanes {
        lanes::scale_by(product, l);
    }
    (0..folded.count).for_each(|f| lanes::scale_by(product, &z[folded.planes[f] * n..][..n]));
    let total = lanes::sum(product) * T::from_f64(term.coef.scale);
    for (position, factor) in term.factors.iter().enumerate() {
        if let Operand::Uniform(target) = factor {
            let others = term.factors.iter().enumerate().filter(|(o, _)| *o != position);
            let rest = others.fold(T::ONE, |p, (_, other)| match other {
                Operand::Uniform(u) => p * uniforms[*u],
                Operand::Full(_) => p,
            });
            ubar[*target] += total * rest;
        }
    }
}

/// ω̄₁ += Σ_k G_k sin^(k)(z), ω̄₂ += Σ_k G_k cos^(k)(z).
#[inline(always)]
fn amplitude_adjoints<T: Real>(
    order: usize,
    z: &[T],
    scratch: &mut Scratch<'_, T>,
    [sine, cosine]: [usize; 2],
    sink: &mut GradSink<'_, T>,
) {
    let n = z.len();
    let Scratch { gathered, weighted, product, .. } = scratch;
    weighted.fill(T::ZERO);
    product.fill(T::ZERO);
    for (i, &z) in z.iter().enumerate() {
        let (sin, cos) = lane::sin_cos(z);
        let cycle = [sin, cos, -sin, -cos];
        for k in 0..=order {
            weighted[i] += gathered[k * n + i] * cycle[k % 4];
            product[i] += gathered[k * n + i] * cycle[(k + 1) % 4];
        }
    }
    sink.sum(sine, T::ONE, weighted);
    sink.sum(cosine, T::ONE, product);
}
