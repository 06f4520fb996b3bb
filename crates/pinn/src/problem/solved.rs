//! Solutions by numerical solvers, which may take minutes: known at the points that were asked for, and nowhere else.
//!
//! A solver works for the instants of all points at once. What it found stays with all copies of the problem, and whoever has kept
//! values since another day supplies them before they are asked for.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use ropinn_reference::SolveError;

use super::error::ProblemError;

/// More instants than any evaluation grid has; scattered times are refused before anything is computed.
const MOST_INSTANTS: usize = 2001;

/// A solver with all it needs of a problem.
pub(super) trait Plan: Debug + Send + Sync {
    /// What it does, in words.
    fn method(&self) -> &'static str;
    /// The unknowns of the problem it finds, in its own order.
    fn fields(&self) -> Vec<usize>;
    /// The solution at these instants; none for a problem without time.
    fn solve(&self, instants: &[f64]) -> Result<ropinn_reference::Reference, SolveError>;
}

/// A reference solution at some points, and how far it is off.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceValues {
    /// Indexed `[point][unknown]`; NaN for an unknown without a reference.
    pub values: Vec<f64>,
    /// Its own estimate from two resolutions, relative to the size of the solution; none if it is as good as its numbers.
    pub error: Option<f64>,
}

/// A solver, and what is known of its solution.
#[derive(Clone, Debug)]
pub(super) struct Solver {
    plan: Arc<dyn Plan>,
    has_time: bool,
    axes: usize,
    unknowns: usize,
    found: Arc<Mutex<Found>>,
    /// About how long it takes on two cores, if the file says so.
    pub seconds: Option<f64>,
    /// Where the file says so.
    pub written_at: usize,
}

#[derive(Default)]
struct Found {
    /// The last solution and its instants.
    solution: Option<(Vec<f64>, Arc<ropinn_reference::Reference>)>,
    values: BTreeMap<u64, ReferenceValues>,
}

impl Debug for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Found").field("sets", &self.values.len()).finish_non_exhaustive()
    }
}

impl Solver {
    /// For a problem of so many coordinates, the last of them perhaps time, and unknowns.
    pub fn new(
        plan: Arc<dyn Plan>,
        (axes, has_time, unknowns): (usize, bool, usize),
        seconds: Option<f64>,
        written_at: usize,
    ) -> Self {
        Self { plan, has_time, axes, unknowns, found: Arc::default(), seconds, written_at }
    }

    pub fn plan(&self) -> &dyn Plan {
        &*self.plan
    }

    /// Which unknowns it has values of.
    pub fn referenced(&self) -> Vec<bool> {
        let fields = self.plan.fields();
        (0..self.unknowns).map(|unknown| fields.contains(&unknown)).collect()
    }

    /// Takes values that were found before.
    pub fn supply(&self, points: &[f64], values: ReferenceValues) {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).values.insert(hash(points), values);
    }

    /// What is known already.
    pub fn known(&self, points: &[f64]) -> Option<ReferenceValues> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).values.get(&hash(points)).cloned()
    }

    /// Values at points `[point][coordinate]`.
    pub fn values(&self, points: &[f64]) -> Result<ReferenceValues, ProblemError> {
        // Others who need the same solution wait for it here.
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = found.values.get(&hash(points)) {
            return Ok(known.clone());
        }
        let instants = self.instants(points)?;
        let covers =
            |own: &[f64]| instants.iter().all(|instant| own.binary_search_by(|t| t.total_cmp(instant)).is_ok());
        let solution = match found.solution.take().filter(|(own, _)| covers(own)) {
            Some((own, solution)) => {
                found.solution = Some((own, solution.clone()));
                solution
            }
            None => {
                let solution = Arc::new(self.plan.solve(&instants)?);
                found.solution = Some((instants, solution.clone()));
                solution
            }
        };
        let own = solution.values(points);
        let fields = self.plan.fields();
        let mut values = vec![f64::NAN; points.len() / self.axes.max(1) * self.unknowns];
        for (row, solved) in values.chunks_exact_mut(self.unknowns).zip(own.chunks_exact(fields.len().max(1))) {
            fields.iter().zip(solved).for_each(|(&field, &value)| row[field] = value);
        }
        let values = ReferenceValues { values, error: Some(solution.error()) };
        found.values.insert(hash(points), values.clone());
        Ok(values)
    }

    /// The different times of points, in order.
    fn instants(&self, points: &[f64]) -> Result<Vec<f64>, ProblemError> {
        if !self.has_time {
            return Ok(Vec::new());
        }
        let mut instants: Vec<f64> = points.iter().skip(self.axes - 1).step_by(self.axes).copied().collect();
        instants.sort_by(f64::total_cmp);
        instants.dedup();
        match instants.len() > MOST_INSTANTS {
            true => Err(ProblemError::ScatteredInstants { count: instants.len(), most: MOST_INSTANTS }),
            false => Ok(instants),
        }
    }
}

fn hash(points: &[f64]) -> u64 {
    let mut hasher = DefaultHasher::new();
    points.iter().for_each(|coordinate| coordinate.to_bits().hash(&mut hasher));
    hasher.finish()
}
