//! Numerical solvers and what they need of a problem, read from its equations, conditions and shapes.
//!
//! `laws` finds what holds on a piece of the boundary, `linear` takes a linear equation apart, `pattern` knows others again, `outline` turns shapes into polygons
//! with round holes. Every solver of `ropinn_reference` that takes its time has a file here: what it reads, what it refuses, and a
//! [`Plan`](super::solved::Plan).

mod burgers;
mod elements;
mod flow;
mod immersed;
mod laws;
mod linear;
mod outline;
mod pattern;
mod reaction;
mod wave;

use std::sync::Arc;

use super::error::ProblemError;
use super::formula::Formula;
use super::solvable::Stated;
use super::solved::{Plan, Solver};

/// How a coefficient in front of second derivatives is meant where it jumps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// a Δu: u and its slopes have no jumps.
    #[default]
    Plain,
    /// ∇·(a∇u): a ∂u/∂n has none.
    Divergence,
}

/// Where the triangles of finite elements are.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum MeshPlan {
    /// Anywhere, of about this size.
    Size(f64),
    /// In so many equal cells along each coordinate.
    Cells([usize; 2]),
    /// In the cells between which the look-up of a table jumps or bends.
    Table(String),
}

/// A solver and its settings, as a file states them.
#[derive(Clone, Debug)]
pub(super) enum SolverPlan {
    Elements { mesh: MeshPlan, steps: usize, form: Form, equation: Option<Formula> },
    Flow { size: f64, steps: usize, suction: Option<f64> },
    Reaction { nodes: usize, steps: usize },
    Wave { cells: usize, form: Form },
    Burgers { period: f64, nodes: usize },
    Immersed { cells: usize },
}

impl SolverPlan {
    /// The solver of a problem.
    pub fn solver(&self, seconds: Option<f64>, stated: &Stated<'_>, written_at: usize) -> Result<Solver, ProblemError> {
        let around = stated.around;
        let plan: Arc<dyn Plan> = match self {
            SolverPlan::Elements { mesh, steps, form, equation } => {
                let what = "the equation of the reference";
                let equation = equation.as_ref().map(|text| text.resolve(around.scope, what, around.source));
                Arc::new(elements::Elements::new(stated, mesh, *steps, *form, equation.transpose()?)?)
            }
            SolverPlan::Flow { size, steps, suction } => Arc::new(flow::Stream::new(stated, *size, *steps, *suction)?),
            SolverPlan::Reaction { nodes, steps } => Arc::new(reaction::Substances::new(stated, *nodes, *steps)?),
            SolverPlan::Wave { cells, form } => Arc::new(wave::Waves::new(stated, *cells, *form)?),
            SolverPlan::Burgers { period, nodes } => Arc::new(burgers::Velocities::new(stated, *period, *nodes)?),
            SolverPlan::Immersed { cells } => Arc::new(immersed::Cube::new(stated, *cells)?),
        };
        let (axes, unknowns) = (around.ranges.len(), around.scope.unknown_names().len());
        Ok(Solver::new(plan, (axes, around.time_axis.is_some(), unknowns), seconds, written_at))
    }
}
