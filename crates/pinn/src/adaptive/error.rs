//! What adaptive sampling refuses.

use crate::setting::InvalidSetting;
use ropinn_domain::DomainError;
use thiserror::Error;

/// Why points could not be chosen, and what to do about it.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum AdaptiveError {
    /// A residual that is NaN or infinite.
    #[error("the residual at point {index} is {value}; lower the learning rate or check the equation there")]
    NonFinite {
        /// Which point.
        index: usize,
        /// The residual.
        value: f64,
    },
    /// Residuals of other points.
    #[error("{residuals} residuals were given for {points} points; give one for each point")]
    ResidualCount {
        /// Number of points.
        points: usize,
        /// Number of residuals.
        residuals: usize,
    },
    /// Fewer candidates than points wanted.
    #[error("{wanted} points are wanted, but there are only {found} candidates; enlarge the pool")]
    TooFewCandidates {
        /// Points wanted.
        wanted: usize,
        /// Candidates.
        found: usize,
    },
    /// A setting outside its range.
    #[error(transparent)]
    Setting(#[from] InvalidSetting),
    /// Points of different spaces.
    #[error(transparent)]
    Domain(#[from] DomainError),
}
