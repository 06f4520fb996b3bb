//! A polygon less discs. Its pieces are the sides in order, side k from corner k to the next, then the rims of the holes.

use crate::SolveError;

/// A round hole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// Its centre.
    pub center: [f64; 2],
    /// Its radius.
    pub radius: f64,
}

/// A polygon, its corners counter-clockwise, less discs that touch neither it nor each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    pub(crate) outline: Vec<[f64; 2]>,
    pub(crate) holes: Vec<Disc>,
}

impl Disc {
    /// How far a point is from the rim; negative inside.
    pub(super) fn distance(&self, [x, y]: [f64; 2]) -> f64 {
        (x - self.center[0]).hypot(y - self.center[1]) - self.radius
    }

    /// The point of the rim in the direction of another.
    pub(super) fn onto_rim(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let (dx, dy) = (x - self.center[0], y - self.center[1]);
        let scale = self.radius / dx.hypot(dy);
        [self.center[0] + scale * dx, self.center[1] + scale * dy]
    }
}

impl Domain {
    /// Refuses polygons that are clockwise or flat, and holes that touch something.
    pub fn new(outline: Vec<[f64; 2]>, holes: Vec<Disc>) -> Result<Self, SolveError> {
        let domain = Self { outline, holes };
        let refuse = |reason: String| Err(SolveError::Domain { reason });
        let area: f64 = domain.sides().map(|([a, b], [c, d])| 0.5 * (a * d - b * c)).sum();
        if domain.outline.len() < 3 || area.is_nan() || area <= 0.0 {
            return refuse("its outline must have at least three corners, counter-clockwise".into());
        }
        for (k, hole) in domain.holes.iter().enumerate() {
            let Disc { center, radius } = *hole;
            let touches = |other: &Disc| other.distance(center) <= radius;
            let clear =
                domain.sides().all(|side| distance_to(side, center) > radius) && inside(&domain.outline, center);
            if radius.is_nan() || radius <= 0.0 || !clear || domain.holes[..k].iter().any(touches) {
                let [x, y] = center;
                return refuse(format!(
                    "the hole of radius {radius} at ({x}, {y}) must lie inside, apart from the others"
                ));
            }
        }
        Ok(domain)
    }

    /// A rectangle by two corners: its sides are those at low y, high x, high y and low x.
    pub fn rectangle(low: [f64; 2], high: [f64; 2], holes: Vec<Disc>) -> Result<Self, SolveError> {
        Self::new(vec![low, [high[0], low[1]], high, [low[0], high[1]]], holes)
    }

    /// Pieces of the boundary.
    pub fn pieces(&self) -> usize {
        self.outline.len() + self.holes.len()
    }

    /// Whether a point lies inside or on the boundary, but for rounding.
    pub fn contains(&self, point: [f64; 2]) -> bool {
        let (low, high) = self.bounds();
        let slack = 1e-9 * (high[0] - low[0]).max(high[1] - low[1]);
        let near = || self.sides().any(|side| distance_to(side, point) <= slack);
        (inside(&self.outline, point) || near()) && self.holes.iter().all(|hole| hole.distance(point) >= -slack)
    }

    /// The smallest rectangle around it.
    pub fn bounds(&self) -> ([f64; 2], [f64; 2]) {
        let least = |axis: usize| self.outline.iter().map(|corner| corner[axis]).fold(f64::INFINITY, f64::min);
        let most = |axis: usize| self.outline.iter().map(|corner| corner[axis]).fold(f64::NEG_INFINITY, f64::max);
        ([least(0), least(1)], [most(0), most(1)])
    }

    pub(super) fn sides(&self) -> impl Iterator<Item = ([f64; 2], [f64; 2])> {
        let next = self.outline.iter().cycle().skip(1);
        self.outline.iter().copied().zip(next.copied())
    }

    /// How far a point inside is from the boundary.
    pub(super) fn depth(&self, point: [f64; 2]) -> f64 {
        let sides = self.sides().map(|side| distance_to(side, point));
        sides.chain(self.holes.iter().map(|hole| hole.distance(point))).fold(f64::INFINITY, f64::min)
    }
}

/// Whether a ray to the right crosses the outline an odd number of times.
pub(super) fn inside(outline: &[[f64; 2]], [x, y]: [f64; 2]) -> bool {
    let sides = outline.iter().zip(outline.iter().cycle().skip(1));
    let crossed = |(a, b): (&[f64; 2], &[f64; 2])| {
        (a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
    };
    sides.filter(|side| crossed(*side)).count() % 2 == 1
}

pub(super) fn distance_to((a, b): ([f64; 2], [f64; 2]), [x, y]: [f64; 2]) -> f64 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let along = (((x - a[0]) * dx + (y - a[1]) * dy) / (dx * dx + dy * dy)).clamp(0.0, 1.0);
    (x - a[0] - along * dx).hypot(y - a[1] - along * dy)
}
