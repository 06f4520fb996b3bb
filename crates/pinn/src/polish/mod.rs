//! Polish: a correction of a solution, in a space of random features, by Newton's method and orthogonal least squares.
//!
//! û + Σ c_k φ_k with all φ frozen ([`crate::model::Features`]): at c = 0 the residual is r, its slopes by c are J, and the step
//! min ‖r + J δ‖ is all there is to do for linear equations; others take a few, damped (`newton`). Which φ are any good is not
//! known beforehand, so small spaces are tried first, and fresh points decide (`search`): sines, tanh and Gaussians of the
//! coordinates at several scales along each, and functions of the last hidden layer of the network, which knows where the fronts
//! are. The best kind then grows as long as the residual on fresh points falls. Where nothing lowers it, nothing is changed.
//!
//! The size of the correction is what the solution was off by, as far as the space can tell.

mod hidden;
mod newton;
mod points;
mod search;
mod system;

pub(crate) use points::points_of;
pub(crate) use system::row_weights;

use crate::case::Case;
use crate::config::RunConfig;
use crate::error::Error;
use crate::look::Look;
use crate::metrics::Predictor;
use crate::model::{Features, ModelConfig, ModelKind};
use crate::problem::{Term, TermGroup};
use ropinn_engine::Precision;
use std::sync::atomic::{AtomicBool, Ordering};

/// A solution with its correction.
#[derive(Debug)]
pub struct Polished {
    /// The case: the problem as it was, the model with its features.
    pub case: Case,
    /// Its parameters.
    pub theta: Vec<f64>,
    /// ‖correction‖ / ‖solution‖ at random points: what the solution was off by.
    pub correction: f64,
    /// What the corrected one is still off by, in the same units: its distance from one with a larger residual, in proportion to
    /// the residuals.
    pub remaining: f64,
    /// The solution it was compared with for that, and by how much its distance is larger than what remains.
    pub compared: Compared,
    /// Relative mean square of the worst residual on fresh points before …
    pub before: f64,
    /// … and after.
    pub after: f64,
}

/// A solution with a larger residual.
#[derive(Debug)]
pub struct Compared {
    /// Its case.
    pub case: Case,
    /// Its parameters.
    pub theta: Vec<f64>,
    /// √(residual of the better one / its residual).
    pub factor: f64,
}

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// The most coefficients of a correction; a features model says itself how many it may have.
    pub coefficients: usize,
    /// The most Newton steps in a space.
    pub steps: u64,
    /// The small spaces must lower the relative mean square to this part of what it was, or no larger ones are tried.
    pub unless: f64,
    /// Nothing more is tried once it is this part of what it was.
    pub enough: f64,
}

impl Default for Effort {
    fn default() -> Self {
        Self { coefficients: 2500, steps: 4, unless: 1.0, enough: 0.0 }
    }
}

/// What is tried on the way.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The features.
    pub features: Features,
    /// What they came to: relative mean square of the worst residual on fresh points.
    pub relative: f64,
}

/// Why nothing was polished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unpolished {
    /// It is a solution in pieces.
    #[error("solutions in pieces of time are not polished")]
    Pieces,
    /// It follows readings.
    #[error("a solution that follows readings is not polished: their noise must not be fitted")]
    Readings,
    /// Its network sees sequences of instants.
    #[error("networks that see sequences of instants are not polished")]
    Sequence,
    /// Its network was composed in a program.
    #[error("networks that are composed in a program are not polished")]
    Custom,
    /// Nothing that was tried lowers the residual on fresh points.
    #[error("nothing that was tried lowers the residual on fresh points")]
    NoGain,
    /// It was stopped on the way.
    #[error("stopped on the way")]
    Stopped,
}

/// A correction that leaves no more than this of the residual (mean square) explains it.
const EXPLAINED: f64 = 0.1;
/// A solution that was compared with counts if its residual is at least this many times as large (mean square).
const FURTHER: f64 = 4.0;

/// Corrects a solution.
///
/// ```
/// use ropinn::{case::Case, config::RunConfig, polish::{Effort, polish}};
/// use ropinn_engine::Threads;
/// let mut config = RunConfig::default();
/// config.set_all(&["problem.name=reaction", "model.width=4", "precision=f64"])?;
/// let case = Case::new(config, &Threads::new(1)?)?;
/// let effort = Effort { coefficients: 60, steps: 1, ..Effort::default() };
/// let polished = polish(&case, &case.initial_theta(), &effort, &mut |_| (), &Default::default())?;
/// assert!(polished.is_ok_and(|polished| polished.after < polished.before));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn polish(
    case: &Case,
    theta: &[f64],
    effort: &Effort,
    watch: &mut (dyn FnMut(&Tried) + Send),
    stop: &AtomicBool,
) -> Result<Result<Polished, Unpolished>, Error> {
    if let Some(reason) = why_not(case)? {
        return Ok(Err(reason));
    }
    let before = Look::at(case, theta, &[], 0, None)?.relative();
    let threads = case.threads().clone();
    let found = threads.run(|| search::search((case, theta, before), effort, watch, stop))?;
    if stop.load(Ordering::Relaxed) {
        return Ok(Err(Unpolished::Stopped));
    }
    let Some(best) = found.best.filter(|best| best.relative < before || before.is_nan()) else {
        return Ok(Err(Unpolished::NoGain));
    };
    let correction = distance((case, theta), (&best.case, &best.theta))?;
    let after = best.relative;
    let worse = found.earlier.into_iter().rev().find(|earlier| earlier.relative >= FURTHER * after);
    let (compared, relative) = match worse {
        Some(worse) => ((worse.case, worse.theta), worse.relative),
        None => ((case.clone(), theta.to_vec()), before),
    };
    let apart = distance((&compared.0, &compared.1), (&best.case, &best.theta))?;
    let factor = (after / relative).sqrt().min(1.0);
    let compared = Compared { case: compared.0, theta: compared.1, factor };
    // What was not explained may be larger than what was.
    let unexplained = found.furthest.filter(|_| after > EXPLAINED * before).map_or(0.0, |(seen, _)| seen);
    let remaining = (factor * apart).max(unexplained);
    Ok(Ok(Polished { case: best.case, theta: best.theta, correction, remaining, compared, before, after }))
}

/// A correction in a small space.
pub(crate) struct SmallCorrection {
    pub case: Case,
    pub theta: Vec<f64>,
    /// Relative mean square of the worst residual on fresh points.
    pub relative: f64,
    /// What the solution is off by, as far as the space sees it.
    pub seen: f64,
    /// ‖what the equations account for‖ / ‖solution‖, and the same of the conditions.
    pub parts: [f64; 2],
}

/// What corrects a solution best among small spaces, be its residual lower or not.
pub(crate) fn small_correction(
    case: &Case,
    theta: &[f64],
    relative: f64,
    effort: &Effort,
    stop: &AtomicBool,
) -> Result<Result<SmallCorrection, Unpolished>, Error> {
    if let Some(reason) = why_not(case)? {
        return Ok(Err(reason));
    }
    let threads = case.threads().clone();
    threads.run(|| {
        let found = search::search((case, theta, relative), effort, &mut |_| (), stop)?;
        if stop.load(Ordering::Relaxed) {
            return Ok(Err(Unpolished::Stopped));
        }
        let Some(best) = found.best else { return Ok(Err(Unpolished::NoGain)) };
        // Where none explains the residual, the one that moves furthest is believed.
        let (seen, best) = match found.furthest.filter(|_| best.relative > EXPLAINED * relative) {
            Some(furthest) => furthest,
            None => {
                let moved = distance((case, theta), (&best.case, &best.theta))?;
                (moved / (1.0 + best.relative / relative).sqrt(), best)
            }
        };
        let mut parts = [0.0; 2];
        for (part, moved) in parts.iter_mut().zip(search::parts(&best, case, theta)?) {
            *part = distance((case, theta), (&best.case, &moved))?;
        }
        Ok(Ok(SmallCorrection { case: best.case, theta: best.theta, relative: best.relative, seen, parts }))
    })
}

/// Why a case cannot be polished, if so.
pub fn why_not(case: &Case) -> Result<Option<Unpolished>, Error> {
    let problem = case.problem();
    if !case.config().pieces.is_empty() {
        return Ok(Some(Unpolished::Pieces));
    }
    if case.network().elements() > 1 {
        return Ok(Some(Unpolished::Sequence));
    }
    if case.config().model.kind() == ModelKind::Custom {
        return Ok(Some(Unpolished::Custom));
    }
    // A reading or two that say what a constant is, such as that of a pressure, are conditions like others.
    let (axes, unknowns) = (problem.ranges().len(), problem.unknown_names().len());
    let is_noisy = |term: &Term| term.samples(axes) > unknowns;
    let follows = problem.observations(case.config().seed)?.iter().any(is_noisy);
    let sought = !problem.trainables().is_empty() || !problem.fields().is_empty();
    Ok((follows || sought).then_some(Unpolished::Readings))
}

/// The case with features in place of its model: on their own where they are the whole model, else beside it.
fn with_features(case: &Case, features: Features) -> Result<Case, Error> {
    let model = ModelConfig::Features(features);
    let config = RunConfig { model, precision: Precision::F64, ..case.config().clone() };
    Case::with_problem(config, case.problem().clone(), case.threads())
}

/// The features, if a model is nothing but these.
fn is_open(case: &Case) -> Option<&Features> {
    match &case.config().model {
        ModelConfig::Features(features) if features.base.is_none() => Some(features),
        _ => None,
    }
}

/// ‖v − u‖ / ‖v‖ at random points.
pub(crate) fn distance(old: (&Case, &[f64]), new: (&Case, &[f64])) -> Result<f64, Error> {
    const POINTS: usize = 2000;
    let counts = points::Counts { inside: POINTS, around: points::LEAST };
    let terms = points::random(new.0.problem(), counts, new.0.config().seed)?;
    let Some(inside) = terms.iter().find(|term| term.group == TermGroup::Residual) else { return Ok(f64::NAN) };
    let names = new.0.problem().unknown_names();
    let v = Predictor::of(new.0, names)?.predict(new.1, &inside.points)?;
    let u = Predictor::of(old.0, names)?.predict(old.1, &inside.points)?;
    let moved: f64 = v.iter().zip(&u).map(|(v, u)| (v - u) * (v - u)).sum();
    Ok((moved / v.iter().map(|v| v * v).sum::<f64>()).sqrt())
}
