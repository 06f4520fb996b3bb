//! The closed set of solids a domain is built from, and what each one must know about itself.

use super::ball::Ball;
use super::cuboid::Cuboid;
use super::facet::Contact;
use super::polygon::Polygon;
use crate::part::Piece;

/// A solid body. All distances are exact and negative inside.
#[derive(Debug, Clone, PartialEq)]
pub enum Solid {
    /// An interval, rectangle or box of any dimension, aligned with the axes.
    Cuboid(Cuboid),
    /// A disc or ball of any dimension.
    Ball(Ball),
    /// A simple polygon in the plane.
    Polygon(Polygon),
}

impl Solid {
    /// Number of coordinates.
    pub fn dim(&self) -> usize {
        match self {
            Solid::Cuboid(cuboid) => cuboid.dim(),
            Solid::Ball(ball) => ball.dim(),
            Solid::Polygon(_) => 2,
        }
    }

    /// Distance to the surface, negative inside.
    pub fn signed_distance(&self, point: &[f64]) -> f64 {
        match self {
            Solid::Cuboid(cuboid) => cuboid.signed_distance(point),
            Solid::Ball(ball) => ball.signed_distance(point),
            Solid::Polygon(polygon) => polygon.signed_distance(point),
        }
    }

    /// Length, area or volume.
    pub fn measure(&self) -> f64 {
        match self {
            Solid::Cuboid(cuboid) => cuboid.measure(),
            Solid::Ball(ball) => ball.measure(),
            Solid::Polygon(polygon) => polygon.area(),
        }
    }

    /// The smallest box around the solid.
    pub fn bounding_box(&self) -> Cuboid {
        match self {
            Solid::Cuboid(cuboid) => cuboid.clone(),
            Solid::Ball(ball) => ball.bounding_box(),
            Solid::Polygon(polygon) => polygon.bounding_box(),
        }
    }

    /// The pieces of its surface with their lengths or areas (in one dimension, where they are points: 1 each).
    pub(super) fn pieces(&self) -> Vec<(Piece, f64)> {
        match self {
            Solid::Cuboid(cuboid) => {
                cuboid.faces().map(|face| (Piece::Face(face), cuboid.face_measure(face))).collect()
            }
            Solid::Ball(ball) => vec![(Piece::Sphere, ball.surface())],
            Solid::Polygon(polygon) => {
                (0..polygon.vertices().len()).map(|k| (Piece::Edge(k), polygon.edge_length(k))).collect()
            }
        }
    }

    /// How many numbers in [0, 1] it takes to name a point of the piece.
    pub(super) fn piece_parameters(&self, piece: Piece) -> usize {
        match (self, piece) {
            (Solid::Ball(ball), Piece::Sphere) => ball.sphere_parameters(),
            _ => self.dim() - 1,
        }
    }

    /// The point of the piece named by `unit`; equal areas of parameters become equal areas of surface. `None` if the
    /// solid has no such piece.
    pub(super) fn place_on_piece(&self, piece: Piece, unit: &[f64]) -> Option<Vec<f64>> {
        match (self, piece) {
            (Solid::Cuboid(cuboid), Piece::Face(face)) => Some(cuboid.place_on_face(face, unit)),
            (Solid::Polygon(polygon), Piece::Edge(edge)) => Some(polygon.place_on_edge(edge, unit[0])),
            (Solid::Ball(ball), Piece::Sphere) => Some(ball.place_on_sphere(unit)),
            _ => None,
        }
    }

    /// The facets within `tolerance` of a point that lies that close to the surface.
    pub(super) fn contact(&self, point: &[f64], tolerance: f64) -> Contact {
        match self {
            Solid::Cuboid(cuboid) => cuboid.contact(point, tolerance),
            Solid::Ball(ball) => ball.contact(point),
            Solid::Polygon(polygon) => polygon.contact(point, tolerance),
        }
    }
}
