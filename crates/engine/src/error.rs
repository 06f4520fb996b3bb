//! Everything that can be wrong with a network, a residual or a batch, named with the next step.

use thiserror::Error;

/// What the engine refuses, and what to do about it.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A network without anything to train.
    #[error("the network has no parameters; add at least one linear layer")]
    NoParameters,
    /// Two tensors of the same name.
    #[error("parameter `{name}` exists already; give each layer its own name")]
    DuplicateParameter {
        /// The repeated name.
        name: String,
    },
    /// A layer of width zero.
    #[error("`{node}` has width 0; widths start at 1")]
    ZeroWidth {
        /// The layer or tensor.
        node: String,
    },
    /// Weight block does not fit the operand.
    #[error(
        "a weight block of {entries} numbers does not fit an operand of width {inputs}; it needs a multiple of {inputs}"
    )]
    WeightShape {
        /// Width of the operand.
        inputs: usize,
        /// Numbers in the block.
        entries: usize,
    },
    /// Bias does not fit the outputs.
    #[error("a bias of {entries} numbers does not fit {outputs} outputs")]
    BiasShape {
        /// Number of outputs.
        outputs: usize,
        /// Numbers in the bias.
        entries: usize,
    },
    /// NaN or infinity in fixed numbers.
    #[error("number {index} of the {node} is not finite")]
    NonFiniteConstant {
        /// Where.
        node: String,
        /// Which entry.
        index: usize,
    },
    /// Normalisation ranges do not match the coordinates.
    #[error("normalisation needs {expected} ranges, one per coordinate, but got {found}")]
    RangeCount {
        /// Number of coordinates.
        expected: usize,
        /// Ranges given.
        found: usize,
    },
    /// An empty or infinite range.
    #[error("coordinate {coordinate} has the empty range [{low}, {high}]; the upper end must be larger and finite")]
    EmptyRange {
        /// Which coordinate.
        coordinate: usize,
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// An operation without operands.
    #[error("a {operation} needs at least one operand")]
    NoOperands {
        /// The operation.
        operation: &'static str,
    },
    /// Operands of different widths.
    #[error("a {operation} needs operands of equal width, but they have {left} and {right}")]
    WidthMismatch {
        /// The operation.
        operation: &'static str,
        /// Width of the first operand.
        left: usize,
        /// Width of the offending operand.
        right: usize,
    },
    /// Heads do not divide the width.
    #[error("{heads} attention heads do not divide the width {width}; choose a divisor")]
    Heads {
        /// Model width.
        width: usize,
        /// Number of heads.
        heads: usize,
    },
    /// An impossible spline grid.
    #[error(
        "a spline grid of {intervals} intervals on [{low}, {high}] is empty; give at least one interval and low < high"
    )]
    SplineGrid {
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
        /// Number of intervals.
        intervals: usize,
    },
    /// Unsupported spline degree.
    #[error("spline degree {degree} is not supported; choose 1 to {max}")]
    SplineDegree {
        /// Degree asked for.
        degree: usize,
        /// Largest degree.
        max: usize,
    },
    /// A closed-form field that is not one.
    #[error("`{function}` must depend on the coordinates only to serve as a hard constraint or coefficient field")]
    FieldNotClosed {
        /// The function.
        function: String,
    },
    /// A residual list without residuals.
    #[error("there is no residual to compile; give at least one expression")]
    NoResiduals,
    /// A residual asks for an unknown the network does not have.
    #[error(
        "residual `{residual}` uses unknown number {field}, but the network has {outputs} output(s); widen its last layer"
    )]
    UnknownOutOfRange {
        /// The residual.
        residual: String,
        /// Unknown asked for.
        field: usize,
        /// Outputs of the network.
        outputs: usize,
    },
    /// A residual asks for a coordinate the network does not have.
    #[error("residual `{residual}` uses coordinate number {axis}, but the network has {coordinates} coordinate(s)")]
    CoordinateOutOfRange {
        /// The residual.
        residual: String,
        /// Coordinate asked for.
        axis: usize,
        /// Coordinates of the network.
        coordinates: usize,
    },
    /// Derivative order beyond what the engine propagates.
    #[error("residual `{residual}` needs derivatives of order {order}; the engine propagates up to order {max}")]
    OrderTooHigh {
        /// The residual.
        residual: String,
        /// Order asked for.
        order: usize,
        /// Highest supported order.
        max: usize,
    },
    /// The network is not smooth enough for the residual.
    #[error(
        "the residuals need derivatives of order {order}, but {activation} is smooth only to order {smooth}; use a smoother activation such as tanh or sin, or splines of higher degree"
    )]
    NotSmooth {
        /// Order asked for.
        order: usize,
        /// What is not smooth.
        activation: String,
        /// Order up to which it is.
        smooth: usize,
    },
    /// One more derivative than the engine propagates.
    #[error(
        "the Hessian of residual `{residual}` needs derivatives of order {order}, one more than the residual; the engine propagates up to order {max}"
    )]
    HessianOrder {
        /// The residual.
        residual: String,
        /// Order needed.
        order: usize,
        /// Highest supported order.
        max: usize,
    },
    /// No room for one more coordinate.
    #[error(
        "a network of {coordinates} coordinates cannot be perturbed, which takes one more; expressions know at most {max}"
    )]
    TooManyCoordinates {
        /// Coordinates of the network.
        coordinates: usize,
        /// Most coordinates.
        max: usize,
    },
    /// Parameters of the wrong length.
    #[error("theta has {found} numbers, but the program has {expected} parameters")]
    ThetaLength {
        /// Parameters of the program.
        expected: usize,
        /// Numbers given.
        found: usize,
    },
    /// Points that are not a whole number of samples.
    #[error("term `{term}`: {found} coordinates are not a whole number of samples of {per_sample} coordinates each")]
    PointsLength {
        /// The term.
        term: String,
        /// Coordinates per sample.
        per_sample: usize,
        /// Coordinates given.
        found: usize,
    },
    /// No points at all.
    #[error("term `{term}` has no points; give at least one")]
    NoPoints {
        /// The term.
        term: String,
    },
    /// Data columns missing or of the wrong length.
    #[error(
        "term `{term}` needs {expected} data values ({columns} column(s) for each of {samples} samples), but got {found}"
    )]
    DataLength {
        /// The term.
        term: String,
        /// Values needed.
        expected: usize,
        /// Data columns per sample.
        columns: usize,
        /// Samples given.
        samples: usize,
        /// Values given.
        found: usize,
    },
    /// Sample weights or cotangents of the wrong length.
    #[error("term `{term}` needs {expected} {what}, but got {found}")]
    VectorLength {
        /// The term.
        term: String,
        /// What the vector is.
        what: &'static str,
        /// Values needed.
        expected: usize,
        /// Values given.
        found: usize,
    },
    /// Batches and programs do not match up.
    #[error("{found} batches for {expected} terms; give one batch per term, in order")]
    BatchCount {
        /// Terms compiled.
        expected: usize,
        /// Batches given.
        found: usize,
    },
    /// A set that was never handed over, or removed since.
    #[error("there is no set number {set}; hand over its samples first")]
    NoSuchSet {
        /// Its number.
        set: usize,
    },
    /// A set given for a term it does not belong to.
    #[error(
        "set number {set} has samples of term `{found}`, but stands for term `{term}`; give one set per term, in order"
    )]
    SetOfOtherTerm {
        /// Its number.
        set: usize,
        /// The term it was given for.
        term: String,
        /// The term it belongs to.
        found: String,
    },
    /// Terms that were compiled for different networks.
    #[error(
        "term `{term}` has {found} parameters where the first term has {expected}; compile all terms for one network"
    )]
    DifferentNetworks {
        /// The term.
        term: String,
        /// Parameters of the first term.
        expected: usize,
        /// Parameters of this term.
        found: usize,
    },
    /// More threads than make sense.
    #[error("{threads} threads are too many; ask for at most {most}, or 0 for one per core")]
    TooManyThreads {
        /// Threads asked for.
        threads: usize,
        /// Most that are accepted.
        most: usize,
    },
    /// The thread pool could not be made.
    #[error("cannot start {threads} threads: {reason}; try fewer")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
}
