//! Why an evolution has no Fourier reference.

/// What does not fit, and what to do about it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "messages name every field")]
pub enum FourierError {
    /// Another number of coordinates, or no time.
    #[error("a Fourier reference needs one coordinate in space and then time; the coordinates are: {coordinates}")]
    Coordinates { coordinates: String },
    /// Too few or too many equations.
    #[error("a Fourier reference needs as many equations as unknowns; there are {equations} for {unknowns}")]
    Equations { equations: usize, unknowns: usize },
    /// More unknowns than matrices have rows.
    #[error("a Fourier reference has at most {limit} unknowns; there are {unknowns}")]
    Unknowns { unknowns: usize, limit: usize },
    /// A derivative in time that is not the first, or one of it along x.
    #[error(
        "a Fourier reference needs equations of first order in time, but equation `{equation}` has a derivative of `{unknown}` of order {order}; make its rate an unknown of its own"
    )]
    Order { equation: String, unknown: String, order: u32 },
    /// A time derivative with a factor that is no number.
    #[error(
        "a Fourier reference needs time derivatives by themselves or times a number, but equation `{equation}` has `{term}`"
    )]
    Factor { equation: String, term: String },
    /// Time derivatives that cannot be solved for.
    #[error("a Fourier reference needs the time derivative of every unknown; the equations do not give them all")]
    Singular,
    /// A number that is not known.
    #[error("equation `{equation}` has a number that is to be found; a Fourier reference needs all of them")]
    Trainable { equation: String },
    /// An unknown without a beginning.
    #[error("a Fourier reference needs the initial value of `{unknown}`; add a condition of kind \"initial\"")]
    Initial { unknown: String },
    /// A condition at an end of the period.
    #[error(
        "a Fourier reference is periodic along `{along}`, but condition `{condition}` holds at its ends; give the reference as a formula or a file"
    )]
    NotPeriodic { along: String, condition: String },
    /// A resolution out of bounds.
    #[error("`{key}` of the Fourier reference is {value}; it must be {expected}")]
    Resolution { key: &'static str, value: String, expected: &'static str },
    /// Values beyond all bounds.
    #[error("the Fourier reference grows beyond all bounds near {time} = {at:.4}; raise its `steps`, {steps}")]
    Unbounded { time: String, at: f64, steps: usize },
    /// Two resolutions that do not agree.
    #[error(
        "the Fourier reference is not accurate: {modes} modes and {steps} steps differ by {error:.1e} from half of them; raise `modes` or `steps`"
    )]
    Inaccurate { error: f64, modes: usize, steps: usize },
}
