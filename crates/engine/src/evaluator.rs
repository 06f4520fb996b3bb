//! Products of compiled terms over whole batches: loss and gradient, residuals, pull-backs, per-sample gradient rows.

use crate::error::EngineError;
use crate::program::Program;
use crate::threads::Threads;
use crate::typed::{TypedEvaluator, residual_scale, samples_of};
use std::fmt;

/// The numbers a program works in. Parameters, points and results are f64 at the door either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Precision {
    /// Single precision: half the memory, twice the lanes.
    #[default]
    F32,
    /// Double precision.
    F64,
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        })
    }
}

/// The samples of one term.
#[derive(Clone, Copy, Debug, Default)]
pub struct Batch<'a> {
    /// Coordinates, sample by sample: `[sample][site][element][axis]`.
    pub points: &'a [f64],
    /// Data values, sample by sample; empty if the term uses none.
    pub data: &'a [f64],
    /// Weight of each sample inside the mean square; empty for all ones.
    pub weights: &'a [f64],
}

impl<'a> Batch<'a> {
    /// A batch of points without data or weights.
    pub fn points(points: &'a [f64]) -> Self {
        Self { points, ..Self::default() }
    }
}

/// A loss with its parts and its gradient.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// `Σ_t weight_t · term_t`.
    pub loss: f64,
    /// Mean square of each part of each term, before its weight.
    pub terms: Vec<f64>,
    /// `∂loss/∂θ`.
    pub grad: Vec<f64>,
}

/// The least-squares view of a loss ‖ρ‖², ρ the residuals scaled by √(weight/count): what a Gauss–Newton step needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NormalEquations {
    /// `Σ_t weight_t · term_t = ‖ρ‖²`.
    pub loss: f64,
    /// Mean square of each part of each term, before its weight.
    pub terms: Vec<f64>,
    /// `∂loss/∂θ = 2Jᵀρ`.
    pub grad: Vec<f64>,
    /// `JᵀJ`, row by row; only entries on and below the diagonal are made.
    pub gram: Vec<f64>,
}

/// Scaled residuals with their Jacobian, for losses with fewer residuals than parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Jacobian {
    /// `Σ_t weight_t · term_t = ‖ρ‖²`.
    pub loss: f64,
    /// Mean square of each part of each term, before its weight.
    pub terms: Vec<f64>,
    /// ρ.
    pub residuals: Vec<f64>,
    /// `∂ρ/∂θ`, one row per residual.
    pub rows: Vec<f64>,
}

/// Gradient rows of one residual output on one tile: `rows[p·stride + i] = ∂r_i/∂θ_p`.
#[derive(Debug)]
pub struct RowTile<'a> {
    /// Number of the first sample in the batch.
    pub first: usize,
    /// Samples in this tile (entries `samples..stride` of each row are padding).
    pub samples: usize,
    /// Distance between parameters in `rows`.
    pub stride: usize,
    /// Which residual output (see [`Program::outputs`]).
    pub output: usize,
    /// Residual values of the samples.
    pub residuals: &'a [f64],
    /// Parameter-major gradient rows.
    pub rows: &'a [f64],
}

/// Evaluates compiled terms of one loss. All buffers are made once; results have the same bits for any number of threads.
pub struct Evaluator {
    terms: Vec<Program>,
    precision: Precision,
    typed: Typed,
    /// Residuals or cotangents of one term on their way.
    unscaled: Vec<Vec<f64>>,
}

enum Typed {
    F32(Box<TypedEvaluator<f32>>),
    F64(Box<TypedEvaluator<f64>>),
}

/// Runs the same call in whichever precision the evaluator has.
macro_rules! typed {
    ($self:ident, $e:ident => $call:expr) => {
        match &mut $self.typed {
            Typed::F32($e) => $call,
            Typed::F64($e) => $call,
        }
    };
}

impl Evaluator {
    /// Makes the buffers for `terms`, which must share one network.
    pub fn new(terms: Vec<Program>, precision: Precision, threads: &Threads) -> Result<Self, EngineError> {
        let typed = match precision {
            Precision::F32 => Typed::F32(Box::new(TypedEvaluator::new(terms.clone(), threads)?)),
            Precision::F64 => Typed::F64(Box::new(TypedEvaluator::new(terms.clone(), threads)?)),
        };
        let unscaled = vec![Vec::new(); terms.len()];
        Ok(Self { terms, precision, typed, unscaled })
    }

    /// The compiled terms.
    pub fn terms(&self) -> &[Program] {
        &self.terms
    }

    /// The working precision.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Number of parts of all terms: of weights and of mean squares.
    pub fn parts(&self) -> usize {
        self.terms.iter().map(Program::parts).sum()
    }

    /// Length of θ.
    pub fn parameters(&self) -> usize {
        self.terms[0].parameters()
    }

    /// Loss `Σ_t weights[t] · mean_t(r²)` over the parts t of all terms, and its gradient at `theta`. A term is a single part
    /// unless it was compiled in several ([`TermSpec::parts`](crate::TermSpec::parts)); there is one batch per term.
    ///
    /// Each residual expression of a part is a mean over samples and sequence elements; several expressions add up.
    pub fn evaluate(
        &mut self,
        theta: &[f64],
        batches: &[Batch<'_>],
        weights: &[f64],
        out: &mut Evaluation,
    ) -> Result<(), EngineError> {
        typed!(self, e => e.evaluate(theta, batches, weights, out))
    }

    /// The loss of [`Self::evaluate`] alone, with the same bits; the gradient is left empty.
    pub fn evaluate_loss(
        &mut self,
        theta: &[f64],
        batches: &[Batch<'_>],
        weights: &[f64],
        out: &mut Evaluation,
    ) -> Result<(), EngineError> {
        typed!(self, e => e.evaluate_loss(theta, batches, weights, out))
    }

    /// The gradient of [`Self::evaluate`] alone. Terms whose parts all have weight 0 cost nothing, so the gradient of a
    /// single part is cheap.
    pub fn gradient(
        &mut self,
        theta: &[f64],
        batches: &[Batch<'_>],
        weights: &[f64],
        grad: &mut Vec<f64>,
    ) -> Result<(), EngineError> {
        typed!(self, e => e.gradient(theta, batches, weights, grad))
    }

    /// The gradient of `Σ_t weights[t] · 2 mean_t(r r')`, where the second half of each term's outputs are the slopes r' of
    /// the first.
    pub(crate) fn slope_gradient(
        &mut self,
        theta: &[f64],
        batches: &[Batch<'_>],
        weights: &[f64],
        grad: &mut Vec<f64>,
    ) -> Result<(), EngineError> {
        typed!(self, e => e.slope_gradient(theta, batches, weights, grad))
    }

    /// `Σ_t J_tᵀ w_t`: the gradient of `Σ cotangent · residual`, cotangents laid out like [`Self::residuals`].
    pub fn pullback(
        &mut self,
        theta: &[f64],
        batches: &[Batch<'_>],
        cotangents: &[&[f64]],
        grad: &mut Vec<f64>,
    ) -> Result<(), EngineError> {
        typed!(self, e => e.pullback(theta, batches, cotangents, grad))
    }

    /// Residual values of one term, sample by sample: `out[sample · outputs + output]`.
    ///
    /// A term whose "residuals" are `u`, `u_x`, … is how values and derivatives are predicted.
    pub fn residuals(
        &mut self,
        term: usize,
        theta: &[f64],
        batch: Batch<'_>,
        out: &mut Vec<f64>,
    ) -> Result<(), EngineError> {
        typed!(self, e => e.residuals(term, theta, batch, out))
    }

    /// Delivers residuals and per-sample gradient rows of one term, tile by tile in order, to `visit`.
    ///
    /// Rows are never held for more than one tile, so memory does not grow with the batch.
    pub fn rows(
        &mut self,
        term: usize,
        theta: &[f64],
        batch: Batch<'_>,
        mut visit: impl FnMut(RowTile<'_>),
    ) -> Result<(), EngineError> {
        typed!(self, e => e.rows(term, theta, batch, &mut visit))
    }

    /// Loss, gradient and the Gauss–Newton matrix JᵀJ, assembled a panel of rows at a time: J is never held.
    ///
    /// ```
    /// use ropinn_engine::{Batch, Evaluator, NetworkBuilder, NormalEquations, Precision, Program, TermSpec, Threads};
    /// use ropinn_expr::Scope;
    /// // u = w·x + b, fitted to 2x + 1 at two points: J has the rows (xᵢ, 1)/√2.
    /// let mut net = NetworkBuilder::new(1);
    /// let x = net.input();
    /// let u = net.linear("out", x, 1)?;
    /// let net = std::sync::Arc::new(net.build(u)?);
    /// let term = TermSpec::new("fit", vec![Scope::new(["x"], ["u"])?.parse("u - 2*x - 1")?]);
    /// let program = Program::compile(&net, &term, 0)?;
    /// let mut evaluator = Evaluator::new(vec![program], Precision::F64, &Threads::new(1)?)?;
    /// let mut out = NormalEquations::default();
    /// evaluator.normal_equations(&[0.0, 0.0], &[Batch::points(&[0.0, 1.0])], &[1.0], &mut out)?;
    /// let wanted = [(0, 0.5), (2, 0.5), (3, 1.0)]; // the lower triangle, row by row
    /// assert!(wanted.iter().all(|&(k, value)| (out.gram[k] - value).abs() < 1e-12));
    /// assert!((out.loss - 5.0).abs() < 1e-12); // (1² + 3²)/2
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn normal_equations(
        &mut self,
        theta: &[f64],
        batches: &[Batch<'_>],
        weights: &[f64],
        out: &mut NormalEquations,
    ) -> Result<(), EngineError> {
        typed!(self, e => e.normal_equations(theta, batches, weights, out))
    }

    /// Loss, scaled residuals and their Jacobian. Holds all rows: meant for fewer residuals than parameters.
    pub fn jacobian(
        &mut self,
        theta: &[f64],
        batches: &[Batch<'_>],
        weights: &[f64],
        out: &mut Jacobian,
    ) -> Result<(), EngineError> {
        typed!(self, e => e.jacobian(theta, batches, weights, out))
    }

    /// Number of residual values of one term on a batch.
    pub fn residual_count_of(&self, term: usize, batch: &Batch<'_>) -> usize {
        samples_of(&self.terms[term], batch) * self.terms[term].outputs()
    }

    /// The scaled residuals ρ with loss = ‖ρ‖², term by term, each laid out like [`Self::residuals`].
    pub fn scaled_residuals(
        &mut self,
        theta: &[f64],
        batches: &[Batch<'_>],
        weights: &[f64],
        out: &mut Vec<f64>,
    ) -> Result<(), EngineError> {
        self.check_counts(batches, weights)?;
        out.clear();
        let mut rest = weights;
        for (t, &batch) in batches.iter().enumerate() {
            let (own, others) = rest.split_at(self.terms[t].parts());
            rest = others;
            let mut raw = std::mem::take(&mut self.unscaled[t]);
            self.residuals(t, theta, batch, &mut raw)?;
            let scales = sample_scales(&self.terms[t], batch, own);
            out.extend(raw.iter().zip(scales).map(|(r, scale)| scale * r));
            self.unscaled[t] = raw;
        }
        Ok(())
    }

    /// `Jᵀw` for the Jacobian of the scaled residuals.
    pub fn scaled_pullback(
        &mut self,
        theta: &[f64],
        batches: &[Batch<'_>],
        weights: &[f64],
        cotangents: &[f64],
        grad: &mut Vec<f64>,
    ) -> Result<(), EngineError> {
        self.check_counts(batches, weights)?;
        let expected = batches.iter().enumerate().map(|(t, batch)| self.residual_count_of(t, batch)).sum();
        let found = cotangents.len();
        if found != expected {
            let (term, what) = ("all".to_owned(), "cotangents");
            return Err(EngineError::VectorLength { term, what, expected, found });
        }
        let (mut rest, mut rest_weights) = (cotangents, weights);
        for (t, &batch) in batches.iter().enumerate() {
            let (own_weights, others) = rest_weights.split_at(self.terms[t].parts());
            rest_weights = others;
            let (own, others) = rest.split_at(self.residual_count_of(t, &batch));
            rest = others;
            let scales = sample_scales(&self.terms[t], batch, own_weights);
            self.unscaled[t].clear();
            self.unscaled[t].extend(own.iter().zip(scales).map(|(w, scale)| scale * w));
        }
        let unscaled = std::mem::take(&mut self.unscaled);
        let views: Vec<&[f64]> = unscaled.iter().map(Vec::as_slice).collect();
        let done = self.pullback(theta, batches, &views, grad);
        self.unscaled = unscaled;
        done
    }

    fn check_counts(&self, batches: &[Batch<'_>], weights: &[f64]) -> Result<(), EngineError> {
        for (expected, found) in [(self.terms.len(), batches.len()), (self.parts(), weights.len())] {
            if found != expected {
                return Err(EngineError::BatchCount { expected, found });
            }
        }
        Ok(())
    }
}

/// Scale of each residual value of a term, in order.
fn sample_scales<'a>(program: &'a Program, batch: Batch<'a>, weights: &[f64]) -> impl Iterator<Item = f64> + 'a {
    let samples = samples_of(program, &batch);
    let scale = |output| residual_scale(program, samples, weights[program.part_of(output)]);
    let scales: Vec<f64> = (0..program.outputs()).map(scale).collect();
    let of = move |i: usize| if batch.weights.is_empty() { 1.0 } else { batch.weights[i].sqrt() };
    (0..samples * scales.len()).map(move |value| scales[value % scales.len()] * of(value / scales.len()))
}
