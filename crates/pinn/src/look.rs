//! A look at a solution: its residuals on points it was not trained on, each in units of what it is made of.
//!
//! The relative mean square of a part is mean r² / mean Σ aᵢ² over fresh points, r = Σ aᵢ its addends: u_t and ν u_xx for a heat
//! equation, u and its value for a condition. A condition that says 0 is compared with the size of the solution.
//!
//! The largest few residuals are left out of mean r²: they may be singular. In time, or along a single coordinate, they may as
//! well be a leap, which takes the solution away from its first values between two points: however short it is, ∫|r| dt is its
//! height. So there an equation counts for no less than (Σ |r| over those few / Σ |aᵢ| over all)².

use crate::case::Case;
use crate::error::Error;
use crate::metrics::Predictor;
use crate::problem::{PointOverrides, Problem, Spread, Term, TermGroup};
use ropinn_domain::Layout;
use ropinn_engine::{Evaluator, Samples, TermSpec};
use ropinn_expr::{Expr, Node};
use serde::{Deserialize, Serialize};

/// Share of the points that may be singular: no number of points resolves a corner in which the solution is not smooth.
pub(crate) const SINGULAR: f64 = 0.005;
/// Fresh points for each one of training.
const DENSER: usize = 4;
/// The most fresh points.
const MOST: usize = 60_000;
/// Points at which the solution is compared with what it was.
const PROBES: usize = 1000;
/// Apart from every seed of training points.
const FRESH_SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// What a look has seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Look {
    /// Outer steps done.
    pub iteration: u64,
    /// Relative mean square of the equations on fresh points, the worst of them.
    pub equations: f64,
    /// The same of each condition.
    pub conditions: Vec<OfCondition>,
    /// Mean square of the equations on fresh points, in units of that at the training points.
    pub gap: f64,
    /// The solution at some points, to compare with.
    pub values: Vec<f64>,
    /// Relative change since the look before.
    pub change: Option<f64>,
}

/// What a look has seen of a condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct OfCondition {
    pub name: String,
    /// Relative mean square on fresh points.
    pub relative: f64,
    /// Mean square on fresh points, in units of that at the training points.
    pub gap: f64,
}

impl Look {
    /// Looks at a solution that was trained to mean squares `trained` of its terms.
    pub fn at(
        case: &Case,
        theta: &[f64],
        trained: &[(String, f64)],
        iteration: u64,
        before: Option<&Look>,
    ) -> Result<Self, Error> {
        Self::over(case, theta, &fresh_terms(case)?, trained, iteration, before)
    }

    /// The same on terms that are drawn already.
    pub fn over(
        case: &Case,
        theta: &[f64],
        terms: &[Term],
        trained: &[(String, f64)],
        iteration: u64,
        before: Option<&Look>,
    ) -> Result<Self, Error> {
        let size = sizes_of_unknowns(case, theta, terms)?;
        let (mut equations, mut gap, mut conditions) = (0.0f64, 0.0, Vec::new());
        let aside = [TermGroup::Data, TermGroup::Smoothness];
        for term in terms.iter().filter(|term| !aside.contains(&term.group) && !term.points.is_empty()) {
            // Readings have noise, and fields are not flat; how well that is met says nothing about the solution.
            let Measured { squares, scales, leaps } = measure(case, theta, term, &size)?;
            let known = trained.iter().find(|(own, _)| *own == term.name).map(|(_, square)| *square);
            let own_gap = known.map_or(1.0, |known| squares.iter().sum::<f64>() / known);
            if term.group == TermGroup::Residual {
                equations = squares.iter().zip(&scales).map(|(square, scale)| square / scale).fold(0.0, f64::max);
                if case.problem().time_axis().is_some() || case.network().coordinates() == 1 {
                    equations = leaps.iter().fold(equations, |worst, leap| worst.max(leap * leap));
                }
                gap = own_gap;
            } else {
                let relative = squares.iter().sum::<f64>() / scales.iter().sum::<f64>();
                conditions.push(OfCondition { name: term.name.clone(), relative, gap: own_gap });
            }
        }
        let axes = case.network().coordinates();
        let probes = &terms.iter().find(|term| term.group == TermGroup::Residual).map_or(&[][..], |term| &term.points);
        let probes = &probes[..probes.len().min(PROBES * axes)];
        let values = Predictor::of(case, case.problem().unknown_names())?.predict(theta, probes)?;
        let change = before.filter(|look| look.values.len() == values.len()).map(|look| change(&values, &look.values));
        Ok(Self { iteration, equations, conditions, gap, values, change })
    }

    /// The worst relative mean square.
    pub fn relative(&self) -> f64 {
        self.worst_condition().max(self.equations)
    }

    /// That of the conditions.
    pub fn worst_condition(&self) -> f64 {
        self.conditions.iter().fold(0.0, |worst, one| worst.max(one.relative))
    }
}

/// ‖u − v‖ / ‖u‖.
fn change(now: &[f64], before: &[f64]) -> f64 {
    let moved: f64 = now.iter().zip(before).map(|(u, v)| (u - v) * (u - v)).sum();
    (moved / now.iter().map(|u| u * u).sum::<f64>()).sqrt()
}

/// The terms of a case on points it is not trained on.
pub(crate) fn fresh_terms(case: &Case) -> Result<Vec<Term>, Error> {
    Ok(fresh(case.problem()).terms(case.config().seed ^ FRESH_SEED)?)
}

/// The problem on other and more points than it is trained on.
fn fresh(problem: &Problem) -> Problem {
    let (interior, elsewhere) = problem.planned_points();
    let spread = |count: u64, least: usize| {
        let count = usize::try_from(count).unwrap_or(MOST).saturating_mul(DENSER).clamp(least, MOST);
        Some(Spread::scattered(Layout::Uniform, count))
    };
    let conditions = if elsewhere > 0 { spread(elsewhere, 1) } else { None };
    let timed = problem.time_axis().is_some();
    problem.clone().with_points(&PointOverrides {
        interior: spread(interior, PROBES),
        boundary: conditions.clone(),
        initial: conditions.filter(|_| timed),
        evaluation: None,
    })
}

/// Mean squares of the unknowns.
fn sizes_of_unknowns(case: &Case, theta: &[f64], terms: &[Term]) -> Result<Vec<f64>, Error> {
    let Some(inside) = terms.iter().find(|term| term.group == TermGroup::Residual) else { return Ok(Vec::new()) };
    let values = Predictor::of(case, case.problem().unknown_names())?.predict(theta, &inside.points)?;
    let unknowns = case.problem().unknown_names().len();
    Ok((0..unknowns).map(|k| mean(values.iter().skip(k).step_by(unknowns).map(|u| u * u))).collect())
}

/// What is measured of each expression of a term.
struct Measured {
    /// Mean squares without the largest few, which may be singular.
    squares: Vec<f64>,
    /// What they are compared with.
    scales: Vec<f64>,
    /// What the largest few add to the mean size, in units of what it is made of.
    leaps: Vec<f64>,
}

fn measure(case: &Case, theta: &[f64], term: &Term, size: &[f64]) -> Result<Measured, Error> {
    let addends: Vec<Vec<Expr>> = term.residuals.iter().map(addends).collect();
    let program = case.compile(&TermSpec::new("addends", addends.concat()))?;
    let mut evaluator = Evaluator::new(vec![program], case.config().precision, case.threads())?;
    let points = case.network_points(&term.points);
    let set = evaluator.add(0, Samples { points: &points, data: &term.data, weights: &[] })?;
    let mut values = Vec::new();
    evaluator.residuals(theta, set, &mut values)?;
    let width = addends.iter().map(Vec::len).sum::<usize>().max(1);
    let (mut squares, mut scales, mut leaps, mut next) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for (own, residual) in addends.iter().zip(&term.residuals) {
        let rows = || values.chunks_exact(width).map(|row| &row[next..next + own.len()]);
        let mut sizes: Vec<f64> = rows().map(|row| row.iter().sum::<f64>().abs()).collect();
        sizes.sort_unstable_by(f64::total_cmp);
        let (kept, largest) = sizes.split_at(kept_of(sizes.len()));
        squares.push(mean(kept.iter().map(|r| r * r)));
        let in_all: f64 = rows().flatten().map(|a| a.abs()).sum();
        leaps.push(largest.iter().sum::<f64>() / in_all.max(f64::MIN_POSITIVE));
        let made_of = mean(rows().map(|row| row.iter().map(|a| a * a).sum()));
        scales.push(made_of.max(floor(case, term, residual, size)).max(f64::MIN_POSITIVE));
        next += own.len();
    }
    Ok(Measured { squares, scales, leaps })
}

/// How many of the smallest are kept, so many there are.
fn kept_of(count: usize) -> usize {
    (count - (SINGULAR * count as f64).ceil() as usize).max(1).min(count)
}

/// What a condition is compared with that says 0: the size of the unknowns in it, over the extent of the domain as often as
/// they are differentiated. Equations are their own measure.
fn floor(case: &Case, term: &Term, residual: &Expr, size: &[f64]) -> f64 {
    if term.group == TermGroup::Residual {
        return 0.0;
    }
    let extents = case.problem().ranges();
    let derivative = |(field, alpha, _): (usize, ropinn_expr::MultiIndex, usize)| {
        let slope = alpha.axes().fold(1.0, |slope, axis| slope / (extents[axis].1 - extents[axis].0).powi(2));
        size.get(field).map_or(0.0, |size| size * slope)
    };
    residual.unknowns().into_iter().map(derivative).fold(0.0, f64::max)
}

fn addends(residual: &Expr) -> Vec<Expr> {
    match residual.node() {
        Node::Add(parts) => parts.clone(),
        _ => vec![residual.clone()],
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0usize, 0.0), |(count, sum), value| (count + 1, sum + value));
    sum / count.max(1) as f64
}
