//! Keeps the places in regions where their points belong: inside the domain, and those of conditions on their own part.
//!
//! A place beyond the end of a coordinate is mirrored at the end or put on it. Where the domain is no box, a place that does not
//! belong is mirrored at its point, which leads inside near every smooth boundary; if that does not belong either, and with
//! `clamp`, it goes back towards its point until it does. Points of conditions move along their part alone: those at an
//! instant not in time, those on the boundary not along an axis in which its normal has a component.

use crate::case::Case;
use crate::config::Edge;
use crate::problem::{Term, TermGroup};

/// Halvings of the way back to a point: the place found is this power of 1/2 of the way from the edge.
const HALVINGS: usize = 20;
/// Components of a normal below this are rounding.
const TANGENTIAL: f64 = 1e-9;

/// What keeps the moved points of one term where they belong.
pub(super) struct Fence {
    case: Case,
    edge: Edge,
    group: TermGroup,
    ranges: Vec<(f64, f64)>,
    /// Numbers of a place that goes back as a whole: a point, or all points of a linked sample.
    linked: usize,
    /// Coordinates that do not move, `[sample][site][element][axis]`; empty if all do.
    held: Vec<bool>,
    /// How far each place may go without leaving the domain for certain; empty if the ranges are all there is to leave.
    room: Vec<f64>,
    step: Vec<f64>,
    point: Vec<f64>,
}

impl Fence {
    /// `None` where places may lie anywhere. Linked points have `per_site` numbers each.
    pub fn new(case: &Case, term: &Term, per_site: usize) -> Option<Self> {
        let (edge, ranges) = (case.config().objective.region.edge, case.problem().ranges());
        let linked = if term.sites == 1 { ranges.len() } else { term.sites * per_site };
        let (held, room, step, point) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let fence = Self { case: case.clone(), edge, group: term.group, ranges, linked, held, room, step, point };
        (edge != Edge::Free).then_some(fence)
    }

    /// Takes note of where the points are at rest.
    pub fn survey(&mut self, base: &[f64]) {
        let (axes, problem) = (self.ranges.len(), self.case.problem());
        let (geometry, touching, time) = (problem.geometry(), problem.touching(), problem.time_axis());
        self.held.clear();
        for point in base.chunks_exact(axes).filter(|_| self.group != TermGroup::Residual) {
            let at_instant = self.group == TermGroup::Initial;
            let point = within_time(&self.ranges, time, point, &mut self.point);
            let normal = geometry.boundary_normal(point, touching).filter(|_| !at_instant);
            self.held.extend((0..axes).map(|axis| match &normal {
                _ if at_instant => Some(axis) == time,
                Some(normal) => normal[axis].abs() > TANGENTIAL,
                // A boundary whose normal is unknown is not left in any direction of space.
                None => Some(axis) != time,
            }));
        }
        self.room.clear();
        if geometry.as_box().is_some() {
            return;
        }
        for place in base.chunks_exact(self.linked) {
            let depth = |point| -geometry.signed_distance(within_time(&self.ranges, time, point, &mut self.point));
            let least = place.chunks_exact(axes).map(depth).fold(f64::INFINITY, f64::min).max(0.0);
            self.room.push(if self.group == TermGroup::Boundary { 0.0 } else { least });
        }
    }

    /// Brings moved points back where that is needed.
    ///
    /// Points that start beyond a range (elements of a pseudo-sequence at the last instant) count as its end themselves: a
    /// fence never moves a point that did not move.
    pub fn keep(&mut self, places: &mut [f64], base: &[f64]) {
        let axes = self.ranges.len();
        for (places, base) in places.chunks_exact_mut(axes).zip(base.chunks_exact(axes)) {
            for ((place, &x), &(low, high)) in places.iter_mut().zip(base).zip(&self.ranges) {
                let end = high.max(x);
                if *place > end {
                    *place = if self.edge == Edge::Reflect { (2.0 * end - *place).max(low) } else { end };
                }
            }
        }
        let held = places.iter_mut().zip(base).zip(&self.held).filter(|(_, held)| **held);
        held.for_each(|((place, &x), _)| *place = x);
        for (number, (place, base)) in
            places.chunks_exact_mut(self.linked).zip(base.chunks_exact(self.linked)).enumerate().take(self.room.len())
        {
            let farthest = place.iter().zip(base).fold(0.0, |far: f64, (place, x)| far.max((place - x).abs()));
            if farthest * (axes as f64).sqrt() > self.room[number] && !self.belongs(place) {
                self.bring_back(place, base);
            }
        }
    }

    /// A place that belongs, in place of one that does not.
    fn bring_back(&mut self, place: &mut [f64], base: &[f64]) {
        let mut step = std::mem::take(&mut self.step);
        step.clear();
        step.extend(place.iter().zip(base).map(|(place, x)| place - x));
        let go = |place: &mut [f64], share: f64| {
            place.iter_mut().zip(base).zip(&step).for_each(|((place, x), step)| *place = x + share * step);
        };
        let mirrored = self.edge == Edge::Reflect && {
            go(place, -1.0);
            self.belongs(place)
        };
        if !mirrored {
            let (mut inside, mut outside) = (0.0, 1.0);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (inside + outside);
                go(place, middle);
                if self.belongs(place) { inside = middle } else { outside = middle }
            }
            go(place, inside);
        }
        self.step = step;
    }

    /// Whether all points of a place are in the domain, and on its boundary if that is where they began.
    fn belongs(&mut self, place: &[f64]) -> bool {
        let problem = self.case.problem();
        let (geometry, touching, time) = (problem.geometry(), problem.touching(), problem.time_axis());
        place.chunks_exact(self.ranges.len()).all(|point| {
            let point = within_time(&self.ranges, time, point, &mut self.point);
            match self.group {
                TermGroup::Boundary => geometry.boundary_normal(point, touching).is_some(),
                _ => geometry.contains(point, touching),
            }
        })
    }
}

/// The point with its time in the range: elements of a pseudo-sequence may lie beyond the last instant.
fn within_time<'a>(ranges: &[(f64, f64)], time: Option<usize>, point: &[f64], memory: &'a mut Vec<f64>) -> &'a [f64] {
    memory.clear();
    memory.extend_from_slice(point);
    if let Some(axis) = time {
        memory[axis] = memory[axis].clamp(ranges[axis].0, ranges[axis].1);
    }
    memory
}
