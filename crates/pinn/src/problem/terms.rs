//! The terms of a problem's loss: residual expressions with the points and data they are taken at.

use ropinn_domain::{Purpose, Stream};
use ropinn_expr::{Env, Expr};

use super::Problem;
use super::error::ProblemError;
use super::place::Place;
use super::sampling::{Batch, Sampler};
use super::spread::{Spread, check_count};

/// The name of the equations' term.
pub(super) const EQUATIONS: &str = "residual";

/// What a term of the loss stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TermGroup {
    /// The equations.
    Residual,
    /// Conditions at an instant.
    Initial,
    /// Conditions on the boundary, periodic ones included.
    Boundary,
    /// Observed values.
    Data,
}

/// One term: expressions that must vanish at the same points, each a mean square of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// Name for messages and records: `residual` for the equations, else that of the condition.
    pub name: String,
    /// What it stands for.
    pub group: TermGroup,
    /// The expressions.
    pub residuals: Vec<Expr>,
    /// A name for each expression: that of the equation, the unknown or the column.
    pub labels: Vec<String>,
    /// Coordinates, indexed `[sample][site][axis]`, once they are drawn.
    pub points: Vec<f64>,
    /// Linked points per sample: 2 for the pairs of periodic conditions, else 1.
    pub sites: usize,
    /// Data columns, indexed `[sample][column]`: normals or observed values.
    pub data: Vec<f64>,
    /// Factor in the loss.
    pub weight: f64,
    /// Whether models that see a sequence of instants take this term at the first one only, as initial values do.
    pub first_element_only: bool,
}

impl Term {
    /// A term of weight 1 without points.
    pub(super) fn new(name: String, group: TermGroup, residuals: Vec<(String, Expr)>) -> Self {
        let (labels, residuals) = residuals.into_iter().unzip();
        let (points, data) = (Vec::new(), Vec::new());
        Self { name, group, residuals, labels, points, sites: 1, data, weight: 1.0, first_element_only: false }
    }

    /// The number of samples, for `axes` coordinates.
    pub fn samples(&self, axes: usize) -> usize {
        self.points.len() / (self.sites * axes).max(1)
    }
}

/// Which points a term is taken on.
#[derive(Clone, Debug)]
pub(super) enum Support {
    /// Points of the interior, and those of all others if the equations hold everywhere.
    Equations,
    /// Points of these places; normals as data columns if the residuals use them.
    Places { places: Vec<Place>, spread: Option<Spread> },
    /// Pairs of points, the first at the high end of the axis and the second at its low end.
    Pairs { axis: usize, high: Place, low: Place, spread: Option<Spread> },
    /// The points and data it has.
    Given,
    /// Points of the interior with data made from formulas.
    Made { values: Vec<Expr>, noise: f64, spread: Option<Spread>, written_at: usize },
}

impl Problem {
    /// The terms of the loss in the order equations, initial, boundary and data conditions. The same seed gives the
    /// same points.
    ///
    /// ```
    /// use ropinn::problem::{Problem, TermGroup};
    /// let terms = Problem::builtin("convection")?.terms(0)?;
    /// let sizes: Vec<_> = terms.iter().map(|term| (term.group, term.samples(2))).collect();
    /// assert_eq!(sizes, [(TermGroup::Residual, 10201), (TermGroup::Initial, 101), (TermGroup::Boundary, 101)]);
    /// # Ok::<(), ropinn::problem::ProblemError>(())
    /// ```
    pub fn terms(&self, seed: u64) -> Result<Vec<Term>, ProblemError> {
        let mut sampler = Sampler::new(self, seed);
        let draw = |(index, (term, support)): (usize, &(Term, Support))| {
            let (points, data) = self.draw(index, term, support, &mut sampler)?;
            Ok(Term { points, data, ..term.clone() })
        };
        let mut terms = self.terms.iter().enumerate().map(draw).collect::<Result<Vec<_>, ProblemError>>()?;
        let total = terms.iter().map(|term| term.samples(self.ranges.len()) * term.sites).sum();
        check_count("the problem", total)?;
        terms.sort_by_key(|term| term.group);
        Ok(terms)
    }

    /// Points and data of the `index`-th term.
    fn draw(
        &self,
        index: usize,
        term: &Term,
        support: &Support,
        sampler: &mut Sampler<'_>,
    ) -> Result<(Vec<f64>, Vec<f64>), ProblemError> {
        let name = &term.name;
        Ok(match support {
            Support::Equations => (sampler.of_equations()?, Vec::new()),
            Support::Places { places, spread } => {
                let batch = sampler.of_places(places, spread.as_ref(), name)?;
                let normals = normal_columns(&batch, &term.residuals, self.geometry.space_dim());
                (batch.coords, normals)
            }
            Support::Pairs { axis, high, low, spread } => {
                let batch = sampler.of_pairs((high, low), spread.as_ref(), name)?;
                (self.pairs(&batch.coords, *axis), Vec::new())
            }
            Support::Given => (term.points.clone(), term.data.clone()),
            Support::Made { values, noise, spread, written_at } => {
                let what = format!("condition `{name}`");
                let missing = || ProblemError::NoPoints { what: what.clone(), key: "interior" };
                let spread = spread.as_ref().or(self.points.interior.as_ref()).ok_or_else(missing)?;
                let seed = sampler.seed_of(index);
                let points = self.sample_inside(spread, Purpose::Noise, seed, &what)?;
                let data = noisy(points.iter(), values, *noise, seed);
                if let Some(value) = data.iter().find(|value| !value.is_finite()) {
                    let (at, what) = (self.source.position(*written_at), format!("every value of {what}"));
                    return Err(ProblemError::NotANumber { what, value: value.to_string() }.at(at));
                }
                (points.into_coords(), data)
            }
        })
    }

    /// Each point at the high end of the axis, and again at its low end.
    fn pairs(&self, coords: &[f64], axis: usize) -> Vec<f64> {
        let (low, high) = self.ranges[axis];
        let pair = |row: &[f64]| {
            [high, low]
                .into_iter()
                .flat_map(|end| {
                    let mut moved = row.to_vec();
                    moved[axis] = end;
                    moved
                })
                .collect::<Vec<f64>>()
        };
        coords.chunks_exact(self.ranges.len()).flat_map(pair).collect()
    }
}

/// The components of the normals that the residuals use, up to the last one used: evaluators count columns that way.
fn normal_columns(batch: &Batch, residuals: &[Expr], space: usize) -> Vec<f64> {
    let used = residuals.iter().flat_map(Expr::data_columns).max().map_or(0, |last| last + 1);
    batch.normals.chunks_exact(space).flat_map(|normal| &normal[..used.min(space)]).copied().collect()
}

/// The values at each point with independent normal noise.
fn noisy<'a>(points: impl Iterator<Item = &'a [f64]>, values: &[Expr], noise: f64, seed: u64) -> Vec<f64> {
    let mut stream = Stream::new(seed, Purpose::Noise);
    let mut data = Vec::new();
    for point in points {
        data.extend(values.iter().map(|value| value.eval(&Env::at(point)) + noise * stream.normal()));
    }
    data
}
