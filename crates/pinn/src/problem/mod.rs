//! Problems: coordinates and their domain, unknowns, equations, conditions, points and a reference solution.
//!
//! A problem is a TOML file ([`Problem::load`]), one of those that come with the library ([`Problem::builtin`]), or built
//! in Rust ([`ProblemBuilder`]); all three give the same [`Problem`]. It yields the terms of a loss,
//!
//! L = Σ_terms w · Σ_r mean over samples of r²,
//!
//! as expressions with their points and data ([`Problem::terms`]), and the points at which errors against the reference
//! are measured ([`Problem::evaluation`]). It knows neither networks nor training.
//!
//! ```
//! use ropinn::problem::Problem;
//! let decay = Problem::from_toml(r#"
//!     name = "decay"
//!     coordinates = { x = [0, 1], t = [0, 2] }
//!     time = "t"
//!     unknowns = ["u"]
//!     constants = { k = 3 }
//!     equations = { decay = "u_t + k*u" }
//!     conditions = [{ kind = "initial", value = "1 + x" }]
//!     points = { interior = { layout = "grid", counts = [5, 9] } }
//!     reference = { u = "(1 + x)*exp(-k*t)" }
//! "#, "decay.toml".as_ref())?;
//! let terms = decay.terms(0)?;
//! assert_eq!((terms[0].samples(2), terms[1].samples(2)), (45, 5));
//! # Ok::<(), ropinn::problem::ProblemError>(())
//! ```

mod assemble;
mod builder;
mod builtin;
mod builtin_tables;
mod choices;
mod coefficient;
mod columns;
mod condition;
mod default_points;
mod doubt;
mod draw;
mod error;
mod evaluation;
mod exact;
mod file;
mod formula;
mod handover;
mod inputs;
mod named;
mod npy;
mod part;
mod place;
mod posed;
mod random_values;
mod readings;
mod reference;
mod reference_plan;
mod reference_work;
mod resolve;
mod sampling;
mod shape;
mod smooth_distance;
mod solvable;
mod solved;
mod solvers;
mod source;
mod spread;
mod term;
mod terms;
mod trainable;
mod unknown_field;
mod waves;

pub use builder::ProblemBuilder;
pub use choices::Choices;
pub use columns::{MAX_DATA_BYTES, MissingReadings};
pub use condition::Condition;
pub use doubt::Doubt;
pub use error::{NotMarching, ProblemError};
pub use evaluation::{EvaluationGrid, EvaluationSet};
pub use exact::Prescribed;
pub use file::MAX_PROBLEM_BYTES;
pub use formula::Formula;
pub use inputs::{InputFile, Inputs};
pub use random_values::LawError;
pub use reference_work::ReferenceWork;
pub use shape::Shape;
pub use solved::ReferenceValues;
pub use source::Position;
pub use spread::{MAX_POINTS, Spread};
pub use term::{Noise, Term, TermGroup};
pub use trainable::{Sought, Trainable, Transform, TransformKind};
pub use unknown_field::{Smoothness, SoughtField, UnknownField};
pub(crate) use waves::waves;

use ropinn_domain::Geometry;
use ropinn_expr::{Expr, Scope};

use exact::Exact;
use reference::Reference;
use sampling::PointPlan;
use source::Source;
use term::Support;

/// A problem whose names, places and files have been checked.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Short name, for files and tables.
    pub name: String,
    /// Title, for pictures.
    pub title: String,
    scope: Scope,
    ranges: Vec<(f64, f64)>,
    time_axis: Option<usize>,
    geometry: Geometry,
    trainables: Vec<Trainable>,
    fields: Vec<UnknownField>,
    missing: Vec<MissingReadings>,
    /// Conditions, then the equations: in the order their points are drawn in.
    terms: Vec<(Term, Support)>,
    exact: Exact,
    points: PointPlan,
    evaluation: Option<Spread>,
    reference: Option<Reference>,
    reference_error: Option<f64>,
    success: Option<f64>,
    source: Source,
    inputs: Vec<InputFile>,
    variants: Vec<String>,
    builtin: Option<&'static str>,
}

/// Points to take in place of those the problem asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointOverrides {
    /// Of the interior.
    pub interior: Option<Spread>,
    /// Of the whole boundary, also in place of points that boundary conditions ask for themselves.
    pub boundary: Option<Spread>,
    /// Of the first instant, also in place of points that initial conditions ask for themselves.
    pub initial: Option<Spread>,
    /// At which errors are measured; a tabulated reference keeps its own.
    pub evaluation: Option<Spread>,
}

impl Problem {
    /// Names of the coordinates, in the order of the network's inputs.
    pub fn coordinate_names(&self) -> &[String] {
        self.scope.coord_names()
    }

    /// First and last value of each coordinate.
    pub fn ranges(&self) -> Vec<(f64, f64)> {
        self.ranges.clone()
    }

    /// Fields to be found, in the order in which they end the unknowns.
    pub fn fields(&self) -> &[UnknownField] {
        &self.fields
    }

    /// How many unknowns are no fields.
    pub(super) fn solved_unknowns(&self) -> usize {
        self.unknown_names().len() - self.fields.len()
    }

    /// Names of the unknowns, in the order of the network's outputs: those of the equations, then the fields to be found.
    pub fn unknown_names(&self) -> &[String] {
        self.scope.unknown_names()
    }

    /// Which coordinate is time, if any; it is the last one.
    pub fn time_axis(&self) -> Option<usize> {
        self.time_axis
    }

    /// The domain, over time if there is any.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The names expressions of this problem can use.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The equations by name; their expressions vanish for a solution.
    pub fn equations(&self) -> impl Iterator<Item = (&str, &Expr)> {
        let terms = self.terms.iter().map(|(term, _)| term).filter(|term| term.group == TermGroup::Residual);
        terms.flat_map(|term| term.labels.iter().map(String::as_str).zip(&term.residuals))
    }

    /// Which coordinates the solution is periodic in by construction.
    pub fn periodic(&self) -> &[bool] {
        &self.exact.periodic
    }

    /// Values the solution has by construction, if there are any.
    pub fn prescribed(&self) -> Option<&Prescribed> {
        self.exact.prescribed.as_ref()
    }

    /// Numbers to be found along with the solution, in the order in which θ ends with them.
    pub fn trainables(&self) -> &[Trainable] {
        &self.trainables
    }

    /// The exact solution of each unknown, if it is known in closed form.
    pub fn exact(&self) -> Option<&[Expr]> {
        match &self.reference {
            Some(Reference::ClosedForm(exprs)) if self.referenced().iter().all(|known| *known) => Some(exprs),
            _ => None,
        }
    }

    /// The relative error (root mean square) below which a run counts as solved.
    pub fn success_threshold(&self) -> Option<f64> {
        self.success
    }

    /// The text of the file this problem was read from; empty for one built in Rust.
    pub fn source_text(&self) -> &str {
        self.source.text.as_deref().unwrap_or("")
    }

    /// The variants its file has; each is opened as `name:variant`.
    pub fn variants(&self) -> &[String] {
        &self.variants
    }

    /// Values that its files of readings lack.
    pub fn missing_readings(&self) -> &[MissingReadings] {
        &self.missing
    }

    /// The data files it was read from, in the order of their names.
    pub fn inputs(&self) -> &[InputFile] {
        &self.inputs
    }

    /// Its name among the problems that come with the library; `None` for every other, whatever it calls itself.
    pub fn builtin_name(&self) -> Option<&'static str> {
        self.builtin
    }

    /// The points it states by itself, in the order of [`PointOverrides`]; none where it leaves them open.
    pub(crate) fn stated_points(&self) -> [Vec<&Spread>; 4] {
        let of_conditions = |initial: bool| {
            let own = self.terms.iter().filter(move |(term, _)| (term.group == TermGroup::Initial) == initial);
            own.filter_map(|(_, support)| match support {
                Support::Places { spread, .. } | Support::Pairs { spread, .. } => spread.as_ref(),
                _ => None,
            })
        };
        let PointPlan { interior, boundary, initial, .. } = &self.points;
        [
            interior.iter().collect(),
            boundary.iter().chain(of_conditions(false)).collect(),
            initial.iter().chain(of_conditions(true)).collect(),
            self.evaluation.iter().collect(),
        ]
    }

    /// The same problem on other points, as a command line asks for.
    ///
    /// ```
    /// use ropinn::problem::{PointOverrides, Problem};
    /// let coarse = PointOverrides { interior: Some("grid:11x11".parse()?), ..PointOverrides::default() };
    /// let terms = Problem::builtin("wave")?.with_points(&coarse).terms(0)?;
    /// assert_eq!((terms[0].samples(2), terms[1].samples(2)), (121, 11));
    /// # Ok::<(), ropinn::problem::ProblemError>(())
    /// ```
    pub fn with_points(mut self, overrides: &PointOverrides) -> Problem {
        let replace = |own: &mut Option<Spread>, other: &Option<Spread>| {
            if other.is_some() {
                own.clone_from(other);
            }
        };
        replace(&mut self.points.interior, &overrides.interior);
        replace(&mut self.points.boundary, &overrides.boundary);
        replace(&mut self.points.initial, &overrides.initial);
        replace(&mut self.evaluation, &overrides.evaluation);
        for (term, support) in &mut self.terms {
            let other = if term.group == TermGroup::Initial { &overrides.initial } else { &overrides.boundary };
            match support {
                Support::Places { spread, .. } | Support::Pairs { spread, .. } if other.is_some() => *spread = None,
                _ => {}
            }
        }
        self
    }
}
