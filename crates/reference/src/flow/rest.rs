//! Flow at rest: Newton's method from the flow without convection, A(w)δ = −F(w).

use super::element::{add_suction, convection, force, matrix};
use super::problem::Flow;
use crate::elements::{MeshField, right_side, without_given};
use crate::plane::Mesh;
use crate::sparse::{Factor, Order};
use crate::{Reference, SolveError};

/// A step that changes velocities by less than this is the last.
const SETTLED: f64 = 1e-9;
const MOST_STEPS: usize = 25;

/// Unknowns u, v, p of the steady flow, on triangles of a size and of twice the size.
pub fn steady(flow: &Flow, size: f64) -> Result<Reference, SolveError> {
    let mesh = Mesh::new(&flow.domain, 2.0 * size)?;
    let fine = settle(flow, mesh.refined())?;
    Reference::accurate(Box::new(fine), &settle(flow, mesh)?)
}

fn settle(flow: &Flow, mesh: Mesh) -> Result<MeshField, SolveError> {
    let (given, load) = (flow.given(&mesh, None)?, force(&mesh, flow, None)?);
    let slow = matrix(&mesh, 0.0, flow.viscosity, None);
    let order = Order::with_late(&slow, &Flow::places(&mesh), 2 * mesh.nodes.len());
    let solve = |matrix: &crate::sparse::Matrix, right: Vec<f64>| -> Result<Vec<f64>, SolveError> {
        let right = right_side(matrix, right, &given);
        Ok(Factor::new(&without_given(matrix, &given), &order)?.solve(&right))
    };
    let mut x = solve(&slow, load.clone())?;
    let mut change = f64::INFINITY;
    for _ in 0..MOST_STEPS {
        // About w, the convection of u is (w·∇)u + (u·∇)w − (w·∇)w but for what is quadratic in u − w.
        let around = convection(&mesh, &x)?;
        let right = load.iter().zip(&around).map(|(load, around)| load + around).collect();
        let mut tangent = matrix(&mesh, 0.0, flow.viscosity, Some(&x));
        add_suction(&mut tangent, &mesh, flow, &x)?;
        let next = solve(&tangent, right)?;
        let velocities = 2 * mesh.nodes.len();
        change = next.iter().zip(&x).take(velocities).fold(0.0, |most: f64, (a, b)| {
            let apart = (a - b).abs();
            if apart.is_nan() { f64::NAN } else { most.max(apart) }
        });
        x = next;
        if change < SETTLED || change.is_nan() {
            break;
        }
    }
    match change < SETTLED {
        true => {
            let components = flow.components(&mesh, &x);
            Ok(MeshField::new(mesh, Vec::new(), vec![components]))
        }
        false => Err(SolveError::Unsettled {
            what: "Newton's method for the flow",
            steps: MOST_STEPS,
            change,
            advice: "make the triangles smaller, or the viscosity larger",
        }),
    }
}
