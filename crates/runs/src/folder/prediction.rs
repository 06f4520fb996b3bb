//! The solution at the evaluation points, beside the reference if there is one.

use crate::arrays::npy_rows;
use crate::error::RunError;
use ropinn::case::Case;
use ropinn::metrics::Predictor;
use ropinn::problem::EvaluationSet;

/// Values of every unknown at every evaluation point.
pub struct Prediction {
    /// The points and the reference.
    pub set: EvaluationSet,
    /// `[point][unknown]`.
    pub values: Vec<f64>,
    /// Names of the unknowns.
    pub unknowns: Vec<String>,
    /// What the reference is called: `exact` if it is a formula, `reference` if it is a table or computed.
    pub reference_name: &'static str,
    coordinates: Vec<String>,
    /// Which unknowns have a reference.
    referenced: Vec<bool>,
}

impl Prediction {
    /// Evaluates the network with parameters `theta`.
    pub fn new(case: &Case, theta: &[f64]) -> Result<Self, RunError> {
        let (problem, set) = (case.problem(), case.problem().evaluation().map_err(RunError::run)?);
        let mut predictor = Predictor::of(case, problem.unknown_names()).map_err(RunError::run)?;
        let values = predictor.predict(theta, &set.points).map_err(RunError::run)?;
        let (unknowns, coordinates) = (problem.unknown_names().to_vec(), problem.coordinate_names().to_vec());
        let reference_name = if problem.reference_is_exact() { "exact" } else { "reference" };
        Ok(Self { set, values, unknowns, reference_name, coordinates, referenced: problem.referenced() })
    }

    /// Coordinates, unknowns, then the reference of each unknown.
    fn columns(&self) -> Vec<String> {
        let known = self.unknowns.iter().zip(&self.referenced).filter(|(_, known)| **known);
        let known = known.map(|(name, _)| format!("{name}_{}", self.reference_name));
        self.coordinates.iter().chain(&self.unknowns).cloned().chain(known).collect()
    }

    fn rows(&self) -> impl Iterator<Item = Vec<f64>> + '_ {
        let unknowns = self.unknowns.len();
        let points = self.set.points.chunks_exact(self.set.axes).zip(self.values.chunks_exact(unknowns)).enumerate();
        points.map(move |(i, (point, values))| {
            let exact = self.set.reference.as_ref().map_or(&[][..], |exact| &exact[i * unknowns..(i + 1) * unknowns]);
            let known = exact.iter().zip(&self.referenced).filter(|(_, known)| **known).map(|(value, _)| *value);
            point.iter().chain(values).copied().chain(known).collect()
        })
    }

    /// One line per point; numbers read back exactly.
    pub fn to_csv(&self) -> String {
        let rows = self.rows().map(|row| row.iter().map(f64::to_string).collect());
        csv_lines(std::iter::once(self.columns()).chain(rows))
    }

    /// The same table for NumPy.
    pub fn to_npy(&self) -> Vec<u8> {
        npy_rows(self.columns().len(), &self.rows().flatten().collect::<Vec<_>>())
    }

    /// Predicted values of one unknown, and its reference if there is one.
    pub fn of_unknown(&self, unknown: usize) -> (Vec<f64>, Option<Vec<f64>>) {
        let pick = |values: &[f64]| values.iter().skip(unknown).step_by(self.unknowns.len()).copied().collect();
        (pick(&self.values), self.set.reference.as_deref().filter(|_| self.referenced[unknown]).map(pick))
    }

    /// Name and values of one coordinate at all points.
    pub fn coordinate(&self, axis: usize) -> (&str, Vec<f64>) {
        (&self.coordinates[axis], self.set.points.iter().skip(axis).step_by(self.set.axes).copied().collect())
    }
}

/// Lines of a table, quoted where they need it.
pub fn csv_lines<L: IntoIterator<Item: AsRef<[u8]>>>(lines: impl IntoIterator<Item = L>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    lines.into_iter().for_each(|line| writer.write_record(line).expect("lines of equal length, written to memory"));
    String::from_utf8(writer.into_inner().expect("written to memory")).expect("cells are text")
}
