//! Spline bases on jets: every function B_c of every unit, by the chain rule, and its adjoint.
//!
//! At a point only M = degree + 1 functions differ from zero, and they follow from one interval and one fraction
//! ([`Grid::local`]). So the chain rule is applied to those and the results are put where they belong. With
//! `w_k = Σ_{t: k_t = k} a_t Π z_f`, which no function has a part in, channel c of local function m is
//! `h_m = Σ_k B_m^{(k)}(z) w_k`. Backward, a channel's adjoints are taken from their places and contracted,
//! `T_k = Σ_m h̄_m B_m^{(k)}(z)`: a factor receives `T_k a_t Π_{others} z` and the value `T₁` of its own and `Σ_k T_{k+1} w_k`.

use super::backward::{OperandAdjoint, Output, UnitAdjoint};
use super::coef_lanes;
use crate::exec::lanes::{self, write};
use crate::network::{BLOCK, Grid, MAX_DEGREE, SplineBasis};
use crate::plan::{ActivationPlan, Operand, Side, SlotTerm};
use ropinn_vmath::{Real, dispatch};

/// Evaluates `$body` with the constant `$m` the number of functions that overlap.
macro_rules! with_overlap {
    ($basis:expr, $m:ident => $body:expr) => {
        with_overlap!($basis, $m, $body; 1 2, 2 3, 3 4, 4 5)
    };
    ($basis:expr, $m:ident, $body:expr; $($degree:literal $overlap:literal),*) => {
        match $basis.degree() {
            $($degree => { const $m: usize = $overlap; $body })*
            _ => { const $m: usize = MAX_DEGREE + 1; $body }
        }
    };
}

/// Lane arrays the two sweeps need for derivatives of an activation up to `tower` (one more than the channels' order).
pub(crate) fn scratch(tower: usize) -> usize {
    let overlap = MAX_DEGREE + 1;
    1 + overlap * overlap + overlap + 1 + tower
}

/// Scratch of one unit, each array `n` lanes long.
struct Room<'a, T> {
    interval: &'a mut [T],
    /// `[order][function]`.
    local: &'a mut [T],
    /// One channel of the local functions, or its adjoint.
    channel: &'a mut [T],
    /// w_k of one k.
    weights: &'a mut [T],
    /// T₁, T₂, …
    contracted: &'a mut [T],
}

impl<'a, T> Room<'a, T> {
    fn new(scratch: &'a mut [T], overlap: usize, order: usize, n: usize) -> Self {
        let (interval, rest) = scratch.split_at_mut(n);
        let (local, rest) = rest.split_at_mut(overlap * overlap * n);
        let (channel, rest) = rest.split_at_mut(overlap * n);
        let (weights, rest) = rest.split_at_mut(n);
        Self { interval, local, channel, weights, contracted: &mut rest[..(order + 1) * n] }
    }
}

/// y = B(x) on all channels: unit u of the result is function u mod B of operand unit u div B.
pub(crate) fn forward<T: Real>(
    plan: &ActivationPlan,
    basis: &SplineBasis,
    (x, xs): (&[T], Side),
    (y, ys): (&mut [T], Side),
    coefs: &[T],
    scratch: &mut [T],
) {
    let (n, grid, stride) = (xs.columns, basis.grid(), ys.row());
    if ys.full == 0 {
        return;
    }
    with_overlap!(basis, M => dispatch(inlined!(|| {
        let room = Room::new(scratch, M, plan.order, n);
        for (z, rows) in x.chunks_exact(xs.row()).zip(y.chunks_exact_mut(basis.len() * stride)).take(xs.units) {
            localise::<T, M>(&grid, &z[plan.value_in * n..][..n], plan.order, room.interval, room.local);
            if let Some(plane) = plan.value_out {
                scatter::<T, M>(room.interval, &room.local[..M * n], rows, plane, stride);
            }
            for (slot, terms) in &plan.outs {
                let channel = &mut room.channel[..M * n];
                channel.fill(T::ZERO);
                for k in orders(terms).filter(|&k| k < M) {
                    let w = order_weight(terms, k, z, coefs, n, room.weights);
                    for (h, b) in channel.chunks_exact_mut(n).zip(room.local[k * M * n..].chunks_exact(n)) {
                        lanes::add_product(h, b, w);
                    }
                }
                scatter::<T, M>(room.interval, channel, rows, *slot, stride);
            }
        }
    })));
}

/// x̄ (=|+=) adjoint of y = B(x).
pub(crate) fn backward<T: Real>(
    plan: &ActivationPlan,
    basis: &SplineBasis,
    (x, xs): (&[T], Side),
    y: Output<'_, T>,
    adjoint: Option<OperandAdjoint<'_, T>>,
    (coefs, scratch): (&[T], &mut [T]),
) {
    let Some(OperandAdjoint { planes, fresh, .. }) = adjoint else { return };
    let (n, grid, stride) = (xs.columns, basis.grid(), y.side.row());
    with_overlap!(basis, M => dispatch(inlined!(|| {
        let mut room = Room::new(scratch, M, plan.order, n);
        for unit in 0..xs.units {
            let z = &x[unit * xs.row()..][..xs.row()];
            let hbar = &y.adjoint[unit * basis.len() * stride..][..basis.len() * stride];
            let mut bar = UnitAdjoint::new(&mut planes[unit * xs.row()..][..xs.row()], &mut [], fresh, n);
            localise::<T, M>(&grid, &z[plan.value_in * n..][..n], plan.order + 1, room.interval, room.local);
            unit_backward::<T, M>(plan, z, (hbar, stride), &mut bar, coefs, n, &mut room);
            bar.finish(n);
        }
    })));
}

/// Adjoint of one unit of the operand.
#[inline(always)]
fn unit_backward<T: Real, const M: usize>(
    plan: &ActivationPlan,
    z: &[T],
    (hbar, stride): (&[T], usize),
    bar: &mut UnitAdjoint<'_, T>,
    coefs: &[T],
    n: usize,
    room: &mut Room<'_, T>,
) {
    let Room { interval, local, channel, weights, contracted } = room;
    if let Some(plane) = plan.value_out {
        gather::<T, M>(interval, channel, hbar, plane, stride);
        contract::<T, M>(channel, local, 1, contracted, n);
        let t = &contracted[..n];
        bar.put(plan.value_in, n, T::ONE, [t]);
    }
    for (slot, terms) in &plan.outs {
        gather::<T, M>(interval, channel, hbar, *slot, stride);
        let highest = orders(terms).last().unwrap_or(0);
        contract::<T, M>(channel, local, highest + 1, contracted, n);
        for k in orders(terms) {
            let w = order_weight(terms, k, z, coefs, n, weights);
            let t = &contracted[k * n..][..n];
            bar.put(plan.value_in, n, T::ONE, [t, w]);
        }
        for term in terms {
            let (c, t) = (T::from_f64(term.coef.scale), &contracted[(term.factors.len() - 1) * n..][..n]);
            for (position, own) in planes(term).enumerate() {
                match (term.coef.lanes, term.factors.len()) {
                    (None, 1) => bar.put(own, n, c, [t]),
                    (None, 2) => {
                        let other = &z[planes(term).nth(1 - position).unwrap_or(own) * n..][..n];
                        bar.put(own, n, c, [t, other]);
                    }
                    _ => {
                        let product = &mut **weights;
                        lanes::product(product, true, c, [t]);
                        if let Some(l) = coef_lanes(&term.coef, coefs, n) {
                            lanes::scale_by(product, l);
                        }
                        for (_, other) in planes(term).enumerate().filter(|(other, _)| *other != position) {
                            lanes::scale_by(product, &z[other * n..][..n]);
                        }
                        let product = &*product;
                        bar.put(own, n, T::ONE, [product]);
                    }
                }
            }
        }
    }
}

/// Planes of the operand in a term: splines are never handed uniform channels (`plan::liveness`).
#[inline(always)]
fn planes(term: &SlotTerm) -> impl Iterator<Item = usize> {
    term.factors.iter().filter_map(|factor| match factor {
        Operand::Full(plane) => Some(*plane),
        Operand::Uniform(_) => None,
    })
}

/// The numbers of factors among the terms, each once, in order.
#[inline(always)]
fn orders(terms: &[SlotTerm]) -> impl Iterator<Item = usize> {
    let highest = terms.iter().map(|term| term.factors.len()).max().unwrap_or(0);
    (1..=highest).filter(|k| terms.iter().any(|term| term.factors.len() == *k))
}

/// w_k = Σ a_t Π z_f over the terms of k factors; a plane of the operand itself if it is that.
#[inline(always)]
fn order_weight<'a, T: Real>(
    terms: &[SlotTerm],
    k: usize,
    z: &'a [T],
    coefs: &[T],
    n: usize,
    target: &'a mut [T],
) -> &'a [T] {
    let mut of_order = terms.iter().filter(|term| term.factors.len() == k);
    if let (Some(term), None, 1) = (of_order.next(), of_order.next(), k)
        && term.coef.lanes.is_none()
        && term.coef.scale == 1.0
        && let Some(plane) = planes(term).next()
    {
        return &z[plane * n..][..n];
    }
    for (t, term) in terms.iter().filter(|term| term.factors.len() == k).enumerate() {
        let c = T::from_f64(term.coef.scale);
        match (&term.factors[..], coef_lanes(&term.coef, coefs, n)) {
            ([Operand::Full(a), Operand::Full(b)], None) => {
                let (a, b) = (&z[a * n..][..n], &z[b * n..][..n]);
                write(target, t == 0, inlined!(|i| c * a[i] * b[i]));
            }
            (_, varying) => write(
                target,
                t == 0,
                inlined!(|i| {
                    let mut product = varying.map_or(c, inlined!(|l| c * l[i]));
                    for plane in planes(term) {
                        product *= z[plane * n + i];
                    }
                    product
                }),
            ),
        }
    }
    target
}

/// Intervals and local functions up to derivative `k_max` of all lanes; orders beyond the degree are left out.
#[inline(always)]
fn localise<T: Real, const M: usize>(grid: &Grid<T>, z: &[T], k_max: usize, interval: &mut [T], local: &mut [T]) {
    let n = z.len();
    for start in (0..n).step_by(BLOCK) {
        let intervals = grid.local::<M>(
            &load(&z[start..]),
            k_max,
            #[inline(always)]
            |k, functions| {
                for (m, lanes) in functions.iter().enumerate() {
                    store(lanes, &mut local[(k * M + m) * n..][start..n]);
                }
            },
        );
        store(&intervals, &mut interval[start..n]);
    }
}

/// The first lanes of a slice; what it lacks is zero.
#[inline(always)]
fn load<T: Real>(lanes: &[T]) -> [T; BLOCK] {
    match lanes.first_chunk() {
        Some(block) => *block,
        None => load_short(lanes),
    }
}

/// As many lanes of a block as the slice has room for.
#[inline(always)]
fn store<T: Real>(block: &[T; BLOCK], lanes: &mut [T]) {
    match lanes.first_chunk_mut() {
        Some(whole) => *whole = *block,
        None => store_short(block, lanes),
    }
}

// Tiles come in whole blocks. Out of line, these two leave copies of known length in the loops, not calls of `memcpy`.
#[cold]
#[inline(never)]
fn load_short<T: Real>(lanes: &[T]) -> [T; BLOCK] {
    let mut block = [T::ZERO; BLOCK];
    block[..lanes.len()].copy_from_slice(lanes);
    block
}

#[cold]
#[inline(never)]
fn store_short<T: Real>(block: &[T; BLOCK], lanes: &mut [T]) {
    lanes.copy_from_slice(&block[..lanes.len()]);
}

/// Row c of a plane = local function m where the interval is c + m, zero elsewhere.
#[inline(always)]
fn scatter<T: Real, const M: usize>(interval: &[T], local: &[T], rows: &mut [T], plane: usize, stride: usize) {
    let n = interval.len();
    for start in (0..n).step_by(BLOCK) {
        let at = load(&interval[start..]);
        let functions: [[T; BLOCK]; M] = std::array::from_fn(inlined!(|m| load(&local[m * n..][start..n])));
        for (c, row) in rows.chunks_exact_mut(stride).enumerate() {
            let mut value = [T::ZERO; BLOCK];
            for (m, function) in functions.iter().enumerate() {
                let wanted = T::from_f64((c + m) as f64);
                for i in 0..BLOCK {
                    value[i] = if at[i] == wanted { function[i] } else { value[i] };
                }
            }
            for i in 0..BLOCK {
                value[i] += T::ZERO * at[i]; // NaN where the point is
            }
            store(&value, &mut row[plane * n..][start..n]);
        }
    }
}

/// The adjoint of [`scatter`].
#[inline(always)]
fn gather<T: Real, const M: usize>(interval: &[T], local: &mut [T], rows: &[T], plane: usize, stride: usize) {
    let n = interval.len();
    for start in (0..n).step_by(BLOCK) {
        let at = load(&interval[start..]);
        let mut found = [[T::ZERO; BLOCK]; M];
        for (c, row) in rows.chunks_exact(stride).enumerate() {
            let h = load(&row[plane * n..][start..n]);
            for (m, found) in found.iter_mut().enumerate() {
                let wanted = T::from_f64((c + m) as f64);
                for i in 0..BLOCK {
                    found[i] = if at[i] == wanted { h[i] } else { found[i] };
                }
            }
        }
        for (m, found) in found.iter().enumerate() {
            store(found, &mut local[m * n..][start..n]);
        }
    }
}

/// T_k = Σ_m h̄_m B_m^{(k)} for k = 1..=highest; zero beyond the degree.
#[inline(always)]
fn contract<T: Real, const M: usize>(channel: &[T], local: &[T], highest: usize, contracted: &mut [T], n: usize) {
    let h: [&[T]; M] = std::array::from_fn(inlined!(|m| &channel[m * n..][..n]));
    for k in 1..=highest {
        let target = &mut contracted[(k - 1) * n..][..n];
        if k >= M {
            target.fill(T::ZERO);
            continue;
        }
        let b: [&[T]; M] = std::array::from_fn(inlined!(|m| &local[(k * M + m) * n..][..n]));
        for i in 0..n {
            let mut total = T::ZERO;
            for m in 0..M {
                total += h[m][i] * b[m][i];
            }
            target[i] = total;
        }
    }
}
