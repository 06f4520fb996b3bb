//! The surface of a solid around one of its points.

use crate::part::Piece;

/// A flat (or locally flat) bit of surface at a point.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Facet {
    pub piece: Piece,
    /// Unit normal out of the solid.
    pub normal: Vec<f64>,
}

/// How the facets that meet at a point bound the solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meeting {
    /// Inside means behind every facet: faces, spheres and convex corners.
    BehindAll,
    /// Inside means behind at least one facet: re-entrant corners.
    BehindAny,
}

/// The surface of a solid around a point that lies on it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Contact {
    pub facets: Vec<Facet>,
    pub meeting: Meeting,
}
