//! What can go wrong when names are declared.

use crate::MAX_COORDS;

/// What can be wrong with a declared name.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "messages name every field")]
pub enum ScopeError {
    /// No coordinate to differentiate in.
    #[error("declare at least one coordinate")]
    NoCoordinates,
    /// More coordinates than a multi-index holds.
    #[error("at most {MAX_COORDS} coordinates are supported, found {found}")]
    TooManyCoordinates { found: usize },
    /// The name is already taken.
    #[error("`{name}` is already declared as {kind}; choose another name")]
    Duplicate { name: String, kind: &'static str },
    /// The name has a meaning in every expression.
    #[error("`{name}` is reserved: {meaning}; choose another name")]
    Reserved { name: String, meaning: &'static str },
    /// Not a name.
    #[error(
        "`{name}` is not a name; use letters, digits and underscores, starting with a letter and at most {limit} characters"
    )]
    InvalidName { name: String, limit: usize },
    /// A constant that is NaN or infinite.
    #[error("constant `{name}` is {value}; it must be finite")]
    NonFiniteConstant { name: String, value: f64 },
    /// No such coordinate.
    #[error("no coordinate is named `{name}` (coordinates: {known})")]
    NoSuchCoordinate { name: String, known: String },
    /// No such unknown.
    #[error("no unknown is named `{name}` (unknowns: {known})")]
    NoSuchUnknown { name: String, known: String },
}
