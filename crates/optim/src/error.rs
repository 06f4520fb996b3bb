//! What can go wrong before any optimisation happens: bad settings and states that do not fit.

/// Why an optimiser could not be built or restored.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages name every field")]
pub enum OptimError {
    /// A setting outside its range.
    #[error("{optimizer}: `{setting}` is {value}, but it must be {needs}; change it in the optimiser's configuration")]
    InvalidSetting { optimizer: &'static str, setting: &'static str, value: f64, needs: &'static str },
    /// The update has no limited-memory form.
    #[error(
        "{optimizer}: `memory` is limited, but only the BFGS update can be replayed from stored pairs; set `memory` to `Dense` or `variant` to `Bfgs`"
    )]
    NoLimitedMemory { optimizer: &'static str },
    /// The dense matrix does not fit in memory.
    #[error(
        "{optimizer}: a dense matrix for {dimension} parameters needs {bytes} bytes, more than can be reserved; set `variant` to `Bfgs` and `memory` to `Limited`"
    )]
    MatrixTooLarge { optimizer: &'static str, dimension: usize, bytes: u128 },
    /// The state belongs to another kind of optimiser.
    #[error("the state was saved by `{found}`, but `{expected}` is loading it; build a `{found}` or start afresh")]
    WrongOptimizer { expected: &'static str, found: String },
    /// A named entry is not in the state.
    #[error("the state of `{optimizer}` has no entry `{entry}`; save it again with this version")]
    MissingEntry { optimizer: String, entry: &'static str },
    /// A vector of the state does not fit the optimiser.
    #[error(
        "the state of `{optimizer}` has {found} numbers in `{entry}`, but {expected} are needed; build the optimiser for the saved number of parameters"
    )]
    WrongLength { optimizer: String, entry: &'static str, expected: usize, found: usize },
    /// The state holds more curvature pairs than this optimiser keeps.
    #[error(
        "the state of `{optimizer}` holds {stored} curvature pairs, but `{setting}` is {capacity}; set `{setting}` to at least {stored}"
    )]
    HistoryTooLong { optimizer: String, setting: &'static str, stored: usize, capacity: usize },
}

/// Refuses a setting unless it is finite and `holds`.
pub(crate) fn require(
    optimizer: &'static str,
    setting: &'static str,
    value: f64,
    needs: &'static str,
    holds: bool,
) -> Result<(), OptimError> {
    if holds && value.is_finite() {
        return Ok(());
    }
    Err(OptimError::InvalidSetting { optimizer, setting, value, needs })
}
