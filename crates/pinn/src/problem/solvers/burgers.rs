//! Burgers' equations of two velocities in a periodic square.

use ropinn_expr::{MultiIndex, Tape};
use ropinn_reference::burgers::{Burgers, solve};
use ropinn_reference::{Reference, SolveError};

use super::super::error::ProblemError;
use super::super::solvable::Stated;
use super::super::solved::Plan;
use super::pattern::{carried, is_same, laplacian, number_of, slope};

/// Velocities that carry each other.
#[derive(Debug)]
pub(super) struct Velocities {
    period: f64,
    viscosity: f64,
    initial: [Tape; 2],
    nodes: usize,
}

impl Velocities {
    pub fn new(stated: &Stated<'_>, period: f64, nodes: usize) -> Result<Self, ProblemError> {
        let refuse = |reason: &str| ProblemError::NotSolvable {
            solver: "burgers",
            solves: "u_t + u u_x + v u_y = ν Δu and the same for v, periodic along x and y, from t = 0",
            reason: reason.to_owned(),
        };
        let around = stated.around;
        let equations: Vec<_> = stated.equations().map(|(_, residual)| residual).collect();
        if around.time_axis != Some(2) || equations.len() != 2 || around.scope.unknown_names().len() != 2 {
            return Err(refuse("here are other coordinates, unknowns or equations"));
        }
        let is_square = around.ranges[..2].iter().all(|(low, high)| *low == 0.0 && is_whole(*high / period));
        if around.geometry.as_box().is_none() || !is_square || around.ranges[2].0 != 0.0 {
            return Err(refuse("the domain is no rectangle of whole periods from the origin"));
        }
        let viscosity = number_of(equations[0], 0, MultiIndex::from_axes(&[0, 0])).map(f64::abs).unwrap_or_default();
        for (field, equation) in equations.iter().enumerate() {
            if !is_same(equation, &(slope(field, 2) + carried(field) - viscosity * laplacian(field))) {
                return Err(refuse("an equation is another one"));
            }
        }
        if let Some(condition) = stated.at_ends() {
            return Err(refuse(&format!("condition `{condition}` is not periodic")));
        }
        let initial = [0, 1].map(|field| stated.initial_value(field).map(|value| Tape::new(&value)));
        let [Some(u), Some(v)] = initial else { return Err(refuse("the first instant has no values")) };
        Ok(Self { period, viscosity, initial: [u, v], nodes })
    }
}

fn is_whole(number: f64) -> bool {
    number >= 0.5 && (number - number.round()).abs() < 1e-9
}

impl Plan for Velocities {
    fn method(&self) -> &'static str {
        "upwind differences"
    }

    fn fields(&self) -> Vec<usize> {
        vec![0, 1]
    }

    fn solve(&self, instants: &[f64]) -> Result<Reference, SolveError> {
        let [u, v] = &self.initial;
        let (u, v) = (|at: &[f64]| u.eval(at, &[]), |at: &[f64]| v.eval(at, &[]));
        let burgers = Burgers { period: self.period, viscosity: self.viscosity, initial: [&u, &v] };
        solve(&burgers, instants, self.nodes)
    }
}
