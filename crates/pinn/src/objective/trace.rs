//! What the evaluations of the current outer step gave, one after another.

/// The evaluations of an outer step.
#[derive(Default)]
pub(super) struct Trace {
    /// The step, counted from 0.
    pub step: u64,
    /// Evaluations so far.
    pub evaluations: usize,
    /// The first part that was NaN or infinite.
    pub fault: Option<usize>,
    /// `[evaluation][part]`.
    parts: Vec<f64>,
}

impl Trace {
    pub fn begin(&mut self, step: u64) {
        (self.step, self.evaluations, self.fault) = (step, 0, None);
        self.parts.clear();
    }

    /// Adds an evaluation: its mean squares before their weights.
    pub fn note(&mut self, parts: &[f64]) {
        self.evaluations += 1;
        self.parts.extend_from_slice(parts);
        self.fault = self.fault.or_else(|| parts.iter().position(|part| !part.is_finite()));
    }

    /// The parts of one evaluation, counted from 0.
    pub fn parts_of(&self, evaluation: usize) -> &[f64] {
        let count = self.parts.len() / self.evaluations.max(1);
        &self.parts[evaluation * count..][..count]
    }
}
