//! Multi-head attention over the elements of a pseudo-sequence, half by half.
//!
//! Per site and head, with i, j over elements: `s_ij = q_i·k_j/√d`, `p_i = softmax(s_i)`, `y_i = Σ_j p_ij v_j`. On jets, with
//! `m(x) = Σ_j p_j x_j` over a row,
//!
//! ```text
//! p_b = p (s_b − m(s_b)),   p_W = p w with w = s_W − m(s_W),   p_L = p (s_L − m(s_L) − Σ_b Σ_k p_{b,k} w_k) + Σ_b p_b w.
//! ```
//!
//! Backward, all products being those of jets: `p̄_ij = ȳ_i·v_j`, `v̄_j = Σ_i p_ij ȳ_i`, `s̄_ij = p_ij p̄_ij − p_ij Σ_k p_ik p̄_ik`,
//! `q̄_i = Σ_j s̄_ij k_j/√d`, `k̄_j = Σ_i s̄_ij q_i/√d`. Weights and upper adjoints of scores are kept from half to half.

use super::product::{Jet, add_lower, add_upper, adjoint_lower, adjoint_upper};
use super::{Both, Half, plane, plane_mut};
use crate::exec::lanes;
use crate::plan::Jets;
use ropinn_vmath::{Real, dispatch, lane};

/// Sizes of a tile and of a head.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    pub samples: usize,
    pub sites: usize,
    pub elements: usize,
    pub heads: usize,
    /// Units of all heads together.
    pub units: usize,
    /// Lower and upper planes.
    pub planes: (usize, usize),
}

impl Sizes {
    fn columns(&self) -> usize {
        self.samples * self.sites * self.elements
    }

    fn pairs(&self) -> usize {
        self.elements * self.elements
    }

    fn pair(&self, i: usize, j: usize) -> usize {
        i * self.elements + j
    }

    /// Numbers of one head at one site that are kept from half to half: p, upper p, p̄ and s̄, and the sums of the rows.
    fn kept_per_head(&self) -> usize {
        let (lower, upper) = self.planes;
        (self.pairs() * (lower + 3 * upper) + self.elements * upper) * self.samples
    }

    /// Numbers kept by a node.
    pub fn kept(&self) -> usize {
        self.sites * self.heads * self.kept_per_head()
    }

    /// Lower adjoints of the scores of all heads.
    fn scores(&self) -> usize {
        self.sites * self.heads * self.pairs() * self.planes.0 * self.samples
    }

    /// Room the rules need: scores of all heads, and a half of all pairs, a row and a plane.
    pub fn scratch(&self) -> usize {
        let widest = self.planes.0.max(self.planes.1);
        self.scores() + ((self.pairs() + self.elements) * widest + 1) * self.samples
    }
}

/// What is kept of one head at one site, `[pair][plane][sample]`, and rows `[element][plane][sample]`.
struct Kept<'a, T> {
    p: &'a mut [T],
    p_upper: &'a mut [T],
    pbar: &'a mut [T],
    sbar: &'a mut [T],
    rows: &'a mut [T],
}

impl<'a, T> Kept<'a, T> {
    fn new(numbers: &'a mut [T], sizes: Sizes) -> Self {
        let pairs = sizes.pairs() * sizes.samples;
        let (p, rest) = numbers.split_at_mut(pairs * sizes.planes.0);
        let (p_upper, rest) = rest.split_at_mut(pairs * sizes.planes.1);
        let (pbar, rest) = rest.split_at_mut(pairs * sizes.planes.1);
        let (sbar, rest) = rest.split_at_mut(pairs * sizes.planes.1);
        Self { p, p_upper, pbar, sbar, rows: rest }
    }
}

/// One head at one site.
#[derive(Clone, Copy)]
struct Head {
    first_unit: usize,
    units: usize,
    site: usize,
}

fn heads(sizes: Sizes) -> impl Iterator<Item = Head> {
    let units = sizes.units / sizes.heads;
    (0..sizes.sites).flat_map(move |site| (0..sizes.heads).map(move |h| Head { first_unit: h * units, units, site }))
}

/// Where the planes of a unit at an element begin, in a half with so many planes.
#[inline(always)]
fn start(sizes: Sizes, planes: usize, unit: usize, site: usize, element: usize) -> usize {
    unit * planes * sizes.columns() + (site * sizes.elements + element) * sizes.samples
}

/// A unit at an element.
#[inline(always)]
fn jet<'a, T>(both: Both<'a, T>, sizes: Sizes, unit: usize, site: usize, element: usize) -> Jet<'a, T> {
    let (lower, upper) = sizes.planes;
    let from = |numbers: &'a [T], planes| {
        if numbers.is_empty() { numbers } else { &numbers[start(sizes, planes, unit, site, element)..] }
    };
    Jet { lower: from(both.lower, lower), upper: from(both.upper, upper), stride: sizes.columns() }
}

/// Entry `index` of numbers by pairs or rows.
#[inline(always)]
fn entry<'a, T>(lower: &'a [T], upper: &'a [T], index: usize, sizes: Sizes) -> Jet<'a, T> {
    let n = sizes.samples;
    let from = |numbers: &'a [T], planes: usize| {
        if numbers.is_empty() { numbers } else { &numbers[index * planes * n..][..planes * n] }
    };
    Jet { lower: from(lower, sizes.planes.0), upper: from(upper, sizes.planes.1), stride: n }
}

/// A half of y = attention(q, k, v).
pub(crate) fn forward<T: Real>(
    jets: &Jets,
    half: Half,
    [q, k, v]: [Both<'_, T>; 3],
    y: &mut [T],
    kept: &mut [T],
    sizes: Sizes,
    scratch: &mut [T],
) {
    let n = sizes.samples;
    let planes = if half == Half::Lower { sizes.planes.0 } else { sizes.planes.1 };
    let (scores, rest) = scratch.split_at_mut(sizes.pairs() * planes * n);
    let spare = &mut rest[..n];
    y[..sizes.units * planes * sizes.columns()].fill(T::ZERO);
    dispatch(inlined!(|| {
        for (head, kept) in heads(sizes).zip(kept.chunks_exact_mut(sizes.kept_per_head())) {
            let kept = Kept::new(kept, sizes);
            let scale = T::ONE / T::from_f64(head.units as f64).sqrt();
            scores.fill(T::ZERO);
            for unit in head.first_unit..head.first_unit + head.units {
                for i in 0..sizes.elements {
                    let a = jet(q, sizes, unit, head.site, i);
                    for j in 0..sizes.elements {
                        let b = jet(k, sizes, unit, head.site, j);
                        let target = (&mut scores[sizes.pair(i, j) * planes * n..][..planes * n], n);
                        match half {
                            Half::Lower => add_lower(jets, scale, a, b, target, n),
                            Half::Upper => add_upper(jets, scale, a, b, target, n),
                        }
                    }
                }
            }
            for i in 0..sizes.elements {
                let row = i * sizes.elements * planes * n..(i + 1) * sizes.elements * planes * n;
                match half {
                    Half::Lower => softmax(&mut scores[row.clone()], &mut kept.p[row], spare, sizes),
                    Half::Upper => {
                        let lower = sizes.elements * sizes.planes.0 * n;
                        let p = &kept.p[i * lower..][..lower];
                        upper_softmax(jets, &mut scores[row.clone()], p, &mut kept.p_upper[row], spare, sizes);
                    }
                }
            }
            for unit in head.first_unit..head.first_unit + head.units {
                for i in 0..sizes.elements {
                    let at = start(sizes, planes, unit, head.site, i);
                    for j in 0..sizes.elements {
                        let p = entry(kept.p, kept.p_upper, sizes.pair(i, j), sizes);
                        let value = jet(v, sizes, unit, head.site, j);
                        let target = (&mut y[at..], sizes.columns());
                        match half {
                            Half::Lower => add_lower(jets, T::ONE, p, value, target, n),
                            Half::Upper => add_upper(jets, T::ONE, p, value, target, n),
                        }
                    }
                }
            }
        }
    }));
}

/// Lower planes of the weights of one row: `[element][plane][sample]`. The largest score is a constant of each lane: softmax
/// and its derivatives are unchanged by it.
#[inline(always)]
fn softmax<T: Real>(s: &mut [T], p: &mut [T], spare: &mut [T], sizes: Sizes) {
    let (n, planes) = (sizes.samples, sizes.planes.0);
    let spare = &mut spare[..n];
    spare.copy_from_slice(plane(s, 0, n, n));
    for j in 1..sizes.elements {
        let score = plane(s, j * planes, n, n);
        for i in 0..n {
            spare[i] = if score[i] > spare[i] { score[i] } else { spare[i] };
        }
    }
    for j in 0..sizes.elements {
        let score = plane(s, j * planes, n, n);
        lanes::set_with(plane_mut(p, j * planes, n, n), inlined!(|i| lane::exp(score[i] - spare[i])));
    }
    spare.fill(T::ZERO);
    (0..sizes.elements).for_each(|j| lanes::add(spare, plane(p, j * planes, n, n)));
    for x in spare.iter_mut() {
        *x = T::ONE / *x;
    }
    (0..sizes.elements).for_each(|j| lanes::scale_by(plane_mut(p, j * planes, n, n), spare));
    for b in 1..planes {
        mean(s, planes, b, p, planes, spare, sizes);
        for j in 0..sizes.elements {
            let (weight, derived) = p[j * planes * n..][..planes * n].split_at_mut(n);
            let score = plane(s, j * planes + b, n, n);
            let target = plane_mut(derived, b - 1, n, n);
            lanes::set_with(target, inlined!(|i| weight[i] * (score[i] - spare[i])));
        }
    }
}

/// Σ_j p_j x_j of a row, x being plane `which` of `x_planes`.
#[inline(always)]
fn mean<T: Real>(x: &[T], x_planes: usize, which: usize, p: &[T], p_planes: usize, sum: &mut [T], sizes: Sizes) {
    let n = sizes.samples;
    sum.fill(T::ZERO);
    for j in 0..sizes.elements {
        lanes::add_product(sum, plane(p, j * p_planes, n, n), plane(x, j * x_planes + which, n, n));
    }
}

/// Upper planes of the weights of one row; leaves w in place of `s_W`.
#[inline(always)]
fn upper_softmax<T: Real>(jets: &Jets, s: &mut [T], p: &[T], out: &mut [T], spare: &mut [T], sizes: Sizes) {
    let (n, (lower, upper)) = (sizes.samples, sizes.planes);
    let spare = &mut spare[..n];
    for group in &jets.groups {
        for &(_, w) in &group.pairs {
            mean(s, upper, w, p, lower, spare, sizes);
            for j in 0..sizes.elements {
                let (score, weight) = (plane_mut(s, j * upper + w, n, n), plane(p, j * lower, n, n));
                for i in 0..n {
                    score[i] -= spare[i];
                }
                lanes::set_with(plane_mut(out, j * upper + w, n, n), inlined!(|i| weight[i] * score[i]));
            }
        }
        mean(s, upper, group.last, p, lower, spare, sizes);
        for &(b, w) in &group.pairs {
            for j in 0..sizes.elements {
                lanes::add_product(spare, plane(p, j * lower + b, n, n), plane(s, j * upper + w, n, n));
            }
        }
        for j in 0..sizes.elements {
            let (score, weight) = (plane(s, j * upper + group.last, n, n), plane(p, j * lower, n, n));
            let target = plane_mut(out, j * upper + group.last, n, n);
            lanes::set_with(target, inlined!(|i| weight[i] * (score[i] - spare[i])));
            for &(b, w) in &group.pairs {
                lanes::add_product(target, plane(p, j * lower + b, n, n), plane(s, j * upper + w, n, n));
            }
        }
    }
}

/// A half of s̄ of all heads: the upper half is kept, the lower half is left at the beginning of the scratch.
pub(crate) fn backward_scores<T: Real>(
    jets: &Jets,
    half: Half,
    v: Both<'_, T>,
    ybar: Both<'_, T>,
    kept: &mut [T],
    sizes: Sizes,
    scratch: &mut [T],
) {
    let (n, (lower, upper)) = (sizes.samples, sizes.planes);
    let planes = if half == Half::Lower { lower } else { upper };
    let (low_scores, rest) = scratch.split_at_mut(sizes.scores());
    let (low_pbar, rest) = rest.split_at_mut(sizes.pairs() * lower * n);
    let low_rows = &mut rest[..sizes.elements * lower * n];
    dispatch(inlined!(|| {
        let parts = kept.chunks_exact_mut(sizes.kept_per_head());
        let low = low_scores.chunks_exact_mut(sizes.pairs() * lower * n);
        for ((head, kept), low_sbar) in heads(sizes).zip(parts).zip(low) {
            let Kept { p, p_upper, pbar, sbar, rows } = Kept::new(kept, sizes);
            // Of this half: what is written, and the upper half beside a lower one.
            let ([pbar, sbar, rows], [upper_pbar, upper_rows]): ([&mut [T]; 3], [&[T]; 2]) = match half {
                Half::Lower => ([&mut *low_pbar, low_sbar, &mut *low_rows], [pbar, rows]),
                Half::Upper => ([pbar, sbar, rows], [&[], &[]]),
            };
            [&mut *pbar, &mut *sbar, &mut *rows].into_iter().for_each(|numbers| numbers.fill(T::ZERO));
            for unit in head.first_unit..head.first_unit + head.units {
                for i in 0..sizes.elements {
                    let h = jet(ybar, sizes, unit, head.site, i);
                    for j in 0..sizes.elements {
                        let value = jet(v, sizes, unit, head.site, j);
                        let target = (&mut pbar[sizes.pair(i, j) * planes * n..][..planes * n], n);
                        adjoint(jets, half, T::ONE, value, h, target, n);
                    }
                }
            }
            // p p̄ first; its sum over a row, times p, is taken off afterwards.
            for i in 0..sizes.elements {
                let row = i * planes * n..(i + 1) * planes * n;
                for j in 0..sizes.elements {
                    let pair = sizes.pair(i, j);
                    let target = &mut sbar[pair * planes * n..][..planes * n];
                    let (weight, h) = (entry(p, p_upper, pair, sizes), halves(half, pbar, upper_pbar, pair, sizes));
                    adjoint(jets, half, T::ONE, weight, h, (&mut *target, n), n);
                    lanes::add(&mut rows[row.clone()], target);
                }
                for j in 0..sizes.elements {
                    let pair = sizes.pair(i, j);
                    let target = (&mut sbar[pair * planes * n..][..planes * n], n);
                    let (weight, sum) = (entry(p, p_upper, pair, sizes), halves(half, rows, upper_rows, i, sizes));
                    adjoint(jets, half, -T::ONE, weight, sum, target, n);
                }
            }
        }
    }));
}

/// Adds a half of the adjoint of operand number `which` (0: q, 1: k, 2: v) into `bar`, after [`backward_scores`].
#[expect(clippy::too_many_arguments, reason = "three operands, adjoints, sizes and scratch")]
pub(crate) fn backward_operand<T: Real>(
    jets: &Jets,
    half: Half,
    which: usize,
    [q, k]: [Both<'_, T>; 2],
    ybar: Both<'_, T>,
    bar: &mut [T],
    kept: &mut [T],
    sizes: Sizes,
    scratch: &[T],
) {
    let (n, columns, (lower, upper)) = (sizes.samples, sizes.columns(), sizes.planes);
    let planes = if half == Half::Lower { lower } else { upper };
    let low_scores = &scratch[..sizes.scores()];
    dispatch(inlined!(|| {
        let parts = kept.chunks_exact_mut(sizes.kept_per_head());
        let low = low_scores.chunks_exact(sizes.pairs() * lower * n);
        for ((head, kept), low_sbar) in heads(sizes).zip(parts).zip(low) {
            let Kept { p, p_upper, sbar, .. } = Kept::new(kept, sizes);
            let scale = T::ONE / T::from_f64(head.units as f64).sqrt();
            for unit in head.first_unit..head.first_unit + head.units {
                for i in 0..sizes.elements {
                    for j in 0..sizes.elements {
                        let pair = sizes.pair(i, j);
                        let scores = match half {
                            Half::Lower => entry(low_sbar, sbar, pair, sizes),
                            Half::Upper => entry(&[], sbar, pair, sizes),
                        };
                        let (c, x, h, element) = match which {
                            0 => (scale, jet(k, sizes, unit, head.site, j), scores, i),
                            1 => (scale, jet(q, sizes, unit, head.site, i), scores, j),
                            _ => {
                                let weight = entry(p, p_upper, pair, sizes);
                                (T::ONE, weight, jet(ybar, sizes, unit, head.site, i), j)
                            }
                        };
                        let target = &mut bar[start(sizes, planes, unit, head.site, element)..];
                        adjoint(jets, half, c, x, h, (target, columns), n);
                    }
                }
            }
        }
    }));
}

/// A half of ā += c·x·ȳ.
#[inline(always)]
fn adjoint<T: Real>(
    jets: &Jets,
    half: Half,
    c: T,
    x: Jet<'_, T>,
    ybar: Jet<'_, T>,
    target: (&mut [T], usize),
    n: usize,
) {
    match half {
        Half::Lower => adjoint_lower(jets, c, x, ybar, target, n),
        Half::Upper => adjoint_upper(jets, c, x, ybar, target, n),
    }
}

/// Entry `index` of an adjoint of which this half is at hand, and the upper half too if this is the lower one.
#[inline(always)]
fn halves<'a, T>(half: Half, own: &'a [T], upper: &'a [T], index: usize, sizes: Sizes) -> Jet<'a, T> {
    match half {
        Half::Lower => entry(own, upper, index, sizes),
        Half::Upper => entry(&[], own, index, sizes),
    }
}
