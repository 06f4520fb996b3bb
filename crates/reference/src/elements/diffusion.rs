//! −∇·(p∇u) + qu = f: the problem, its triangles, and its solution on two resolutions.

use super::assembly::{Space, right_side, without_given};
use super::field::{Component, MeshField};
use crate::plane::{Domain, Mesh};
use crate::sparse::{Factor, Order};
use crate::{Function, Reference, SolveError};

/// The largest difference of two resolutions with which something can be compared.
const TOLERATED: f64 = 0.05;

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

/// Solves −∇·(p∇u) + qu = f twice.
///
/// ```
/// use ropinn_reference::elements::{Condition, Diffusion, Triangles, steady};
/// use ropinn_reference::plane::Domain;
/// let square = Domain::rectangle([0.0, 0.0], [1.0, 1.0], Vec::new())?;
/// let edge = Condition::Value(&|point| point[0] * point[1]);
/// let laplace = Diffusion { diffusivity: &|_| 1.0, decay: &|_| 0.0, source: &|_| 0.0, conditions: vec![edge; 4] };
/// let solution = steady(&laplace, &Triangles::Size(square, 0.1))?;
/// assert!((solution.values(&[0.3, 0.6])[0] - 0.18).abs() < 1e-12 && solution.error() < 1e-12);
/// # Ok::<(), ropinn_reference::SolveError>(())
/// ```
pub fn steady(diffusion: &Diffusion, triangles: &Triangles) -> Result<Reference, SolveError> {
    let [coarse, fine] = triangles.meshes()?.map(|(mesh, order)| steady_on(diffusion, mesh, order));
    accurate(fine?, &coarse?)
}

/// Compares two resolutions and refuses what is not accurate.
pub(crate) fn accurate(fine: MeshField, coarse: &MeshField) -> Result<Reference, SolveError> {
    let reference = Reference::compared(Box::new(fine), coarse);
    match reference.error() < TOLERATED {
        true => Ok(reference),
        false => Err(SolveError::Inaccurate { error: reference.error() }),
    }
}

fn steady_on(diffusion: &Diffusion, mesh: Mesh, order: usize) -> Result<MeshField, SolveError> {
    diffusion.check(&mesh)?;
    let space = Space { mesh: &mesh, order };
    let (matrix, given) = (space.stiffness(diffusion)?, space.given(diffusion, None)?);
    let right = right_side(&matrix, space.load(diffusion, None)?, &given);
    let elimination = Order::new(&matrix, &places(&mesh, space.unknowns()));
    let values = Factor::new(&without_given(&matrix, &given), &elimination)?.solve(&right);
    Ok(MeshField::new(mesh, Vec::new(), vec![vec![Component { order, values }]]))
}

/// Where unknowns are, for their order of elimination.
pub(crate) fn places(mesh: &Mesh, unknowns: usize) -> Vec<[f64; 3]> {
    mesh.nodes[..unknowns].iter().map(|[x, y]| [*x, *y, 0.0]).collect()
}
