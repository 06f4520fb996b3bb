//! What can go wrong when names are declared.

use crate::MAX_COORDS;

/// What can be wrong with a declared name.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ScopeError {
    /// No coordinate to differentiate in.
    #[error("declare at least one coordinate")]
    NoCoordinates,
    /// More coordinates than a multi-index holds.
    #[error("at most {MAX_COORDS} coordinates are supported, found {found}")]
    TooManyCoordinates {
        /// How many were given.
        found: usize,
    },
    /// The name is already taken.
    #[error("`{name}` is already declared as {kind}; choose another name")]
    Duplicate {
        /// The name.
        name: String,
        /// What it stands for.
        kind: &'static str,
    },
    /// The name has a meaning in every expression.
    #[error("`{name}` is reserved; choose another name")]
    Reserved {
        /// The name.
        name: String,
    },
    /// Not a name.
    #[error(
        "`{name}` is not a name; use letters, digits and underscores, starting with a letter and at most {limit} characters"
    )]
    InvalidName {
        /// The text.
        name: String,
        /// The longest name allowed.
        limit: usize,
    },
    /// A constant that is NaN or infinite.
    #[error("constant `{name}` is {value}; it must be finite")]
    NonFiniteConstant {
        /// The name.
        name: String,
        /// The value.
        value: f64,
    },
    /// No such coordinate.
    #[error("no coordinate is named `{name}` (coordinates: {known})")]
    NoSuchCoordinate {
        /// The name asked for.
        name: String,
        /// The declared coordinates.
        known: String,
    },
    /// No such unknown.
    #[error("no unknown is named `{name}` (unknowns: {known})")]
    NoSuchUnknown {
        /// The name asked for.
        name: String,
        /// The declared unknowns.
        known: String,
    },
}
