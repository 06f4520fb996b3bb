//! The terms of a problem's loss: residual expressions with the points and data they are taken at.

use ropinn_domain::{Purpose, Stream};
use ropinn_expr::{Env, Expr};

use super::Problem;
use super::error::ProblemError;
use super::resolve::{Resolved, Support};
use super::sampling::{Batch, Sampler};
use super::spread::check_count;

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
pub struct ProblemTerm {
    /// Name for messages and records: `residual` for the equations, else that of the condition.
    pub name: String,
    /// What it stands for.
    pub group: TermGroup,
    /// The expressions.
    pub residuals: Vec<Expr>,
    /// A name for each expression: that of the equation, the unknown or the column.
    pub labels: Vec<String>,
    /// Coordinates, indexed `[sample][site][axis]`.
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

impl ProblemTerm {
    /// The number of samples, for `axes` coordinates.
    pub fn samples(&self, axes: usize) -> usize {
        self.points.len() / (self.sites * axes).max(1)
    }
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
    pub fn terms(&self, seed: u64) -> Result<Vec<ProblemTerm>, ProblemError> {
        let mut sampler = Sampler::new(self, seed);
        let mut terms = Vec::with_capacity(self.conditions.len() + 1);
        for (index, condition) in self.conditions.iter().enumerate() {
            terms.push(self.condition_term(condition, index, &mut sampler)?);
        }
        let (labels, residuals) = self.equations.iter().cloned().unzip();
        terms.insert(
            0,
            ProblemTerm {
                name: "residual".to_owned(),
                group: TermGroup::Residual,
                residuals,
                labels,
                points: sampler.of_equations()?,
                sites: 1,
                data: Vec::new(),
                weight: 1.0,
                first_element_only: false,
            },
        );
        let total = terms.iter().map(|term| term.samples(self.ranges.len()) * term.sites).sum();
        check_count("the problem", total)?;
        terms.sort_by_key(|term| term.group);
        Ok(terms)
    }

    fn condition_term(
        &self,
        condition: &Resolved,
        index: usize,
        sampler: &mut Sampler<'_>,
    ) -> Result<ProblemTerm, ProblemError> {
        let name = &condition.name;
        let (points, data) = match &condition.support {
            Support::Places { places, spread } => {
                let batch = sampler.of_places(places, spread.as_ref(), name)?;
                let normals = normal_columns(&batch, &condition.residuals, self.geometry.space_dim());
                (batch.coords, normals)
            }
            Support::Pairs { axis, high, low, spread } => {
                let batch = sampler.of_pairs((high, low), spread.as_ref(), name)?;
                (self.pairs(&batch.coords, *axis), Vec::new())
            }
            Support::Rows { points, data } => (points.clone(), data.clone()),
            Support::Made { values, noise, spread } => {
                let what = format!("condition `{name}`");
                let missing = || ProblemError::NoPoints { what: what.clone(), key: "interior" };
                let spread = spread.as_ref().or(self.points.interior.as_ref()).ok_or_else(missing)?;
                let seed = sampler.seed_of(index);
                let points = self.sample_inside(spread, Purpose::Noise, seed, &what)?;
                let data = noisy(points.iter(), values, *noise, seed);
                if let Some(value) = data.iter().find(|value| !value.is_finite()) {
                    let (at, what) = (self.source.position(condition.written_at), format!("every value of {what}"));
                    return Err(ProblemError::NotANumber { at, what, value: value.to_string() });
                }
                (points.into_coords(), data)
            }
        };
        Ok(ProblemTerm {
            name: name.clone(),
            group: condition.group,
            residuals: condition.residuals.clone(),
            labels: condition.labels.clone(),
            points,
            sites: condition.support.sites(),
            data,
            weight: condition.weight,
            first_element_only: condition.first_element_only,
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
