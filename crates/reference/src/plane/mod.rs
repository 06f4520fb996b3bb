//! Domains of the plane and triangles that fill them.
//!
//! A [`Domain`] is a polygon less round holes; a [`Mesh`] has triangles of six nodes each, whose sides on a hole are bent to it.

mod domain;
mod generate;
mod locate;
mod mesh;
mod shape;

pub use domain::{Disc, Domain};
pub(crate) use locate::Locator;
pub(crate) use mesh::Edge;
pub use mesh::Mesh;
pub(crate) use shape::{EDGE_RULE, RULE, Shape, edge_shape};
