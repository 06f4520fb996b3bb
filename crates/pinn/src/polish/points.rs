//! Where the linearised problem is asked for: inside, half of the points following the residual if there is one already, and on
//! the conditions; and, apart from these, where its solution is judged.

use crate::adaptive::{clipped, density, draw_without_replacement, magnitudes};
use crate::case::Case;
use crate::error::Error;
use crate::look::SINGULAR;
use crate::problem::{PointOverrides, Problem, Spread, Term, TermGroup};
use ropinn_domain::{Layout, Purpose, Stream};
use ropinn_engine::{Evaluator, Precision, Samples};

/// Rows of equations for each column: of a space on its own, and of one that corrects a network. What a network leaves is rough,
/// and with too few points it is met there and made worse in between.
const ROWS_PER_COLUMN: f64 = 3.0;
const ROWS_OF_CORRECTIONS: f64 = 8.0;
/// Candidates for each point that follows the residual.
const POOL: usize = 8;
/// Points on each condition, in units of those along the side of a box of as many points as there are inside.
const ALONG_SIDES: f64 = 4.0;
pub(super) const LEAST: usize = 32;

/// How many points there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub inside: usize,
    pub around: usize,
}

impl Counts {
    /// Enough for so many columns.
    pub fn for_columns(problem: &Problem, columns: usize, corrects: bool) -> Self {
        let (axes, equations) = (problem.ranges().len(), problem.equations().count().max(1));
        let rows = if corrects { ROWS_OF_CORRECTIONS } else { ROWS_PER_COLUMN };
        let inside = ((rows * columns as f64 / equations as f64) as usize).max(LEAST);
        let side = (inside as f64).powf((axes - 1) as f64 / axes as f64);
        Self { inside, around: ((ALONG_SIDES * side) as usize).max(LEAST) }
    }
}

/// The terms on points that fill the domain evenly.
pub(super) fn even(problem: &Problem, counts: Counts, seed: u64) -> Result<Vec<Term>, Error> {
    on(problem, Layout::Hammersley, counts, seed)
}

/// The terms on random points.
pub(super) fn random(problem: &Problem, counts: Counts, seed: u64) -> Result<Vec<Term>, Error> {
    on(problem, Layout::Uniform, counts, seed)
}

/// The terms on points enough for a Jacobian of so many columns.
pub(crate) fn points_of(problem: &Problem, columns: usize, seed: u64) -> Result<Vec<Term>, Error> {
    even(problem, Counts::for_columns(problem, columns, false), seed)
}

fn on(problem: &Problem, layout: Layout, counts: Counts, seed: u64) -> Result<Vec<Term>, Error> {
    let timed = problem.time_axis().is_some();
    // The ends of a single coordinate are among its points, or the solution leaves its first value between them.
    let inside = match problem.ranges().len() {
        1 => Spread::grid(vec![counts.inside]),
        _ => Spread::scattered(layout.clone(), counts.inside),
    };
    let around = Some(Spread::scattered(layout, counts.around));
    let problem = problem.clone().with_points(&PointOverrides {
        interior: Some(inside),
        boundary: around.clone(),
        initial: around.filter(|_| timed),
        evaluation: None,
    });
    let mut terms = problem.terms(seed)?;
    terms.retain(|term| !term.points.is_empty());
    Ok(terms)
}

/// The same, half of the points inside drawn by the size of the residual of a solution.
pub(super) fn following(case: &Case, theta: &[f64], counts: Counts, seed: u64) -> Result<Vec<Term>, Error> {
    let half = counts.inside / 2;
    let mut terms = even(case.problem(), Counts { inside: counts.inside - half, ..counts }, seed)?;
    let axes = case.network().coordinates();
    let pool = random(case.problem(), Counts { inside: POOL * half.max(1), ..counts }, seed)?;
    let is_equations = |term: &&Term| term.group == TermGroup::Residual;
    let (Some(own), Some(pool)) =
        (terms.iter_mut().find(|term| term.group == TermGroup::Residual), pool.iter().find(is_equations))
    else {
        return Ok(terms);
    };
    let program = case.program(pool, vec![1; pool.residuals.len()])?;
    let mut evaluator = Evaluator::new(vec![program], Precision::F64, case.threads())?;
    let points = case.network_points(&pool.points);
    let set = evaluator.add(0, Samples { points: &points, data: &pool.data, weights: &[] })?;
    let mut values = Vec::new();
    evaluator.residuals(theta, set, &mut values)?;
    let sizes = magnitudes(&values, pool.residuals.len(), pool.residuals.len());
    let weights = density(&clipped(&sizes, SINGULAR), 1.0, 0.0)?;
    let mut stream = Stream::new(seed, Purpose::Adaptive);
    for index in draw_without_replacement(&weights, half.min(weights.len()), &mut stream)? {
        own.points.extend_from_slice(&pool.points[index * axes..(index + 1) * axes]);
    }
    Ok(terms)
}
