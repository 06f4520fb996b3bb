//! Where errors are measured, and the reference solution there.

use ropinn_domain::{Layout, Points, Purpose};

use super::Problem;
use super::error::ProblemError;
use super::reference::Reference;
use super::spread::Spread;

/// Scattered points at which errors are measured when nothing else is said.
const DEFAULT_COUNT: usize = 10_000;

/// The grid behind evaluation points, for pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct EvaluationGrid {
    /// Nodes per axis.
    pub counts: Vec<usize>,
    /// Coordinates of the nodes along each axis.
    pub nodes: Vec<Vec<f64>>,
    /// For each evaluation point its index in the grid, the first axis varying fastest. All indices in order, unless
    /// part of the grid lies outside the domain.
    pub cells: Vec<usize>,
}

/// The points at which errors are measured.
#[derive(Clone, Debug, PartialEq)]
pub struct EvaluationSet {
    /// Coordinates, indexed `[point][axis]`.
    pub points: Vec<f64>,
    /// Coordinates per point.
    pub axes: usize,
    /// The grid the points form, if they do.
    pub grid: Option<EvaluationGrid>,
    /// The reference solution, indexed `[point][unknown]`; NaN for an unknown without one.
    pub reference: Option<Vec<f64>>,
}

impl EvaluationSet {
    /// The number of points.
    pub fn len(&self) -> usize {
        self.points.len() / self.axes.max(1)
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }
}

impl Problem {
    /// The points at which errors are measured with the reference solution there. They do not depend on the seed of a
    /// run: a tabulated reference brings its own points, else the file's `[evaluation]`, the interior grid, or 10,000
    /// Halton points are taken.
    ///
    /// ```
    /// let convection = ropinn::problem::Problem::builtin("convection")?;
    /// let set = convection.evaluation()?;
    /// let (point, u) = (&set.points[..2], set.reference.as_ref().map(|values| values[0]));
    /// assert_eq!((set.len(), u), (101 * 101, Some((point[0] - 50.0 * point[1]).sin())));
    /// # Ok::<(), ropinn::problem::ProblemError>(())
    /// ```
    pub fn evaluation(&self) -> Result<EvaluationSet, ProblemError> {
        let axes = self.ranges.len();
        if let Some(Reference::Tabulated { points, values }) = &self.reference {
            return Ok(EvaluationSet { points: points.clone(), axes, grid: None, reference: Some(values.clone()) });
        }
        let (points, grid) = self.evaluation_points()?;
        if let Some(Reference::Solved(solver)) = &self.reference {
            let found = solver.values(points.coords()).map_err(|error| self.of_reference(error))?;
            let reference = Some(self.checked(found.values, &points)?);
            return Ok(EvaluationSet { points: points.into_coords(), axes, grid, reference });
        }
        let reference = self.compared_with(points.coords())?.map(|values| self.checked(values, &points)).transpose()?;
        Ok(EvaluationSet { points: points.into_coords(), axes, grid, reference })
    }

    /// The same points without the reference there, which may take its time.
    pub fn evaluation_places(&self) -> Result<Vec<f64>, ProblemError> {
        match &self.reference {
            Some(Reference::Tabulated { points, .. }) => Ok(points.clone()),
            _ => Ok(self.evaluation_points()?.0.into_coords()),
        }
    }

    /// How many points that are at most: those of a grid outside the domain are left out.
    pub fn evaluation_count(&self) -> usize {
        match &self.reference {
            Some(Reference::Tabulated { points, .. }) => points.len() / self.ranges.len().max(1),
            _ => self.evaluation_spread().count(),
        }
    }

    fn evaluation_spread(&self) -> Spread {
        let interior_grid = || self.points.interior.clone().filter(|spread| spread.grid_counts().is_some());
        let spread = self.evaluation.clone().or_else(interior_grid);
        spread.unwrap_or_else(|| Spread::scattered(Layout::Halton, DEFAULT_COUNT))
    }

    fn evaluation_points(&self) -> Result<(Points, Option<EvaluationGrid>), ProblemError> {
        const WHAT: &str = "the evaluation points";
        let spread = self.evaluation_spread();
        spread.check(WHAT)?;
        let Some(counts) = spread.grid_counts() else {
            return Ok((self.sample_inside(&spread, Purpose::Evaluation, 0, WHAT)?, None));
        };
        let refused = |source| ProblemError::Sampling { what: WHAT.to_owned(), source };
        let around = self.bounding_geometry().map_err(refused)?;
        let all = around.sample_interior(spread.count(), spread.layout(), 0).map_err(refused)?;
        let mut stride = 1;
        let mut nodes = Vec::with_capacity(counts.len());
        for (axis, &count) in counts.iter().enumerate() {
            nodes.push((0..count).map(|j| all.row(j * stride)[axis]).collect());
            stride *= count;
        }
        let is_box = self.geometry.as_box().is_some();
        let inside = |i: &usize| is_box || self.geometry.contains(all.row(*i), self.touching());
        let cells: Vec<usize> = (0..all.len()).filter(inside).collect();
        if cells.is_empty() {
            return Err(ProblemError::EmptyGrid { what: WHAT.to_owned(), count: all.len() });
        }
        let grid = EvaluationGrid { counts: counts.to_vec(), nodes, cells };
        Ok((all.select(&grid.cells), Some(grid)))
    }

    /// Whether there is a reference solution.
    pub fn has_reference(&self) -> bool {
        self.reference.is_some()
    }

    /// Whether the reference is a formula, or as good as one: neither a table nor the work of another solver.
    pub fn reference_is_exact(&self) -> bool {
        matches!(self.reference, Some(Reference::ClosedForm(_) | Reference::ColeHopf { .. }))
    }

    /// For each unknown whether there is a reference of it: there may be one of some of them only.
    pub fn referenced(&self) -> Vec<bool> {
        let unknowns = self.scope.unknown_names().len();
        match &self.reference {
            None => vec![false; unknowns],
            Some(Reference::Tabulated { values, .. }) => {
                values[..unknowns].iter().map(|value| !value.is_nan()).collect()
            }
            Some(Reference::Solved(solver)) => solver.referenced(),
            Some(Reference::ClosedForm(exprs)) => {
                exprs.iter().map(|expr| expr.as_constant().is_none_or(f64::is_finite)).collect()
            }
            Some(_) => vec![true; unknowns],
        }
    }

    /// How far the reference is off by its own estimate, relative to its size, if it is computed.
    pub fn reference_error(&self) -> Result<Option<f64>, ProblemError> {
        if let Some(Reference::Solved(_)) = &self.reference {
            return Ok(self.reference_values(&self.evaluation_places()?)?.and_then(|found| found.error));
        }
        self.reference
            .as_ref()
            .map_or(Ok(None), |reference| reference.error().map_err(|error| self.of_reference(error)))
    }

    /// The reference at any points `[point][axis]`, indexed `[point][unknown]`; NaN where it has no value. `None` if there is
    /// no reference, or one that is known at its own points only: a table, or what a numerical solver has found. One that is computed takes its time once; [`Self::evaluation`] tells why if it cannot.
    pub fn reference_at(&self, points: &[f64]) -> Option<Vec<f64>> {
        let count = points.len() / self.ranges.len().max(1) * self.scope.unknown_names().len();
        self.compared_with(points).unwrap_or_else(|_| Some(vec![f64::NAN; count]))
    }

    fn compared_with(&self, points: &[f64]) -> Result<Option<Vec<f64>>, ProblemError> {
        let Some(reference) = &self.reference else { return Ok(None) };
        reference.values(points, self.ranges.len()).map_err(|error| self.of_reference(error))
    }

    /// What was wrong with a reference, with the place where it is asked for.
    pub(super) fn of_reference(&self, error: ProblemError) -> ProblemError {
        match &self.reference {
            Some(Reference::Computed(computed)) => error.at(self.source.position(computed.written_at)),
            Some(Reference::Solved(solver)) => error.at(self.source.position(solver.written_at)),
            _ => error,
        }
    }

    /// Refuses values of the reference that are not finite.
    fn checked(&self, values: Vec<f64>, points: &Points) -> Result<Vec<f64>, ProblemError> {
        let (unknowns, referenced) = (self.scope.unknown_names(), self.referenced());
        let bad = |(k, value): (usize, &f64)| !value.is_finite() && referenced[k % unknowns.len()];
        match values.iter().enumerate().position(bad) {
            None => Ok(values),
            Some(bad) => {
                let named = self.scope.coord_names().iter().zip(points.row(bad / unknowns.len()));
                let point: Vec<String> = named.map(|(name, value)| format!("{name} = {value}")).collect();
                Err(ProblemError::ReferenceNotFinite {
                    unknown: unknowns[bad % unknowns.len()].clone(),
                    value: values[bad],
                    point: point.join(", "),
                })
            }
        }
    }
}
