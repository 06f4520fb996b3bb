//! Everything that can be wrong with a domain, a layout or a request for points.

use crate::part::BoundaryPart;

/// The one error type of this crate: each variant carries the facts, and its message says what to change.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DomainError {
    /// Two things that must live in the same space do not.
    #[error("{what} has {found} coordinates where {expected} are needed; give it one number per axis")]
    DimensionMismatch {
        /// What was handed in.
        what: &'static str,
        /// Coordinates needed.
        expected: usize,
        /// Coordinates found.
        found: usize,
    },
    /// A shape or point set without axes.
    #[error("{what} has no coordinates; give at least one axis")]
    NoDimensions {
        /// What was handed in.
        what: &'static str,
    },
    /// A side of a box, or a time span, with low ≥ high.
    #[error("axis {axis} runs from {low} to {high}; the first number must be the smaller one")]
    InvertedInterval {
        /// Axis of the offending side.
        axis: usize,
        /// Given lower end.
        low: f64,
        /// Given upper end.
        high: f64,
    },
    /// An infinity or NaN among the numbers of a shape.
    #[error("number {index} of {what} is {value}; use finite numbers only")]
    NonFinite {
        /// Which list of numbers.
        what: &'static str,
        /// Index in that list.
        index: usize,
        /// The offending value.
        value: f64,
    },
    /// A ball of radius ≤ 0.
    #[error("the radius of a ball is {radius}; it must be greater than zero")]
    BadRadius {
        /// Given radius.
        radius: f64,
    },
    /// A polygon with fewer than three vertices.
    #[error("a polygon needs at least 3 vertices, {found} given")]
    TooFewVertices {
        /// Vertices given.
        found: usize,
    },
    /// The same vertex twice.
    #[error(
        "vertices {first} and {second} of the polygon coincide; list each corner once and do not repeat the first at the end"
    )]
    RepeatedVertex {
        /// Index of the earlier vertex.
        first: usize,
        /// Index of the later vertex.
        second: usize,
    },
    /// Two edges that cross or touch away from a shared vertex.
    #[error(
        "polygon edges {}-{} and {}-{} cross; list the vertices in order around the outline",
        first.0, first.1, second.0, second.1
    )]
    SelfIntersection {
        /// Vertex indices of one edge.
        first: (usize, usize),
        /// Vertex indices of the other.
        second: (usize, usize),
    },
    /// A polygon whose vertices lie on a line.
    #[error("the polygon with {vertices} vertices encloses no area; move a vertex off the line")]
    ZeroArea {
        /// Number of vertices.
        vertices: usize,
    },
    /// A request for no points at all.
    #[error("0 points requested; ask for at least one")]
    ZeroPoints,
    /// A grid axis with count zero.
    #[error("the grid has 0 points along axis {axis}; every axis needs at least one")]
    ZeroCount {
        /// The empty axis.
        axis: usize,
    },
    /// The product of the grid counts is not the number of points asked for.
    #[error("a grid of {counts:?} has {product} points but {requested} were requested; make the two agree")]
    GridCount {
        /// Points per axis.
        counts: Vec<usize>,
        /// Their product.
        product: usize,
        /// Points requested.
        requested: usize,
    },
    /// A grid asked of something that is not a box.
    #[error(
        "a grid needs a box, but {what} is not one; use Sobol, Hammersley, Halton, Latin hypercube or uniform points"
    )]
    GridNeedsBox {
        /// What was to be covered.
        what: &'static str,
    },
    /// More coordinates than there are direction numbers.
    #[error(
        "Sobol points have at most {most} coordinates, {found} are needed; use Halton, Latin hypercube or uniform points"
    )]
    TooManyDimensions {
        /// Coordinates needed.
        found: usize,
        /// Coordinates available.
        most: usize,
    },
    /// More points than the sequence has.
    #[error("{requested} points requested, but this layout has at most {most}; ask for fewer or use uniform points")]
    TooManyPoints {
        /// Points requested.
        requested: usize,
        /// Points available.
        most: usize,
    },
    /// No candidate fell inside.
    #[error("the domain is empty: it holds nowhere among {candidates} candidate points; check the shapes it combines")]
    EmptyDomain {
        /// Candidates tried.
        candidates: usize,
    },
    /// No candidate fell on the wanted part of the boundary.
    #[error(
        "boundary part `{part}` is empty: none of {candidates} candidate points lies on it; check the shapes that cover it"
    )]
    EmptyPart {
        /// The part.
        part: BoundaryPart,
        /// Candidates tried.
        candidates: usize,
    },
    /// Too few candidates fell inside.
    #[error(
        "only {accepted} of {candidates} candidate points were kept and {requested} are wanted; describe the domain by shapes that fit it more closely"
    )]
    TooSparse {
        /// Candidates kept.
        accepted: usize,
        /// Candidates tried.
        candidates: usize,
        /// Points requested.
        requested: usize,
    },
    /// A selector that matches no piece of the boundary.
    #[error("the domain has no boundary part `{part}`; its parts are: {available}")]
    NoSuchPart {
        /// The selector.
        part: BoundaryPart,
        /// Names of all pieces, separated by commas.
        available: String,
    },
    /// Two shapes without a common point.
    #[error(
        "the intersected shapes have nothing in common: along axis {axis} one ends at {end} and the other starts at {start}; move them together"
    )]
    NoOverlap {
        /// Axis along which they are apart.
        axis: usize,
        /// Upper end of the lower shape.
        end: f64,
        /// Lower end of the upper shape.
        start: f64,
    },
    /// Shapes combined after time was attached.
    #[error("shapes are combined in space only; take the union, difference or intersection first and attach time last")]
    CombineBeforeTime,
    /// An initial set asked of a domain without time.
    #[error("the domain has no time axis; attach one with `over_time` before asking for initial points")]
    NoTimeAxis,
    /// A bare row pushed onto points that carry normals, or the reverse.
    #[error(
        "points with and without normals cannot be mixed; push boundary points with their normal and tag, others without"
    )]
    MixedNormals,
    /// A quadrature rule with fewer nodes than its kind needs.
    #[error("the {rule} rule needs at least {least} nodes, {found} were asked for; ask for more")]
    TooFewNodes {
        /// Kind of rule.
        rule: &'static str,
        /// Fewest nodes of that kind.
        least: usize,
        /// Nodes asked for.
        found: usize,
    },
    /// A product of quadrature rules beyond all use.
    #[error(
        "a product rule with {per_axis:?} nodes per axis is too large (at most {most} nodes in all); use fewer nodes or random samples"
    )]
    TooManyNodes {
        /// Nodes of each axis.
        per_axis: Vec<usize>,
        /// Most nodes in all.
        most: usize,
    },
    /// Pairs of samples asked for by an odd number.
    #[error("antithetic samples come in pairs, but {samples} were asked for; ask for an even number")]
    OddPairs {
        /// Samples asked for.
        samples: usize,
    },
}

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, DomainError>;

/// Refuses infinities and NaN.
pub(crate) fn require_finite(what: &'static str, values: &[f64]) -> Result<()> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(DomainError::NonFinite { what, index, value: values[index] }),
        None => Ok(()),
    }
}

/// Refuses a list of the wrong length.
pub(crate) fn require_dim(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(DomainError::DimensionMismatch { what, expected, found }) }
}
