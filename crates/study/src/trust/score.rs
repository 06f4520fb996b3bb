//! One solve beside its reference, and what many of them come to.

use super::cases::{Fault, Half, TrustCase};
use ropinn::record::{EstimatedError, Trust};
use ropinn_runs::folder::RunResult;
use serde::Serialize;

/// A solution off by no more than this deserves trust; one off by more is wrong. Doubt is no false alarm beyond the second.
const RIGHT: f64 = 0.05;
const WORTH_A_DOUBT: f64 = 0.005;
/// The worst that may ever be trusted.
const NEVER: f64 = 0.1;
/// Estimates within this factor count as good; what is below rounding is not compared.
const FACTOR: f64 = 10.0;
const ROUNDING: f64 = 1e-12;

/// One solve.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Which one.
    #[serde(flatten)]
    pub case: TrustCase,
    /// The true error (rMSE).
    pub rmse: Option<f64>,
    /// The estimate.
    pub estimated: Option<EstimatedError>,
    /// The verdict.
    pub verdict: Option<Trust>,
    /// Why.
    pub reasons: Vec<String>,
    /// Whether the verdict is right.
    pub right: bool,
    /// Duration of training.
    pub seconds: f64,
}

impl Outcome {
    /// Compares a run with its reference.
    pub fn new(case: &TrustCase, result: &RunResult) -> Self {
        let verdict = result.verdict.clone();
        let word = verdict.as_ref().map(|verdict| verdict.word);
        Self {
            case: *case,
            rmse: result.rmse,
            estimated: result.estimated_error,
            verdict: word,
            reasons: verdict.map_or_else(Vec::new, |verdict| verdict.reasons),
            right: is_right(word, result.rmse.unwrap_or(f64::INFINITY), case.fault),
            seconds: result.seconds,
        }
    }

    /// Estimated by true error, both at least rounding.
    pub fn ratio(&self) -> Option<f64> {
        let (estimated, truth) = (self.estimated?.relative, self.rmse?);
        Some(estimated.max(ROUNDING) / truth.max(ROUNDING)).filter(|ratio| ratio.is_finite())
    }

    /// Whether something is trusted that must never be.
    pub fn is_dangerous(&self) -> bool {
        self.verdict == Some(Trust::Trusted) && self.rmse.is_none_or(|rmse| rmse > NEVER)
    }
}

/// A problem that does not say what its reference solves is doubtful, however near the solution may be by chance.
fn is_right(verdict: Option<Trust>, rmse: f64, fault: Fault) -> bool {
    match verdict {
        Some(Trust::Trusted) => rmse <= RIGHT,
        Some(Trust::Doubtful) => rmse > WORTH_A_DOUBT || fault.is_in_the_problem(),
        Some(Trust::Wrong) => rmse > RIGHT || fault == Fault::Contradiction,
        None => false,
    }
}

/// What several solves come to.
#[derive(Clone, Debug, Serialize)]
pub struct Score {
    /// How many.
    pub solves: usize,
    /// Share of right verdicts.
    pub right: f64,
    /// Trusted, and off by more than 10 %.
    pub dangerous: usize,
    /// Solves with an estimate.
    pub estimated: usize,
    /// Share of the estimates within a factor of ten of the truth.
    pub within: f64,
    /// Estimated by true error: median, 5 % and 95 %.
    pub median: f64,
    /// See above.
    pub low: f64,
    /// See above.
    pub high: f64,
    /// The one furthest from 1.
    pub worst: f64,
}

impl Score {
    /// Of those that are picked; none if there are none.
    pub fn of<'a>(outcomes: impl Iterator<Item = &'a Outcome>) -> Option<Self> {
        let outcomes: Vec<&Outcome> = outcomes.collect();
        let mut ratios: Vec<f64> = outcomes.iter().filter_map(|outcome| outcome.ratio()).collect();
        ratios.sort_by(f64::total_cmp);
        let at = |share: f64| ratios.get(((ratios.len() as f64 - 1.0) * share).round() as usize).copied();
        let count = outcomes.len();
        let near = ratios.iter().filter(|ratio| (1.0 / FACTOR..=FACTOR).contains(*ratio)).count();
        let furthest = |a: &&f64, b: &&f64| a.ln().abs().total_cmp(&b.ln().abs());
        (count > 0).then(|| Self {
            solves: count,
            right: outcomes.iter().filter(|outcome| outcome.right).count() as f64 / count as f64,
            dangerous: outcomes.iter().filter(|outcome| outcome.is_dangerous()).count(),
            estimated: ratios.len(),
            within: near as f64 / ratios.len().max(1) as f64,
            median: at(0.5).unwrap_or(f64::NAN),
            low: at(0.05).unwrap_or(f64::NAN),
            high: at(0.95).unwrap_or(f64::NAN),
            worst: ratios.iter().max_by(furthest).copied().unwrap_or(f64::NAN),
        })
    }

    /// Of one half.
    pub fn of_half(outcomes: &[Outcome], half: Half) -> Option<Self> {
        Self::of(outcomes.iter().filter(|outcome| outcome.case.half == half))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubt_is_right_where_something_is_open() {
        let of = |verdict, rmse, fault| is_right(Some(verdict), rmse, fault);
        assert!(of(Trust::Trusted, 0.01, Fault::None) && !of(Trust::Trusted, 0.06, Fault::None));
        assert!(of(Trust::Wrong, 0.06, Fault::None) && !of(Trust::Wrong, 0.01, Fault::None));
        assert!(of(Trust::Doubtful, 0.01, Fault::None) && !of(Trust::Doubtful, 1e-4, Fault::None));
        assert!(of(Trust::Doubtful, 1e-4, Fault::Forgotten) && !is_right(None, 0.5, Fault::None));
    }

    #[test]
    fn scores_are_shares_and_quantiles() {
        let case = TrustCase { problem: "wave", fault: Fault::None, seed: 0, half: Half::Unseen };
        let outcome = |rmse: f64, relative: f64| Outcome {
            case,
            rmse: Some(rmse),
            estimated: Some(EstimatedError {
                relative,
                equations: None,
                conditions: None,
                resolution: None,
                unexplained: 0.1,
            }),
            verdict: Some(Trust::Trusted),
            reasons: Vec::new(),
            right: rmse <= RIGHT,
            seconds: 1.0,
        };
        let outcomes = [outcome(1e-3, 2e-3), outcome(1e-3, 1e-3), outcome(0.5, 1e-3), outcome(1e-15, 1e-14)];
        let score = Score::of_half(&outcomes, Half::Unseen).expect("a score");
        assert_eq!((score.solves, score.right, score.dangerous, score.within), (4, 0.75, 1, 0.75));
        assert_eq!((score.worst, score.low, score.high), (2e-3, 2e-3, 2.0));
        assert!(Score::of_half(&outcomes, Half::Fitted).is_none());
    }
}
