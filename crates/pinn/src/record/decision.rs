//! What a strategy may decide, in words and as data. Who decides, and by which rules, is not known here.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// One decision and what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Decision {
    /// The first layer starts with sines as short as what is given along a coordinate.
    ShortWaves {
        /// The coordinate.
        coordinate: String,
        /// Waves over its range in what is given.
        waves: f64,
    },
    /// Points of the equations are drawn anew by the residual, again and again.
    FollowResidual {
        /// Mean square of the equations on fresh points, in units of that at the training points.
        gap: f64,
    },
    /// More points, where following the residual is not enough.
    MorePoints {
        /// How many there were.
        from: usize,
        /// How many there are.
        to: usize,
        /// As above.
        gap: f64,
    },
    /// More points on the conditions: what they say is not met between them.
    PointsOnConditions {
        /// How many there were.
        from: usize,
        /// How many there are.
        to: usize,
        /// Mean square of the worst condition on fresh points, in units of that at the training points.
        gap: f64,
    },
    /// Conditions weigh more.
    Balance {
        /// Relative mean square of the worst condition, in units of that of the equations.
        ratio: f64,
        /// The new weights.
        weights: BTreeMap<String, f64>,
    },
    /// More units per layer; the network begins as the same function.
    Widen {
        /// Units before.
        from: usize,
        /// Units after.
        to: usize,
        /// How many times smaller the loss on fresh points became since the look before.
        fell: f64,
    },
    /// Another start.
    Restart {
        /// The seed of its weights.
        seed: u64,
        /// Relative mean square on fresh points of what is given up.
        relative: f64,
    },
    /// Time is cut into intervals, solved one after the other.
    Intervals {
        /// End of the first one.
        until: f64,
        /// Relative mean square on fresh points of the attempt at all of the time.
        relative: f64,
    },
    /// An interval is done; the next one begins with what it leaves.
    NextInterval {
        /// Its first instant.
        from: f64,
        /// Its last one.
        to: f64,
        /// Relative mean square on fresh points of the one before.
        relative: f64,
    },
    /// An interval was too long.
    ShorterInterval {
        /// Its first instant.
        from: f64,
        /// Its new end.
        to: f64,
        /// Relative mean square on fresh points it came to.
        relative: f64,
    },
    /// The solution was corrected in a space of random features.
    Polished {
        /// Coefficients of the correction.
        coefficients: usize,
        /// ‖correction‖ / ‖solution‖.
        correction: f64,
        /// What the corrected solution is still off by, estimated.
        remaining: f64,
        /// Relative mean square on fresh points before …
        before: f64,
        /// … and after.
        after: f64,
    },
    /// The solution was to be corrected, and stays as it is.
    NotPolished {
        /// Why.
        reason: String,
    },
    /// What was decided before did not help: back to where it was.
    GoBack {
        /// To the state after so many steps.
        to: u64,
        /// Relative mean square on fresh points there …
        before: f64,
        /// … and now.
        now: f64,
    },
}

/// A decision and when it was taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Outer steps done before it.
    pub iteration: u64,
    /// What was decided.
    #[serde(flatten)]
    pub decision: Decision,
    /// The same in words.
    pub words: String,
}

impl Entry {
    pub(crate) fn new(iteration: u64, decision: Decision) -> Self {
        Self { iteration, words: decision.to_string(), decision }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ShortWaves { coordinate, waves } => {
                write!(f, "sine features: what is given has about {waves:.0} waves along {coordinate}")
            }
            Self::FollowResidual { gap } => {
                write!(f, "points follow the residual, whose mean square is {gap:.1} times as large on fresh points")
            }
            Self::MorePoints { from, to, gap } => {
                write!(f, "{to} points instead of {from}: the residual is still {gap:.1} times as large on fresh ones")
            }
            Self::PointsOnConditions { from, to, gap } => {
                write!(f, "{to} points on conditions instead of {from}: they are met {gap:.1} times worse in between")
            }
            Self::Balance { ratio, weights } => {
                write!(f, "conditions are {ratio:.0} times worse off than the equations; new weights:")?;
                weights.iter().enumerate().try_for_each(|(k, (name, weight))| {
                    write!(f, "{} {name} {weight:.3e}", if k > 0 { "," } else { "" })
                })
            }
            Self::Widen { from, to, fell } => {
                write!(f, "{to} units per layer instead of {from}: the loss fell by a factor of {fell:.2} only")
            }
            Self::Restart { seed, relative } => {
                write!(f, "another start, from seed {seed}: the relative residual stays at {relative:.1e}")
            }
            Self::Intervals { until, relative } => write!(
                f,
                "time is cut into intervals, the first up to {until:.6}: all at once the relative residual stays at {relative:.1e}"
            ),
            Self::NextInterval { from, to, relative } => {
                write!(f, "the next interval, {from:.6} to {to:.6}: the last one has come to {relative:.1e}")
            }
            Self::ShorterInterval { from, to, relative } => {
                write!(f, "a shorter interval, {from:.6} to {to:.6}: it came to {relative:.1e} only")
            }
            Self::Polished { coefficients, correction, remaining, before, after } => write!(
                f,
                "polished by {coefficients} coefficients: the solution was off by {correction:.1e}, about {remaining:.1e} \
                 remain; the relative residual fell from {before:.1e} to {after:.1e}"
            ),
            Self::NotPolished { reason } => write!(f, "not polished: {reason}"),
            Self::GoBack { to, before, now } => {
                write!(f, "back to step {to}: the relative residual was {before:.1e} and is {now:.1e} now")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_decision_reads_back_as_it_was_written() {
        let (from, to, gap, relative) = (1, 2, 3.0, 0.5);
        let decisions = [
            Decision::ShortWaves { coordinate: "x".to_owned(), waves: 9.5 },
            Decision::FollowResidual { gap },
            Decision::MorePoints { from, to, gap },
            Decision::PointsOnConditions { from, to, gap },
            Decision::Balance { ratio: 20.0, weights: [("a".to_owned(), 2.0), ("b".to_owned(), 3.0)].into() },
            Decision::Widen { from, to, fell: 1.5 },
            Decision::Restart { seed: 7, relative },
            Decision::Intervals { until: 0.25, relative },
            Decision::NextInterval { from: 0.25, to: 0.5, relative },
            Decision::ShorterInterval { from: 0.25, to: 0.375, relative },
            Decision::GoBack { to: 50, before: 1e-6, now: 1e-5 },
            Decision::Polished { coefficients: 9, correction: 1e-3, remaining: 1e-6, before: 1e-6, after: 1e-12 },
            Decision::NotPolished { reason: "because".to_owned() },
        ];
        for decision in decisions {
            let entry = Entry::new(100, decision);
            let text = serde_json::to_string(&entry).expect("JSON");
            assert_eq!(serde_json::from_str::<Entry>(&text).expect(&text), entry);
        }
    }
}
