//! Lower adjoints of the wave h = ω₁ sin z + ω₂ cos z, where all the trained amplitudes of a transformer are, in one loop.
//!
//! With v = h and w = ∂h/∂z stored, σ″ = −v and σ‴ = −w. With `G₁ = Σ_b h̄_b z_b + Σ (h̄_W z_W + h̄_L z_L)`, `G₂ = Σ h̄_L z_b z_W` and
//! e = h̄ − G₂, the operand takes `z̄ = e w − G₁ v` and `z̄_b = w h̄_b − v Σ z_W h̄_L`. The amplitudes take
//! `ω̄₁ = Σ e sin + G₁ cos` and `ω̄₂ = Σ e cos − G₁ sin`; since (v, w) is (sin, cos) turned and stretched by ω, these are
//! `(ω₁P − ω₂Q)/|ω|²` and `(ω₂P + ω₁Q)/|ω|²` with `P = Σ e v + G₁ w` and `Q = Σ e w − G₁ v`: no sine is computed again.

use super::{Both, Target, plane, plane_mut};
use crate::exec::lanes;
use crate::exec::sink::GradSink;
use crate::plan::{JetGroup, Jets};
use ropinn_vmath::{Real, dispatch, lane};

/// Operand, values, slopes and adjoints of a wave.
#[derive(Clone, Copy)]
pub(crate) struct Wave<'a, T> {
    pub amplitudes: [T; 2],
    pub z: Both<'a, T>,
    pub h: &'a [T],
    pub slopes: &'a [T],
    pub hbar: Both<'a, T>,
}

/// One unit, cut into its halves.
#[derive(Clone, Copy)]
struct Unit<'a, T> {
    z: Both<'a, T>,
    hbar: Both<'a, T>,
    value: &'a [T],
    slope: &'a [T],
}

/// Second derivatives of a single unknown that run in one loop; anything else goes plane by plane.
const MOST_PAIRS: usize = 3;

/// Lower adjoints, unless nobody asks for them; those of the amplitudes, which lie at `places`, go to the sink.
pub(crate) fn lower_adjoints<T: Real>(
    jets: &Jets,
    wave: Wave<'_, T>,
    target: Option<Target<'_, T>>,
    places: [usize; 2],
    sink: &mut GradSink<'_, T>,
    (units, n): (usize, usize),
    scratch: &mut [T],
) {
    let (lower, upper) = (jets.lower() * n, jets.upper() * n);
    let (own, rest) = scratch.split_at_mut(lower);
    let (along, rest) = rest.split_at_mut(n);
    let (across, rest) = rest.split_at_mut(n);
    let (even, rest) = rest.split_at_mut(n);
    let odd = &mut rest[..n];
    along.fill(T::ZERO);
    across.fill(T::ZERO);
    let mut target = target;
    let [sine, cosine] = wave.amplitudes;
    let square = sine * sine + cosine * cosine;
    // Amplitudes that vanish leave no trace of sine and cosine in the values: these are computed once more.
    let is_lost = square < T::from_f64(LOST);
    dispatch(inlined!(|| {
        for u in 0..units {
            let z = half(wave.z, u, lower, upper);
            let hbar = half(wave.hbar, u, lower, upper);
            let unit = Unit { z, hbar, value: &wave.h[u * lower..][..n], slope: &wave.slopes[u * n..][..n] };
            let (bar, fresh) = match &mut target {
                Some(Target { numbers, fresh }) => (Some(&mut numbers[u * lower..][..lower]), *fresh),
                None => (None, false),
            };
            // The first to write an adjoint writes it in place; others add what they have.
            match bar {
                Some(bar) if fresh => adjoint(jets, unit, bar, [along, across, even, odd], is_lost, n),
                bar => {
                    adjoint(jets, unit, own, [along, across, even, odd], is_lost, n);
                    if let Some(bar) = bar {
                        lanes::add(bar, own);
                    }
                }
            }
        }
    }));
    if is_lost {
        sink.sum(places[0], T::ONE, along);
        sink.sum(places[1], T::ONE, across);
    } else {
        let (s, c) = (sine / square, cosine / square);
        sink.sum(places[0], s, along);
        sink.sum(places[0], -c, across);
        sink.sum(places[1], c, along);
        sink.sum(places[1], s, across);
    }
}

/// Squares of amplitudes below this are not divided by.
const LOST: f64 = 1e-24;

#[inline(always)]
fn half<T>(both: Both<'_, T>, unit: usize, lower: usize, upper: usize) -> Both<'_, T> {
    let upper = if upper == 0 { &[][..] } else { &both.upper[unit * upper..][..upper] };
    Both { lower: &both.lower[unit * lower..][..lower], upper }
}

/// Writes z̄ of one unit and adds its lanes of P and Q, or of the adjoints of the amplitudes themselves where ω is lost.
#[inline(always)]
fn adjoint<T: Real>(
    jets: &Jets,
    unit: Unit<'_, T>,
    bar: &mut [T],
    [along, across, even, odd]: [&mut [T]; 4],
    is_lost: bool,
    n: usize,
) {
    match jets.groups.as_slice() {
        [group] if !is_lost && group.pairs.len() == jets.along.len() => match group.pairs.len() {
            0 => return fused::<T, 0>(group, unit, bar, along, across, n),
            1 => return fused::<T, 1>(group, unit, bar, along, across, n),
            2 => return fused::<T, 2>(group, unit, bar, along, across, n),
            MOST_PAIRS => return fused::<T, MOST_PAIRS>(group, unit, bar, along, across, n),
            _ => {}
        },
        _ => {}
    }
    let Unit { z, hbar, value, slope } = unit;
    even.copy_from_slice(&hbar.lower[..n]);
    odd.fill(T::ZERO);
    for p in 1..jets.lower() {
        let h = plane(hbar.lower, p, n, n);
        lanes::add_product(odd, h, plane(z.lower, p, n, n));
        lanes::set_with(plane_mut(bar, p, n, n), inlined!(|i| slope[i] * h[i]));
    }
    for group in &jets.groups {
        let last = plane(hbar.upper, group.last, n, n);
        lanes::add_product(odd, last, plane(z.upper, group.last, n, n));
        for &(b, w) in &group.pairs {
            let (d, z, h) = (plane(z.lower, b, n, n), plane(z.upper, w, n, n), plane(hbar.upper, w, n, n));
            let bar = plane_mut(bar, b, n, n);
            for i in 0..n {
                odd[i] += h[i] * z[i];
                even[i] -= last[i] * d[i] * z[i];
                bar[i] -= value[i] * z[i] * last[i];
            }
        }
    }
    let bar = &mut bar[..n];
    if is_lost {
        let angle = &z.lower[..n];
        for i in 0..n {
            let (sin, cos) = lane::sin_cos(angle[i]);
            along[i] += even[i] * sin + odd[i] * cos;
            across[i] += even[i] * cos - odd[i] * sin;
            bar[i] = even[i] * slope[i] - odd[i] * value[i];
        }
    } else {
        for i in 0..n {
            let turned = even[i] * slope[i] - odd[i] * value[i];
            along[i] += even[i] * value[i] + odd[i] * slope[i];
            across[i] += turned;
            bar[i] = turned;
        }
    }
}

/// The same for one unknown whose second derivatives take every `D_b`.
#[inline(always)]
fn fused<T: Real, const B: usize>(
    group: &JetGroup,
    unit: Unit<'_, T>,
    bar: &mut [T],
    along: &mut [T],
    across: &mut [T],
    n: usize,
) {
    let Unit { z, hbar, value, slope } = unit;
    let (value, slope, h0) = (&value[..n], &slope[..n], &hbar.lower[..n]);
    let (hl, zl) = (plane(hbar.upper, group.last, n, n), plane(z.upper, group.last, n, n));
    let lower: [usize; B] = std::array::from_fn(inlined!(|k| group.pairs[k].0));
    let upper: [usize; B] = std::array::from_fn(inlined!(|k| group.pairs[k].1));
    let hb: [&[T]; B] = std::array::from_fn(inlined!(|k| plane(hbar.lower, lower[k], n, n)));
    let zb: [&[T]; B] = std::array::from_fn(inlined!(|k| plane(z.lower, lower[k], n, n)));
    let hw: [&[T]; B] = std::array::from_fn(inlined!(|k| plane(hbar.upper, upper[k], n, n)));
    let zw: [&[T]; B] = std::array::from_fn(inlined!(|k| plane(z.upper, upper[k], n, n)));
    let (along, across) = (&mut along[..n], &mut across[..n]);
    let (own, derived) = bar.split_at_mut(n);
    for i in 0..n {
        let (mut odd, mut form) = (hl[i] * zl[i], T::ZERO);
        for k in 0..B {
            odd += hb[k][i] * zb[k][i] + hw[k][i] * zw[k][i];
            form += zb[k][i] * zw[k][i];
        }
        let even = h0[i] - hl[i] * form;
        let turned = even * slope[i] - odd * value[i];
        along[i] += even * value[i] + odd * slope[i];
        across[i] += turned;
        own[i] = turned;
    }
    // Every D_b has a pair, in order: the planes after the value are theirs.
    for k in 0..B {
        let (h, z, derived) = (hb[k], zw[k], plane_mut(derived, lower[k] - 1, n, n));
        for i in 0..n {
            derived[i] = slope[i] * h[i] - value[i] * z[i] * hl[i];
        }
    }
}
