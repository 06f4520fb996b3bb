//! The union of all errors of this crate.

use crate::{ParseError, ScopeError, TableError, WeakFormError};

/// Any error of this crate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// A name could not be declared or found.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// A text is not an expression.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// A table is malformed.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A residual has no weak form.
    #[error(transparent)]
    WeakForm(#[from] WeakFormError),
}
