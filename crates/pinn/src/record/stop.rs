//! Why a run ended, in words.

use ropinn_optim::{Quantity, Tolerance};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StopReason {
    /// All iterations were done.
    Budget {
        /// How many.
        iterations: u64,
    },
    /// The optimiser met a tolerance and no longer got anywhere.
    Converged {
        /// Which one.
        tolerance: Tolerance,
        /// After how many iterations.
        iteration: u64,
    },
    /// Line searches found nothing better any more.
    LineSearchFailed {
        /// After how many iterations.
        iteration: u64,
    },
    /// A NaN or infinity appeared and came back at every retry, or was the last that was seen; the parameters are the best ones before.
    NonFinite {
        /// Where it was seen.
        what: Quantity,
        /// In which iteration.
        iteration: u64,
        /// The first term of the loss that was not finite, if one was.
        term: Option<String>,
        /// How often the phase had gone back and tried again.
        retries: u64,
        /// Whether residuals were undefined at places outside the domain, and only there.
        #[serde(default)]
        outside: bool,
    },
    /// Training saw finite numbers, but at the fixed points the loss is NaN or infinite; the parameters are the best ones.
    UndefinedAtPoints {
        /// The first term of the loss that is not finite there.
        term: String,
        /// The first point, in words.
        point: Option<String>,
        /// After how many iterations.
        iteration: u64,
    },
    /// The loss stayed far above its first value; the parameters are the best ones before.
    Diverged {
        /// In which iteration.
        iteration: u64,
        /// The loss there.
        loss: f64,
        /// The first loss.
        first: f64,
    },
    /// Somebody asked to stop.
    Interrupted {
        /// After how many iterations.
        iteration: u64,
    },
    /// The error is as small as was asked for.
    TargetReached {
        /// The error reached.
        rmse: f64,
        /// The error asked for.
        target: f64,
    },
    /// The time is up.
    TimeLimit {
        /// The limit.
        seconds: f64,
    },
    /// The solution no longer changes, and its residual on fresh points is small.
    Settled {
        /// Relative change from one look to the next.
        change: f64,
    },
    /// The solution was corrected, and hardly anything remains to be done.
    Polished {
        /// What it is still off by, estimated.
        remaining: f64,
    },
    /// The work set aside for the strategy is done, and the solution still changes.
    WorkDone {
        /// Relative change from one look to the next, if there was more than one.
        change: Option<f64>,
    },
    /// The work set aside for the strategy is done, and there is no solution.
    NotSolved {
        /// Residual on fresh points, in units of what it is made of.
        relative: f64,
        /// The instant up to which it is solved, if time was cut into intervals.
        until: Option<f64>,
    },
    /// The loss no longer falls.
    Plateau {
        /// Iterations without a fall.
        window: u64,
        /// Relative fall that would have counted.
        drop: f64,
    },
}

impl StopReason {
    /// Whether the numbers ran away, so that the best parameters are not the last ones.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::NonFinite { .. } | Self::UndefinedAtPoints { .. } | Self::Diverged { .. })
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Budget { iterations } => write!(f, "all {iterations} iterations done"),
            Self::Converged { tolerance, iteration } => {
                let reached = match tolerance {
                    Tolerance::Gradient => "the gradient is within `tolerance_grad`",
                    Tolerance::Change => "the parameters change by less than `tolerance_change`",
                    Tolerance::Loss => "the loss changes by less than `tolerance_change`",
                    Tolerance::DirectionalDerivative => "the slope along the direction is within `tolerance_change`",
                };
                write!(f, "converged after {iteration} iterations: {reached}")
            }
            Self::LineSearchFailed { iteration } => {
                write!(f, "line search failed after {iteration} iterations: no lower loss along the direction")
            }
            Self::NonFinite { what, iteration, term, retries, outside } => {
                let what = match what {
                    Quantity::Loss => "loss",
                    Quantity::Gradient => "gradient",
                    Quantity::Direction => "search direction",
                    Quantity::TrialStep => "trial step",
                };
                write!(f, "non-finite {what} in iteration {iteration}")?;
                term.as_ref().map_or(Ok(()), |term| write!(f, ", first in term `{term}`"))?;
                match retries {
                    0 => {}
                    1 => f.write_str(", after 1 retry with shorter steps")?,
                    _ => write!(f, ", after {retries} retries with shorter steps")?,
                }
                match outside {
                    true => f.write_str(
                        ": it is undefined outside the domain, where `region.edge = \"free\"` lets points move; \
                         \"reflect\" keeps them inside",
                    ),
                    false => Ok(()),
                }
            }
            Self::UndefinedAtPoints { term, point, iteration } => {
                write!(f, "after {iteration} iterations the loss is not finite at the fixed points: term `{term}`")?;
                point.as_ref().map_or(Ok(()), |point| write!(f, " is undefined at {point}"))
            }
            Self::Diverged { iteration, loss, first } => {
                write!(f, "diverged in iteration {iteration}: the loss is {loss:.3e}, but was {first:.3e} at first")
            }
            Self::Interrupted { iteration } => write!(f, "interrupted after {iteration} iterations"),
            Self::TargetReached { rmse, target } => write!(f, "target reached: rMSE {rmse:.3e} is within {target}"),
            Self::TimeLimit { seconds } => write!(f, "time limit of {seconds} s reached"),
            Self::Settled { change } => write!(f, "settled: the solution changes by {change:.1e} from look to look"),
            Self::Polished { remaining } => write!(f, "polished: the solution is off by about {remaining:.1e}"),
            Self::WorkDone { change } => {
                f.write_str("the work set aside is done")?;
                let changes = |change| write!(f, ", the solution still changes by {change:.1e} from look to look");
                change.map_or(Ok(()), changes)?;
                f.write_str("; more work: strategy.work")
            }
            Self::NotSolved { relative, until } => {
                write!(
                    f,
                    "not solved: on fresh points the residual is {:.1} % of what it is made of",
                    100.0 * relative
                )?;
                until.map_or(Ok(()), |until| write!(f, "; up to {until:.6} it is solved"))?;
                f.write_str("; try more work (strategy.work), another --seed, or a shorter time")
            }
            Self::Plateau { window, drop } => {
                write!(f, "plateau: the loss fell by less than {} % in {window} iterations", 100.0 * drop)
            }
        }
    }
}
