//! Points of a term, and the same points moved into their regions: x + Rξ with ξ ~ U[0, 1) for each coordinate.

use crate::case::Case;
use crate::config::{Edge, ObjectiveConfig};
use crate::problem::ProblemTerm;
use ropinn_domain::Stream;
use ropinn_engine::Batch;

/// The points and data of one term.
pub(super) struct PointSet {
    /// `[sample][site][element][axis]`.
    base: Vec<f64>,
    /// `[copy][sample][site][element][axis]`; empty if the points never move.
    moved: Vec<f64>,
    data: Vec<f64>,
    /// The data once per copy.
    moved_data: Vec<f64>,
    sites: usize,
    /// Numbers per site: elements × axes.
    per_site: usize,
}

/// How points are moved, with memory for the draws that linked points share.
pub(super) struct Shifts {
    edge: Edge,
    ranges: Vec<(f64, f64)>,
    draws: Vec<f64>,
}

impl Shifts {
    pub fn new(edge: Edge, ranges: Vec<(f64, f64)>) -> Self {
        Self { edge, ranges, draws: Vec::new() }
    }
}

impl PointSet {
    pub fn new(case: &Case, term: &ProblemTerm, config: &ObjectiveConfig) -> Self {
        let base = case.network_points(&term.points).into_owned();
        let moves = config.reach() > 0.0 && config.region.groups.iter().any(|group| group.holds(term.group));
        let copies = if moves { config.region.samples } else { 0 };
        Self {
            moved: base.repeat(copies),
            moved_data: term.data.repeat(copies),
            base,
            data: term.data.clone(),
            sites: term.sites,
            per_site: case.network().elements() * case.network().coordinates(),
        }
    }

    /// The points, moved if they are to be and can be.
    pub fn batch(&self, moved: bool) -> Batch<'_> {
        let (points, data) =
            if moved && !self.moved.is_empty() { (&self.moved, &self.moved_data) } else { (&self.base, &self.data) };
        Batch { points, data, weights: &[] }
    }

    /// Moves every copy of every point to a new place in its region of that size. Linked points move together.
    pub fn shift(&mut self, stream: &mut Stream, size: f64, shifts: &mut Shifts) {
        for copy in self.moved.chunks_exact_mut(self.base.len()) {
            if self.sites == 1 {
                stream.fill_uniform(copy);
            } else {
                shifts.draws.resize(copy.len() / self.sites, 0.0);
                stream.fill_uniform(&mut shifts.draws);
                let samples = copy.chunks_exact_mut(self.per_site * self.sites);
                for (sample, draws) in samples.zip(shifts.draws.chunks_exact(self.per_site)) {
                    sample.chunks_exact_mut(self.per_site).for_each(|site| site.copy_from_slice(draws));
                }
            }
            for (place, &x) in copy.iter_mut().zip(&self.base) {
                *place = x + size * *place;
            }
            keep_inside(copy, &self.base, shifts.edge, &shifts.ranges);
        }
    }
}

/// Brings places beyond the upper end of a coordinate's range back. Points that start beyond it (elements of a
/// pseudo-sequence at the last instant) count as the end themselves: an edge rule never moves a point that did not move.
fn keep_inside(places: &mut [f64], base: &[f64], edge: Edge, ranges: &[(f64, f64)]) {
    if edge == Edge::Free {
        return;
    }
    let axes = ranges.len();
    for (places, base) in places.chunks_exact_mut(axes).zip(base.chunks_exact(axes)) {
        for ((place, &x), &(low, high)) in places.iter_mut().zip(base).zip(ranges) {
            let end = high.max(x);
            if *place > end {
                *place = match edge {
                    Edge::Reflect => (2.0 * end - *place).max(low),
                    Edge::Clamp | Edge::Free => end,
                };
            }
        }
    }
}
