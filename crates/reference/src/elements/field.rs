//! Functions on a mesh, asked for anywhere in it.

use crate::plane::{Locator, Mesh, Shape};
use crate::solution::Field;

/// One unknown at the nodes of a mesh: at corners only if its order is 1.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    pub order: usize,
    pub values: Vec<f64>,
}

/// Some unknowns at some instants.
pub(crate) struct MeshField {
    mesh: Mesh,
    locator: Locator,
    instants: Vec<f64>,
    frames: Vec<Vec<Component>>,
}

impl MeshField {
    /// Unknowns `[instant][unknown]`.
    pub fn new(mesh: Mesh, instants: Vec<f64>, frames: Vec<Vec<Component>>) -> Self {
        let locator = Locator::new(&mesh);
        Self { mesh, locator, instants, frames }
    }
}

impl Field for MeshField {
    fn unknowns(&self) -> usize {
        self.frames.first().map_or(0, Vec::len)
    }

    fn instants(&self) -> &[f64] {
        &self.instants
    }

    fn bounds(&self) -> (Vec<f64>, Vec<f64>) {
        let (low, high) = self.mesh.domain.bounds();
        (low.to_vec(), high.to_vec())
    }

    fn value(&self, place: &[f64], instant: usize) -> Option<Vec<f64>> {
        let (triangle, at) = self.locator.find(&self.mesh, [place[0], place[1]])?;
        let (nodes, shape) = (self.mesh.triangles[triangle], Shape::new(at));
        let value = |component: &Component| {
            let terms = nodes.iter().zip(shape.values_of(component.order));
            terms.map(|(node, factor)| factor * component.values[*node as usize]).sum()
        };
        Some(self.frames[instant].iter().map(value).collect())
    }
}
