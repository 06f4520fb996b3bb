//! The error of a solution from its correction.
//!
//! Of two approximations u and v with residuals that are ρ apart (mean squares, ρ = that of v / that of u), each off in a
//! direction of its own and in proportion to the root of its residual, ‖v − u‖² = ‖e_u‖² + ‖e_v‖² = (1 + ρ)‖e_u‖². So
//! ‖e_u‖ = ‖v − u‖/√(1 + ρ) and ‖e_v‖ = √ρ‖e_u‖.

use crate::case::Case;
use crate::error::Error;
use crate::look::Look;
use crate::metrics::Predictor;
use crate::polish::{Effort, Polished, Unpolished, distance, small_correction};
use crate::record::EstimatedError;
use std::sync::atomic::AtomicBool;

/// What is tried for an estimate alone, in a space about as large as that of the solution: a correction that leaves a hundredth
/// of the residual tells the error well enough.
const EFFORT: Effort = Effort { coefficients: 800, steps: 2, unless: 0.0, enough: 1e-4 };
const FEWEST: usize = 100;

/// Where no space lowers the residual, the error is taken to be this many times its root: a guess, from runs whose error is known
/// (1 to 50 times).
const GUESSED: f64 = 10.0;

/// Where a solution is off by how much: a multiple of the difference of two approximations.
#[derive(Clone, Debug)]
pub struct ErrorMap {
    one: (Case, Vec<f64>),
    other: (Case, Vec<f64>),
    factor: f64,
}

impl ErrorMap {
    /// The estimated error of a quantity, such as an unknown by its name, at points.
    pub fn at(&self, wanted: &[String], points: &[f64]) -> Result<Vec<f64>, Error> {
        let of = |(case, theta): &(Case, Vec<f64>)| Predictor::of(case, wanted)?.predict(theta, points);
        let (one, other) = (of(&self.one)?, of(&self.other)?);
        Ok(one.iter().zip(&other).map(|(v, u)| self.factor * (v - u)).collect())
    }
}

/// What remains of the error of a polished solution.
pub(super) fn of_polished(polished: &Polished) -> (EstimatedError, ErrorMap) {
    let Polished { case, theta, remaining, compared, .. } = polished;
    let error = EstimatedError {
        relative: *remaining,
        equations: None,
        conditions: None,
        resolution: Some(*remaining),
        unexplained: compared.factor,
    };
    let map = ErrorMap {
        one: (case.clone(), theta.clone()),
        other: (compared.case.clone(), compared.theta.clone()),
        factor: compared.factor,
    };
    (error, map)
}

/// The error of a solution as it is; without a map where it is a guess.
pub(super) fn of_solution(
    case: &Case,
    theta: &[f64],
    look: &Look,
    stop: &AtomicBool,
) -> Result<Result<(EstimatedError, Option<ErrorMap>), Unpolished>, Error> {
    let coefficients = case.parameters().clamp(FEWEST, EFFORT.coefficients);
    let effort = Effort { coefficients, ..EFFORT };
    let found = match small_correction(case, theta, look.relative(), &effort, stop)? {
        Ok(found) => found,
        Err(Unpolished::NoGain) => {
            let relative = GUESSED * look.relative().sqrt();
            let (equations, conditions, resolution) = (None, None, Some(relative));
            return Ok(Ok((EstimatedError { relative, equations, conditions, resolution, unexplained: 1.0 }, None)));
        }
        Err(why) => return Ok(Err(why)),
    };
    let (own, better) = ((case.clone(), theta.to_vec()), (found.case, found.theta));
    let moved = distance((case, theta), (&better.0, &better.1))?;
    let ratio = found.relative / look.relative();
    let factor = 1.0 / (1.0 + ratio).sqrt();
    // What the space sees, and beside it what it does not: about as much as it leaves of the residual.
    let (seen, unexplained) = (factor * moved, ratio.sqrt());
    let resolution = seen * unexplained;
    let [equations, conditions] = found.parts.map(Some);
    let (relative, resolution) = (seen + resolution, Some(resolution));
    let error = EstimatedError { relative, equations, conditions, resolution, unexplained };
    Ok(Ok((error, Some(ErrorMap { one: better, other: own, factor }))))
}
