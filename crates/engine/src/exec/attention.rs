//! Multi-head attention over the elements of a pseudo-sequence, on jets.
//!
//! Per site and head, with i, j over elements: `s_ij = q_i·k_j/√d`, `e_ij = exp(s_ij − max_j s_ij)`, `r_i = 1/Σ_j e_ij`,
//! `p_ij = e_ij r_i`, `y_i = Σ_j p_ij v_j`. Every product follows the product rule, exp and the reciprocal the chain rule.
//! The shift is a constant of each lane: softmax and all its derivatives are unchanged by it.
//! The backward sweep recomputes the forward quantities of a head, once for all three operands; they cost little beside the
//! linear maps.

use super::combine::add_scaled_product;
use super::lanes;
use crate::plan::{AttentionPlan, Operand, Side, SlotCoef, SlotTerm};
use ropinn_vmath::{Activation, Real, dispatch};

/// Sizes of a tile as attention sees it.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    pub samples: usize,
    pub sites: usize,
    pub elements: usize,
    pub channels: usize,
}

impl Sizes {
    fn columns(&self) -> usize {
        self.samples * self.sites * self.elements
    }

    fn jet(&self) -> usize {
        self.channels * self.samples
    }

    fn pair(&self, i: usize, j: usize) -> usize {
        (i * self.elements + j) * self.jet()
    }

    /// Scratch numbers needed by forward and backward.
    pub fn scratch(&self) -> usize {
        let pairs = self.elements * self.elements * self.jet();
        6 * pairs + (4 * self.elements + 4) * self.jet() + 8 * self.samples * (crate::jet::JET_ORDER + 1)
    }
}

/// One head at one site: where its units lie.
#[derive(Clone, Copy)]
struct Head {
    first_unit: usize,
    units: usize,
    site: usize,
}

/// Operand planes with the map from channel to plane.
#[derive(Clone, Copy)]
struct Operands<'a, T> {
    data: &'a [T],
    side: Side,
    planes: &'a [Option<usize>],
    sizes: Sizes,
}

impl<'a, T> Operands<'a, T> {
    fn range(&self, unit: usize, channel: usize, site: usize, element: usize) -> Option<std::ops::Range<usize>> {
        let start = (unit * self.side.full + self.planes[channel]?) * self.sizes.columns()
            + (site * self.sizes.elements + element) * self.sizes.samples;
        Some(start..start + self.sizes.samples)
    }

    fn lanes(&self, unit: usize, channel: usize, site: usize, element: usize) -> Option<&'a [T]> {
        Some(&self.data[self.range(unit, channel, site, element)?])
    }
}

/// Forward quantities of one head, carved from scratch.
struct HeadState<'a, T> {
    scores: &'a mut [T],
    exps: &'a mut [T],
    sums: &'a mut [T],
    inverses: &'a mut [T],
    weights: &'a mut [T],
}

/// y = attention(q, k, v).
pub(crate) fn forward<T: Real>(
    plan: &AttentionPlan,
    inputs: [(&[T], Side); 3],
    (y, ys): (&mut [T], Side),
    coefs: &[T],
    sizes: Sizes,
    scratch: &mut [T],
) {
    let [q, k, v] = operands(plan, inputs, sizes);
    let out = Operands::<T> { data: &[], side: ys, planes: &plan.to, sizes };
    dispatch(inlined!(|| {
        for head in heads(plan, ys.units, sizes) {
            let coefs = site_coefs(coefs, head.site, sizes);
            let (mut state, rest) = carve(scratch, sizes);
            head_forward(plan, head, q, k, coefs, sizes, &mut state, rest);
            for unit in head.first_unit..head.first_unit + head.units {
                for c in 0..sizes.channels {
                    for i in 0..sizes.elements {
                        let Some(range) = out.range(unit, c, head.site, i) else { continue };
                        let target = &mut y[range];
                        target.fill(T::ZERO);
                        for j in 0..sizes.elements {
                            let p = &state.weights[sizes.pair(i, j)..][..sizes.jet()];
                            for (coef, left, right) in &plan.products[c] {
                                if let Some(value) = v.lanes(unit, *right, head.site, j) {
                                    let weight = &p[left * sizes.samples..][..sizes.samples];
                                    add_scaled_product(target, &local(coef), coef_slice(coef, &coefs), weight, value);
                                }
                            }
                        }
                    }
                }
            }
        }
    }));
}

/// Adds the adjoints of q, k and v; `places` says in which of the buffers each belongs, if anybody needs it.
#[expect(clippy::too_many_arguments, reason = "three operands, their adjoints, sizes and scratch")]
pub(crate) fn backward<T: Real>(
    plan: &AttentionPlan,
    inputs: [(&[T], Side); 3],
    (ybar, ys): (&[T], Side),
    places: [Option<usize>; 3],
    bars: &mut [Vec<T>; 3],
    coefs: &[T],
    sizes: Sizes,
    scratch: &mut [T],
) {
    let ops = operands(plan, inputs, sizes);
    let [q, k, v] = ops;
    let out = Operands { data: ybar, side: ys, planes: &plan.to, sizes };
    let pairs = sizes.elements * sizes.elements * sizes.jet();
    dispatch(inlined!(|| {
        for head in heads(plan, ys.units, sizes) {
            let coefs = site_coefs(coefs, head.site, sizes);
            let (mut state, rest) = carve(scratch, sizes);
            head_forward(plan, head, q, k, coefs, sizes, &mut state, rest);
            let (pbar, rest) = rest.split_at_mut(pairs);
            pbar.fill(T::ZERO);
            for unit in head.first_unit..head.first_unit + head.units {
                for c in 0..sizes.channels {
                    for i in 0..sizes.elements {
                        let Some(h) = out.lanes(unit, c, head.site, i) else { continue };
                        for j in 0..sizes.elements {
                            for (coef, left, right) in &plan.products[c] {
                                let Some(range) = v.range(unit, *right, head.site, j) else { continue };
                                let (coef, lanes) = (local(coef), coef_slice(coef, &coefs));
                                let at = sizes.pair(i, j) + left * sizes.samples;
                                let value = &v.data[range.clone()];
                                add_scaled_product(&mut pbar[at..][..sizes.samples], &coef, lanes, h, value);
                                if let Some(place) = places[2] {
                                    let p = &state.weights[at..][..sizes.samples];
                                    add_scaled_product(&mut bars[place][range], &coef, lanes, h, p);
                                }
                            }
                        }
                    }
                }
            }
            let (sbar, rest) = rest.split_at_mut(pairs);
            score_adjoints(plan, &state, pbar, sbar, coefs, sizes, rest);
            for (which, place) in places.iter().take(2).enumerate() {
                if let Some(place) = place {
                    operand_adjoints(plan, which, head, ops, sbar, &mut bars[*place], coefs, sizes);
                }
            }
        }
    }));
}

/// From p̄ to s̄, through p = e·r, r = 1/Σe and e = exp(s).
#[inline(always)]
fn score_adjoints<T: Real>(
    plan: &AttentionPlan,
    state: &HeadState<'_, T>,
    pbar: &[T],
    sbar: &mut [T],
    coefs: Coefs<'_, T>,
    sizes: Sizes,
    scratch: &mut [T],
) {
    let (n, jet) = (sizes.samples, sizes.jet());
    let (ebar, rest) = scratch.split_at_mut(sizes.elements * jet);
    let (rbar, rest) = rest.split_at_mut(jet);
    let (zbar, room) = rest.split_at_mut(jet);
    sbar.fill(T::ZERO);
    for i in 0..sizes.elements {
        ebar.fill(T::ZERO);
        rbar.fill(T::ZERO);
        zbar.fill(T::ZERO);
        let inverse = &state.inverses[i * jet..][..jet];
        for j in 0..sizes.elements {
            let e = &state.exps[sizes.pair(i, j)..][..jet];
            let p = &pbar[sizes.pair(i, j)..][..jet];
            for (c, terms) in plan.products.iter().enumerate() {
                for (coef, left, right) in terms {
                    let (h, l, r) = (&p[c * n..][..n], left * n, right * n);
                    let (number, lanes) = (local(coef), coef_slice(coef, &coefs));
                    add_scaled_product(&mut ebar[j * jet + l..][..n], &number, lanes, h, &inverse[r..][..n]);
                    add_scaled_product(&mut rbar[r..][..n], &number, lanes, h, &e[l..][..n]);
                }
            }
        }
        let sum = &state.sums[i * jet..][..jet];
        compose_backward(&plan.compositions, Outer::Reciprocal, sum, rbar, zbar, coefs, n, room);
        for j in 0..sizes.elements {
            lanes::add(&mut ebar[j * jet..][..jet], zbar);
            let s = &state.scores[sizes.pair(i, j)..][..jet];
            let target = &mut sbar[sizes.pair(i, j)..][..jet];
            compose_backward(&plan.compositions, Outer::Exp, s, &ebar[j * jet..][..jet], target, coefs, n, room);
        }
    }
}

/// From s̄ to q̄ or k̄.
#[expect(clippy::too_many_arguments, reason = "one head with its operands and adjoints")]
#[inline(always)]
fn operand_adjoints<T: Real>(
    plan: &AttentionPlan,
    which: usize,
    head: Head,
    [q, k, _]: [Operands<'_, T>; 3],
    sbar: &[T],
    xbar: &mut [T],
    coefs: Coefs<'_, T>,
    sizes: Sizes,
) {
    let scale = 1.0 / (head.units as f64).sqrt();
    for unit in head.first_unit..head.first_unit + head.units {
        for i in 0..sizes.elements {
            for j in 0..sizes.elements {
                for (c, terms) in plan.products.iter().enumerate() {
                    let h = &sbar[sizes.pair(i, j) + c * sizes.samples..][..sizes.samples];
                    for (coef, left, right) in terms {
                        let (Some(a), Some(b)) =
                            (q.range(unit, *left, head.site, i), k.range(unit, *right, head.site, j))
                        else {
                            continue;
                        };
                        let number = SlotCoef { scale: coef.scale * scale, ..local(coef) };
                        let lanes = coef_slice(coef, &coefs);
                        if which == 0 {
                            add_scaled_product(&mut xbar[a], &number, lanes, h, &k.data[b]);
                        } else {
                            add_scaled_product(&mut xbar[b], &number, lanes, h, &q.data[a]);
                        }
                    }
                }
            }
        }
    }
}

/// Scores, exponentials, sums, reciprocals and weights of one head.
#[expect(clippy::too_many_arguments, reason = "one head with its operands and scratch")]
#[inline(always)]
fn head_forward<T: Real>(
    plan: &AttentionPlan,
    head: Head,
    q: Operands<'_, T>,
    k: Operands<'_, T>,
    coefs: Coefs<'_, T>,
    sizes: Sizes,
    state: &mut HeadState<'_, T>,
    room: &mut [T],
) {
    let (n, jet) = (sizes.samples, sizes.jet());
    let scale = 1.0 / (head.units as f64).sqrt();
    state.scores.fill(T::ZERO);
    for unit in head.first_unit..head.first_unit + head.units {
        for i in 0..sizes.elements {
            for j in 0..sizes.elements {
                for (c, terms) in plan.products.iter().enumerate() {
                    let target = &mut state.scores[sizes.pair(i, j) + c * n..][..n];
                    for (coef, left, right) in terms {
                        if let (Some(a), Some(b)) =
                            (q.lanes(unit, *left, head.site, i), k.lanes(unit, *right, head.site, j))
                        {
                            let number = SlotCoef { scale: coef.scale * scale, ..local(coef) };
                            add_scaled_product(target, &number, coef_slice(coef, &coefs), a, b);
                        }
                    }
                }
            }
        }
    }
    for i in 0..sizes.elements {
        shift_scores(i, sizes, state.scores);
        let sum = &mut state.sums[i * jet..][..jet];
        sum.fill(T::ZERO);
        for j in 0..sizes.elements {
            let (s, e) = (&state.scores[sizes.pair(i, j)..][..jet], &mut state.exps[sizes.pair(i, j)..][..jet]);
            compose_forward(&plan.compositions, Outer::Exp, s, e, coefs, n, room);
            lanes::add(sum, e);
        }
        let inverse = &mut state.inverses[i * jet..][..jet];
        compose_forward(&plan.compositions, Outer::Reciprocal, sum, inverse, coefs, n, room);
        for j in 0..sizes.elements {
            let e = &state.exps[sizes.pair(i, j)..][..jet];
            let p = &mut state.weights[sizes.pair(i, j)..][..jet];
            p.fill(T::ZERO);
            for (c, terms) in plan.products.iter().enumerate() {
                for (coef, left, right) in terms {
                    let (l, r) = (&e[left * n..][..n], &inverse[right * n..][..n]);
                    add_scaled_product(&mut p[c * n..][..n], &local(coef), coef_slice(coef, &coefs), l, r);
                }
            }
        }
    }
}

/// Subtracts the largest score of row i from its values, lane by lane.
#[inline(always)]
fn shift_scores<T: Real>(i: usize, sizes: Sizes, scores: &mut [T]) {
    for lane in 0..sizes.samples {
        let largest = (1..sizes.elements).fold(scores[sizes.pair(i, 0) + lane], |m, j| {
            if scores[sizes.pair(i, j) + lane] > m { scores[sizes.pair(i, j) + lane] } else { m }
        });
        for j in 0..sizes.elements {
            scores[sizes.pair(i, j) + lane] -= largest;
        }
    }
}

/// The two outer functions softmax needs.
#[derive(Clone, Copy)]
enum Outer {
    Exp,
    Reciprocal,
}

impl Outer {
    /// f^(k)(z): exp is its own derivative; (1/z)^(k) = (−1)^k k! z^(−k−1).
    fn tower<T: Real>(self, z: &[T], k_max: usize, tower: &mut [T]) {
        let n = z.len();
        match self {
            Self::Exp => Activation::Exp.tower(k_max, z, tower),
            Self::Reciprocal => {
                for (lane, &z) in z.iter().enumerate() {
                    let inverse = T::ONE / z;
                    let mut value = inverse;
                    for k in 0..=k_max {
                        tower[k * n + lane] = value;
                        value *= -inverse * T::from_f64((k + 1) as f64);
                    }
                }
            }
        }
    }
}

fn full_planes(term: &SlotTerm) -> impl Iterator<Item = usize> + '_ {
    term.factors.iter().filter_map(|f| match f {
        Operand::Full(plane) => Some(*plane),
        Operand::Uniform(_) => None,
    })
}

fn highest(compositions: &[Vec<SlotTerm>]) -> usize {
    compositions.iter().flatten().map(|t| t.factors.len()).max().unwrap_or(0)
}

/// y = f(z) on jets stored channel by channel; `room` holds a tower and some lanes more.
#[inline(always)]
fn compose_forward<T: Real>(
    terms: &[Vec<SlotTerm>],
    f: Outer,
    z: &[T],
    y: &mut [T],
    coefs: Coefs<'_, T>,
    n: usize,
    room: &mut [T],
) {
    let k_max = highest(terms);
    let (tower, rest) = room.split_at_mut((k_max + 1) * n);
    let product = &mut rest[..n];
    f.tower(&z[..n], k_max, tower);
    y[..n].copy_from_slice(&tower[..n]);
    for (c, terms) in terms.iter().enumerate().skip(1) {
        let target = &mut y[c * n..][..n];
        target.fill(T::ZERO);
        for term in terms {
            coefs.weigh(&term.coef, &tower[term.factors.len() * n..][..n], product);
            for plane in full_planes(term) {
                lanes::scale_by(product, &z[plane * n..][..n]);
            }
            lanes::add(target, product);
        }
    }
}

/// z̄ += adjoint of y = f(z); `room` holds a tower and some lanes more.
#[expect(clippy::too_many_arguments, reason = "one function with its operand, adjoints and scratch")]
#[inline(always)]
fn compose_backward<T: Real>(
    terms: &[Vec<SlotTerm>],
    f: Outer,
    z: &[T],
    ybar: &[T],
    zbar: &mut [T],
    coefs: Coefs<'_, T>,
    n: usize,
    room: &mut [T],
) {
    let k_max = highest(terms) + 1;
    let (tower, rest) = room.split_at_mut((k_max + 1) * n);
    let (weight, rest) = rest.split_at_mut(n);
    let (product, rest) = rest.split_at_mut(n);
    let value = &mut rest[..n];
    f.tower(&z[..n], k_max, tower);
    value.fill(T::ZERO);
    lanes::add_product(value, &ybar[..n], &tower[n..][..n]);
    for (c, terms) in terms.iter().enumerate().skip(1) {
        for term in terms {
            let k = term.factors.len();
            coefs.weigh(&term.coef, &ybar[c * n..][..n], weight);
            product.copy_from_slice(weight);
            for plane in full_planes(term) {
                lanes::scale_by(product, &z[plane * n..][..n]);
            }
            lanes::add_product(value, product, &tower[(k + 1) * n..][..n]);
            lanes::scale_by(weight, &tower[k * n..][..n]);
            for (position, plane) in full_planes(term).enumerate() {
                product.copy_from_slice(weight);
                for (_, other) in full_planes(term).enumerate().filter(|(o, _)| *o != position) {
                    lanes::scale_by(product, &z[other * n..][..n]);
                }
                lanes::add(&mut zbar[plane * n..][..n], product);
            }
        }
    }
    lanes::add(&mut zbar[..n], value);
}

/// Varying coefficients at one site: the same for all elements of a sample.
#[derive(Clone, Copy)]
struct Coefs<'a, T> {
    all: &'a [T],
    columns: usize,
    start: usize,
    samples: usize,
}

impl<'a, T: Real> Coefs<'a, T> {
    fn lanes(&self, slot: usize) -> &'a [T] {
        &self.all[slot * self.columns + self.start..][..self.samples]
    }

    /// out = coefficient·x.
    #[inline(always)]
    fn weigh(&self, coef: &SlotCoef, x: &[T], out: &mut [T]) {
        let scale = T::from_f64(coef.scale);
        match coef.lanes {
            None => lanes::set_with(out, inlined!(|i| scale * x[i])),
            Some(slot) => {
                let c = self.lanes(slot);
                lanes::set_with(out, inlined!(|i| scale * c[i] * x[i]));
            }
        }
    }
}

fn site_coefs<T>(all: &[T], site: usize, sizes: Sizes) -> Coefs<'_, T> {
    Coefs { all, columns: sizes.columns(), start: site * sizes.elements * sizes.samples, samples: sizes.samples }
}

/// The coefficient as the first entry of its own lanes.
fn local(coef: &SlotCoef) -> SlotCoef {
    SlotCoef { scale: coef.scale, lanes: coef.lanes.map(|_| 0) }
}

fn coef_slice<'a, T: Real>(coef: &SlotCoef, coefs: &Coefs<'a, T>) -> &'a [T] {
    coef.lanes.map_or(&[], |slot| coefs.lanes(slot))
}

fn operands<'a, T>(plan: &'a AttentionPlan, inputs: [(&'a [T], Side); 3], sizes: Sizes) -> [Operands<'a, T>; 3] {
    let [q, k, v] = inputs;
    let make = |i: usize, (data, side): (&'a [T], Side)| Operands { data, side, planes: &plan.from[i], sizes };
    [make(0, q), make(1, k), make(2, v)]
}

fn heads(plan: &AttentionPlan, width: usize, sizes: Sizes) -> impl Iterator<Item = Head> + use<> {
    let (heads, units) = (plan.heads, width / plan.heads);
    (0..sizes.sites).flat_map(move |site| (0..heads).map(move |h| Head { first_unit: h * units, units, site }))
}

fn carve<T>(scratch: &mut [T], sizes: Sizes) -> (HeadState<'_, T>, &mut [T]) {
    let pairs = sizes.elements * sizes.elements * sizes.jet();
    let rows = sizes.elements * sizes.jet();
    let (scores, rest) = scratch.split_at_mut(pairs);
    let (exps, rest) = rest.split_at_mut(pairs);
    let (weights, rest) = rest.split_at_mut(pairs);
    let (sums, rest) = rest.split_at_mut(rows);
    let (inverses, rest) = rest.split_at_mut(rows);
    (HeadState { scores, exps, sums, inverses, weights }, rest)
}
