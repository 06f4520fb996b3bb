//! The problem −∇·(p∇u) + qu = f, and the triangles it is solved on.

use crate::plane::{Domain, Mesh};
use crate::{Function, SolveError};

/// What holds on a piece of the boundary.
#[derive(Clone, Copy)]
pub enum Condition<'a> {
    /// u = g.
    Value(Function<'a>),
    /// ∂u/∂n = g − hu, n pointing out of the domain.
    Flux {
        /// g.
        given: Function<'a>,
        /// h, not negative.
        transfer: f64,
    },
}

/// An equation and its conditions: one for each piece of the boundary, as [`Domain`] counts them. Coefficients are functions of
/// (x, y); the source, g and values are functions of (x, y), or (x, y, t) if something evolves.
#[derive(Clone)]
pub struct Diffusion<'a> {
    /// p > 0.
    pub diffusivity: Function<'a>,
    /// q ≥ 0.
    pub decay: Function<'a>,
    /// f.
    pub source: Function<'a>,
    /// On the sides, then on the rims.
    pub conditions: Vec<Condition<'a>>,
}

/// The triangles of a reference, and of the coarser one it is compared with.
#[derive(Clone, Debug)]
pub enum Triangles {
    /// Of about a size in a domain; compared with twice the size.
    Size(Domain, f64),
    /// In the cells between lines along x and y, where coefficients may jump; compared with linear functions on them.
    Lines(Vec<f64>, Vec<f64>),
}

impl Triangles {
    /// (mesh, order of the functions), coarse and fine.
    pub(crate) fn meshes(&self) -> Result<[(Mesh, usize); 2], SolveError> {
        match self {
            Self::Size(domain, size) => {
                let coarse = Mesh::new(domain, 2.0 * size)?;
                let fine = coarse.refined();
                Ok([(coarse, 2), (fine, 2)])
            }
            Self::Lines(xs, ys) => {
                let mesh = Mesh::grid(xs, ys)?;
                Ok([(mesh.clone(), 1), (mesh, 2)])
            }
        }
    }
}

impl Diffusion<'_> {
    pub(super) fn check(&self, mesh: &Mesh) -> Result<(), SolveError> {
        let (pieces, conditions) = (mesh.domain.pieces(), self.conditions.len());
        match pieces == conditions {
            true => Ok(()),
            false => Err(SolveError::Conditions { pieces, conditions }),
        }
    }
}
