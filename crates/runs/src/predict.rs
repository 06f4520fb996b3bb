//! Values and derivatives of a trained solution at points of one's own.

use crate::error::RunError;
use crate::folder::FinishedRun;
use ropinn::metrics::Predictor;
use ropinn_engine::Threads;

/// Predicts what is wanted of a finished run.
pub struct RunPredictor {
    predictor: Predictor,
    theta: Vec<f64>,
    coordinates: Vec<String>,
    wanted: Vec<String>,
}

impl RunPredictor {
    /// Makes predictions of `wanted` ready: unknowns, derivatives, expressions of them, separated by commas; all unknowns
    /// unless given.
    pub fn new(run: &FinishedRun, wanted: Option<&str>, threads: &Threads) -> Result<Self, RunError> {
        let (case, theta) = run.trained_for_predictions(threads)?;
        let wanted = wanted.map_or_else(|| case.problem().unknown_names().to_vec(), split_list);
        let coordinates = case.problem().coordinate_names().to_vec();
        Ok(Self { predictor: Predictor::of(&case, &wanted)?, theta, coordinates, wanted })
    }

    /// Names of the coordinates, in the order points have them.
    pub fn coordinates(&self) -> &[String] {
        &self.coordinates
    }

    /// `[point][wanted]` at points `[point][coordinate]`.
    pub fn predict(&mut self, points: &[f64]) -> Result<Vec<f64>, RunError> {
        self.predictor.predict(&self.theta, points).map_err(RunError::run)
    }

    /// The first line of a table of predictions.
    pub fn csv_header(&self) -> String {
        csv_lines([self.coordinates.iter().chain(&self.wanted)])
    }

    /// A line for each point: its coordinates, then what is wanted.
    pub fn csv(&mut self, points: &[f64]) -> Result<String, RunError> {
        let values = self.predict(points)?;
        let rows = points.chunks_exact(self.coordinates.len()).zip(values.chunks_exact(self.wanted.len()));
        Ok(csv_lines(rows.map(|(point, values)| point.iter().chain(values).map(f64::to_string))))
    }
}

/// Lines of a table, quoted where they need it.
fn csv_lines<L: IntoIterator<Item: AsRef<[u8]>>>(lines: impl IntoIterator<Item = L>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    lines.into_iter().for_each(|line| writer.write_record(line).expect("lines of equal length, written to memory"));
    String::from_utf8(writer.into_inner().expect("written to memory")).expect("cells are text")
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
