//! Everything that can be wrong with a domain, a layout or a request for points.

use crate::part::BoundaryPart;

/// The one error type of this crate: each variant carries the facts, and its message says what to change.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "messages name every field")]
pub enum DomainError {
    /// Two things that must live in the same space do not.
    #[error("{what} has {found} coordinates where {expected} are needed; give it one number per axis")]
    DimensionMismatch { what: &'static str, expected: usize, found: usize },
    /// A shape or point set without axes.
    #[error("{what} has no coordinates; give at least one axis")]
    NoDimensions { what: &'static str },
    /// A side of a box, or a time span, with low ≥ high.
    #[error("axis {axis} runs from {low} to {high}; the first number must be the smaller one")]
    InvertedInterval { axis: usize, low: f64, high: f64 },
    /// An infinity or NaN among the numbers of a shape.
    #[error("number {index} of {what} is {value}; use finite numbers only")]
    NonFinite { what: &'static str, index: usize, value: f64 },
    /// A ball of radius ≤ 0.
    #[error("the radius of a ball is {radius}; it must be greater than zero")]
    BadRadius { radius: f64 },
    /// A polygon with fewer than three vertices.
    #[error("a polygon needs at least 3 vertices, {found} given")]
    TooFewVertices { found: usize },
    /// The same vertex twice.
    #[error(
        "vertices {first} and {second} of the polygon coincide; list each corner once and do not repeat the first at the end"
    )]
    RepeatedVertex { first: usize, second: usize },
    /// Two edges that cross or touch away from a shared vertex.
    #[error(
        "polygon edges {}-{} and {}-{} cross; list the vertices in order around the outline",
        first.0, first.1, second.0, second.1
    )]
    SelfIntersection { first: (usize, usize), second: (usize, usize) },
    /// A polygon whose vertices lie on a line.
    #[error("the polygon with {vertices} vertices encloses no area; move a vertex off the line")]
    ZeroArea { vertices: usize },
    /// A request for no points at all.
    #[error("0 points requested; ask for at least one")]
    ZeroPoints,
    /// A grid axis with count zero.
    #[error("the grid has 0 points along axis {axis}; every axis needs at least one")]
    ZeroCount { axis: usize },
    /// The product of the grid counts is not the number of points asked for.
    #[error("a grid of {counts:?} has {product} points but {requested} were requested; make the two agree")]
    GridCount { counts: Vec<usize>, product: usize, requested: usize },
    /// A grid asked of something that is not a box.
    #[error(
        "a grid needs a box, but {what} is not one; use Sobol, Hammersley, Halton, Latin hypercube or uniform points"
    )]
    GridNeedsBox { what: &'static str },
    /// More coordinates than there are direction numbers.
    #[error(
        "Sobol points have at most {most} coordinates, {found} are needed; use Halton, Latin hypercube or uniform points"
    )]
    TooManyDimensions { found: usize, most: usize },
    /// More points than the sequence has.
    #[error("{requested} points requested, but this layout has at most {most}; ask for fewer or use uniform points")]
    TooManyPoints { requested: usize, most: usize },
    /// No candidate fell inside.
    #[error("the domain is empty: it holds nowhere among {candidates} candidate points; check the shapes it combines")]
    EmptyDomain { candidates: usize },
    /// No candidate fell on the wanted part of the boundary.
    #[error(
        "boundary part `{part}` is empty: none of {candidates} candidate points lies on it; check the shapes that cover it"
    )]
    EmptyPart { part: BoundaryPart, candidates: usize },
    /// Too few candidates fell inside.
    #[error(
        "only {accepted} of {candidates} candidate points were kept and {requested} are wanted; describe the domain by shapes that fit it more closely"
    )]
    TooSparse { accepted: usize, candidates: usize, requested: usize },
    /// A selector that matches no piece of the boundary.
    #[error("the domain has no boundary part `{part}`; its parts are: {available}")]
    NoSuchPart { part: BoundaryPart, available: String },
    /// Two shapes without a common point.
    #[error(
        "the intersected shapes have nothing in common: along axis {axis} one ends at {end} and the other starts at {start}; move them together"
    )]
    NoOverlap { axis: usize, end: f64, start: f64 },
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
    TooFewNodes { rule: &'static str, least: usize, found: usize },
    /// A product of quadrature rules beyond all use.
    #[error(
        "a product rule with {per_axis:?} nodes per axis is too large (at most {most} nodes in all); use fewer nodes or random samples"
    )]
    TooManyNodes { per_axis: Vec<usize>, most: usize },
    /// Pairs of samples asked for by an odd number.
    #[error("antithetic samples come in pairs, but {samples} were asked for; ask for an even number")]
    OddPairs { samples: usize },
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
