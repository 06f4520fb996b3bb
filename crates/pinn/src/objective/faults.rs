//! Residuals that are no numbers, and where.

use super::Objective;
use ropinn_engine::EngineError;

/// A residual that is NaN or infinite.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Name of its part of the loss.
    pub part: String,
    /// Coordinates of the sample, `[site][element][axis]`.
    pub points: Vec<f64>,
}

impl Objective {
    /// All residuals that are NaN or infinite for these parameters: at the points themselves, or where they were moved last.
    pub fn faults(&mut self, theta: &[f64], moved: bool) -> Result<Vec<Fault>, EngineError> {
        let size = if moved { self.region().size } else { 0.0 };
        let (mut faults, mut values, mut first) = (Vec::new(), Vec::new(), 0);
        for term in 0..self.terms.evaluator.terms().len() {
            self.terms.evaluator.residuals(theta, self.points.sets(size)[term], &mut values)?;
            let (program, samples) = (&self.terms.evaluator.terms()[term], self.points.samples(term, size > 0.0));
            let outputs = program.outputs();
            let per_sample = samples.points.len() / (values.len() / outputs).max(1);
            let bad = values.iter().enumerate().filter(|(_, value)| !value.is_finite());
            faults.extend(bad.map(|(index, _)| Fault {
                part: self.terms.parts.names[first + program.part_of(index % outputs)].clone(),
                points: samples.points[index / outputs * per_sample..][..per_sample].to_vec(),
            }));
            first += program.parts();
        }
        Ok(faults)
    }
}
