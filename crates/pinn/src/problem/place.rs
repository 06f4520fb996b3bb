//! Where a condition holds: `"t = 0"`, `"x = max"`, `"boundary"`, `"outer"`, `"holes"`, `"hole 2"`, `"shape 1"`, `"edge 3"`.
//!
//! A coordinate set equal to a number names every straight piece of boundary in that plane: faces of boxes, added or
//! taken away, and edges of polygons. Bodies and edges count from 1.

use ropinn_domain::geometry::{Body, Piece, Solid};
use ropinn_domain::{BoundaryPart, BoundaryTag, Face, Geometry, Side};
use ropinn_expr::Scope;

use super::error::ProblemError;
use super::formula::Formula;
use super::source::Source;
use super::trainable::Trainable;

/// Coordinates this close, relative to the domain's size, are the same.
const SAME: f64 = 1e-9;

/// A part of a domain on which a condition holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Place {
    /// The first (low) or last (high) instant.
    Instant(Side),
    /// Pieces of the boundary in space.
    Parts(Vec<BoundaryPart>),
}

/// What a place is looked up in.
pub(super) struct Surroundings<'a> {
    pub scope: &'a Scope,
    pub ranges: &'a [(f64, f64)],
    pub time_axis: Option<usize>,
    pub geometry: &'a Geometry,
    pub source: &'a Source,
    /// The highest derivative in the equations, by unknown and coordinate.
    pub orders: Vec<Vec<u32>>,
    /// The numbers to be found.
    pub trainables: &'a [Trainable],
    /// How many of the unknowns, the last ones, are fields to be found.
    pub fields: usize,
}

impl Surroundings<'_> {
    /// The place a text names, for the condition named `condition`.
    pub fn find(&self, text: &str, condition: &str, written_at: usize) -> Result<Place, ProblemError> {
        let found = match text.split_once('=') {
            Some((coordinate, value)) => self.plane(coordinate.trim(), value.trim(), condition, written_at)?,
            None => self.named(text.trim()),
        };
        found.ok_or_else(|| {
            ProblemError::Nowhere {
                condition: condition.to_owned(),
                text: text.to_owned(),
                known: self.known_places().join(", "),
            }
            .at(self.source.position(written_at))
        })
    }

    fn plane(
        &self,
        coordinate: &str,
        value: &str,
        condition: &str,
        written_at: usize,
    ) -> Result<Option<Place>, ProblemError> {
        let Ok(axis) = self.scope.coord(coordinate).map(|axis| axis.index()) else {
            return Ok(None);
        };
        let (low, high) = self.ranges[axis];
        let value = match value {
            "min" => low,
            "max" => high,
            text => {
                let what = format!("place of condition `{condition}`");
                Formula::from(text).found_at(written_at, None).number(self.scope, &what, self.source)?
            }
        };
        let near = |end: f64| (value - end).abs() <= SAME * (high - low);
        if self.time_axis == Some(axis) {
            return Ok(match (near(low), near(high)) {
                (true, _) => Some(Place::Instant(Side::Low)),
                (_, true) => Some(Place::Instant(Side::High)),
                _ => None,
            });
        }
        let in_plane =
            straight_pieces(self.geometry).into_iter().filter(|piece| piece.axis == axis && near(piece.value));
        let parts: Vec<BoundaryPart> = in_plane.map(|piece| BoundaryPart::Piece(piece.tag)).collect();
        Ok((!parts.is_empty()).then_some(Place::Parts(parts)))
    }

    fn named(&self, text: &str) -> Option<Place> {
        // An ordinary differential equation begins and ends at the faces of its only coordinate.
        let side = match text {
            "initial" if self.ranges.len() == 1 => Some(self.ranges[0].0),
            "final" if self.ranges.len() == 1 => Some(self.ranges[0].1),
            _ => None,
        };
        if let Some(end) = side {
            let face = straight_pieces(self.geometry).into_iter().find(|piece| piece.value == end)?;
            return Some(Place::Parts(vec![BoundaryPart::Piece(face.tag)]));
        }
        let part = match text {
            "initial" if self.time_axis.is_some() => return Some(Place::Instant(Side::Low)),
            "final" if self.time_axis.is_some() => return Some(Place::Instant(Side::High)),
            "boundary" => BoundaryPart::All,
            "outer" => BoundaryPart::Outer,
            "holes" => BoundaryPart::Holes,
            _ => {
                let (word, number) = text.split_once(' ')?;
                let number: usize = number.trim().parse().ok()?;
                match word {
                    "hole" => BoundaryPart::Hole(number),
                    "shape" => BoundaryPart::Solid(number),
                    "edge" => BoundaryPart::Edge(number.checked_sub(1)?),
                    _ => return None,
                }
            }
        };
        let exists = self.geometry.boundary_pieces().iter().any(|piece| part.includes(piece.tag));
        exists.then_some(Place::Parts(vec![part]))
    }

    /// The places a condition can name, in the words of the file.
    fn known_places(&self) -> Vec<String> {
        let names = self.scope.coord_names();
        let mut known: Vec<String> = Vec::new();
        if let Some(time) = self.time_axis {
            let (start, end) = self.ranges[time];
            known.extend([start, end].map(|instant| format!("{} = {instant}", names[time])));
        }
        known.extend(
            straight_pieces(self.geometry).iter().map(|piece| format!("{} = {}", names[piece.axis], piece.value)),
        );
        known.extend(["boundary", "outer"].map(str::to_owned));
        known.extend(self.geometry.boundary_pieces().iter().map(|piece| bent_name(piece.tag)));
        let mut seen = std::collections::BTreeSet::new();
        known.retain(|place| seen.insert(place.clone()));
        known
    }
}

/// What a piece of boundary is called that is not straight, in the words of the file.
fn bent_name(tag: BoundaryTag) -> String {
    match (tag.body, tag.piece) {
        (Body::Outer(_), Piece::Edge(k)) => format!("edge {}", k + 1),
        (Body::Outer(k), _) => format!("shape {k}"),
        (Body::Hole(k), _) => format!("hole {k}"),
    }
}

/// What a piece of boundary is called, given those that are straight and the names of the coordinates.
pub(super) fn piece_name(tag: BoundaryTag, straight: &[StraightPiece], coordinates: &[String]) -> String {
    let plane = straight.iter().find(|piece| piece.tag == tag);
    plane.map_or_else(|| bent_name(tag), |piece| format!("{} = {}", coordinates[piece.axis], piece.value))
}

/// A flat piece of boundary on which one coordinate is constant.
pub(super) struct StraightPiece {
    pub tag: BoundaryTag,
    pub axis: usize,
    pub value: f64,
}

/// Every flat piece of boundary across a coordinate axis.
pub(super) fn straight_pieces(geometry: &Geometry) -> Vec<StraightPiece> {
    // Solids and bodies come in the same order, each body with its pieces in a row.
    let mut bodies: Vec<Body> = geometry.boundary_pieces().iter().map(|piece| piece.tag.body).collect();
    bodies.dedup();
    bodies.into_iter().zip(geometry.solids()).flat_map(|(body, solid)| straight_pieces_of(body, solid)).collect()
}

fn straight_pieces_of(body: Body, solid: &Solid) -> Vec<StraightPiece> {
    match solid {
        Solid::Cuboid(cuboid) => {
            let face_piece = |face: Face| StraightPiece {
                tag: BoundaryTag { body, piece: Piece::Face(face) },
                axis: face.axis,
                value: cuboid.face_value(face),
            };
            cuboid.faces().map(face_piece).collect()
        }
        Solid::Polygon(polygon) => {
            let vertices = polygon.vertices();
            let edge = |k: usize| {
                let (from, to) = (vertices[k], vertices[(k + 1) % vertices.len()]);
                let axis = (0..2).find(|&axis| from[axis] == to[axis])?;
                Some(StraightPiece { tag: BoundaryTag { body, piece: Piece::Edge(k) }, axis, value: from[axis] })
            };
            (0..vertices.len()).filter_map(edge).collect()
        }
        Solid::Ball(_) => Vec::new(),
    }
}

/// The normal of a face of a box the domain is made of: the same everywhere on it, corners included.
pub(super) fn face_normal(tag: BoundaryTag, space: usize) -> Option<Vec<f64>> {
    let (Body::Outer(_), Piece::Face(face)) = (tag.body, tag.piece) else {
        return None;
    };
    let sign = match face.side {
        Side::Low => -1.0,
        Side::High => 1.0,
    };
    Some((0..space).map(|axis| if axis == face.axis { sign } else { 0.0 }).collect())
}
