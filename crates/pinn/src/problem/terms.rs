//! The terms of a problem's loss with their points and data drawn.

use ropinn_domain::{Purpose, Stream};
use ropinn_expr::{Env, Expr};

use super::Problem;
use super::error::ProblemError;
use super::sampling::{Batch, Sampler};
use super::spread::check_count;
use super::term::{MadeOf, Support, Term, TermGroup};

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
        let mut terms = self.drawn(seed, |_| true)?;
        let total = terms.iter().map(|term| term.samples(self.ranges.len()) * term.sites).sum();
        check_count("the problem", total)?;
        terms.sort_by_key(|term| term.group);
        Ok(terms)
    }

    /// Whether equations and conditions are linear in the unknowns.
    pub fn is_linear(&self) -> bool {
        self.terms.iter().all(|(term, _)| term.residuals.iter().all(ropinn_expr::Expr::is_affine))
    }

    /// The terms of observed values alone: where sensors stand, and what they have measured.
    pub fn observations(&self, seed: u64) -> Result<Vec<Term>, ProblemError> {
        self.drawn(seed, |term| term.group == TermGroup::Data)
    }

    /// Some of the terms, with their points and data.
    fn drawn(&self, seed: u64, wanted: impl Fn(&Term) -> bool) -> Result<Vec<Term>, ProblemError> {
        let mut sampler = Sampler::new(self, seed);
        let own = self.terms.iter().enumerate().filter(|(_, (term, _))| wanted(term));
        own.map(|(index, (term, support))| {
            let (points, data) = self.draw(index, term, support, &mut sampler)?;
            Ok(Term { points, data, ..term.clone() })
        })
        .collect()
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
            Support::Made { values, noise, seed, spread, written_at } => {
                let what = format!("condition `{name}`");
                let spread = spread.clone().unwrap_or_else(|| self.interior());
                let seed = seed.map_or_else(|| sampler.seed_of(index), u64::from);
                let points = self.sample_inside(&spread, Purpose::Noise, seed, &what)?;
                let mut data = self.made_values(values, points.coords())?;
                let mut stream = Stream::new(seed, Purpose::Noise);
                data.iter_mut().for_each(|value| *value += noise * stream.normal());
                if let Some(value) = data.iter().find(|value| !value.is_finite()) {
                    let (at, what) = (self.source.position(*written_at), format!("every value of {what}"));
                    return Err(ProblemError::NotANumber { what, value: value.to_string() }.at(at));
                }
                (points.into_coords(), data)
            }
        })
    }

    /// What readings would be without noise, `[point][quantity]`.
    fn made_values(&self, values: &MadeOf, points: &[f64]) -> Result<Vec<f64>, ProblemError> {
        let axes = self.ranges.len();
        match values {
            MadeOf::Formulas(formulas) => {
                let at = |point| formulas.iter().map(move |value| value.eval(&Env::at(point)));
                Ok(points.chunks_exact(axes).flat_map(at).collect())
            }
            MadeOf::Reference(fields) => {
                let unknowns = self.unknown_names().len();
                let known = self.reference.as_ref().map(|reference| reference.values(points, axes)).transpose()?;
                let known = known.flatten().unwrap_or_default();
                Ok(known.chunks_exact(unknowns).flat_map(|row| fields.iter().map(|&field| row[field])).collect())
            }
        }
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
