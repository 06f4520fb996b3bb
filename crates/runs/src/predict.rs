//! Values and derivatives of a trained solution at points of one's own.

use crate::error::RunError;
use crate::folder::{FinishedRun, csv_lines};
use crate::points::Batch;
use ropinn::case::Case;
use ropinn::metrics::Predictor;
use ropinn_engine::Threads;

/// How far beyond the domain's edge, compared with its size, a point may be for rounding: tables are written with few digits.
const ROUNDING: f64 = 1e-6;

/// Predicts what is wanted of a finished run.
pub struct RunPredictor {
    case: Case,
    predictor: Predictor,
    theta: Vec<f64>,
    wanted: Vec<String>,
}

impl RunPredictor {
    /// Makes predictions of `wanted` ready: unknowns, derivatives, expressions of them, separated by commas; all unknowns
    /// unless given.
    pub fn new(run: &FinishedRun, wanted: Option<&str>, threads: &Threads) -> Result<Self, RunError> {
        let (case, theta) = run.trained_for_predictions(threads)?;
        let wanted = wanted.map_or_else(|| case.problem().unknown_names().to_vec(), split_list);
        Ok(Self { predictor: Predictor::of(&case, &wanted)?, case, theta, wanted })
    }

    /// Makes the residuals of the equations ready, which vanish for a solution.
    pub fn residuals(run: &FinishedRun, threads: &Threads) -> Result<Self, RunError> {
        let (case, theta) = run.trained_for_predictions(threads)?;
        let (wanted, residuals) = case.problem().equations().map(|(name, r)| (name.to_owned(), r.clone())).unzip();
        Ok(Self { predictor: Predictor::new(&case, residuals)?, case, theta, wanted })
    }

    /// What is predicted, in order.
    pub fn wanted(&self) -> &[String] {
        &self.wanted
    }

    /// Names of the coordinates, in the order points have them.
    pub fn coordinates(&self) -> &[String] {
        self.case.problem().coordinate_names()
    }

    /// `[point][wanted]` at points `[point][coordinate]`.
    pub fn predict(&mut self, points: &[f64]) -> Result<Vec<f64>, RunError> {
        self.predictor.predict(&self.theta, points).map_err(RunError::run)
    }

    /// How many points lie outside the domain, holes included: the network was never trained there.
    pub fn outside(&self, points: &[f64]) -> usize {
        let (problem, geometry) = (self.case.problem(), self.case.problem().geometry());
        let size = problem.ranges().iter().map(|(low, high)| high - low).fold(f64::INFINITY, f64::min);
        let points = points.chunks_exact(self.coordinates().len());
        points.filter(|point| !geometry.contains(point, ROUNDING * size)).count()
    }

    /// The first line of a table of predictions: the columns of the points' file, then what is wanted. Where the file has a
    /// column of that name, such as measurements of `u`, the prediction is `u_predicted`.
    pub fn csv_header(&self, head: &[String]) -> String {
        let mut names = head.to_vec();
        for wanted in &self.wanted {
            let mut name = wanted.clone();
            while names.contains(&name) {
                name += "_predicted";
            }
            names.push(name);
        }
        csv_lines([names])
    }

    /// A line for each point: its line of the file, then what is wanted.
    pub fn csv(&mut self, batch: &Batch) -> Result<String, RunError> {
        let values = self.predict(&batch.points)?;
        let rows = batch.lines.iter().zip(values.chunks_exact(self.wanted.len()));
        let cells = |(line, values): (&csv::StringRecord, &[f64])| {
            line.iter().map(str::to_owned).chain(values.iter().map(f64::to_string)).collect::<Vec<_>>()
        };
        Ok(csv_lines(rows.map(cells)))
    }
}

/// Splits at commas that are not inside brackets: `u, min(u, 1)` are two.
fn split_list(list: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for c in list.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth <= 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("the list starts with one part").push(c);
    }
    parts.into_iter().map(|part| part.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::split_list;

    #[test]
    fn commas_in_calls_do_not_split() {
        assert_eq!(split_list("u, u_x,min(u, max(0,1)) ,2*u"), ["u", "u_x", "min(u, max(0,1))", "2*u"]);
        assert_eq!(split_list("u,"), ["u", ""]);
    }
}
