//! Everything that can be wrong with a problem: each variant carries the facts, its message names the culprit and the
//! next step.

use ropinn_domain::DomainError;
use ropinn_expr::{ParseErrorKind, ScopeError, TableError};
use ropinn_reference::SolveError;
use ropinn_reference::fourier::FourierError;
use ropinn_reference::laplace::LaplaceError;
use ropinn_reference::ode::OdeError;

use super::random_values::LawError;
use super::source::Position;

/// What can be wrong with a problem or with the files it names.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "messages name every field")]
pub enum ProblemError {
    /// Something wrong at a place of the problem.
    #[error("{at}: {error}")]
    At { at: Box<Position>, error: Box<ProblemError> },
    /// A file that cannot be read.
    #[error("cannot read `{path}`: {reason}")]
    Unreadable { path: String, reason: String },
    /// A file beyond the size limit.
    #[error("`{path}` is larger than {limit} bytes, the most that is read")]
    TooLarge { path: String, limit: u64 },
    /// No such built-in problem.
    #[error("no built-in problem is named `{name}`{}; built in are: {known}", did_you_mean(.suggestion))]
    UnknownBuiltin { name: String, suggestion: Option<String>, known: String },
    /// Not TOML.
    #[error("{message}\n{snippet}")]
    Syntax { message: String, snippet: String },
    /// A key that has no meaning.
    #[error("unknown key `{key}` in {section}{}; its keys are: {known}", did_you_mean(.suggestion))]
    UnknownKey { key: String, section: String, suggestion: Option<String>, known: String },
    /// A key that is needed.
    #[error("{section} needs `{key}`, for example: {example}")]
    MissingKey { section: String, key: &'static str, example: String },
    /// Two keys that say the same thing differently.
    #[error("{section} has both `{first}` and `{second}`; keep one of them")]
    Conflict { section: String, first: String, second: String },
    /// A value of the wrong type.
    #[error("`{key}` must be {expected}, found {found}")]
    WrongType { key: String, expected: String, found: String },
    /// A data file elsewhere.
    #[error("`{path}` is not in the folder of the problem file or below it; move the data file there")]
    OutsideFolder { path: String },
    /// A data file that a run does not know.
    #[error("`{path}` is not among the files the run has recorded, so it is not read; solve the problem file anew")]
    NotRecorded { path: String },
    /// A data file other than the one that was recorded.
    #[error("`{path}` is damaged: its checksum is not the one the run recorded; put the original file back")]
    Damaged { path: String },
    /// A word that is not one of the choices.
    #[error("`{found}` is not a {what}{}; choose one of: {known}", did_you_mean(.suggestion))]
    UnknownChoice { what: &'static str, found: String, suggestion: Option<String>, known: String },
    /// A text that is not an expression.
    #[error("{what}: {kind}\n{snippet}")]
    Formula { what: String, kind: Box<ParseErrorKind>, snippet: String },
    /// An expression where a number is needed.
    #[error("{what} must be a finite number made of numbers and constants, but it is {value}")]
    NotANumber { what: String, value: String },
    /// An expression without a value anywhere.
    #[error("{what} is never a number; look for a division by zero, or a root or logarithm of a negative number")]
    NeverANumber { what: String },
    /// A prescribed value that depends on the solution.
    #[error("{what} contains an unknown; write a condition of kind `operator` with the whole residual instead")]
    ValueHasUnknown { what: String },
    /// A residual that nothing can make vanish.
    #[error("{what} contains no unknown, so training cannot change it; use at least one of: {unknowns}")]
    NoUnknown { what: String, unknowns: String },
    /// A linked place outside a periodic condition.
    #[error("{what} uses `at(…, {site})`; only periodic conditions have pairs of points, with the sites 0 and 1")]
    NoSuchSite { what: String, site: usize },
    /// A name that cannot be declared or found.
    #[error("{source}")]
    Name { source: ScopeError },
    /// A coordinate whose range is empty or backwards.
    #[error("coordinate `{coordinate}` runs from {low} to {high}; the first number must be the smaller one")]
    InvertedRange { coordinate: String, low: f64, high: f64 },
    /// Time that is not the last coordinate.
    #[error("time `{time}` must be the last coordinate; the coordinates are: {coordinates}")]
    TimeNotLast { time: String, coordinates: String },
    /// A list whose length is not the number of coordinates.
    #[error("{what} has {found} numbers where {expected} are needed")]
    WrongDimension { what: String, expected: usize, found: usize },
    /// A geometry in another number of coordinates than the problem has in space.
    #[error("the geometry has {found} coordinates where {expected} are needed")]
    GeometryDimension { expected: usize, found: usize },
    /// A shape that reaches beyond the coordinates' ranges.
    #[error("the geometry spans {coordinate} from {low} to {high}, beyond the range {range:?}; widen the range")]
    OutOfRange { coordinate: String, low: f64, high: f64, range: (f64, f64) },
    /// A shape that geometry refuses.
    #[error("the geometry is not possible: {0}")]
    Geometry(#[from] DomainError),
    /// A table of coefficients that is malformed.
    #[error("table `{table}`: {source}")]
    Table { table: String, source: TableError },
    /// A table of random values that cannot be drawn.
    #[error("table `{table}`: {source}")]
    RandomTable { table: String, source: LawError },
    /// Numbers for a table that is not there.
    #[error("there is no table `{name}`{} to take other numbers for; the tables are: {known}", did_you_mean(.suggestion))]
    UnknownTable { name: String, suggestion: Option<String>, known: String },
    /// Numbers for a table whose nodes are in a file.
    #[error("table `{table}` has its nodes in a file of its own; put the other numbers there")]
    TableOfFile { table: String },
    /// A file of numbers with a word in it.
    #[error(
        "`{path}` line {line}: `{found}` is not a finite number; table `{table}` takes {expected} numbers ({shape})"
    )]
    NotNumbers { path: String, line: usize, found: String, table: String, expected: usize, shape: String },
    /// A file of numbers with too few of them, or too many.
    #[error("`{path}` line {line}: {found} numbers up to here where table `{table}` takes {expected} ({shape})")]
    NumberCount { path: String, line: usize, found: usize, table: String, expected: usize, shape: String },
    /// A variant the problem does not have.
    #[error("the problem has no variant `{name}`{}; its variants are: {}", did_you_mean(.suggestion), or_none(.known))]
    UnknownVariant { name: String, suggestion: Option<String>, known: String },
    /// A condition at a place the domain does not have.
    #[error("condition `{condition}` holds nowhere: the domain has no place `{text}`; its places are: {known}")]
    Nowhere { condition: String, text: String, known: String },
    /// A condition for one of several unknowns that does not say for which.
    #[error("condition `{condition}` does not say for which unknown it holds; add `unknown`, one of: {unknowns}")]
    WhichUnknown { condition: String, unknowns: String },
    /// An initial condition of a problem without time.
    #[error(
        "condition `{condition}` is initial, but no coordinate is time; add, if that is what it is: time = \"{last}\""
    )]
    NoTime { condition: String, last: String },
    /// A normal derivative at an instant.
    #[error(
        "condition `{condition}` needs the normal at `{place}`, which has none; for a rate of change use kind = \"initial\" with `derivative`"
    )]
    NoNormal { condition: String, place: String },
    /// A derivative beyond what is supported.
    #[error("condition `{condition}` matches derivatives of order {order}; the highest order is 4")]
    OrderTooHigh { condition: String, order: u32 },
    /// A condition that cannot be built into the solution.
    #[error("condition `{condition}` cannot be exact: {reason}; leave `exact` out or say `exact = false`")]
    NotExact { condition: String, reason: String },
    /// A name given twice.
    #[error("two {what} are named `{name}`; give each its own name")]
    Duplicate { what: &'static str, name: String },
    /// Neither equations nor conditions.
    #[error("the problem has no equation; add one, for example: heat = \"u_t - u_xx\" under [equations]")]
    NoEquation,
    /// Points that geometry cannot draw.
    #[error("{what}: {source}")]
    Sampling { what: String, source: DomainError },
    /// A grid of which no point is inside the domain.
    #[error("{what}: none of the {count} grid points lies inside the domain; check its shapes, or use more points")]
    EmptyGrid { what: String, count: usize },
    /// None of the shared boundary points lies where the condition holds.
    #[error(
        "condition `{condition}`: none of the {count} boundary points lies where it holds; give it `points` of its own"
    )]
    EmptyCondition { condition: String, count: usize },
    /// More points than are supported.
    #[error("{what} has {count} points, the limit is {limit}; ask for fewer")]
    TooManyPoints { what: String, count: usize, limit: usize },
    /// A text such as `grid:101x101` that does not describe points.
    #[error(
        "`{text}` does not describe points; write a grid as grid:101 or grid:101x101, scattered points as hammersley:8192"
    )]
    BadSpread { text: String },
    /// A reference that leaves out an unknown.
    #[error("the reference says nothing about unknown `{unknown}`; give it for some of the unknowns: {unknowns}")]
    ReferenceLacks { unknown: String, unknowns: String },
    /// A reference that depends on what is to be found.
    #[error("{what} contains an unknown or a trainable scalar; write it in coordinates and constants only")]
    ReferenceNotKnown { what: String },
    /// A reference that is not a number somewhere.
    #[error("the reference of `{unknown}` is {value} at {point}; it must be finite wherever errors are measured")]
    ReferenceNotFinite { unknown: String, value: f64, point: String },
    /// A problem that is not solved one interval of time after another.
    #[error("problem `{problem}` cannot be solved one interval of time after another: {reason}")]
    NotMarching { problem: String, reason: Box<NotMarching> },
    /// An interval that is not one of the problem's time.
    #[error("from {from} to {to} is no part of the time of problem `{problem}`, which lasts from {start} to {end}")]
    NotAPart { problem: String, from: f64, to: f64, start: f64, end: f64 },
    /// The closed form of Burgers' equation for another kind of problem.
    #[error(
        "cole-hopf solves u_t + u u_x = ν u_xx with u(x, 0) = −sin πx for one unknown of a space and a time coordinate"
    )]
    ColeHopfElsewhere,
    /// A problem that Fourier series do not solve.
    #[error("{0}")]
    Fourier(#[from] FourierError),
    /// A problem that harmonic functions do not solve.
    #[error("{0}")]
    Laplace(#[from] LaplaceError),
    /// Ordinary differential equations that are not solved.
    #[error("{0}")]
    Ode(#[from] OdeError),
    /// A problem that a numerical solver does not solve, or not well enough.
    #[error("{0}")]
    Solve(#[from] SolveError),
    /// A reference asked for at too many times.
    #[error(
        "the reference would be needed at {count} different times, and a numerical solver gives at most {most}; measure errors on a grid, such as points.evaluation=grid:51x51x26"
    )]
    ScatteredInstants { count: usize, most: usize },
    /// A problem that is not of the kind a solver takes.
    #[error("`{solver}` solves {solves}; {reason}")]
    NotSolvable { solver: &'static str, solves: &'static str, reason: String },
    /// A noise level that no reading has.
    #[error(
        "{place}, column `{column}`: a noise level of {value}; it must be above zero: leave the row out, or state one `sigma` for all"
    )]
    BadSigma { place: String, column: String, value: f64 },
    /// Noise levels of some quantities.
    #[error(
        "`sigma` of condition `{condition}` says nothing about `{quantity}`; state it for all that is measured, or for none"
    )]
    NoSigma { condition: String, quantity: String },
    /// A noise level to be found that could vanish.
    #[error(
        "`{name}` is the noise of condition `{condition}` and could become as small as it likes; give it bounds above zero, for example: bounds = [{low}, {high}]"
    )]
    OpenSigma { name: String, condition: String, low: f64, high: f64 },
    /// A reading that is taken nowhere in the domain.
    #[error("{place}: the reading at {point} lies outside the domain; leave it out, or widen `coordinates`")]
    ReadingOutside { place: String, point: String },
    /// A reading without a place.
    #[error("{place}, column `{column}`: a reading needs its place; fill it in, or leave the row out")]
    NoPlace { place: String, column: String },
    /// A column of nothing.
    #[error("`{path}` has no value of `{column}` in any row; leave the column out, or name another under `columns`")]
    NoReadings { path: String, column: String },
    /// Readings of what is not known.
    #[error(
        "condition `{condition}` takes its readings from the reference, and there is none that is known everywhere; give formulas or a solver under [reference]"
    )]
    NothingToRead { condition: String },
    /// A number to be found of which nothing is known.
    #[error(
        "{what} contains `{name}`, which is to be found; say what it is, for example: truth = 2 under [trainable.{name}]"
    )]
    NoTruth { what: String, name: String },
    /// A file that is no array.
    #[error("`{path}` is no NumPy array: {reason}")]
    BadNpy { path: String, reason: String },
    /// Bounds with nothing between them.
    #[error("the bounds of `{name}` are {low} and {high}; the first must be the smaller one, and inf stands for none")]
    InvertedBounds { name: String, low: f64, high: f64 },
    /// A number that begins where it may not be.
    #[error(
        "`{name}` begins at {first}, which is not between its bounds {low} and {high}; begin inside them, for example: init = {inside}"
    )]
    BoundsExcludeStart { name: String, low: f64, high: f64, first: f64, inside: f64 },
    /// Bounds that a transform does not keep.
    #[error("`{name}` cannot have transform = \"{transform}\": {reason}")]
    TransformMismatch { name: String, transform: &'static str, reason: &'static str },
    /// A number that must be above zero.
    #[error("{what} is {value}; it must be above zero")]
    NotPositive { what: String, value: f64 },
    /// A weight that is negative or not a number.
    #[error("the weight of {what} is {weight}; it must be zero or more, and finite")]
    BadWeight { what: String, weight: f64 },
    /// A data file without a row of names, or without a needed column.
    #[error("`{path}` line {line}: there is no column `{column}`; its columns are: {columns}")]
    NoColumn { path: String, line: usize, column: String, columns: String },
    /// A column of numbers that means nothing to the problem.
    #[error(
        "`{path}` has a column `{column}` that means nothing here ({reason}); say which column is what, for example: columns = {{ {unknown} = \"{column}\" }}"
    )]
    StrangeColumn { path: String, column: String, reason: String, unknown: String },
    /// A data file without rows.
    #[error("`{path}` has no rows of numbers; its first line names the columns, the others hold the values")]
    NoRows { path: String },
    /// A cell that is not a finite number.
    #[error("`{path}` line {line}, column `{column}`: `{cell}` is not a finite number")]
    BadCell { path: String, line: usize, column: String, cell: String },
    /// A row that is longer or shorter than the row of names.
    #[error("`{path}` line {line}: {found} values for {expected} columns")]
    RowLength { path: String, line: usize, expected: usize, found: usize },
    /// Rows of a tabulated coefficient that do not fill a grid.
    #[error("table `{table}`: {rows} rows do not fill the grid of {nodes:?} nodes; give each grid point exactly once")]
    NotAGrid { table: String, rows: usize, nodes: Vec<usize> },
}

/// Why a problem cannot be solved one interval of time after another, each beginning with what the one before has left.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages name every field")]
pub enum NotMarching {
    /// Nothing to march along.
    #[error("it has no time beside other coordinates")]
    NoTime,
    /// The end meets the beginning.
    #[error("it is periodic in {along}")]
    Periodic { along: String },
    /// A number that all times have in common.
    #[error("`{scalar}` is trained, and must serve all times")]
    Trained { scalar: String },
    /// Something is known of the end.
    #[error("condition `{condition}` holds at {place}")]
    AtTheEnd { condition: String, place: String },
    /// Nothing is carried from one instant to the next.
    #[error("no equation has a derivative in {along}")]
    Still { along: String },
    /// The beginning does not determine what follows.
    #[error("its equations are of order {order} in {along} for `{unknown}`, and `{missing}` is not given at {place}")]
    Open { unknown: String, order: u32, along: String, missing: String, place: String },
}

impl ProblemError {
    /// The same with the place where it was found, unless it has one.
    pub(super) fn at(self, at: Box<Position>) -> Self {
        if let Self::At { .. } = self { self } else { Self::At { at, error: Box::new(self) } }
    }
}

fn or_none(names: &str) -> &str {
    if names.is_empty() { "none" } else { names }
}

fn did_you_mean(suggestion: &Option<String>) -> String {
    match suggestion {
        Some(name) => format!(" (did you mean `{name}`?)"),
        None => String::new(),
    }
}
