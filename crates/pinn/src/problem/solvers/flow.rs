//! Incompressible flow in the plane: u_t + (u·∇)u + ∇p − νΔu = f, ∇·u = 0, of unknowns u, v and p in this order.

use ropinn_expr::{MultiIndex, Tape};
use ropinn_reference::flow::{Flow, FlowCondition, steady, unsteady};
use ropinn_reference::{Reference, SolveError};

use super::super::error::ProblemError;
use super::super::solvable::Stated;
use super::super::solved::Plan;
use super::super::term::Support;
use super::laws::Law;
use super::outline::Outline;
use super::pattern::{carried, is_same, laplacian, number_of, slope, source};

/// A flow.
#[derive(Debug)]
pub(super) struct Stream {
    outline: Outline,
    viscosity: f64,
    force: [Tape; 2],
    sides: Vec<Wall>,
    pressure_zero_at: Option<[f64; 2]>,
    size: f64,
    /// Steps in time, if there is time.
    steps: Option<usize>,
    suction: Option<f64>,
}

#[derive(Debug)]
enum Wall {
    Velocity([Tape; 2]),
    Outlet,
}

impl Stream {
    pub fn new(stated: &Stated<'_>, size: f64, steps: usize, suction: Option<f64>) -> Result<Self, ProblemError> {
        let refuse = |reason: String| ProblemError::NotSolvable {
            solver: "flow",
            solves: "the equations of Navier and Stokes for u, v and p in the plane, their velocities given or p = 0 on each side",
            reason,
        };
        let around = stated.around;
        let equations: Vec<_> = stated.equations().map(|(_, residual)| residual).collect();
        let [along, across, mass] = equations[..] else {
            return Err(refuse(format!("here are {} equations", equations.len())));
        };
        if around.scope.unknown_names().len() != 3 || around.geometry.space_dim() != 2 {
            return Err(refuse("here are other unknowns or coordinates".to_owned()));
        }
        let outline = Outline::new(around.geometry).map_err(refuse)?;
        let viscosity = number_of(along, 0, MultiIndex::from_axes(&[0, 0])).map(f64::abs).unwrap_or_default();
        for (field, residual) in [along, across].into_iter().enumerate() {
            let steady = carried(field) + slope(2, field) - viscosity * laplacian(field) + source(residual);
            let expected = if around.time_axis.is_some() { slope(field, 2) + steady } else { steady };
            if !is_same(residual, &expected) {
                return Err(refuse(format!("equation {} is no balance of momentum", field + 1)));
            }
        }
        if !is_same(mass, &(slope(0, 0) + slope(1, 1))) {
            return Err(refuse("equation 3 is no balance of mass".to_owned()));
        }
        let force = [along, across].map(|residual| Tape::new(&-source(residual)));
        let side = |tag| match [0, 1, 2].map(|field| stated.law(field, tag)) {
            [Some(Law::Value(u)), Some(Law::Value(v)), _] => Ok(Wall::Velocity([Tape::new(&u), Tape::new(&v)])),
            [None, None, Some(Law::Value(p))] if p.as_constant() == Some(0.0) => Ok(Wall::Outlet),
            _ => Err(refuse(format!("on {tag} are neither both velocities nor p = 0"))),
        };
        let sides = outline.tags.iter().copied().map(side).collect::<Result<_, ProblemError>>()?;
        let steps = around.time_axis.map(|_| steps);
        let pressure_zero_at = gauge(stated);
        Ok(Stream { outline, viscosity, force, sides, pressure_zero_at, size, steps, suction })
    }
}

/// Where a measurement says that p = 0.
fn gauge(stated: &Stated<'_>) -> Option<[f64; 2]> {
    let of_pressure = |(term, support): &&(super::super::term::Term, Support)| {
        let fields: Vec<usize> =
            term.residuals.iter().flat_map(|residual| residual.unknowns()).map(|leaf| leaf.0).collect();
        matches!(support, Support::Given) && fields == [2] && term.data.iter().all(|value| *value == 0.0)
    };
    let (term, _) = stated.terms.iter().find(of_pressure)?;
    term.points.get(..2).map(|place| [place[0], place[1]])
}

impl Plan for Stream {
    fn method(&self) -> &'static str {
        "Taylor–Hood elements"
    }

    fn fields(&self) -> Vec<usize> {
        vec![0, 1, 2]
    }

    fn solve(&self, instants: &[f64]) -> Result<Reference, SolveError> {
        type Given<'a> = Box<dyn Fn(&[f64]) -> f64 + Sync + 'a>;
        fn given(tape: &Tape) -> Given<'_> {
            Box::new(|at: &[f64]| tape.eval(at, &[]))
        }
        let force: Vec<Given<'_>> = self.force.iter().map(given).collect();
        let walls: Vec<Option<[Given<'_>; 2]>> = self
            .sides
            .iter()
            .map(|side| match side {
                Wall::Velocity(velocity) => Some([given(&velocity[0]), given(&velocity[1])]),
                Wall::Outlet => None,
            })
            .collect();
        let mut conditions = Vec::new();
        for wall in &walls {
            conditions.push(match (wall, self.suction) {
                (Some([u, v]), _) => FlowCondition::Velocity([&**u, &**v]),
                (None, Some(suction)) => FlowCondition::ResistingOutlet { suction },
                (None, None) => FlowCondition::Outlet,
            });
        }
        let flow = Flow {
            domain: self.outline.domain.clone(),
            viscosity: self.viscosity,
            force: [&*force[0], &*force[1]],
            conditions,
            pressure_zero_at: self.pressure_zero_at,
        };
        match self.steps {
            Some(steps) => unsteady(&flow, instants, steps, self.size),
            None => steady(&flow, self.size),
        }
    }
}
