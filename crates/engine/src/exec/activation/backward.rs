//! The chain rule backward.

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
pub(super) struct UnitAdjoint<'a, T> {
    planes: &'a mut [T],
    uniforms: &'a mut [T],
    /// Which of the first planes hold something.
    written: u64,
}

/// Planes beyond these hold something from the start.
const TRACKED: usize = u64::BITS as usize;

impl<'a, T: Real> UnitAdjoint<'a, T> {
    /// Adjoint of the unit that owns these planes of `n` lanes each; `fresh` says that they hold nothing yet.
    #[inline(always)]
    pub(super) fn new(planes: &'a mut [T], uniforms: &'a mut [T], fresh: bool, n: usize) -> Self {
        if fresh {
            planes.iter_mut().skip(TRACKED * n).for_each(|x| *x = T::ZERO);
        }
        Self { planes, uniforms, written: if fresh { 0 } else { u64::MAX } }
    }

    /// Planes no term touches (a channel that only feeds others) carry no adjoint.
    #[inline(always)]
    pub(super) fn finish(self, n: usize) {
        for plane in (0..(self.planes.len() / n).min(TRACKED)).filter(|plane| self.written >> plane & 1 == 0) {
            self.planes[plane * n..][..n].fill(T::ZERO);
        }
    }

    /// The lanes of a plane, and whether they hold nothing yet.
    #[inline(always)]
    fn open(&mut self, plane: usize, n: usize) -> (&mut [T], bool) {
        let is_first = plane < TRACKED && self.written >> plane & 1 == 0;
        self.written |= u64::from(is_first) << (plane % TRACKED);
        (&mut self.planes[plane * n..][..n], is_first)
    }

    /// target (=|+=) c·Π factors.
    #[inline(always)]
    pub(super) fn put<const K: usize>(&mut self, plane: usize, n: usize, c: T, factors: [&[T]; K]) {
        let (target, is_first) = self.open(plane, n);
        lanes::product(target, is_first, c, factors);
    }

    /// target (=|+=) Σ a·b.
    #[inline(always)]
    fn put_sum<const K: usize>(&mut self, plane: usize, n: usize, pairs: [(&[T], &[T]); K]) {
        let (target, is_first) = self.open(plane, n);
        lanes::sum_of_products(target, is_first, pairs);
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
    shape: Shape<T>,
    (x, xu, xs): (&[T], &[T], Side),
    y: Output<'_, T>,
    adjoint: Option<OperandAdjoint<'_, T>>,
    amplitudes: Option<[usize; 2]>,
    sink: &mut GradSink<'_, T>,
    (coefs, scratch): (&[T], &mut [T]),
) {
    let n = xs.columns;
    let ys = y.side;
    let (tower, rest) = scratch.split_at_mut((plan.order + 2) * n);
    let (gathered, rest) = rest.split_at_mut((plan.order + 1) * n);
    let (weighted, rest) = rest.split_at_mut(n);
    let mut scratch = Scratch { tower, gathered, weighted, product: &mut rest[..n] };
    let mut adjoint = adjoint;
    for unit in 0..ys.units {
        let z = &x[unit * xs.row()..][..xs.row()];
        let uniforms = &xu[unit * xs.uniform..][..xs.uniform];
        let hbar = &y.adjoint[unit * ys.row()..][..ys.row()];
        let value = &z[plan.value_in * n..][..n];
        let stored = plan.value_out.map(|plane| &y.values[unit * ys.row() + plane * n..][..n]);
        shape.tower_again(plan.order + 1, value, stored, scratch.tower);
        let fused = plan.quadratic.as_ref().filter(|q| q.first.len() <= MOST_FIRST && amplitudes.is_none());
        if let (Some(q), Some(OperandAdjoint { planes, fresh: true, .. })) = (fused, adjoint.as_mut()) {
            let zbar = &mut planes[unit * xs.row()..][..xs.row()];
            let tower = &*scratch.tower;
            dispatch(inlined!(|| match q.first.len() {
                0 => quadratic::unit_backward::<T, 0>(q, z, hbar, zbar, tower, n),
                1 => quadratic::unit_backward::<T, 1>(q, z, hbar, zbar, tower, n),
                2 => quadratic::unit_backward::<T, 2>(q, z, hbar, zbar, tower, n),
                _ => quadratic::unit_backward::<T, MOST_FIRST>(q, z, hbar, zbar, tower, n),
            }));
            continue;
        }
        let unit_adjoint = adjoint.as_mut().map(|bar| {
            let planes = &mut bar.planes[unit * xs.row()..][..xs.row()];
            UnitAdjoint::new(planes, &mut bar.uniforms[unit * xs.uniform..][..xs.uniform], bar.fresh, n)
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
                    lanes::product(g, false, c, [h, plane(0)]);
                    if let Some(bar) = adjoint.as_mut() {
                        bar.put(folded.planes[0], n, c, [h, s]);
                    }
                }
                (2, None) => {
                    let (a, b) = (plane(0), plane(1));
                    lanes::product(g, false, c, [h, a, b]);
                    if let Some(bar) = adjoint.as_mut() {
                        bar.put(folded.planes[0], n, c, [h, s, b]);
                        bar.put(folded.planes[1], n, c, [h, s, a]);
                    }
                }
                _ => {
                    lanes::product(weighted, true, c, [h]);
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
                        lanes::product(product, true, T::ONE, [weighted, s]);
                        for other in 0..folded.count {
                            if other != f {
                                lanes::scale_by(product, plane(other));
                            }
                        }
                        bar.put(folded.planes[f], n, T::ONE, [product]);
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
        match plan.order {
            0 => bar.put_sum(plan.value_in, n, [(g(0), s(0))]),
            1 => bar.put_sum(plan.value_in, n, [(g(0), s(0)), (g(1), s(1))]),
            2 => bar.put_sum(plan.value_in, n, [(g(0), s(0)), (g(1), s(1)), (g(2), s(2))]),
            order => (0..=order).for_each(|k| bar.put_sum(plan.value_in, n, [(g(k), s(k))])),
        }
        bar.finish(n);
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
        lanes::product(product, true, T::ONE, [h, s]);
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
