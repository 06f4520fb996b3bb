//! How wrong is a solution, and is it to be trusted? Without a reference.
//!
//! If û is off by e, then e solves the linearised equations with the residual of û as their source. What a polish finds in a
//! space of features is that e (`estimate`); where it was added to the solution, what remains follows from the solution that
//! had a larger residual. The verdict (`verdict`) puts the estimate beside what was seen on fresh points, what looked wrong
//! with the problem itself, and how training ended.

mod estimate;
mod verdict;

pub use estimate::ErrorMap;

use crate::case::Case;
use crate::error::Error;
use crate::look::Look;
use crate::polish::Polished;
use crate::record::{EstimatedError, StopReason, Verdict};
use std::sync::atomic::AtomicBool;

/// An estimate with its map, and the verdict.
#[derive(Clone, Debug)]
pub struct Assessment {
    /// None where nothing can be estimated; the verdict says why.
    pub error: Option<EstimatedError>,
    /// Where it is how large.
    pub map: Option<ErrorMap>,
    /// Whether to trust the solution.
    pub verdict: Verdict,
}

/// Assesses a solution that training has left for a reason, or what polish has made of it.
///
/// ```
/// use ropinn::{case::Case, config::RunConfig, record::StopReason, trust::assess};
/// use ropinn_engine::Threads;
/// let mut config = RunConfig::default();
/// config.set_all(&["problem.name=wave", "model.width=8", "precision=f64"])?;
/// let case = Case::new(config, &Threads::new(1)?)?;
/// let reason = StopReason::Budget { iterations: 0 };
/// let found = assess(&case, &case.initial_theta(), None, &reason, &Default::default())?;
/// assert_eq!(found.verdict.word.to_string(), "wrong");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn assess(
    case: &Case,
    theta: &[f64],
    polished: Option<&Polished>,
    reason: &StopReason,
    stop: &AtomicBool,
) -> Result<Assessment, Error> {
    let look = Look::at(case, theta, &[], 0, None)?;
    let found = match polished {
        Some(polished) => {
            let (error, map) = estimate::of_polished(polished);
            Ok((error, Some(map)))
        }
        None if reason.is_failure() || !look.relative().is_finite() => Err(None),
        None => estimate::of_solution(case, theta, &look, stop)?.map_err(Some),
    };
    let doubts = case.problem().doubts();
    let verdict = verdict::judge(&look, found.as_ref().map(|(error, _)| error).map_err(|why| *why), &doubts, reason);
    let (error, map) = found.ok().unzip();
    Ok(Assessment { error, map: map.flatten(), verdict })
}
