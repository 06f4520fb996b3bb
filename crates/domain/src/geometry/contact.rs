//! The boundary of a combined domain around one point, by Boolean algebra on the facets of the solids that meet there.
//!
//! Near the point every facet is a plane, and a small neighbourhood splits into cells, one for each way of being before
//! or behind the planes. The rule says which cells are inside. A plane bounds the domain where crossing it, with the
//! sides of all other planes held fixed, changes the answer; the normal is the normalised sum of the bounding planes'
//! normals, each turned to point out of the domain. Seams between touching solids drop out, holes turn normals around.

use super::facet::{Contact, Meeting};
use super::{BoundaryPart, BoundaryTag, Geometry};

/// Planes whose normals differ by less than this are one plane.
const PARALLEL: f64 = 1e-9;
/// At most this many planes are told apart where several solids meet; beyond it the list is cut.
const MOST_PLANES: usize = 12;

/// A facet of one member, as a side of a shared plane.
struct Bounding {
    member: usize,
    plane: usize,
    /// Whether the facet's outward normal is the plane's, or its opposite.
    along: bool,
    tag: BoundaryTag,
}

/// What the surroundings of a point look like.
pub(super) struct Surroundings {
    /// Pieces of boundary the point lies on, seams excluded.
    pub tags: Vec<BoundaryTag>,
    /// Outward unit normal; none where the parts cancel, as between squares that touch at a corner.
    pub normal: Option<Vec<f64>>,
}

impl Geometry {
    /// The boundary at a point in space; `None` away from the boundary.
    pub(super) fn surroundings(&self, space: &[f64], tolerance: f64) -> Option<Surroundings> {
        let distances: Vec<f64> = self.solids().map(|solid| solid.signed_distance(space)).collect();
        let contacts: Vec<Option<Contact>> = self
            .solids()
            .zip(&distances)
            .map(|(solid, d)| (d.abs() <= tolerance).then(|| solid.contact(space, tolerance)))
            .collect();
        let (planes, facets) = self.planes(&contacts);
        let inside = |member: usize, before: &dyn Fn(usize) -> bool| match &contacts[member] {
            None => distances[member] < 0.0,
            Some(contact) => {
                let own = facets.iter().filter(|facet| facet.member == member);
                let mut behind = own.map(|facet| before(facet.plane) != facet.along);
                match contact.meeting {
                    Meeting::BehindAll => behind.all(|b| b),
                    Meeting::BehindAny => behind.any(|b| b),
                }
            }
        };
        let holds = |before: &dyn Fn(usize) -> bool| self.rule.holds(&|member| inside(member, before));
        let signs: Vec<Option<f64>> = if is_lone(&contacts) {
            // The domain changes with that solid alone, and all its facets bound it alike.
            let change = i32::from(holds(&|_| false)) - i32::from(holds(&|_| true));
            vec![(change != 0).then(|| f64::from(change)); planes.len()]
        } else {
            (0..planes.len()).map(|plane| crossing(plane, planes.len(), &holds)).collect()
        };

        let tags: Vec<BoundaryTag> = facets.iter().filter(|f| signs[f.plane].is_some()).map(|f| f.tag).collect();
        if tags.is_empty() {
            return None;
        }
        let mut normal = vec![0.0; space.len()];
        for (plane, sign) in planes.iter().zip(&signs) {
            normal.iter_mut().zip(plane).for_each(|(sum, n)| *sum += sign.unwrap_or(0.0) * n);
        }
        let length = normal.iter().map(|n| n * n).sum::<f64>().sqrt();
        normal.iter_mut().for_each(|n| *n /= length);
        Some(Surroundings { tags, normal: (length > PARALLEL).then_some(normal) })
    }

    /// Distinct planes among the facets in contact, and which facet lies in which.
    fn planes(&self, contacts: &[Option<Contact>]) -> (Vec<Vec<f64>>, Vec<Bounding>) {
        let (mut planes, mut facets): (Vec<Vec<f64>>, Vec<Bounding>) = (Vec::new(), Vec::new());
        let lone = is_lone(contacts);
        for (member, contact) in contacts.iter().enumerate() {
            for facet in contact.iter().flat_map(|contact| &contact.facets) {
                let cosine = |plane: &[f64]| plane.iter().zip(&facet.normal).map(|(a, b)| a * b).sum::<f64>();
                // A single solid keeps each facet as its own plane: no facet of it hides another.
                let known = if lone { None } else { planes.iter().position(|p| cosine(p).abs() > 1.0 - PARALLEL) };
                if known.is_none() && !lone && planes.len() == MOST_PLANES {
                    continue;
                }
                let plane = known.unwrap_or_else(|| {
                    planes.push(facet.normal.clone());
                    planes.len() - 1
                });
                let along = cosine(&planes[plane]) > 0.0;
                let tag = BoundaryTag { body: self.body(member), piece: facet.piece };
                facets.push(Bounding { member, plane, along, tag });
            }
        }
        (planes, facets)
    }

    /// Whether the point is within `tolerance` of the boundary (in space, for a domain over time).
    pub fn on_boundary(&self, point: &[f64], tolerance: f64) -> bool {
        self.on_part(point, BoundaryPart::All, tolerance)
    }

    /// Whether the point is within `tolerance` of the given part of the boundary.
    ///
    /// ```
    /// use ropinn_domain::{BoundaryPart, Face, Geometry};
    /// let strip = Geometry::interval(0.0, 2.0)?.over_time(0.0, 1.0)?;
    /// assert!(strip.on_part(&[2.0, 0.3], BoundaryPart::Face(Face::high(0)), 1e-9));
    /// assert!(!strip.on_boundary(&[1.0, 0.0], 1e-9)); // the initial instant is not boundary
    /// # Ok::<(), ropinn_domain::DomainError>(())
    /// ```
    pub fn on_part(&self, point: &[f64], part: BoundaryPart, tolerance: f64) -> bool {
        self.contains(point, tolerance)
            && self
                .surroundings(&point[..self.space_dim()], tolerance)
                .is_some_and(|here| here.tags.iter().any(|&tag| part.includes(tag)))
    }

    /// Outward unit normal at a point within `tolerance` of the boundary: at edges and corners the normalised sum of
    /// the normals that meet there, on a hole pointing into the hole, and without time component.
    pub fn boundary_normal(&self, point: &[f64], tolerance: f64) -> Option<Vec<f64>> {
        if !self.contains(point, tolerance) {
            return None;
        }
        let mut normal = self.surroundings(&point[..self.space_dim()], tolerance)?.normal?;
        normal.resize(self.dim(), 0.0);
        Some(normal)
    }
}

/// Whether exactly one solid is in contact.
fn is_lone(contacts: &[Option<Contact>]) -> bool {
    contacts.iter().flatten().count() == 1
}

/// +1 if the plane's normal leads out of the domain, −1 if it leads in, 0 if it does both in different places; `None` if
/// crossing the plane changes nothing.
fn crossing(plane: usize, planes: usize, holds: &impl Fn(&dyn Fn(usize) -> bool) -> bool) -> Option<f64> {
    // A cell is a bit set: which planes it lies before.
    let in_cell = |cell: usize| holds(&|plane| cell >> plane & 1 == 1);
    let (mut out, mut back) = (0i32, 0i32);
    for cell in (0..1usize << planes).filter(|cell| cell >> plane & 1 == 0) {
        match (in_cell(cell), in_cell(cell | 1 << plane)) {
            (true, false) => out += 1,
            (false, true) => back += 1,
            _ => {}
        }
    }
    (out + back > 0).then(|| f64::from((out - back).signum()))
}
