//! Names for pieces of a boundary, so that a condition can say where it holds: "face x = low", "hole 2", "edge 3".

use std::fmt;

/// The low or the high end of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The end with the smaller coordinate; its outward normal points down the axis.
    Low,
    /// The end with the larger coordinate; its outward normal points up the axis.
    High,
}

/// One face of an interval or cuboid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Face {
    /// The axis the face is perpendicular to.
    pub axis: usize,
    /// Which end of that axis.
    pub side: Side,
}

impl Face {
    /// The face at the low end of `axis`.
    pub const fn low(axis: usize) -> Self {
        Self { axis, side: Side::Low }
    }

    /// The face at the high end of `axis`.
    pub const fn high(axis: usize) -> Self {
        Self { axis, side: Side::High }
    }

    /// −1 or +1: the only entry of the outward normal.
    pub(crate) fn sign(self) -> f64 {
        match self.side {
            Side::Low => -1.0,
            Side::High => 1.0,
        }
    }
}

/// The solid a piece of boundary belongs to, numbered from 1 in the order the solids were combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Body {
    /// A solid the domain is made of.
    Outer(usize),
    /// A solid taken away from the domain.
    Hole(usize),
}

/// A piece of the surface of one solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Piece {
    /// A face of a cuboid.
    Face(Face),
    /// A polygon's edge from vertex k (counted from 0) to the next one.
    Edge(usize),
    /// The whole surface of a ball.
    Sphere,
}

/// Full name of a boundary piece: whose it is, and which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BoundaryTag {
    /// The solid.
    pub body: Body,
    /// The piece of its surface.
    pub piece: Piece,
}

/// A choice of boundary pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BoundaryPart {
    /// The whole boundary.
    All,
    /// The surfaces of all solids the domain is made of.
    Outer,
    /// The surfaces of all holes.
    Holes,
    /// The surface of the k-th solid the domain is made of, from 1.
    Solid(usize),
    /// The surface of the k-th hole, from 1.
    Hole(usize),
    /// This face of the cuboids the domain is made of.
    Face(Face),
    /// This edge of the polygons the domain is made of.
    Edge(usize),
    /// Exactly one piece, of a solid or a hole.
    Piece(BoundaryTag),
}

impl BoundaryPart {
    /// Whether the piece belongs to this part.
    pub fn includes(self, tag: BoundaryTag) -> bool {
        let outer = matches!(tag.body, Body::Outer(_));
        match self {
            BoundaryPart::All => true,
            BoundaryPart::Outer => outer,
            BoundaryPart::Holes => !outer,
            BoundaryPart::Solid(number) => tag.body == Body::Outer(number),
            BoundaryPart::Hole(number) => tag.body == Body::Hole(number),
            BoundaryPart::Face(face) => outer && tag.piece == Piece::Face(face),
            BoundaryPart::Edge(edge) => outer && tag.piece == Piece::Edge(edge),
            BoundaryPart::Piece(piece) => piece == tag,
        }
    }
}

impl fmt::Display for Face {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.side {
            Side::Low => "low",
            Side::High => "high",
        };
        write!(f, "face {} {side}", self.axis)
    }
}

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Body::Outer(number) => write!(f, "outer {number}"),
            Body::Hole(number) => write!(f, "hole {number}"),
        }
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Piece::Face(face) => face.fmt(f),
            Piece::Edge(edge) => write!(f, "edge {edge}"),
            Piece::Sphere => f.write_str("sphere"),
        }
    }
}

impl fmt::Display for BoundaryTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.body, self.piece)
    }
}

impl fmt::Display for BoundaryPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoundaryPart::All => f.write_str("all"),
            BoundaryPart::Outer => f.write_str("outer"),
            BoundaryPart::Holes => f.write_str("holes"),
            BoundaryPart::Solid(number) => Body::Outer(*number).fmt(f),
            BoundaryPart::Hole(number) => Body::Hole(*number).fmt(f),
            BoundaryPart::Face(face) => face.fmt(f),
            BoundaryPart::Edge(edge) => write!(f, "edge {edge}"),
            BoundaryPart::Piece(tag) => tag.fmt(f),
        }
    }
}
