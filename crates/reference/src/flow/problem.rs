//! A flow: what drives it and what holds on its boundary; which of its unknowns are given.
//!
//! Unknowns are u and v of each node in turn, then p of each corner.

use crate::elements::{Component, at, finite};
use crate::plane::{Domain, Mesh};
use crate::{Function, SolveError};

/// What holds on a piece of the boundary.
#[derive(Clone, Copy)]
pub enum FlowCondition<'a> {
    /// The velocity, a function of (x, y) or (x, y, t).
    Velocity([Function<'a>; 2]),
    /// Normal flow at pressure 0, on a side along x or y.
    Outlet,
    /// The same, but where flow comes back in, suction works against it: p = K uₙ where uₙ < 0. Only for steady flow.
    ResistingOutlet {
        /// K ≥ 0; a large one keeps all flow from coming back in.
        suction: f64,
    },
}

/// A flow at some viscosity in a domain.
#[derive(Clone)]
pub struct Flow<'a> {
    /// Where it is.
    pub domain: Domain,
    /// ν > 0.
    pub viscosity: f64,
    /// f, functions of (x, y) or (x, y, t).
    pub force: [Function<'a>; 2],
    /// One for each piece of the boundary, as [`Domain`] counts them. Where velocities meet, that of the later piece holds.
    pub conditions: Vec<FlowCondition<'a>>,
    /// Where p = 0; needed if there is no outlet.
    pub pressure_zero_at: Option<[f64; 2]>,
}

impl Flow<'_> {
    pub(super) fn unknowns(mesh: &Mesh) -> usize {
        2 * mesh.nodes.len() + mesh.corners
    }

    /// Places of all unknowns.
    pub(super) fn places(mesh: &Mesh) -> Vec<[f64; 3]> {
        let nodes = mesh.nodes.iter().flat_map(|[x, y]| [[*x, *y, 0.0]; 2]);
        nodes.chain(mesh.nodes[..mesh.corners].iter().map(|[x, y]| [*x, *y, 0.0])).collect()
    }

    /// Values that are given, at an instant if there is one.
    pub(super) fn given(&self, mesh: &Mesh, time: Option<f64>) -> Result<Vec<Option<f64>>, SolveError> {
        let (pieces, conditions) = (mesh.domain.pieces(), self.conditions.len());
        if pieces != conditions {
            return Err(SolveError::Conditions { pieces, conditions });
        }
        let mut given = vec![None; Self::unknowns(mesh)];
        let mut open = false;
        for edge in &mesh.edges {
            if let FlowCondition::Outlet | FlowCondition::ResistingOutlet { .. } = self.conditions[edge.piece] {
                let along = self.along(edge.piece)?;
                edge.nodes.iter().for_each(|node| given[2 * *node as usize + along] = Some(0.0));
                open = true;
            }
        }
        for edge in &mesh.edges {
            if let FlowCondition::Velocity(velocity) = self.conditions[edge.piece] {
                for node in edge.nodes.map(|node| node as usize) {
                    for (axis, component) in velocity.into_iter().enumerate() {
                        let value = at(component, mesh.nodes[node], time);
                        given[2 * node + axis] = Some(finite(value, "a velocity", &mesh.nodes[node])?);
                    }
                }
            }
        }
        if !open {
            let zero = self.pressure_zero_at.ok_or(SolveError::Singular)?;
            given[2 * mesh.nodes.len() + nearest(mesh, zero)] = Some(0.0);
        }
        Ok(given)
    }

    /// The axis along which an outlet runs.
    pub(super) fn along(&self, piece: usize) -> Result<usize, SolveError> {
        let corners = &self.domain.outline;
        let (a, b) = (corners.get(piece), corners.get((piece + 1) % corners.len()));
        let axis = a.zip(b).and_then(|(a, b)| (0..2).find(|axis| a[1 - axis] == b[1 - axis]));
        axis.ok_or_else(|| SolveError::Domain { reason: "an outlet must be a side along x or along y".into() })
    }

    /// u, v and p, the last zero where it is wanted to be.
    pub(super) fn components(&self, mesh: &Mesh, x: &[f64]) -> Vec<Component> {
        let (velocities, pressures) = x.split_at(2 * mesh.nodes.len());
        let shift = self.pressure_zero_at.map_or(0.0, |zero| pressures[nearest(mesh, zero)]);
        let velocity = |axis: usize| velocities.iter().skip(axis).step_by(2).copied().collect();
        vec![
            Component { order: 2, values: velocity(0) },
            Component { order: 2, values: velocity(1) },
            Component { order: 1, values: pressures.iter().map(|p| p - shift).collect() },
        ]
    }
}

/// The corner nearest to a place.
fn nearest(mesh: &Mesh, [x, y]: [f64; 2]) -> usize {
    let distance = |k: &usize| (mesh.nodes[*k][0] - x).hypot(mesh.nodes[*k][1] - y);
    (0..mesh.corners).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
}
