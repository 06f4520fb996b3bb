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

use crate::case::Case;
use crate::config::RunConfig;
use crate::error::Error;
use crate::look::Look;
use crate::metrics::Predictor;
use crate::model::{Features, ModelConfig};
use crate::problem::TermGroup;
use ropinn_engine::Precision;
use std::sync::atomic::{AtomicBool, Ordering};

/// A solution with its correction.
#[derive(Debug)]
pub struct Polished {
    /// The case: the problem as it was, the model with its features.
    pub case: Case,
    /// Its parameters.
    pub theta: Vec<f64>,
    /// ‖correction‖ / ‖solution‖ at random points.
    pub correction: f64,
    /// Relative mean square of the worst residual on fresh points before …
    pub before: f64,
    /// … and after.
    pub after: f64,
}

/// What is tried on the way.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The features.
    pub features: Features,
    /// What they came to: relative mean square of the worst residual on fresh points.
    pub relative: f64,
}

/// Why nothing can be polished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unpolished {
    /// It is a solution in pieces.
    Pieces,
    /// It follows readings, whose noise must not be fitted.
    Readings,
    /// Nothing that was tried lowers the residual on fresh points.
    NoGain,
    /// It was stopped on the way.
    Stopped,
}

/// Corrects a solution in a space of at most `most` coefficients, in at most `rounds` Newton steps.
///
/// ```
/// use ropinn::{case::Case, config::RunConfig, polish::polish};
/// use ropinn_engine::Threads;
/// let mut config = RunConfig::default();
/// config.set_all(&["problem.name=reaction", "model.width=4", "precision=f64"])?;
/// let case = Case::new(config, &Threads::new(1)?)?;
/// let tried = &mut |_: &_| ();
/// let polished = polish(&case, &case.initial_theta(), 60, 1, tried, &Default::default())?;
/// assert!(polished.is_ok_and(|polished| polished.after < polished.before));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn polish(
    case: &Case,
    theta: &[f64],
    most: usize,
    rounds: u64,
    watch: &mut dyn FnMut(&Tried),
    stop: &AtomicBool,
) -> Result<Result<Polished, Unpolished>, Error> {
    if !case.config().pieces.is_empty() {
        return Ok(Err(Unpolished::Pieces));
    }
    let terms = case.problem().terms(case.config().seed)?;
    if terms.iter().any(|term| term.group == TermGroup::Data) || !case.problem().trainables().is_empty() {
        return Ok(Err(Unpolished::Readings));
    }
    let before = Look::at(case, theta, &[], 0, None)?.relative();
    let best = search::search(case, theta, (most, rounds), watch, stop)?;
    if stop.load(Ordering::Relaxed) {
        return Ok(Err(Unpolished::Stopped));
    }
    let Some(best) = best.filter(|best| best.relative < before || before.is_nan()) else {
        return Ok(Err(Unpolished::NoGain));
    };
    let correction = difference((case, theta), (&best.case, &best.theta))?;
    Ok(Ok(Polished { case: best.case, theta: best.theta, correction, before, after: best.relative }))
}

/// The case with features in place of its model: on their own where they are the whole model, else beside it.
fn with_features(case: &Case, features: Features) -> Result<Case, Error> {
    let model = ModelConfig::Features(features);
    let config = RunConfig { model, precision: Precision::F64, ..case.config().clone() };
    Case::with_problem(config, case.problem().clone(), case.threads())
}

/// Whether a model is nothing but features that are still to be found.
fn is_open(case: &Case) -> Option<&Features> {
    match &case.config().model {
        ModelConfig::Features(features) if features.base.is_none() && features.scales.is_empty() => Some(features),
        _ => None,
    }
}

/// ‖v − u‖ / ‖v‖ at random points.
fn difference(old: (&Case, &[f64]), new: (&Case, &[f64])) -> Result<f64, Error> {
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
