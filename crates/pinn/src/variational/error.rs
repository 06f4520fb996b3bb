//! What variational residuals refuse.

use crate::setting::InvalidSetting;
use ropinn_domain::DomainError;
use thiserror::Error;

/// Why a rule or its integrals cannot be made, and what to do about it.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum VariationalError {
    /// A coordinate range without length.
    #[error("coordinate {axis} runs from {low} to {high}; elements need a finite range with the smaller number first")]
    BadRange {
        /// Which coordinate.
        axis: usize,
        /// Its lower end.
        low: f64,
        /// Its upper end.
        high: f64,
    },
    /// More points than memory.
    #[error(
        "{per_axis} elements along each of {axes} axes are too many points; use fewer elements or another objective"
    )]
    TooLarge {
        /// Elements per axis.
        per_axis: usize,
        /// Axes.
        axes: usize,
    },
    /// A setting outside its range.
    #[error(transparent)]
    Setting(#[from] InvalidSetting),
    /// A list of another length than the rule's.
    #[error("{found} values were given where the rule has {expected}; give one per point (or integral) and column")]
    ValueCount {
        /// Values needed.
        expected: usize,
        /// Values given.
        found: usize,
    },
    /// A flux along an axis that does not exist.
    #[error("a column is the flux along axis {axis}, but there are {axes} axes; number them from 0")]
    NoSuchAxis {
        /// The axis given.
        axis: usize,
        /// Number of axes.
        axes: usize,
    },
    /// An equation without columns.
    #[error("equation {equation} has no column of values; number equations from 0 without gaps")]
    NoColumns {
        /// The equation.
        equation: usize,
    },
    /// The quadrature.
    #[error(transparent)]
    Domain(#[from] DomainError),
}
