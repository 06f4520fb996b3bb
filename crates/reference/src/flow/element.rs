//! Integrals over triangles: s∫ u·v + ν∫ ∇u:∇v − ∫ p∇·v − ∫ q∇·u, and Newton's ∫ ((w·∇)u + (u·∇)w)·v about a flow w.

use super::problem::{Flow, FlowCondition};
use crate::SolveError;
use crate::elements::{at, finite};
use crate::plane::{EDGE_RULE, Mesh, RULE, Shape, edge_shape};
use crate::sparse::{Entries, Matrix};
use rayon::prelude::*;

/// Unknowns of a triangle: u and v of six nodes, then p of three corners.
const LOCAL: usize = 15;
type Local = [[f64; LOCAL]; LOCAL];

pub(super) fn numbers(mesh: &Mesh, triangle: usize) -> [usize; LOCAL] {
    let nodes = mesh.triangles[triangle].map(|node| node as usize);
    std::array::from_fn(|k| if k < 12 { 2 * nodes[k / 2] + k % 2 } else { 2 * mesh.nodes.len() + nodes[k - 12] })
}

/// Velocity and its slopes `[component][axis]` at a place of a triangle.
fn velocity(x: &[f64], own: &[usize; LOCAL], values: &[f64; 6], slopes: &[[f64; 2]; 6]) -> ([f64; 2], [[f64; 2]; 2]) {
    let (mut w, mut dw) = ([0.0; 2], [[0.0; 2]; 2]);
    for k in 0..6 {
        for c in 0..2 {
            let value = x[own[2 * k + c]];
            w[c] += values[k] * value;
            (0..2).for_each(|axis| dw[c][axis] += slopes[k][axis] * value);
        }
    }
    (w, dw)
}

/// The matrix for an inertia s and a viscosity, about a flow if there is one.
pub(super) fn matrix(mesh: &Mesh, inertia: f64, viscosity: f64, about: Option<&[f64]>) -> Matrix {
    let shapes = RULE.map(|(at, weight)| (Shape::new(at), weight));
    let local = |triangle: usize| -> Box<Local> {
        let (own, mut sums) = (numbers(mesh, triangle), Box::new([[0.0; LOCAL]; LOCAL]));
        for (shape, weight) in &shapes {
            let (slopes, determinant) = shape.slopes_of(2, mesh, triangle);
            let (values, area) = (&shape.values, weight * determinant);
            let (w, dw) = about.map_or_else(Default::default, |x| velocity(x, &own, values, &slopes));
            for i in 0..6 {
                for j in 0..6 {
                    let along = slopes[i][0] * slopes[j][0] + slopes[i][1] * slopes[j][1];
                    let carried = w[0] * slopes[j][0] + w[1] * slopes[j][1];
                    let same = inertia * values[i] * values[j] + viscosity * along + values[i] * carried;
                    for c in 0..2 {
                        sums[2 * i + c][2 * j + c] += area * same;
                        for d in 0..2 {
                            sums[2 * i + c][2 * j + d] += area * values[i] * values[j] * dw[c][d];
                        }
                    }
                }
                for (k, pressure) in shape.linear.iter().enumerate() {
                    for c in 0..2 {
                        let part = area * pressure * slopes[i][c];
                        sums[2 * i + c][12 + k] -= part;
                        sums[12 + k][2 * i + c] -= part;
                    }
                }
            }
        }
        sums
    };
    let locals: Vec<Box<Local>> = (0..mesh.triangles.len()).into_par_iter().map(local).collect();
    let mut entries = Entries::new(Flow::unknowns(mesh));
    for (triangle, local) in locals.iter().enumerate() {
        let own = numbers(mesh, triangle);
        for i in 0..LOCAL {
            // Pressures are not coupled to each other.
            let width = if i < 12 { LOCAL } else { 12 };
            (0..width).for_each(|j| entries.add(own[i], own[j], local[i][j]));
        }
        // A pressure that is given needs a place on the diagonal.
        own[12..].iter().for_each(|pressure| entries.add(*pressure, *pressure, 0.0));
    }
    entries.finish()
}

/// Suction at outlets that resist, about a flow w: ∮ K uₙvₙ where wₙ < 0.
pub(super) fn add_suction(matrix: &mut Matrix, mesh: &Mesh, flow: &Flow, about: &[f64]) -> Result<(), SolveError> {
    for edge in &mesh.edges {
        if let FlowCondition::ResistingOutlet { suction } = flow.conditions[edge.piece] {
            let across = 1 - flow.along(edge.piece)?;
            let [a, b] = [edge.nodes[0], edge.nodes[1]].map(|node| mesh.nodes[node as usize]);
            let length = (b[0] - a[0]).hypot(b[1] - a[1]);
            // The domain is to the left of a side: its normal is along x if the side goes up, along −y if it goes to the right.
            let sign = if across == 0 { (b[1] - a[1]).signum() } else { (a[0] - b[0]).signum() };
            for (s, weight) in EDGE_RULE {
                let (values, _) = edge_shape(s);
                let speed: f64 =
                    edge.nodes.iter().zip(values).map(|(node, f)| f * about[2 * *node as usize + across]).sum();
                if sign * speed < 0.0 {
                    for (i, row) in edge.nodes.iter().enumerate() {
                        for (j, column) in edge.nodes.iter().enumerate() {
                            let part = suction * weight * length * values[i] * values[j];
                            matrix.add(2 * *row as usize + across, 2 * column + across as u32, part);
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

/// Adds up what a function has at the places of all triangles, tested with the velocities there.
fn tested(
    mesh: &Mesh,
    density: impl Fn(usize, &Shape, &[[f64; 2]; 6]) -> Result<[f64; 2], SolveError> + Sync,
) -> Result<Vec<f64>, SolveError> {
    let shapes = RULE.map(|(at, weight)| (Shape::new(at), weight));
    let local = |triangle: usize| -> Result<[f64; 12], SolveError> {
        let mut sums = [0.0; 12];
        for (shape, weight) in &shapes {
            let (slopes, determinant) = shape.slopes_of(2, mesh, triangle);
            let value = density(triangle, shape, &slopes)?;
            for (k, sum) in sums.iter_mut().enumerate() {
                *sum += weight * determinant * shape.values[k / 2] * value[k % 2];
            }
        }
        Ok(sums)
    };
    let locals = (0..mesh.triangles.len()).into_par_iter().map(local).collect::<Result<Vec<_>, _>>()?;
    let mut sum = vec![0.0; Flow::unknowns(mesh)];
    for (triangle, local) in locals.iter().enumerate() {
        numbers(mesh, triangle).iter().zip(local).for_each(|(number, part)| sum[*number] += part);
    }
    Ok(sum)
}

/// ∫ (w·∇)w·v.
pub(super) fn convection(mesh: &Mesh, x: &[f64]) -> Result<Vec<f64>, SolveError> {
    tested(mesh, |triangle, shape, slopes| {
        let (w, dw) = velocity(x, &numbers(mesh, triangle), &shape.values, slopes);
        Ok(dw.map(|slope| w[0] * slope[0] + w[1] * slope[1]))
    })
}

/// ∫ f·v.
pub(super) fn force(mesh: &Mesh, flow: &Flow, time: Option<f64>) -> Result<Vec<f64>, SolveError> {
    tested(mesh, |triangle, shape, _| {
        let place = shape.place(mesh, triangle);
        let [a, b] = flow.force.map(|force| finite(at(force, place, time), "the force", &place));
        Ok([a?, b?])
    })
}
