//! Everything that can be wrong with a network, a residual or a batch, named with the next step.

use thiserror::Error;

/// Nothing to tell, or what was refused.
pub(crate) type Result<T = (), E = EngineError> = std::result::Result<T, E>;

/// What the engine refuses, and what to do about it.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "every message names its fields")]
pub enum EngineError {
    /// A network without anything to train.
    #[error("the network has no parameters; add at least one linear layer")]
    NoParameters,
    /// Two tensors of the same name.
    #[error("parameter `{name}` exists already; give each layer its own name")]
    DuplicateParameter { name: String },
    /// A layer of width zero.
    #[error("`{node}` has width 0; widths start at 1")]
    ZeroWidth { node: String },
    /// Weight block does not fit the operand.
    #[error(
        "a weight block of {entries} numbers does not fit an operand of width {inputs}; it needs a multiple of {inputs}"
    )]
    WeightShape { inputs: usize, entries: usize },
    /// Bias does not fit the outputs.
    #[error("a bias of {entries} numbers does not fit {outputs} outputs")]
    BiasShape { outputs: usize, entries: usize },
    /// NaN or infinity in fixed numbers.
    #[error("number {index} of the {node} is not finite")]
    NonFiniteConstant { node: String, index: usize },
    /// Normalisation ranges do not match the coordinates.
    #[error("normalisation needs {expected} ranges, one per coordinate, but got {found}")]
    RangeCount { expected: usize, found: usize },
    /// An empty or infinite range.
    #[error("coordinate {coordinate} has the empty range [{low}, {high}]; the upper end must be larger and finite")]
    EmptyRange { coordinate: usize, low: f64, high: f64 },
    /// An operation without operands.
    #[error("a {operation} needs at least one operand")]
    NoOperands { operation: &'static str },
    /// Operands of different widths.
    #[error("a {operation} needs operands of equal width, but they have {left} and {right}")]
    WidthMismatch { operation: &'static str, left: usize, right: usize },
    /// Heads do not divide the width.
    #[error("{heads} attention heads do not divide the width {width}; choose a divisor")]
    Heads { width: usize, heads: usize },
    /// Pieces and the ends between them do not match up.
    #[error("{parts} pieces with {ends} ends between them; give one end fewer than pieces")]
    PieceCount { ends: usize, parts: usize },
    /// Ends of pieces that do not ascend.
    #[error("a piece cannot end at {end}; ends must be finite, each above the one before")]
    PieceOrder { end: f64 },
    /// An impossible spline grid.
    #[error(
        "a spline grid of {intervals} intervals on [{low}, {high}] is empty; give at least one interval and low < high"
    )]
    SplineGrid { low: f64, high: f64, intervals: usize },
    /// Unsupported spline degree.
    #[error("spline degree {degree} is not supported; choose 1 to {max}")]
    SplineDegree { degree: usize, max: usize },
    /// A closed-form field that is not one.
    #[error("`{function}` must depend on the coordinates only to serve as a hard constraint or coefficient field")]
    FieldNotClosed { function: String },
    /// A residual list without residuals.
    #[error("there is no residual to compile; give at least one expression")]
    NoResiduals,
    /// A residual asks for an unknown the network does not have.
    #[error(
        "residual `{residual}` uses unknown number {field}, but the network has {outputs} output(s); widen its last layer"
    )]
    UnknownOutOfRange { residual: String, field: usize, outputs: usize },
    /// A residual asks for a coordinate the network does not have.
    #[error("residual `{residual}` uses coordinate number {axis}, but the network has {coordinates} coordinate(s)")]
    CoordinateOutOfRange { residual: String, axis: usize, coordinates: usize },
    /// Derivative order beyond what the engine propagates.
    #[error("residual `{residual}` needs derivatives of order {order}; the engine propagates up to order {max}")]
    OrderTooHigh { residual: String, order: usize, max: usize },
    /// The network is not smooth enough for the residual.
    #[error(
        "the residuals need derivatives of order {order}, but {activation} is smooth only to order {smooth}; use a smoother activation such as tanh or sin, or splines of higher degree"
    )]
    NotSmooth { order: usize, activation: String, smooth: usize },
    /// One more derivative than the engine propagates.
    #[error(
        "the Hessian of residual `{residual}` needs derivatives of order {order}, one more than the residual; the engine propagates up to order {max}"
    )]
    HessianOrder { residual: String, order: usize, max: usize },
    /// No room for one more coordinate.
    #[error(
        "a network of {coordinates} coordinates cannot be perturbed, which takes one more; expressions know at most {max}"
    )]
    TooManyCoordinates { coordinates: usize, max: usize },
    /// Parameters of the wrong length.
    #[error("theta has {found} numbers, but the program has {expected} parameters")]
    ThetaLength { expected: usize, found: usize },
    /// Points that are not a whole number of samples.
    #[error("term `{term}`: {found} coordinates are not a whole number of samples of {per_sample} coordinates each")]
    PointsLength { term: String, per_sample: usize, found: usize },
    /// No points at all.
    #[error("term `{term}` has no points; give at least one")]
    NoPoints { term: String },
    /// Data columns missing or of the wrong length.
    #[error(
        "term `{term}` needs {expected} data values ({columns} column(s) for each of {samples} samples), but got {found}"
    )]
    DataLength { term: String, expected: usize, columns: usize, samples: usize, found: usize },
    /// Sample weights or cotangents of the wrong length.
    #[error("term `{term}` needs {expected} {what}, but got {found}")]
    VectorLength { term: String, what: &'static str, expected: usize, found: usize },
    /// Batches and programs do not match up.
    #[error("{found} batches for {expected} terms; give one batch per term, in order")]
    BatchCount { expected: usize, found: usize },
    /// A set that was never handed over, or removed since.
    #[error("there is no set number {set}; hand over its samples first")]
    NoSuchSet { set: usize },
    /// A set given for a term it does not belong to.
    #[error(
        "set number {set} has samples of term `{found}`, but stands for term `{term}`; give one set per term, in order"
    )]
    SetOfOtherTerm { set: usize, term: String, found: String },
    /// Terms that were compiled for different networks.
    #[error(
        "term `{term}` has {found} parameters where the first term has {expected}; compile all terms for one network"
    )]
    DifferentNetworks { term: String, expected: usize, found: usize },
    /// More threads than make sense.
    #[error("{threads} threads are too many; ask for at most {most}, or 0 for one per core")]
    TooManyThreads { threads: usize, most: usize },
    /// The thread pool could not be made.
    #[error("cannot start {threads} threads: {reason}; try fewer")]
    Threads { threads: usize, reason: String },
}
