//! What weighting refuses.

use crate::setting::InvalidSetting;
use thiserror::Error;

/// Why weights could not be computed, and what to do about it.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages name every field")]
pub enum WeightingError {
    /// A trace or gradient size that is zero, negative, NaN or infinite.
    #[error("{what} of term {term} is {value}, so its weight has no value; drop the term from the weighting")]
    NoSize { what: &'static str, term: usize, value: f64 },
    /// A term without a single row.
    #[error("term {term} has no rows, so its weight has no value; give it at least one point")]
    NoRows { term: usize },
    /// A reference term that is not among the terms.
    #[error("the gradients of {terms} terms are to be compared with term {reference}; choose one of them")]
    NoReference { reference: usize, terms: usize },
    /// A setting outside its range.
    #[error(transparent)]
    Setting(#[from] InvalidSetting),
}
