//! Diffusion at rest: −∇·(p∇u) + qu = f on two resolutions.

use super::assembly::{Space, places, right_side, without_given};
use super::diffusion::{Diffusion, Triangles};
use super::field::{Component, MeshField};
use crate::plane::Mesh;
use crate::sparse::{Factor, Order};
use crate::{Reference, SolveError};

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
    Reference::accurate(Box::new(fine?), &coarse?)
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
