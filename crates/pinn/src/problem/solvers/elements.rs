//! Diffusion by finite elements: c u_t = ∇·(p∇u) − qu + f in a rectangle with round holes, at rest or in time.
//!
//! From T u_t + A Δu + Q u + S = 0: in plain form p = 1, c = −T/A, q = −Q/A, f = S/A; in divergence form, with the sign σ of −A,
//! p = |A|, c = σT, q = σQ, f = −σS.

use ropinn_expr::{Expr, Lookup, MultiIndex, Node, Tape};
use ropinn_reference::elements::{Condition, Diffusion, Evolving, Triangles, heat, steady};
use ropinn_reference::{Reference, SolveError};

use super::super::error::ProblemError;
use super::super::solvable::Stated;
use super::super::solved::Plan;
use super::laws::Law;
use super::linear::Linear;
use super::outline::Outline;
use super::{Form, MeshPlan};

/// Cells along a side for which there are memory and time.
const MOST_CELLS: usize = 2048;

/// A problem of diffusion.
#[derive(Debug)]
pub(super) struct Elements {
    field: usize,
    diffusivity: Tape,
    decay: Tape,
    source: Tape,
    laws: Vec<Boundary>,
    triangles: Triangles,
    evolution: Option<Evolution>,
}

#[derive(Debug)]
struct Evolution {
    capacity: Tape,
    initial: Tape,
    start: f64,
    steps: usize,
}

#[derive(Debug)]
enum Boundary {
    Value(Tape),
    Flux(Tape, f64),
}

impl Elements {
    pub fn new(
        stated: &Stated<'_>,
        mesh: &MeshPlan,
        steps: usize,
        form: Form,
        equation: Option<Expr>,
    ) -> Result<Self, ProblemError> {
        let around = stated.around;
        let refuse = |reason: String| ProblemError::NotSolvable {
            solver: "elements",
            solves: "one linear equation of diffusion in a rectangle with round holes",
            reason,
        };
        let equations: Vec<Expr> = match equation {
            Some(equation) => vec![equation],
            None => stated.equations().map(|(_, residual)| residual.clone()).collect(),
        };
        let [equation] = &equations[..] else {
            return Err(refuse(format!("here are {} equations", equations.len())));
        };
        let outline = Outline::new(around.geometry).map_err(refuse)?;
        let linear = Linear::new(equation, 2, around.time_axis.map(MultiIndex::unit), form).map_err(refuse)?;
        let law = |tag| {
            Ok(match stated.law(linear.field, tag) {
                Some(Law::Value(value)) => Boundary::Value(Tape::new(&value)),
                Some(Law::Flux { given, transfer }) => Boundary::Flux(Tape::new(&given), transfer),
                None => return Err(refuse(format!("nothing it knows of is said on {tag}"))),
            })
        };
        let laws = outline.tags.iter().copied().map(law).collect::<Result<_, ProblemError>>()?;
        let evolution = match around.time_axis {
            None => None,
            Some(axis) => {
                let initial = stated.initial_value(linear.field);
                let initial = initial.ok_or_else(|| refuse("the first instant has no values".to_owned()))?;
                let capacity = match form {
                    Form::Plain => -(linear.rate.clone() / linear.second.clone()),
                    Form::Divergence => signed(&linear.rate, &linear.second),
                };
                let (capacity, initial) = (Tape::new(&capacity), Tape::new(&initial));
                Some(Evolution { capacity, initial, start: around.ranges[axis].0, steps })
            }
        };
        let (diffusivity, decay, source) = match form {
            Form::Plain => (
                Expr::constant(1.0),
                -(linear.value.clone() / linear.second.clone()),
                linear.source.clone() / linear.second.clone(),
            ),
            Form::Divergence => {
                let decay = signed(&linear.value, &linear.second);
                (linear.second.abs(), decay, -signed(&linear.source, &linear.second))
            }
        };
        let triangles = triangles(stated, mesh, &outline)?;
        let [diffusivity, decay, source] = [diffusivity, decay, source].map(|expr| Tape::new(&expr));
        Ok(Elements { field: linear.field, diffusivity, decay, source, laws, triangles, evolution })
    }
}

/// Something times the sign of −A.
fn signed(what: &Expr, second: &Expr) -> Expr {
    -(what.clone() * second.sign())
}

fn triangles(stated: &Stated<'_>, mesh: &MeshPlan, outline: &Outline) -> Result<Triangles, ProblemError> {
    let (around, (low, high)) = (stated.around, outline.domain.bounds());
    let refuse = |reason: String| ProblemError::NotSolvable {
        solver: "elements",
        solves: "problems in a rectangle without holes on `cells` or the cells of a `table`",
        reason,
    };
    if !matches!(mesh, MeshPlan::Size(_)) && !outline.is_rectangle() {
        return Err(refuse("here is something taken away; give a `size` instead".to_owned()));
    }
    match mesh {
        MeshPlan::Size(size) => Ok(Triangles::Size(outline.domain.clone(), *size)),
        MeshPlan::Cells(counts) => {
            if let Some(count) = counts.iter().find(|count| **count > MOST_CELLS) {
                return Err(refuse(format!("{count} cells are more than the {MOST_CELLS} that are possible")));
            }
            let lines = |axis: usize| -> Vec<f64> {
                let share = |k: usize| k as f64 / counts[axis] as f64;
                (0..=counts[axis]).map(|k| low[axis] * (1.0 - share(k)) + high[axis] * share(k)).collect()
            };
            Ok(Triangles::Lines(lines(0), lines(1)))
        }
        MeshPlan::Table(name) => {
            let parsed = around.scope.parse(name).ok();
            let Some(Node::Table { table, .. }) = parsed.as_ref().map(Expr::node) else {
                return Err(refuse(format!("`{name}` is no table")));
            };
            let lines = |axis: usize| -> Result<Vec<f64>, ProblemError> {
                let coordinate = &around.scope.coord_names()[axis];
                let own = table.axes().iter().find(|own| own.name == *coordinate);
                let own = own.ok_or_else(|| refuse(format!("table `{name}` has no axis `{coordinate}`")))?;
                let mut inner = match table.lookup() {
                    Lookup::Linear => own.nodes.clone(),
                    Lookup::Nearest => own.nodes.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect(),
                };
                inner.retain(|line| low[axis] < *line && *line < high[axis]);
                Ok([&[low[axis]], &inner[..], &[high[axis]]].concat())
            };
            let (xs, ys) = (lines(0)?, lines(1)?);
            match xs.len().max(ys.len()) > MOST_CELLS {
                true => Err(refuse(format!("table `{name}` has more than {MOST_CELLS} nodes"))),
                false => Ok(Triangles::Lines(xs, ys)),
            }
        }
    }
}

impl Plan for Elements {
    fn method(&self) -> &'static str {
        "finite elements"
    }

    fn fields(&self) -> Vec<usize> {
        vec![self.field]
    }

    fn solve(&self, instants: &[f64]) -> Result<Reference, SolveError> {
        let (diffusivity, decay) = (|at: &[f64]| self.diffusivity.eval(at, &[]), |at: &[f64]| self.decay.eval(at, &[]));
        let source = |at: &[f64]| self.source.eval(at, &[]);
        type Given<'a> = Box<dyn Fn(&[f64]) -> f64 + Sync + 'a>;
        fn given(law: &Boundary) -> Given<'_> {
            let (Boundary::Value(tape) | Boundary::Flux(tape, _)) = law;
            Box::new(|at: &[f64]| tape.eval(at, &[]))
        }
        let given: Vec<Given<'_>> = self.laws.iter().map(given).collect();
        let condition = |(law, given)| match law {
            &Boundary::Flux(_, transfer) => Condition::Flux { given, transfer },
            Boundary::Value(_) => Condition::Value(given),
        };
        let conditions = self.laws.iter().zip(given.iter().map(|given| &**given)).map(condition).collect();
        let diffusion = Diffusion { diffusivity: &diffusivity, decay: &decay, source: &source, conditions };
        let Some(Evolution { capacity, initial, start, steps }) = &self.evolution else {
            return steady(&diffusion, &self.triangles);
        };
        let (capacity, initial) = (|at: &[f64]| capacity.eval(at, &[]), |at: &[f64]| initial.eval(at, &[]));
        let (instants, start, steps) = (instants.to_vec(), *start, *steps);
        heat(&diffusion, &Evolving { capacity: &capacity, initial: &initial, start, instants, steps }, &self.triangles)
    }
}
