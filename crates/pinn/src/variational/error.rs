//! What variational residuals refuse.

use crate::setting::InvalidSetting;
use ropinn_domain::DomainError;
use thiserror::Error;

/// Why a rule or its integrals cannot be made, and what to do about it.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages name every field")]
pub enum VariationalError {
    /// A coordinate range without length.
    #[error("coordinate {axis} runs from {low} to {high}; elements need a finite range with the smaller number first")]
    BadRange { axis: usize, low: f64, high: f64 },
    /// More points than memory.
    #[error(
        "{per_axis} elements along each of {axes} axes are too many points; use fewer elements or another objective"
    )]
    TooLarge { per_axis: usize, axes: usize },
    /// A setting outside its range.
    #[error(transparent)]
    Setting(#[from] InvalidSetting),
    /// A list of another length than the rule's.
    #[error("{found} values were given where the rule has {expected}; give one per point (or integral) and column")]
    ValueCount { expected: usize, found: usize },
    /// A flux along an axis that does not exist.
    #[error("a column is the flux along axis {axis}, but there are {axes} axes; number them from 0")]
    NoSuchAxis { axis: usize, axes: usize },
    /// An equation without columns.
    #[error("equation {equation} has no column of values; number equations from 0 without gaps")]
    NoColumns { equation: usize },
    /// The quadrature.
    #[error(transparent)]
    Domain(#[from] DomainError),
}
