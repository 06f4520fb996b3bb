//! What is timed: one loss with its gradient, or one whole Gauss–Newton step, on one term.

use ropinn_engine::{EngineError, Evaluation, Evaluator, Jacobian, Program, Samples, SetId};
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
    term: Term,
    theta: &'a [f64],
    work: Work,
    out: Evaluation,
    optimizer: Option<GaussNewton>,
}

impl<'a> Bench<'a> {
    pub fn new(mut evaluator: Evaluator, points: &[f64], theta: &'a [f64], work: Work) -> Result<Self, EngineError> {
        let sets = [evaluator.add(0, Samples::points(points))?];
        Ok(Self { term: Term { evaluator, sets }, theta, work, out: Evaluation::default(), optimizer: None })
    }

    /// Does it once.
    pub fn run(&mut self) -> Result<(), EngineError> {
        match self.work {
            Work::Gradient => {
                self.term.evaluator.evaluate(self.theta, &self.term.sets, &[1.0], &mut self.out)?;
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

struct Term {
    evaluator: Evaluator,
    sets: [SetId; 1],
}

const FITS: &str = "the set was made for this program";

impl Oracle for Term {
    fn evaluate(&mut self, theta: &[f64], grad: &mut [f64]) -> f64 {
        self.gradient(theta, grad)
    }

    fn least_squares(&mut self) -> Option<&mut dyn LeastSquares> {
        Some(self)
    }
}

impl LeastSquares for Term {
    fn residual_count(&self) -> usize {
        self.evaluator.residual_count(self.sets[0]).expect(FITS)
    }

    fn begin(&mut self) {}

    fn normal_equations(&mut self, theta: &[f64], grad: &mut [f64], gram: &mut Vec<f64>) -> f64 {
        let mut out = Evaluation { gram: std::mem::take(gram), ..Evaluation::default() };
        self.evaluator.normal_equations(theta, &self.sets, &[1.0], &mut out).expect(FITS);
        grad.copy_from_slice(&out.grad);
        *gram = out.gram;
        out.loss
    }

    fn jacobian(&mut self, theta: &[f64], residuals: &mut Vec<f64>, rows: &mut Vec<f64>) -> f64 {
        let mut out = Jacobian::default();
        self.evaluator.jacobian(theta, &self.sets, &[1.0], &mut out).expect(FITS);
        (*residuals, *rows) = (out.residuals, out.rows);
        out.loss
    }

    fn gradient(&mut self, theta: &[f64], grad: &mut [f64]) -> f64 {
        let mut out = Evaluation::default();
        self.evaluator.evaluate(theta, &self.sets, &[1.0], &mut out).expect(FITS);
        grad.copy_from_slice(&out.grad);
        out.loss
    }

    fn residuals(&mut self, theta: &[f64], out: &mut Vec<f64>) -> f64 {
        self.evaluator.scaled_residuals(theta, &self.sets, &[1.0], out).expect(FITS);
        out.iter().map(|r| r * r).sum()
    }

    fn push_forward(&mut self, theta: &[f64], v: &[f64], out: &mut Vec<f64>) {
        self.evaluator.scaled_push_forward(theta, v, &self.sets, &[1.0], out).expect(FITS);
    }

    fn pull_back(&mut self, theta: &[f64], w: &[f64], out: &mut Vec<f64>) {
        self.evaluator.scaled_pullback(theta, &self.sets, &[1.0], w, out).expect(FITS);
    }
}
