//! Products of compiled terms over whole batches: loss and gradient, residuals, pull-backs, per-sample gradient rows.

use crate::error::EngineError;
use crate::program::Program;
use crate::threads::Threads;
use crate::typed::TypedEvaluator;
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
    /// Mean square of each term, before its weight.
    pub terms: Vec<f64>,
    /// `∂loss/∂θ`.
    pub grad: Vec<f64>,
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
        Ok(Self { terms, precision, typed })
    }

    /// The compiled terms.
    pub fn terms(&self) -> &[Program] {
        &self.terms
    }

    /// The working precision.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Length of θ.
    pub fn parameters(&self) -> usize {
        self.terms[0].parameters()
    }

    /// Loss `Σ_t weights[t] · mean_t(r²)` and its gradient at `theta`.
    ///
    /// Each residual expression of a term is a mean over samples and sequence elements; several expressions add up.
    pub fn evaluate(
        &mut self,
        theta: &[f64],
        batches: &[Batch<'_>],
        weights: &[f64],
        out: &mut Evaluation,
    ) -> Result<(), EngineError> {
        typed!(self, e => e.evaluate(theta, batches, weights, out))
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
}
