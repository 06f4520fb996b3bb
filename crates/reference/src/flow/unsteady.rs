//! Flow from rest: (3uⁿ⁺¹ − 4uⁿ + uⁿ⁻¹)/2Δt + 2(uⁿ·∇)uⁿ − (uⁿ⁻¹·∇)uⁿ⁻¹ + ∇pⁿ⁺¹ − νΔuⁿ⁺¹ = fⁿ⁺¹, ∇·uⁿ⁺¹ = 0 (Ascher, Ruuth & Wetton 1995), so that
//! one matrix serves all steps. The first step is of first order, which the second order of the others survives.

use super::element::{convection, force, matrix};
use super::problem::{Flow, FlowCondition};
use crate::elements::{MeshField, right_side, without_given};
use crate::plane::Mesh;
use crate::sparse::{Factor, Matrix, Order};
use crate::steps::legs;
use crate::{Reference, SolveError};

/// Unknowns u, v, p of a flow that is at rest at t = 0, at instants, in about `steps` steps on triangles of a size, and with half
/// the steps and twice the size.
pub fn unsteady(flow: &Flow, instants: &[f64], steps: usize, size: f64) -> Result<Reference, SolveError> {
    if flow.conditions.iter().any(|condition| matches!(condition, FlowCondition::ResistingOutlet { .. })) {
        return Err(SolveError::Domain { reason: "an outlet that resists is for steady flow; use a plain one".into() });
    }
    let mesh = Mesh::new(&flow.domain, 2.0 * size)?;
    let fine = march(flow, mesh.refined(), instants, steps)?;
    Reference::accurate(Box::new(fine), &march(flow, mesh, instants, steps.div_ceil(2))?)
}

/// The velocities of one instant, tested: s∫ u·v needs a matrix, (u·∇)u is done once.
struct Past {
    x: Vec<f64>,
    convection: Vec<f64>,
}

fn march(flow: &Flow, mesh: Mesh, instants: &[f64], steps: usize) -> Result<MeshField, SolveError> {
    let plan = legs(0.0, instants, steps)?;
    let given = flow.given(&mesh, Some(0.0))?;
    // ∫ u·v alone; differences of matrices would cost digits.
    let mass = matrix(&mesh, 1.0, 0.0, None);
    let mass = without_pressure(mass, 2 * mesh.nodes.len());
    let spread = matrix(&mesh, 0.0, flow.viscosity, None);
    let order = Order::with_late(&spread, &Flow::places(&mesh), 2 * mesh.nodes.len());
    let factored = |inertia: f64| -> Result<(f64, Matrix, Factor), SolveError> {
        let whole = spread.combined(1.0, &mass, inertia);
        let factor = Factor::new(&without_given(&whole, &given), &order)?;
        Ok((inertia, whole, factor))
    };
    let still = vec![0.0; Flow::unknowns(&mesh)];
    let mut now = Past { convection: still.clone(), x: still };
    let mut before: Option<(f64, Past)> = None;
    let mut current: Option<(f64, Matrix, Factor)> = None;
    let mut frames = Vec::new();
    for leg in plan {
        for step in 0..leg.steps {
            let time = leg.start + (step + 1) as f64 * leg.length;
            let old = before.take().filter(|(length, _)| *length == leg.length).map(|(_, past)| past);
            let inertia = if old.is_some() { 1.5 } else { 1.0 } / leg.length;
            if current.as_ref().is_none_or(|(known, ..)| *known != inertia) {
                current = Some(factored(inertia)?);
            }
            let Some((_, whole, factor)) = &current else { continue };
            let weighted = |a: f64, b: f64, new: &[f64], old: &[f64]| -> Vec<f64> {
                new.iter().zip(old).map(|(new, old)| a * new - b * old).collect()
            };
            let (carried, convection_now) = match &old {
                Some(old) => (
                    weighted(2.0 / leg.length, 0.5 / leg.length, &now.x, &old.x),
                    weighted(2.0, 1.0, &now.convection, &old.convection),
                ),
                None => (now.x.iter().map(|u| u / leg.length).collect(), now.convection.clone()),
            };
            let mut right = mass.times(&carried);
            for ((right, force), convection) in
                right.iter_mut().zip(force(&mesh, flow, Some(time))?).zip(&convection_now)
            {
                *right += force - convection;
            }
            let x = factor.solve(&right_side(whole, right, &flow.given(&mesh, Some(time))?));
            if !x.iter().all(|value| value.is_finite()) {
                return Err(SolveError::Unbounded { at: time, steps });
            }
            let next = Past { convection: convection(&mesh, &x)?, x };
            before = Some((leg.length, std::mem::replace(&mut now, next)));
        }
        frames.push(flow.components(&mesh, &now.x));
    }
    Ok(MeshField::new(mesh, instants.to_vec(), frames))
}

/// Only velocities have inertia.
fn without_pressure(mut matrix: Matrix, velocities: usize) -> Matrix {
    for row in 0..matrix.size() {
        for k in matrix.starts[row]..matrix.starts[row + 1] {
            if row >= velocities || matrix.columns[k] as usize >= velocities {
                matrix.values[k] = 0.0;
            }
        }
    }
    matrix
}
