//! A problem in the making: what files and Rust programs state, before it is checked.

use std::path::PathBuf;
use std::sync::Arc;

use ropinn_expr::Table;
use ropinn_reference::fourier::Resolution;

use super::coefficient::TablePlan;
use super::columns::Renamed;
use super::condition::Condition;
use super::formula::Formula;
use super::inputs::Inputs;
pub(super) use super::named::Named;
use super::sampling::PointPlan;
use super::shape::{Combination, Shape, ShapePlan};
use super::solvers::SolverPlan;
use super::source::Source;
use super::spread::Spread;
use super::trainable::Sought;
use super::unknown_field::SoughtField;

/// Where the reference solution comes from.
#[derive(Clone, Debug)]
pub(super) enum ReferencePlan {
    Formulas(Vec<Named<Formula>>),
    /// Values of these unknowns, or of all of them.
    File {
        path: PathBuf,
        renamed: Renamed,
        unknowns: Option<Vec<Named<()>>>,
    },
    /// A table that comes with the library, by its name.
    BuiltIn(String),
    ColeHopf {
        viscosity: Formula,
    },
    Fourier(Resolution),
    Laplace {
        terms: usize,
    },
    /// Values to begin with by unknown, and how many steps.
    Ode {
        start: Vec<Named<Formula>>,
        steps: usize,
    },
    /// A solver that takes its time, and about how many seconds.
    Solver(SolverPlan, Option<f64>),
}

/// Builds a [`Problem`](super::Problem) in Rust; every step mirrors a key of the file format, and mistakes surface in
/// [`build`](Self::build).
///
/// ```
/// use ropinn::problem::{Condition, ProblemBuilder, Spread};
/// let wave = ProblemBuilder::new("wave")
///     .coordinate("x", 0.0, 1.0)
///     .coordinate("t", 0.0, 1.0)
///     .time("t")
///     .unknown("u")
///     .constant("c", 2.0)
///     .equation("wave", "u_tt - c^2*u_xx")
///     .condition(Condition::initial("sin(pi*x)"))
///     .condition(Condition::initial_derivative("t", 0.0))
///     .condition(Condition::dirichlet("boundary", 0.0))
///     .exact("u", "sin(pi*x)*cos(c*pi*t)")
///     .interior(Spread::grid([51, 51]))
///     .build()?;
/// assert_eq!(wave.terms(0)?.len(), 4);
/// # Ok::<(), ropinn::problem::ProblemError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProblemBuilder {
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) coordinates: Vec<Named<[Formula; 2]>>,
    pub(super) time: Option<Named<()>>,
    pub(super) unknowns: Vec<Named<()>>,
    pub(super) constants: Vec<Named<Formula>>,
    pub(super) tables: Vec<Named<TablePlan>>,
    pub(super) trainables: Vec<Named<Sought>>,
    pub(super) fields: Vec<Named<SoughtField>>,
    pub(super) definitions: Vec<Named<Formula>>,
    pub(super) equations: Vec<Named<Formula>>,
    /// Of each equation.
    pub(super) equation_weights: Vec<f64>,
    pub(super) conditions: Vec<Condition>,
    pub(super) shapes: ShapePlan,
    pub(super) points: PointPlan,
    pub(super) evaluation: Option<Spread>,
    pub(super) reference: Option<Named<ReferencePlan>>,
    /// The estimated error of a reference that is computed, as the file says it was measured.
    pub(super) reference_error: Option<f64>,
    pub(super) success: Option<f64>,
    pub(super) source: Source,
    pub(super) inputs: Inputs,
    /// What can be chosen of its file.
    pub(super) variants: Vec<String>,
}

impl ProblemBuilder {
    /// A problem without anything yet.
    pub fn new(name: &str) -> Self {
        ProblemBuilder {
            name: name.to_owned(),
            title: None,
            coordinates: Vec::new(),
            time: None,
            unknowns: Vec::new(),
            constants: Vec::new(),
            tables: Vec::new(),
            trainables: Vec::new(),
            fields: Vec::new(),
            definitions: Vec::new(),
            equations: Vec::new(),
            equation_weights: Vec::new(),
            conditions: Vec::new(),
            shapes: ShapePlan::default(),
            points: PointPlan::default(),
            evaluation: None,
            reference: None,
            reference_error: None,
            success: None,
            source: Source { origin: name.to_owned(), text: None, added_lines: 0 },
            inputs: Inputs::default(),
            variants: Vec::new(),
        }
    }

    /// The title, for pictures; the name unless given.
    pub fn title(mut self, title: &str) -> Self {
        self.title = Some(title.to_owned());
        self
    }

    /// The next coordinate and its range; the order is that of the network's inputs.
    pub fn coordinate(mut self, name: &str, low: impl Into<Formula>, high: impl Into<Formula>) -> Self {
        self.coordinates.push(Named::new(name, [low.into(), high.into()]));
        self
    }

    /// Which coordinate is time; it must be the last one.
    pub fn time(mut self, coordinate: &str) -> Self {
        self.time = Some(Named::new(coordinate, ()));
        self
    }

    /// The next unknown; the order is that of the network's outputs.
    pub fn unknown(mut self, name: &str) -> Self {
        self.unknowns.push(Named::new(name, ()));
        self
    }

    /// A named number, or a formula of earlier constants.
    pub fn constant(mut self, name: &str, value: impl Into<Formula>) -> Self {
        self.constants.push(Named::new(name, value.into()));
        self
    }

    /// A coefficient given on a grid of nodes.
    pub fn table(mut self, name: &str, table: Table) -> Self {
        self.tables.push(Named::new(name, TablePlan::Ready(Arc::new(table))));
        self
    }

    /// A number to be found along with the solution: its first value, perhaps with bounds.
    pub fn trainable(mut self, name: &str, sought: impl Into<Sought>) -> Self {
        self.trainables.push(Named::new(name, sought.into()));
        self
    }

    /// A field to be found along with the solution, such as a coefficient or a source.
    pub fn field(mut self, name: &str, sought: SoughtField) -> Self {
        self.fields.push(Named::new(name, sought));
        self
    }

    /// A named expression, such as a coefficient in closed form.
    pub fn definition(mut self, name: &str, formula: impl Into<Formula>) -> Self {
        self.definitions.push(Named::new(name, formula.into()));
        self
    }

    /// An equation by its residual, which vanishes for a solution.
    pub fn equation(self, name: &str, residual: impl Into<Formula>) -> Self {
        self.weighted_equation(name, residual, 1.0)
    }

    /// The same with another weight in the loss than 1.
    pub fn weighted_equation(mut self, name: &str, residual: impl Into<Formula>, weight: f64) -> Self {
        self.equations.push(Named::new(name, residual.into()));
        self.equation_weights.push(weight);
        self
    }

    /// A further condition.
    pub fn condition(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self
    }

    /// The shape in space, in place of the box of the ranges.
    pub fn shape(mut self, shape: Shape) -> Self {
        self.shapes.base = shape;
        self
    }

    /// Takes a shape away; holes are numbered from 1 in this order.
    pub fn minus(mut self, shape: Shape) -> Self {
        self.shapes.steps.push((Combination::Minus, shape));
        self
    }

    /// Adds a shape.
    pub fn union(mut self, shape: Shape) -> Self {
        self.shapes.steps.push((Combination::Union, shape));
        self
    }

    /// Keeps what also lies in a shape.
    pub fn intersect(mut self, shape: Shape) -> Self {
        self.shapes.steps.push((Combination::Intersect, shape));
        self
    }

    /// The points of the equations.
    pub fn interior(mut self, points: Spread) -> Self {
        self.points.interior = Some(points);
        self
    }

    /// Points of the whole boundary, of which each condition takes those on its part.
    pub fn boundary(mut self, points: Spread) -> Self {
        self.points.boundary = Some(points);
        self
    }

    /// Points of the first instant.
    pub fn initial(mut self, points: Spread) -> Self {
        self.points.initial = Some(points);
        self
    }

    /// Makes the equations hold at boundary and initial points too.
    pub fn residual_everywhere(mut self) -> Self {
        self.points.residual_everywhere = true;
        self
    }

    /// The points at which errors are measured.
    pub fn evaluation(mut self, points: Spread) -> Self {
        self.evaluation = Some(points);
        self
    }

    /// The exact solution of one unknown.
    pub fn exact(mut self, unknown: &str, formula: impl Into<Formula>) -> Self {
        let entry = Named::new(unknown, formula.into());
        match &mut self.reference {
            Some(Named { value: ReferencePlan::Formulas(formulas), .. }) => formulas.push(entry),
            other => *other = Some(Named::new("reference", ReferencePlan::Formulas(vec![entry]))),
        }
        self
    }

    /// A reference solution in a file: one column for each coordinate and each unknown.
    pub fn reference_file(mut self, path: impl Into<PathBuf>) -> Self {
        let plan = ReferencePlan::File { path: path.into(), renamed: Renamed::new(), unknowns: None };
        self.reference = Some(Named::new("reference", plan));
        self
    }

    /// A reference solution by Fourier series and exponential steps in time, for evolutions in one periodic coordinate.
    pub fn reference_fourier(mut self, resolution: Resolution) -> Self {
        self.reference = Some(Named::new("reference", ReferencePlan::Fourier(resolution)));
        self
    }

    /// A reference solution of Laplace's equation in a rectangle with round holes, by so many harmonic functions about each.
    pub fn reference_laplace(mut self, terms: usize) -> Self {
        self.reference = Some(Named::new("reference", ReferencePlan::Laplace { terms }));
        self
    }

    /// The relative error below which a run counts as solved.
    pub fn success(mut self, threshold: f64) -> Self {
        self.success = Some(threshold);
        self
    }
}
