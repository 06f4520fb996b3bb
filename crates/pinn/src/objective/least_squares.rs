//! The residuals behind the loss, for Gauss–Newton steps.
//!
//! A step sees one draw of the regions: [`LeastSquares::begin`] moves the points, everything else uses them where they are.
//! The calibration of the region size sees the step's gradient 2Jᵀρ.

use super::{FITS, Objective};
use ropinn_engine::{Evaluator, Jacobian, SetId};
use ropinn_optim::LeastSquares;
use std::mem::{swap, take};

impl Objective {
    /// What computes, where the points are now, and the weights of the parts.
    fn at_hand(&mut self) -> (&mut Evaluator, &[SetId], &[f64]) {
        let size = self.region().size;
        (&mut self.terms.evaluator, self.points.sets(size), &self.weights.in_use)
    }

    fn residual_count_of(&self, set: SetId) -> usize {
        self.terms.evaluator.residual_count(set).expect(FITS)
    }

    /// Mean squares of the parts, before their weights, from the scaled residuals; and their weighted sum.
    fn parts_from(&self, scaled: &[f64]) -> (f64, Vec<f64>) {
        let (mut rest, mut first) = (scaled, 0);
        let mut parts = vec![0.0; self.terms.parts.names.len()];
        for (program, &set) in self.terms.evaluator.terms().iter().zip(self.points.sets(self.region().size)) {
            let (own, others) = rest.split_at(self.residual_count_of(set));
            for (value, r) in own.iter().enumerate() {
                parts[first + program.part_of(value % program.outputs())] += r * r;
            }
            (rest, first) = (others, first + program.parts());
        }
        let loss = parts.iter().sum();
        for (part, &weight) in parts.iter_mut().zip(&self.weights.in_use) {
            *part = if weight > 0.0 { *part / weight } else { 0.0 };
        }
        (loss, parts)
    }
}

impl LeastSquares for Objective {
    fn residual_count(&self) -> usize {
        self.points.sets(self.region().size).iter().map(|&set| self.residual_count_of(set)).sum()
    }

    fn begin(&mut self) {
        self.points.shift(&mut self.terms.evaluator, self.calibration.region().size, self.trace.step, 0);
    }

    fn normal_equations(&mut self, theta: &[f64], grad: &mut [f64], gram: &mut Vec<f64>) -> f64 {
        let (sets, weights) = (self.points.sets(self.calibration.region().size), &self.weights.in_use);
        swap(&mut self.latest.gram, gram);
        self.terms.evaluator.normal_equations(theta, sets, weights, &mut self.latest).expect(FITS);
        swap(&mut self.latest.gram, gram);
        self.note_latest(grad)
    }

    fn jacobian(&mut self, theta: &[f64], residuals: &mut Vec<f64>, rows: &mut Vec<f64>) -> f64 {
        let (evaluator, sets, weights) = self.at_hand();
        let mut out = Jacobian { residuals: take(residuals), rows: take(rows), ..Jacobian::default() };
        evaluator.jacobian(theta, sets, weights, &mut out).expect(FITS);
        (*residuals, *rows) = (out.residuals, out.rows);
        self.trace.note(&out.parts);
        out.loss
    }

    fn gradient(&mut self, theta: &[f64], grad: &mut [f64]) -> f64 {
        let (sets, weights) = (self.points.sets(self.calibration.region().size), &self.weights.in_use);
        self.terms.evaluate(theta, sets, weights, &mut self.latest).expect(FITS);
        self.note_latest(grad)
    }

    fn residuals(&mut self, theta: &[f64], out: &mut Vec<f64>) -> f64 {
        let (evaluator, sets, weights) = self.at_hand();
        evaluator.scaled_residuals(theta, sets, weights, out).expect(FITS);
        let (loss, parts) = self.parts_from(out);
        self.trace.note(&parts);
        loss
    }

    fn push_forward(&mut self, theta: &[f64], v: &[f64], out: &mut Vec<f64>) {
        let (evaluator, sets, weights) = self.at_hand();
        evaluator.scaled_push_forward(theta, v, sets, weights, out).expect(FITS);
    }

    fn pull_back(&mut self, theta: &[f64], w: &[f64], out: &mut Vec<f64>) {
        let (evaluator, sets, weights) = self.at_hand();
        evaluator.scaled_pullback(theta, sets, weights, w, out).expect(FITS);
    }

    fn end(&mut self, loss: f64, grad: &[f64]) {
        self.calibration.record(loss, grad);
    }
}
