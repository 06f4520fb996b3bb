//! What adaptive sampling refuses.

use crate::setting::InvalidSetting;
use ropinn_domain::DomainError;
use thiserror::Error;

/// Why points could not be chosen, and what to do about it.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages name every field")]
pub enum AdaptiveError {
    /// A residual that is NaN or infinite.
    #[error("the residual at point {index} is {value}; lower the learning rate or check the equation there")]
    NonFinite { index: usize, value: f64 },
    /// Residuals of other points.
    #[error("{residuals} residuals were given for {points} points; give one for each point")]
    ResidualCount { points: usize, residuals: usize },
    /// Fewer candidates than points wanted.
    #[error("{wanted} points are wanted, but there are only {found} candidates; enlarge the pool")]
    TooFewCandidates { wanted: usize, found: usize },
    /// A setting outside its range.
    #[error(transparent)]
    Setting(#[from] InvalidSetting),
    /// Points of different spaces.
    #[error(transparent)]
    Domain(#[from] DomainError),
}
