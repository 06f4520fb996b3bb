//! Diffusion in a cube less balls, without flux through any surface: A Δu + Q u + S = 0, so that q = −Q/A and f = S/A where p = 1.

use ropinn_domain::geometry::Solid;
use ropinn_expr::Tape;
use ropinn_reference::immersed::{Ball, Immersed, solve};
use ropinn_reference::{Reference, SolveError};

use super::super::error::ProblemError;
use super::super::solvable::Stated;
use super::super::solved::Plan;
use super::Form;
use super::laws::Law;
use super::linear::Linear;

/// A cube with balls taken away.
#[derive(Debug)]
pub(super) struct Cube {
    field: usize,
    low: [f64; 3],
    high: [f64; 3],
    balls: Vec<Ball>,
    decay: Tape,
    source: Tape,
    cells: usize,
}

impl Cube {
    pub fn new(stated: &Stated<'_>, cells: usize) -> Result<Self, ProblemError> {
        let refuse = |reason: String| ProblemError::NotSolvable {
            solver: "immersed",
            solves: "one linear equation of diffusion in a cube less balls, without flux through its surfaces",
            reason,
        };
        let around = stated.around;
        let equations: Vec<_> = stated.equations().map(|(_, residual)| residual).collect();
        let [equation] = equations[..] else {
            return Err(refuse(format!("here are {} equations", equations.len())));
        };
        let mut solids = around.geometry.solids();
        let base = match solids.next() {
            Some(Solid::Cuboid(base)) if base.dim() == 3 && around.time_axis.is_none() => base,
            _ => return Err(refuse("the domain is another one".to_owned())),
        };
        let ball = |solid: &Solid| match solid {
            Solid::Ball(ball) => {
                let center = [ball.center()[0], ball.center()[1], ball.center()[2]];
                Ok(Ball { center, radius: ball.radius() })
            }
            _ => Err(refuse("something else than balls is taken away".to_owned())),
        };
        let balls = solids.map(ball).collect::<Result<Vec<_>, ProblemError>>()?;
        let linear = Linear::new(equation, 3, None, Form::Plain).map_err(refuse)?;
        let closed = |law: Option<Law>| matches!(law, Some(Law::Flux { given, transfer: 0.0 }) if given.as_constant() == Some(0.0));
        let pieces = around.geometry.boundary_pieces();
        if let Some(piece) = pieces.iter().find(|piece| !closed(stated.law(linear.field, piece.tag))) {
            return Err(refuse(format!("{} is not closed", piece.tag)));
        }
        let corner = |ends: &[f64]| [ends[0], ends[1], ends[2]];
        let decay = Tape::new(&-(linear.value / linear.second.clone()));
        let source = Tape::new(&(linear.source / linear.second));
        let (low, high) = (corner(base.low()), corner(base.high()));
        Ok(Cube { field: linear.field, low, high, balls, decay, source, cells })
    }
}

impl Plan for Cube {
    fn method(&self) -> &'static str {
        "cut cubic elements"
    }

    fn fields(&self) -> Vec<usize> {
        vec![self.field]
    }

    fn solve(&self, _instants: &[f64]) -> Result<Reference, SolveError> {
        let (decay, source) = (|at: &[f64]| self.decay.eval(at, &[]), |at: &[f64]| self.source.eval(at, &[]));
        let (low, high, balls) = (self.low, self.high, self.balls.clone());
        let problem = Immersed { low, high, balls, diffusivity: &|_| 1.0, decay: &decay, source: &source, flux: None };
        solve(&problem, self.cells)
    }
}
