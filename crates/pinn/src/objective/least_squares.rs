//! The residuals behind the loss, for Gauss–Newton steps.
//!
//! A step sees one draw of the regions: [`LeastSquares::begin`] moves the points, everything else uses them where they are.
//! The calibration of the region size sees the step's gradient 2Jᵀρ.

use super::Objective;
use ropinn_domain::{Purpose, Stream};
use ropinn_engine::{Evaluation, Evaluator, Jacobian, SetId};
use ropinn_optim::LeastSquares;

const FITS: &str = "sets were made for these programs, and optimisers check the length of theta";

/// Memory of the second-order products.
#[derive(Default)]
pub(super) struct SecondOrder {
    normal: Evaluation,
    jacobian: Jacobian,
}

impl Objective {
    /// Calls `work` with the evaluator, the current sets and the weights.
    fn with_sets<R>(&mut self, work: impl FnOnce(&mut Evaluator, &[SetId], &[f64]) -> R) -> R {
        let is_moved = self.region().size > 0.0;
        work(&mut self.evaluator, self.placed.sets(is_moved), &self.weights)
    }

    fn residual_count_of(&self, set: SetId) -> usize {
        self.evaluator.residual_count(set).expect(FITS)
    }

    /// Adds a loss to the step's trace, so that its terms can be told later.
    fn note(&mut self, loss: f64, terms: &[f64]) {
        self.trace.losses.push(loss);
        self.trace.terms.extend_from_slice(terms);
        if !loss.is_finite() && self.trace.fault.is_none() {
            self.trace.fault = terms.iter().position(|term| !term.is_finite());
        }
    }

    /// Mean squares of the terms, before their weights, from the scaled residuals; and their weighted sum.
    fn terms_from(&self, scaled: &[f64]) -> (f64, Vec<f64>) {
        let mut rest = scaled;
        let is_moved = self.region().size > 0.0;
        let mut terms = vec![0.0; self.names.len()];
        for (t, (program, &set)) in self.evaluator.terms().iter().zip(self.placed.sets(is_moved)).enumerate() {
            let (own, others) = rest.split_at(self.residual_count_of(set));
            rest = others;
            for (value, r) in own.iter().enumerate() {
                terms[self.first_parts[t] + program.part_of(value % program.outputs())] += r * r;
            }
        }
        let loss = terms.iter().sum();
        for (term, &weight) in terms.iter_mut().zip(&self.weights) {
            *term = if weight > 0.0 { *term / weight } else { 0.0 };
        }
        (loss, terms)
    }
}

impl LeastSquares for Objective {
    fn residual_count(&self) -> usize {
        let is_moved = self.region().size > 0.0;
        self.placed.sets(is_moved).iter().map(|&set| self.residual_count_of(set)).sum()
    }

    fn begin(&mut self) {
        let size = self.region().size;
        if size > 0.0 {
            let mut stream = Stream::new(self.seed, Purpose::Region).at_step(self.step);
            self.shift_points(&mut stream, size);
        }
    }

    fn normal_equations(&mut self, theta: &[f64], grad: &mut [f64], gram: &mut Vec<f64>) -> f64 {
        let mut normal = std::mem::take(&mut self.second.normal);
        std::mem::swap(&mut normal.gram, gram);
        self.with_sets(|e, sets, weights| e.normal_equations(theta, sets, weights, &mut normal)).expect(FITS);
        std::mem::swap(&mut normal.gram, gram);
        grad.copy_from_slice(&normal.grad);
        let loss = normal.loss;
        self.note(loss, &normal.terms);
        self.second.normal = normal;
        loss
    }

    fn jacobian(&mut self, theta: &[f64], residuals: &mut Vec<f64>, rows: &mut Vec<f64>) -> f64 {
        let mut jacobian = std::mem::take(&mut self.second.jacobian);
        std::mem::swap(&mut jacobian.residuals, residuals);
        std::mem::swap(&mut jacobian.rows, rows);
        self.with_sets(|e, sets, weights| e.jacobian(theta, sets, weights, &mut jacobian)).expect(FITS);
        std::mem::swap(&mut jacobian.residuals, residuals);
        std::mem::swap(&mut jacobian.rows, rows);
        let loss = jacobian.loss;
        self.note(loss, &jacobian.terms);
        self.second.jacobian = jacobian;
        loss
    }

    fn gradient(&mut self, theta: &[f64], grad: &mut [f64]) -> f64 {
        let mut out = std::mem::take(&mut self.evaluation);
        self.with_sets(|e, sets, weights| e.evaluate(theta, sets, weights, &mut out)).expect(FITS);
        grad.copy_from_slice(&out.grad);
        let loss = out.loss;
        self.note(loss, &out.terms);
        self.evaluation = out;
        loss
    }

    fn residuals(&mut self, theta: &[f64], out: &mut Vec<f64>) -> f64 {
        self.with_sets(|e, sets, weights| e.scaled_residuals(theta, sets, weights, out)).expect(FITS);
        let (loss, terms) = self.terms_from(out);
        self.note(loss, &terms);
        loss
    }

    fn push_forward(&mut self, theta: &[f64], v: &[f64], out: &mut Vec<f64>) {
        self.with_sets(|e, sets, weights| e.scaled_push_forward(theta, v, sets, weights, out)).expect(FITS);
    }

    fn pull_back(&mut self, theta: &[f64], w: &[f64], out: &mut Vec<f64>) {
        self.with_sets(|e, sets, weights| e.scaled_pullback(theta, sets, weights, w, out)).expect(FITS);
    }

    fn end(&mut self, loss: f64, grad: &[f64]) {
        self.calibration.record(loss, grad);
    }
}
