//! Solutions to compare with. One that takes time is computed when it is first asked for, once for all copies of a problem.

use std::sync::{Arc, OnceLock};

use ropinn_expr::{Env, Expr};
use ropinn_reference::cole_hopf::burgers_from_sine;
use ropinn_reference::{fourier, laplace, ode};

use super::error::ProblemError;
use super::solved::Solver;

/// A solution to compare with.
#[derive(Clone, Debug)]
pub(super) enum Reference {
    /// An expression for each unknown.
    ClosedForm(Vec<Expr>),
    /// Values of all unknowns at given points.
    Tabulated { points: Vec<f64>, values: Vec<f64> },
    /// Burgers' equation from a sine, by quadrature.
    ColeHopf { viscosity: f64 },
    /// The solution of another solver, known anywhere within a second.
    Computed(Computed),
    /// The solution of a numerical solver that takes its time.
    Solved(Solver),
}

/// A solver with all it needs, and its solution as soon as somebody has asked for it.
#[derive(Clone, Debug)]
pub(super) struct Computed {
    method: Arc<Method>,
    solution: Arc<OnceLock<Result<Solved, ProblemError>>>,
    /// Where the file says so.
    pub written_at: usize,
}

/// How it is solved.
#[derive(Debug)]
pub(super) enum Method {
    /// An evolution in one periodic coordinate.
    Fourier(fourier::Evolution, fourier::Resolution),
    /// Laplace's equation around holes, by so many terms.
    Laplace(laplace::Rectangle, usize),
    /// Ordinary differential equations, in so many steps.
    Ode(ode::System, usize),
}

/// What came of it.
#[derive(Debug)]
enum Solved {
    Fourier(fourier::Solution),
    Laplace(laplace::Solution),
    Ode(ode::Solution),
}

impl Computed {
    pub fn new(method: Method, written_at: usize) -> Self {
        Self { method: Arc::new(method), solution: Arc::default(), written_at }
    }

    fn solved(&self) -> Result<&Solved, ProblemError> {
        let solved = self.solution.get_or_init(|| match &*self.method {
            Method::Fourier(evolution, resolution) => Ok(Solved::Fourier(evolution.solve(*resolution)?)),
            Method::Laplace(domain, terms) => Ok(Solved::Laplace(domain.solve(*terms)?)),
            Method::Ode(system, steps) => Ok(Solved::Ode(system.solve(*steps)?)),
        });
        solved.as_ref().map_err(Clone::clone)
    }

    fn values(&self, points: &[f64]) -> Result<Vec<f64>, ProblemError> {
        Ok(match self.solved()? {
            Solved::Fourier(solution) => solution.values(points),
            Solved::Laplace(solution) => solution.values(points),
            Solved::Ode(solution) => solution.values(points),
        })
    }

    fn error(&self) -> Result<f64, ProblemError> {
        Ok(match self.solved()? {
            Solved::Fourier(solution) => solution.error(),
            Solved::Laplace(solution) => solution.error(),
            Solved::Ode(solution) => solution.error(),
        })
    }
}

impl Reference {
    /// Values `[point][unknown]` at points of so many axes; NaN where it has none. `None` if it is known at its own points only.
    pub fn values(&self, points: &[f64], axes: usize) -> Result<Option<Vec<f64>>, ProblemError> {
        // Whether there are values at all is not worth computing them.
        if points.is_empty() {
            return Ok((!matches!(self, Self::Tabulated { .. } | Self::Solved(_))).then(Vec::new));
        }
        let each = points.chunks_exact(axes.max(1));
        Ok(match self {
            Self::ClosedForm(exprs) => {
                let at = |point| exprs.iter().map(move |expr| expr.eval(&Env::at(point)));
                Some(each.flat_map(at).collect())
            }
            Self::ColeHopf { viscosity } => {
                Some(each.map(|point| burgers_from_sine(point[0], point[1], *viscosity)).collect())
            }
            Self::Computed(computed) => Some(computed.values(points)?),
            Self::Tabulated { .. } | Self::Solved(_) => None,
        })
    }

    /// How it comes about.
    pub fn method(&self) -> &'static str {
        match self {
            Self::ClosedForm(_) => "closed form",
            Self::Tabulated { .. } => "table",
            Self::ColeHopf { .. } => "quadrature",
            Self::Computed(computed) => match &*computed.method {
                Method::Fourier(..) => "Fourier series",
                Method::Laplace(..) => "harmonic functions",
                Method::Ode(..) => "Runge-Kutta steps",
            },
            Self::Solved(solver) => solver.plan().method(),
        }
    }

    /// How far it is off by its own estimate, relative to its size; none if it is as good as its numbers.
    pub fn error(&self) -> Result<Option<f64>, ProblemError> {
        match self {
            Self::Computed(computed) => computed.error().map(Some),
            _ => Ok(None),
        }
    }
}
