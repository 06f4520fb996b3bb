//! What is timed: one loss with its gradient, or one whole Gauss–Newton step, on one term.

use ropinn_engine::{Batch, EngineError, Evaluation, Evaluator, Jacobian, NormalEquations, Program};
use ropinn_optim::{GaussNewton, GaussNewtonConfig, LeastSquares, Optimizer, Oracle};

/// The unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Loss and gradient.
    Gradient,
    /// JᵀJ, its factor, the bent step and one trial.
    GaussNewton,
}

impl Work {
    /// The least floating-point operations: matrix products of the network, and for a Gauss–Newton step the lower triangle
    /// of JᵀJ (N·P²) and one Cholesky factor (P³/3). Such a step linearises once, looks at the residuals four times (here, on
    /// both sides, at the trial) and pulls back once; a forward sweep is a third of an evaluation.
    pub fn flops(self, program: &Program, points: usize) -> f64 {
        let evaluation = program.gemm_flops(points);
        let (p, n) = (program.parameters() as f64, (points * program.outputs()) as f64);
        match self {
            Self::Gradient => evaluation,
            Self::GaussNewton => n * p * p + p.powi(3) / 3.0 + evaluation * (2.0 + 4.0 / 3.0),
        }
    }
}

/// A term that can be worked on again and again, always from the same parameters.
pub struct Bench<'a> {
    term: Term<'a>,
    theta: &'a [f64],
    work: Work,
    out: Evaluation,
    optimizer: Option<GaussNewton>,
}

impl<'a> Bench<'a> {
    pub fn new(evaluator: Evaluator, points: &'a [f64], theta: &'a [f64], work: Work) -> Self {
        Self {
            term: Term { evaluator, batch: [Batch::points(points)] },
            theta,
            work,
            out: Evaluation::default(),
            optimizer: None,
        }
    }

    /// Does it once.
    pub fn run(&mut self) -> Result<(), EngineError> {
        match self.work {
            Work::Gradient => {
                self.term.evaluator.evaluate(self.theta, &self.term.batch, &[1.0], &mut self.out)?;
            }
            Work::GaussNewton => {
                // Damped so much that the first trial is accepted: the step has exactly one.
                let config = GaussNewtonConfig { damping: 10.0, ..GaussNewtonConfig::default() };
                let residuals = self.term.residual_count();
                let fresh = GaussNewton::new(config, self.theta.len(), residuals).expect("the settings are in range");
                let memory = fresh.save();
                let optimizer = self.optimizer.get_or_insert(fresh);
                optimizer.load(&memory).expect("it saved this itself");
                optimizer.step(&mut self.theta.to_vec(), &mut self.term);
            }
        }
        Ok(())
    }
}

struct Term<'a> {
    evaluator: Evaluator,
    batch: [Batch<'a>; 1],
}

const FITS: &str = "the batch was made for this program";

impl Oracle for Term<'_> {
    fn evaluate(&mut self, theta: &[f64], grad: &mut [f64]) -> f64 {
        self.gradient(theta, grad)
    }

    fn least_squares(&mut self) -> Option<&mut dyn LeastSquares> {
        Some(self)
    }
}

impl LeastSquares for Term<'_> {
    fn residual_count(&self) -> usize {
        self.evaluator.residual_count_of(0, &self.batch[0])
    }

    fn begin(&mut self) {}

    fn normal_equations(&mut self, theta: &[f64], grad: &mut [f64], gram: &mut Vec<f64>) -> f64 {
        let mut out = NormalEquations { gram: std::mem::take(gram), ..NormalEquations::default() };
        self.evaluator.normal_equations(theta, &self.batch, &[1.0], &mut out).expect(FITS);
        grad.copy_from_slice(&out.grad);
        *gram = out.gram;
        out.loss
    }

    fn jacobian(&mut self, theta: &[f64], residuals: &mut Vec<f64>, rows: &mut Vec<f64>) -> f64 {
        let mut out = Jacobian::default();
        self.evaluator.jacobian(theta, &self.batch, &[1.0], &mut out).expect(FITS);
        (*residuals, *rows) = (out.residuals, out.rows);
        out.loss
    }

    fn gradient(&mut self, theta: &[f64], grad: &mut [f64]) -> f64 {
        let mut out = Evaluation::default();
        self.evaluator.evaluate(theta, &self.batch, &[1.0], &mut out).expect(FITS);
        grad.copy_from_slice(&out.grad);
        out.loss
    }

    fn residuals(&mut self, theta: &[f64], out: &mut Vec<f64>) -> f64 {
        self.evaluator.scaled_residuals(theta, &self.batch, &[1.0], out).expect(FITS);
        out.iter().map(|r| r * r).sum()
    }

    fn push_forward(&mut self, theta: &[f64], v: &[f64], out: &mut Vec<f64>) {
        let moved: Vec<f64> = theta.iter().zip(v).map(|(t, v)| t + 1e-6 * v).collect();
        let mut here = Vec::new();
        self.residuals(theta, &mut here);
        self.residuals(&moved, out);
        out.iter_mut().zip(&here).for_each(|(ahead, here)| *ahead = (*ahead - here) / 1e-6);
    }

    fn pull_back(&mut self, theta: &[f64], w: &[f64], out: &mut Vec<f64>) {
        self.evaluator.scaled_pullback(theta, &self.batch, &[1.0], w, out).expect(FITS);
    }
}
