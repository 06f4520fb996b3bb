//! The chain rule backward.

use super::forward::write;
use super::{Folded, Shape, fold};
use crate::exec::lanes;
use crate::exec::quadratic::{self, MOST_FIRST};
use crate::exec::sink::GradSink;
use crate::plan::{ActivationPlan, Operand, Side, SlotTerm};
use ropinn_vmath::{Real, dispatch, lane};

/// Buffers of one backward call, carved from the tile's scratch.
struct Scratch<'a, T> {
    tower: &'a mut [T],
    /// G_0..=G_order, order-major.
    gathered: &'a mut [T],
    weighted: &'a mut [T],
    product: &'a mut [T],
}

/// One unit of the operand's adjoint. The first write to a plane assigns, later ones add.
struct UnitAdjoint<'a, T> {
    planes: &'a mut [T],
    uniforms: &'a mut [T],
    /// Which of the first planes hold something.
    written: u64,
}

/// Planes beyond these hold something from the start.
const TRACKED: usize = u64::BITS as usize;

impl<T: Real> UnitAdjoint<'_, T> {
    /// target (=|+=) value(lane).
    #[inline(always)]
    fn put(&mut self, plane: usize, n: usize, value: impl Fn(usize) -> T) {
        let is_first = plane < TRACKED && self.written >> plane & 1 == 0;
        write(&mut self.planes[plane * n..][..n], is_first, value);
        self.written |= u64::from(is_first) << (plane % TRACKED);
    }
}

/// Result of the forward sweep with its adjoint.
#[derive(Clone, Copy)]
pub(crate) struct Output<'a, T> {
    pub values: &'a [T],
    pub adjoint: &'a [T],
    pub side: Side,
}

/// Adjoint of the operand: planes, uniform channels, and whether the planes hold nothing yet.
pub(crate) struct OperandAdjoint<'a, T> {
    pub planes: &'a mut [T],
    pub uniforms: &'a mut [T],
    pub fresh: bool,
}

/// x̄ (=|+=) adjoint of y = σ(x); trained amplitudes go to the sink.
#[expect(clippy::too_many_arguments, reason = "operand, result, adjoint, sink and scratch are all distinct buffers")]
pub(crate) fn backward<T: Real>(
    plan: &ActivationPlan,
    shape: Shape<'_, T>,
    (x, xu, xs): (&[T], &[T], Side),
    y: Output<'_, T>,
    adjoint: Option<OperandAdjoint<'_, T>>,
    amplitudes: Option<[usize; 2]>,
    sink: &mut GradSink<'_, T>,
    (coefs, scratch): (&[T], &mut [T]),
) {
    let n = xs.columns;
    let ys = y.side;
    let fan_out = shape.fan_out();
    let (tower, rest) = scratch.split_at_mut((plan.order + 2) * n);
    let (gathered, rest) = rest.split_at_mut((plan.order + 1) * n);
    let (weighted, rest) = rest.split_at_mut(n);
    let mut scratch = Scratch { tower, gathered, weighted, product: &mut rest[..n] };
    let mut adjoint = adjoint;
    scratch.gathered[..n].fill(T::ZERO); // the fused kernel reads absent planes from here
    for unit in 0..ys.units {
        let source = unit / fan_out;
        let z = &x[source * xs.row()..][..xs.row()];
        let uniforms = &xu[source * xs.uniform..][..xs.uniform];
        let hbar = &y.adjoint[unit * ys.row()..][..ys.row()];
        let value = &z[plan.value_in * n..][..n];
        let stored = plan.value_out.map(|plane| &y.values[unit * ys.row() + plane * n..][..n]);
        shape.tower_again(unit, plan.order + 1, value, stored, scratch.tower);
        let fused = plan.quadratic.as_ref().filter(|q| q.first.len() <= MOST_FIRST && amplitudes.is_none());
        if let (Some(q), Some(OperandAdjoint { planes, fresh: true, .. }), 1) = (fused, adjoint.as_mut(), fan_out) {
            let zbar = &mut planes[source * xs.row()..][..xs.row()];
            let (tower, zeros) = (&*scratch.tower, &*scratch.gathered);
            dispatch(inlined!(|| match q.first.len() {
                0 => quadratic::unit_backward::<T, 0>(q, z, hbar, zbar, tower, n, zeros),
                1 => quadratic::unit_backward::<T, 1>(q, z, hbar, zbar, tower, n, zeros),
                2 => quadratic::unit_backward::<T, 2>(q, z, hbar, zbar, tower, n, zeros),
                _ => quadratic::unit_backward::<T, MOST_FIRST>(q, z, hbar, zbar, tower, n, zeros),
            }));
            continue;
        }
        let unit_adjoint = adjoint.as_mut().map(|bar| {
            let (planes, is_first) =
                (&mut bar.planes[source * xs.row()..][..xs.row()], bar.fresh && unit % fan_out == 0);
            if is_first {
                planes.iter_mut().skip(TRACKED * n).for_each(|x| *x = T::ZERO);
            }
            let uniforms = &mut bar.uniforms[source * xs.uniform..][..xs.uniform];
            UnitAdjoint { planes, uniforms, written: if is_first { 0 } else { u64::MAX } }
        });
        dispatch(inlined!(|| unit_backward(plan, z, uniforms, hbar, unit_adjoint, coefs, n, &mut scratch)));
        if let Some(indices) = amplitudes {
            dispatch(inlined!(|| amplitude_adjoints(plan.order, value, &mut scratch, indices, sink)));
        }
    }
}

/// Adjoint of one unit; leaves G_k in the scratch.
#[expect(clippy::too_many_arguments, reason = "one unit of operand, adjoints and scratch")]
#[inline(always)]
fn unit_backward<T: Real>(
    plan: &ActivationPlan,
    z: &[T],
    uniforms: &[T],
    hbar: &[T],
    mut adjoint: Option<UnitAdjoint<'_, T>>,
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
            let c = folded.scale;
            let g = &mut gathered[k * n..][..n];
            let plane = |i: usize| &z[folded.planes[i] * n..][..n];
            // The common shapes of first- and second-order terms run as one or two fused loops; the rest goes step by step.
            match (folded.count, folded.lanes) {
                (0, None) => lanes::axpy(g, c, h),
                (1, None) => {
                    let a = plane(0);
                    lanes::add_with(g, inlined!(|i| c * h[i] * a[i]));
                    if let Some(bar) = adjoint.as_mut() {
                        bar.put(folded.planes[0], n, inlined!(|i| c * h[i] * s[i]));
                    }
                }
                (2, None) => {
                    let (a, b) = (plane(0), plane(1));
                    lanes::add_with(g, inlined!(|i| c * h[i] * a[i] * b[i]));
                    if let Some(bar) = adjoint.as_mut() {
                        bar.put(folded.planes[0], n, inlined!(|i| c * h[i] * s[i] * b[i]));
                        bar.put(folded.planes[1], n, inlined!(|i| c * h[i] * s[i] * a[i]));
                    }
                }
                _ => {
                    lanes::set_with(weighted, inlined!(|i| c * h[i]));
                    if let Some(l) = folded.lanes {
                        lanes::scale_by(weighted, l);
                    }
                    product.copy_from_slice(weighted);
                    for f in 0..folded.count {
                        lanes::scale_by(product, plane(f));
                    }
                    lanes::add(g, product);
                    let Some(bar) = adjoint.as_mut() else { continue };
                    for f in 0..folded.count {
                        lanes::set_with(product, inlined!(|i| weighted[i] * s[i]));
                        for other in 0..folded.count {
                            if other != f {
                                lanes::scale_by(product, plane(other));
                            }
                        }
                        bar.put(folded.planes[f], n, inlined!(|i| product[i]));
                    }
                }
            }
            if let Some(bar) = adjoint.as_mut() {
                uniform_adjoints(term, uniforms, bar.uniforms, &folded, h, s, z, n, product);
            }
        }
    }
    if let Some(mut bar) = adjoint {
        let g = |k: usize| &gathered[k * n..][..n];
        let s = |k: usize| &tower[(k + 1) * n..][..n];
        let (g0, s0) = (g(0), s(0));
        match plan.order {
            0 => bar.put(plan.value_in, n, inlined!(|i| g0[i] * s0[i])),
            1 => {
                let (g1, s1) = (g(1), s(1));
                bar.put(plan.value_in, n, inlined!(|i| g0[i] * s0[i] + g1[i] * s1[i]));
            }
            2 => {
                let (g1, s1, g2, s2) = (g(1), s(1), g(2), s(2));
                bar.put(plan.value_in, n, inlined!(|i| g0[i] * s0[i] + g1[i] * s1[i] + g2[i] * s2[i]));
            }
            order => {
                for k in 0..=order {
                    let (gk, sk) = (g(k), s(k));
                    bar.put(plan.value_in, n, inlined!(|i| gk[i] * sk[i]));
                }
            }
        }
        // Planes no term touches (a channel that only feeds others) carry no adjoint.
        for plane in (0..(z.len() / n).min(TRACKED)).filter(|plane| bar.written >> plane & 1 == 0) {
            bar.planes[plane * n..][..n].fill(T::ZERO);
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
    let sum = if folded.count == 0 && folded.lanes.is_none() {
        lanes::dot(h, s)
    } else {
        lanes::set_with(product, inlined!(|i| h[i] * s[i]));
        if let Some(l) = folded.lanes {
            lanes::scale_by(product, l);
        }
        for f in 0..folded.count {
            lanes::scale_by(product, &z[folded.planes[f] * n..][..n]);
        }
        lanes::sum(product)
    };
    let total = sum * T::from_f64(term.coef.scale);
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
