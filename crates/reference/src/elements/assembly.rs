//! From functions to matrices: ∫ p∇u·∇v + quv + ∮ phuv, ∫ cuv, ∫ fv + ∮ pgv over all triangles and sides.

use super::diffusion::{Condition, Diffusion};
use crate::plane::{EDGE_RULE, Edge, Mesh, RULE, Shape, edge_shape};
use crate::sparse::{Entries, Matrix};
use crate::{Function, SolveError};
use rayon::prelude::*;

/// Elements of one order on a mesh.
#[derive(Clone, Copy)]
pub(super) struct Space<'a> {
    pub mesh: &'a Mesh,
    pub order: usize,
}

type Local = [[f64; 6]; 6];

impl Space<'_> {
    pub fn unknowns(&self) -> usize {
        if self.order == 1 { self.mesh.corners } else { self.mesh.nodes.len() }
    }

    /// Functions of a triangle, and of a side.
    fn functions(&self) -> (usize, usize) {
        if self.order == 1 { (3, 2) } else { (6, 3) }
    }

    /// ∫ a∇u·∇v + buv, where a function is missing it is 0.
    fn matrix(&self, a: Option<Function>, b: Option<Function>) -> Result<Entries, SolveError> {
        let (mesh, (count, _)) = (self.mesh, self.functions());
        let shapes = RULE.map(|(at, weight)| (Shape::new(at), weight));
        let local = |triangle: usize| -> Result<Local, SolveError> {
            let mut sums = Local::default();
            for (shape, weight) in &shapes {
                let place = shape.place(mesh, triangle);
                let (slopes, determinant) = shape.slopes_of(self.order, mesh, triangle);
                let factor = |function: Option<Function>, what| match function {
                    Some(function) => finite(function(&place), what, &place).map(|value| value * weight * determinant),
                    None => Ok(0.0),
                };
                let (a, b) = (factor(a, "the diffusivity")?, factor(b, "the decay or capacity")?);
                let values = shape.values_of(self.order);
                for i in 0..count {
                    for j in 0..count {
                        let along = slopes[i][0] * slopes[j][0] + slopes[i][1] * slopes[j][1];
                        sums[i][j] += a * along + b * values[i] * values[j];
                    }
                }
            }
            Ok(sums)
        };
        let locals = (0..mesh.triangles.len()).into_par_iter().map(local).collect::<Result<Vec<_>, _>>()?;
        let mut entries = Entries::new(self.unknowns());
        for (nodes, local) in mesh.triangles.iter().zip(&locals) {
            for i in 0..count {
                (0..count).for_each(|j| entries.add(nodes[i] as usize, nodes[j] as usize, local[i][j]));
            }
        }
        Ok(entries)
    }

    /// ∫ cuv, with entries where those of the stiffness are.
    pub fn mass(&self, capacity: Function) -> Result<Matrix, SolveError> {
        Ok(self.matrix(None, Some(capacity))?.finish())
    }

    /// ∫ p∇u·∇v + quv + ∮ phuv.
    pub fn stiffness(&self, diffusion: &Diffusion) -> Result<Matrix, SolveError> {
        let mut entries = self.matrix(Some(diffusion.diffusivity), Some(diffusion.decay))?;
        let (_, count) = self.functions();
        for edge in &self.mesh.edges {
            if let Condition::Flux { transfer, .. } = diffusion.conditions[edge.piece] {
                self.along(edge, |place, values, length| {
                    let factor = transfer * length * (diffusion.diffusivity)(&place);
                    for i in 0..count {
                        for j in 0..count {
                            let (row, column) = (edge.nodes[i] as usize, edge.nodes[j] as usize);
                            entries.add(row, column, factor * values[i] * values[j]);
                        }
                    }
                });
            }
        }
        Ok(entries.finish())
    }

    /// Visits the places of a side: where, the functions there, and the length that belongs to it.
    fn along(&self, edge: &Edge, mut visit: impl FnMut([f64; 2], [f64; 3], f64)) {
        for (s, weight) in EDGE_RULE {
            let (quadratic, slopes) = edge_shape(s);
            let sum = |factors: [f64; 3], axis: usize| -> f64 {
                edge.nodes.iter().zip(factors).map(|(node, f)| f * self.mesh.nodes[*node as usize][axis]).sum()
            };
            let length = sum(slopes, 0).hypot(sum(slopes, 1)) * weight;
            let values = if self.order == 1 { [1.0 - s, s, 0.0] } else { quadratic };
            visit([sum(quadratic, 0), sum(quadratic, 1)], values, length);
        }
    }

    /// ∫ fv + ∮ pgv, at an instant if there is one.
    pub fn load(&self, diffusion: &Diffusion, time: Option<f64>) -> Result<Vec<f64>, SolveError> {
        let (mesh, (count, of_side)) = (self.mesh, self.functions());
        let shapes = RULE.map(|(at, weight)| (Shape::new(at), weight));
        let local = |triangle: usize| -> Result<[f64; 6], SolveError> {
            let mut sums = [0.0; 6];
            for (shape, weight) in &shapes {
                let place = shape.place(mesh, triangle);
                let value = finite(at(diffusion.source, place, time), "the source", &place)?;
                let factor = value * weight * shape.jacobian(mesh, triangle).1;
                sums.iter_mut().zip(shape.values_of(self.order)).for_each(|(sum, value)| *sum += factor * value);
            }
            Ok(sums)
        };
        let locals = (0..mesh.triangles.len()).into_par_iter().map(local).collect::<Result<Vec<_>, _>>()?;
        let mut load = vec![0.0; self.unknowns()];
        for (nodes, local) in mesh.triangles.iter().zip(&locals) {
            (0..count).for_each(|i| load[nodes[i] as usize] += local[i]);
        }
        for edge in &mesh.edges {
            if let Condition::Flux { given, .. } = diffusion.conditions[edge.piece] {
                self.along(edge, |place, values, length| {
                    let factor = at(given, place, time) * (diffusion.diffusivity)(&place) * length;
                    (0..of_side).for_each(|i| load[edge.nodes[i] as usize] += factor * values[i]);
                });
            }
        }
        Ok(load)
    }

    /// Values at nodes whose piece of the boundary has one; where two pieces meet, that of the later.
    pub fn given(&self, diffusion: &Diffusion, time: Option<f64>) -> Result<Vec<Option<f64>>, SolveError> {
        let mut given = vec![None; self.unknowns()];
        for edge in &self.mesh.edges {
            if let Condition::Value(value) = diffusion.conditions[edge.piece] {
                for node in &edge.nodes[..self.functions().1] {
                    let place = self.mesh.nodes[*node as usize];
                    given[*node as usize] = Some(finite(at(value, place, time), "a boundary value", &place)?);
                }
            }
        }
        Ok(given)
    }
}

pub(crate) fn at(function: Function, [x, y]: [f64; 2], time: Option<f64>) -> f64 {
    time.map_or_else(|| function(&[x, y]), |time| function(&[x, y, time]))
}

pub(crate) fn finite(value: f64, what: &'static str, place: &[f64]) -> Result<f64, SolveError> {
    match value.is_finite() {
        true => Ok(value),
        false => Err(SolveError::NotFinite { what, place: format!("{place:?}") }),
    }
}

/// Where unknowns are, for their order of elimination.
pub(crate) fn places(mesh: &Mesh, unknowns: usize) -> Vec<[f64; 3]> {
    mesh.nodes[..unknowns].iter().map(|[x, y]| [*x, *y, 0.0]).collect()
}

/// The matrix with rows and columns of given unknowns taken out: 1 on the diagonal, 0 elsewhere.
pub(crate) fn without_given(matrix: &Matrix, given: &[Option<f64>]) -> Matrix {
    let mut reduced = matrix.clone();
    for row in 0..matrix.size() {
        for k in matrix.starts[row]..matrix.starts[row + 1] {
            let column = matrix.columns[k] as usize;
            if given[row].is_some() || given[column].is_some() {
                reduced.values[k] = if row == column { 1.0 } else { 0.0 };
            }
        }
    }
    reduced
}

/// The right side that belongs to it.
pub(crate) fn right_side(matrix: &Matrix, mut right: Vec<f64>, given: &[Option<f64>]) -> Vec<f64> {
    let known: Vec<f64> = given.iter().map(|value| value.unwrap_or(0.0)).collect();
    for ((right, part), given) in right.iter_mut().zip(matrix.times(&known)).zip(given) {
        *right = given.unwrap_or(*right - part);
    }
    right
}
