//! Why there is no reference, and what to do about it.

/// What went wrong in a solver, in words of its input.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "messages name every field")]
pub enum SolveError {
    /// A domain that cannot be meshed.
    #[error("the domain cannot be solved on: {reason}")]
    Domain { reason: String },
    /// Another number of conditions than pieces of the boundary.
    #[error(
        "the boundary has {pieces} pieces, but {conditions} have a condition; give one for each side, then one for each hole"
    )]
    Conditions { pieces: usize, conditions: usize },
    /// A resolution out of bounds.
    #[error("`{key}` of the reference is {value}; it must be {expected}")]
    Resolution { key: &'static str, value: String, expected: String },
    /// Instants that do not increase, or lie outside the time solved for.
    #[error("instants of the reference must increase from {start}, and {at} does not")]
    Instants { start: f64, at: f64 },
    /// A number that is no number.
    #[error("{what} is not finite near {place}; look at its formula or table there")]
    NotFinite { what: &'static str, place: String },
    /// Equations without one solution.
    #[error("the equations of the reference have no unique solution; fix a value somewhere, or add a decay")]
    Singular,
    /// An iteration that does not settle.
    #[error("{what} does not settle: after {steps} steps it still changes by {change:.1e}; {advice}")]
    Unsettled { what: &'static str, steps: usize, change: f64, advice: &'static str },
    /// Values beyond all bounds.
    #[error("the reference grows beyond all bounds near t = {at:.4}; raise its `steps`, {steps}")]
    Unbounded { at: f64, steps: usize },
    /// Two resolutions that do not agree.
    #[error(
        "the reference is not accurate: it differs by {error:.1e} from one of lower resolution; raise its resolution"
    )]
    Inaccurate { error: f64 },
}
