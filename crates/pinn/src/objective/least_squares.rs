//! The residuals behind the loss, for Gauss–Newton steps.
//!
//! A step sees one draw of the regions: [`LeastSquares::begin`] moves the points, everything else uses them where they are.
//! The calibration of the region size sees the step's gradient 2Jᵀρ.

use super::{Objective, RegionSize, recycle};
use ropinn_domain::{Purpose, Stream};
use ropinn_engine::{Batch, EngineError, Evaluator, Jacobian, NormalEquations, Precision};
use ropinn_optim::LeastSquares;

const FITS: &str = "batches were made for these programs, and optimisers check the length of theta";

/// Memory of the second-order products.
#[derive(Default)]
pub(super) struct SecondOrder {
    normal: NormalEquations,
    jacobian: Jacobian,
    ahead: Vec<f64>,
    /// Differences along θ need more digits than f32 has.
    precise: Option<Evaluator>,
}

impl Objective {
    /// Calls `work` with the evaluator, the current batches and the weights.
    fn with_batches<R>(&mut self, work: impl FnOnce(&mut Evaluator, &[Batch<'_>], &[f64]) -> R) -> R {
        let RegionSize { size, .. } = self.region();
        let mut batches = recycle(std::mem::take(&mut self.batches));
        batches.extend(self.sets.iter().map(|set| set.batch(size > 0.0)));
        let result = work(&mut self.evaluator, &batches, &self.weights);
        self.batches = recycle(batches);
        result
    }

    /// The same with an evaluator in double precision.
    fn with_precise_batches<R>(
        &mut self,
        work: impl FnOnce(&mut Evaluator, &[Batch<'_>], &[f64]) -> Result<R, EngineError>,
    ) -> Result<R, EngineError> {
        if self.evaluator.precision() == Precision::F64 {
            return self.with_batches(work);
        }
        let mut precise = match self.second.precise.take() {
            Some(evaluator) => evaluator,
            None => Evaluator::new(self.evaluator.terms().to_vec(), Precision::F64, &self.threads)?,
        };
        let result = self.with_batches(|_, batches, weights| work(&mut precise, batches, weights));
        self.second.precise = Some(precise);
        result
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
        let size = self.region().size;
        let mut terms = vec![0.0; self.names.len()];
        for (t, set) in self.sets.iter().enumerate() {
            let (program, batch) = (&self.evaluator.terms()[t], set.batch(size > 0.0));
            let (own, others) = rest.split_at(self.evaluator.residual_count_of(t, &batch));
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
        let size = self.region().size;
        let count = |(t, set): (usize, &super::PointSet)| self.evaluator.residual_count_of(t, &set.batch(size > 0.0));
        self.sets.iter().enumerate().map(count).sum()
    }

    fn begin(&mut self) {
        let size = self.region().size;
        if size > 0.0 {
            let mut stream = Stream::new(self.seed, Purpose::Region).at_step(self.step);
            for set in &mut self.sets {
                set.shift(&mut stream, size, &mut self.shifts);
            }
        }
    }

    fn normal_equations(&mut self, theta: &[f64], grad: &mut [f64], gram: &mut Vec<f64>) -> f64 {
        let mut normal = std::mem::take(&mut self.second.normal);
        std::mem::swap(&mut normal.gram, gram);
        self.with_batches(|e, batches, weights| e.normal_equations(theta, batches, weights, &mut normal)).expect(FITS);
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
        self.with_batches(|e, batches, weights| e.jacobian(theta, batches, weights, &mut jacobian)).expect(FITS);
        std::mem::swap(&mut jacobian.residuals, residuals);
        std::mem::swap(&mut jacobian.rows, rows);
        let loss = jacobian.loss;
        self.note(loss, &jacobian.terms);
        self.second.jacobian = jacobian;
        loss
    }

    fn gradient(&mut self, theta: &[f64], grad: &mut [f64]) -> f64 {
        let mut out = std::mem::take(&mut self.evaluation);
        self.with_batches(|e, batches, weights| e.evaluate(theta, batches, weights, &mut out)).expect(FITS);
        grad.copy_from_slice(&out.grad);
        let loss = out.loss;
        self.note(loss, &out.terms);
        self.evaluation = out;
        loss
    }

    fn residuals(&mut self, theta: &[f64], out: &mut Vec<f64>) -> f64 {
        self.with_batches(|e, batches, weights| e.scaled_residuals(theta, batches, weights, out)).expect(FITS);
        let (loss, terms) = self.terms_from(out);
        self.note(loss, &terms);
        loss
    }

    /// Jv by central differences in double precision: ten digits, which conjugate gradients and corrections can live with.
    fn push_forward(&mut self, theta: &[f64], v: &[f64], out: &mut Vec<f64>) {
        let length = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let size = length(v);
        if size == 0.0 {
            out.clear();
            out.resize(self.residual_count(), 0.0);
            return;
        }
        let h = f64::EPSILON.cbrt() * (1.0 + length(theta)) / size;
        let at = |h: f64| -> Vec<f64> { theta.iter().zip(v).map(|(t, v)| t + h * v).collect() };
        let (forth, back) = (at(h), at(-h));
        let mut ahead = std::mem::take(&mut self.second.ahead);
        let done = self.with_precise_batches(|e, batches, weights| {
            e.scaled_residuals(&forth, batches, weights, &mut ahead)?;
            e.scaled_residuals(&back, batches, weights, out)
        });
        done.expect(FITS);
        out.iter_mut().zip(&ahead).for_each(|(behind, ahead)| *behind = (ahead - *behind) / (2.0 * h));
        self.second.ahead = ahead;
    }

    fn pull_back(&mut self, theta: &[f64], w: &[f64], out: &mut Vec<f64>) {
        self.with_batches(|e, batches, weights| e.scaled_pullback(theta, batches, weights, w, out)).expect(FITS);
    }

    fn end(&mut self, loss: f64, grad: &[f64]) {
        self.calibration.record(loss, grad);
    }
}
