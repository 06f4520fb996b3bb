//! Domains: a Boolean rule over solids, optionally × a time span.
//!
//! Membership follows the sign of a level function built from the exact distances of the solids: min for unions, max for
//! intersections, max(a, −b) for differences (Ricci 1973). For a single solid it is the distance to the boundary; for a
//! combination it is never larger than that in size, and it also vanishes on seams where two solids touch. What is
//! boundary there, and where normals point, is therefore settled by Boolean algebra on the facets that meet (`contact`).

mod ball;
mod boundary;
mod contact;
mod cuboid;
mod edge_tree;
mod facet;
mod interior;
mod measure;
mod polygon;
mod rejection;
mod rule;
mod solid;
#[cfg(test)]
mod tests;

pub use crate::part::{Body, BoundaryPart, BoundaryTag, Face, Piece, Side};
pub use ball::Ball;
pub use boundary::BoundaryPiece;
pub use cuboid::Cuboid;
pub use measure::Measure;
pub use polygon::Polygon;
pub use rule::Operation;
pub use solid::Solid;

use crate::error::{DomainError, Result, require_dim, require_finite};
use rule::Rule;

/// Whether a solid adds to the domain or takes from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Added,
    Removed,
}

#[derive(Debug, Clone, PartialEq)]
struct Member {
    solid: Solid,
    role: Role,
}

/// A domain in space, or in space and time with time as the last coordinate.
///
/// ```
/// use ropinn_domain::Geometry;
/// let square = Geometry::cuboid(&[0.0, 0.0], &[1.0, 1.0])?;
/// let l_shape = square.minus(Geometry::cuboid(&[0.5, 0.5], &[1.0, 1.0])?)?;
/// assert!(l_shape.contains(&[0.25, 0.75], 0.0) && !l_shape.contains(&[0.75, 0.75], 0.0));
/// // The re-entrant corner: the normals of both edges, added and normalised.
/// let h = 1.0 / 2f64.sqrt();
/// assert_eq!(l_shape.boundary_normal(&[0.5, 0.5], 1e-9), Some(vec![h, h]));
/// # Ok::<(), ropinn_domain::DomainError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Geometry {
    members: Vec<Member>,
    rule: Rule,
    /// Of the space part.
    bounds: Cuboid,
    time: Option<[f64; 2]>,
}

impl From<Solid> for Geometry {
    fn from(solid: Solid) -> Self {
        let bounds = solid.bounding_box();
        Self { members: vec![Member { solid, role: Role::Added }], rule: Rule::Member(0), bounds, time: None }
    }
}

impl Geometry {
    /// The interval from `low` to `high`.
    pub fn interval(low: f64, high: f64) -> Result<Self> {
        Self::cuboid(&[low], &[high])
    }

    /// The box between two opposite corners, of any dimension.
    pub fn cuboid(low: &[f64], high: &[f64]) -> Result<Self> {
        Cuboid::new(low, high).map(|cuboid| Solid::Cuboid(cuboid).into())
    }

    /// The disc or ball of any dimension.
    pub fn ball(center: &[f64], radius: f64) -> Result<Self> {
        Ball::new(center, radius).map(|ball| Solid::Ball(ball).into())
    }

    /// The simple polygon through `vertices`.
    pub fn polygon(vertices: &[[f64; 2]]) -> Result<Self> {
        Polygon::new(vertices).map(|polygon| Solid::Polygon(polygon).into())
    }

    /// All points in either domain.
    pub fn union(self, other: Geometry) -> Result<Self> {
        self.combine(Operation::Union, other)
    }

    /// The points of this domain that are not inside `hole`; the solids of `hole` count as holes from now on.
    pub fn minus(self, hole: Geometry) -> Result<Self> {
        self.combine(Operation::Difference, hole)
    }

    /// The points in both domains.
    pub fn intersection(self, other: Geometry) -> Result<Self> {
        self.combine(Operation::Intersection, other)
    }

    fn combine(mut self, operation: Operation, other: Geometry) -> Result<Self> {
        if self.time.is_some() || other.time.is_some() {
            return Err(DomainError::CombineBeforeTime);
        }
        require_dim("the second shape", self.space_dim(), other.space_dim())?;
        self.bounds = match operation {
            Operation::Union => self.bounds.hull(&other.bounds),
            Operation::Difference => self.bounds,
            Operation::Intersection => self.bounds.overlap(&other.bounds)?,
        };
        let first = self.members.len();
        self.rule = Rule::Combined(operation, Box::new(self.rule), Box::new(other.rule.shifted(first)));
        self.members.extend(other.members.into_iter().map(|Member { solid, role }| {
            let role = match (operation, role) {
                (Operation::Difference, Role::Added) => Role::Removed,
                (Operation::Difference, Role::Removed) => Role::Added,
                (_, role) => role,
            };
            Member { solid, role }
        }));
        Ok(self)
    }

    /// The domain at all times from `start` to `end`; time becomes the last coordinate. Its boundary is the boundary in
    /// space at all times: normals have no time component, and the initial instant is not part of it.
    pub fn over_time(mut self, start: f64, end: f64) -> Result<Self> {
        if self.time.is_some() {
            return Err(DomainError::CombineBeforeTime);
        }
        require_finite("the time span", &[start, end])?;
        if start >= end {
            return Err(DomainError::InvertedInterval { axis: self.space_dim(), low: start, high: end });
        }
        self.time = Some([start, end]);
        Ok(self)
    }

    /// The same domain at other times.
    pub fn during(mut self, start: f64, end: f64) -> Result<Self> {
        self.time = None;
        self.over_time(start, end)
    }

    /// Coordinates of a point, time included.
    pub fn dim(&self) -> usize {
        self.space_dim() + usize::from(self.time.is_some())
    }

    /// Coordinates of a point, time excluded.
    pub fn space_dim(&self) -> usize {
        self.bounds.dim()
    }

    /// First and last instant.
    pub fn time(&self) -> Option<[f64; 2]> {
        self.time
    }

    /// The solids, in the order they were combined.
    pub fn solids(&self) -> impl Iterator<Item = &Solid> {
        self.members.iter().map(|member| &member.solid)
    }

    /// A box that holds the domain, time included; the smallest one unless a hole or intersection trims it further.
    pub fn bounding_box(&self) -> Cuboid {
        match self.time {
            Some([start, end]) => self.bounds.clone().extended(start, end),
            None => self.bounds.clone(),
        }
    }

    /// The domain as a box, time included, if it is one by construction.
    pub fn as_box(&self) -> Option<Cuboid> {
        match &self.members[..] {
            [Member { solid: Solid::Cuboid(_), .. }] => Some(self.bounding_box()),
            _ => None,
        }
    }

    /// What `join` makes of what `of` makes of its solids, in the order they were combined in space.
    pub fn fold<T>(&self, of: &impl Fn(&Solid) -> T, join: &impl Fn(Operation, T, T) -> T) -> T {
        self.rule.fold(&|member| of(&self.members[member].solid), join)
    }

    /// Negative inside, positive outside, zero on the boundary; in size the exact distance to the boundary for a single
    /// solid, and at most that for a combination. NaN if `point` has the wrong number of coordinates.
    pub fn signed_distance(&self, point: &[f64]) -> f64 {
        if point.len() != self.dim() {
            return f64::NAN;
        }
        let (space, time) = point.split_at(self.space_dim());
        let level = self.rule.level(&|member| self.members[member].solid.signed_distance(space));
        match (self.time, time) {
            (Some([start, end]), &[t]) => level.max(start - t).max(t - end),
            _ => level,
        }
    }

    /// Whether the point is inside, on the boundary, or at most `tolerance` outside. A point with the wrong number of
    /// coordinates is not.
    pub fn contains(&self, point: &[f64], tolerance: f64) -> bool {
        self.signed_distance(point) <= tolerance
    }

    /// Whether the point is within `tolerance` of the first instant, somewhere in the domain.
    pub fn on_initial(&self, point: &[f64], tolerance: f64) -> bool {
        match (self.time, point.last()) {
            (Some([start, _]), Some(t)) => (t - start).abs() <= tolerance && self.contains(point, tolerance),
            _ => false,
        }
    }

    /// Which body a member is, counting added and removed solids separately from 1.
    fn body(&self, member: usize) -> Body {
        let role = self.members[member].role;
        let number = self.members[..=member].iter().filter(|other| other.role == role).count();
        match role {
            Role::Added => Body::Outer(number),
            Role::Removed => Body::Hole(number),
        }
    }

    /// Rounding of coordinates this size, with room to spare: what counts as touching when points are sampled.
    fn rounding(&self) -> f64 {
        let ends = self.bounds.low().iter().chain(self.bounds.high());
        1e-12 * ends.fold(self.bounds.diameter(), |size, end| size.max(end.abs()))
    }
}
