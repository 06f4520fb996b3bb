//! The seam between a compiled loss and whatever computes it.
//!
//! A [`Backend`] is made for compiled terms and holds *sets* of samples, each handed over once; every product names the sets it
//! is taken over. Tiles, threads, precision and device memory are its own business. What it sums over samples it sums in
//! *groups*: cut by position alone, each group is the same numbers wherever it is computed, and the groups are added in order.

use crate::error::Result;
use crate::program::Program;
use std::fmt;
use std::ops::Range;

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

/// Samples of one term, to be handed over as a set.
#[derive(Clone, Copy, Debug, Default)]
pub struct Samples<'a> {
    /// Coordinates, sample by sample: `[sample][site][element][axis]`.
    pub points: &'a [f64],
    /// Data values, sample by sample; empty if the term uses none.
    pub data: &'a [f64],
    /// Weight of each sample inside the mean square; empty for all ones.
    pub weights: &'a [f64],
}

impl<'a> Samples<'a> {
    /// Points without data or weights.
    pub fn points(points: &'a [f64]) -> Self {
        Self { points, ..Self::default() }
    }
}

/// A set of samples a backend holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SetId(pub(crate) usize);

impl SetId {
    /// Its number: small, and used again once the set is removed.
    pub fn index(self) -> usize {
        self.0
    }
}

/// What is summed over the samples of all terms. Weights are one number per part, cotangents one list per term.
#[derive(Clone, Copy, Debug)]
pub enum Sum<'a> {
    /// The mean squares of the parts.
    Loss,
    /// The same with the gradient of `Σ weight · mean square`.
    LossAndGradient {
        /// Of each part.
        weights: &'a [f64],
    },
    /// That gradient alone; terms whose parts all have weight 0 may be left out.
    Gradient {
        /// Of each part.
        weights: &'a [f64],
    },
    /// `Σ_t J_tᵀ w_t`: the gradient of `Σ cotangent · residual`.
    Pullback {
        /// Laid out like [`Backend::residuals`].
        cotangents: &'a [&'a [f64]],
    },
    /// Mean squares, gradient, and `JᵀJ` of the residuals scaled by √(weight/count).
    NormalEquations {
        /// Of each part.
        weights: &'a [f64],
    },
    /// `Hv`, H the Hessian of `Σ weight · mean square`, in place of the gradient.
    Hessian {
        /// Of each part.
        weights: &'a [f64],
        /// v.
        direction: &'a [f64],
    },
}

/// A loss with its parts, and its first and second derivatives as far as they were asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// `Σ weight · part`.
    pub loss: f64,
    /// Mean square of each part of each term, before its weight.
    pub parts: Vec<f64>,
    /// `∂loss/∂θ`.
    pub grad: Vec<f64>,
    /// `JᵀJ`, row by row; only entries on and below the diagonal are made. J is the Jacobian of the residuals scaled by
    /// √(weight/count), whose squares add up to the loss.
    pub gram: Vec<f64>,
}

impl Evaluation {
    /// Adds the sums of the next group. Added in order to an empty evaluation, groups give the bits of the whole.
    pub fn add(&mut self, group: &Self) {
        for (total, part) in
            [(&mut self.parts, &group.parts), (&mut self.grad, &group.grad), (&mut self.gram, &group.gram)]
        {
            total.resize(part.len(), 0.0);
            total.iter_mut().zip(part).for_each(|(total, part)| *total += part);
        }
    }
}

/// Scaled residuals with their Jacobian, for losses with fewer residuals than parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Jacobian {
    /// `Σ weight · part = ‖ρ‖²`.
    pub loss: f64,
    /// Mean square of each part of each term, before its weight.
    pub parts: Vec<f64>,
    /// ρ.
    pub residuals: Vec<f64>,
    /// `∂ρ/∂θ`, one row per residual.
    pub rows: Vec<f64>,
}

/// Gradient rows of one residual output on one tile: `rows[p·stride + i] = ∂r_i/∂θ_p`.
#[derive(Debug)]
pub struct RowTile<'a> {
    /// Number of the first sample in the set.
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

/// Computes the products of compiled terms over sets of samples.
///
/// People use an [`Evaluator`](crate::Evaluator), which checks every argument first: a backend may rely on lengths, on sets
/// that exist, and on one set per term, in order, wherever it is given several. Vectors it fills may hold anything before.
pub trait Backend: Send {
    /// The compiled terms, which share one network.
    fn programs(&self) -> &[Program];

    /// The numbers it works in.
    fn precision(&self) -> Precision;

    /// Takes the samples of a set of `term`, in place of those it may have had.
    fn place(&mut self, set: SetId, term: usize, samples: Samples<'_>) -> Result;

    /// Takes other points for a set, as many as it has.
    fn move_points(&mut self, set: SetId, points: &[f64]) -> Result;

    /// Frees a set.
    fn remove(&mut self, set: SetId);

    /// Number of groups a sum over these sets has.
    fn groups(&mut self, sets: &[SetId], sum: Sum<'_>) -> Result<usize>;

    /// Hands over the sums of some groups, one after another in order. Only what the sum asks for is filled in, and never
    /// the loss.
    fn partial_sums(
        &mut self,
        theta: &[f64],
        sets: &[SetId],
        sum: Sum<'_>,
        groups: Range<usize>,
        visit: &mut dyn FnMut(&Evaluation),
    ) -> Result;

    /// The sum over all groups, with the bits of adding them in order.
    fn sum(&mut self, theta: &[f64], sets: &[SetId], sum: Sum<'_>, out: &mut Evaluation) -> Result {
        let groups = self.groups(sets, sum)?;
        [&mut out.parts, &mut out.grad, &mut out.gram].into_iter().for_each(Vec::clear);
        self.partial_sums(theta, sets, sum, 0..groups, &mut |group| out.add(group))
    }

    /// Residual values of a set, sample by sample: `out[sample · outputs + output]`.
    fn residuals(&mut self, theta: &[f64], set: SetId, out: &mut Vec<f64>) -> Result;

    /// `J v` of a set, laid out like its residuals.
    fn push_forward(&mut self, theta: &[f64], direction: &[f64], set: SetId, out: &mut Vec<f64>) -> Result;

    /// Residuals and per-sample gradient rows of a set, tile by tile in order, every output of a tile in turn.
    fn rows(&mut self, theta: &[f64], set: SetId, visit: &mut dyn FnMut(RowTile<'_>)) -> Result;

    /// Mean squares, scaled residuals and their Jacobian; the loss is not filled in.
    fn jacobian(&mut self, theta: &[f64], sets: &[SetId], weights: &[f64], out: &mut Jacobian) -> Result;

    /// The same without the columns of frozen parameters, some rows at a time in any order: `visit(rows, ρ)`. Returns the mean
    /// squares.
    fn scaled_rows(
        &mut self,
        theta: &[f64],
        sets: &[SetId],
        weights: &[f64],
        visit: &mut dyn FnMut(&[f64], &[f64]),
    ) -> Result<Vec<f64>> {
        let mut made = Jacobian::default();
        self.jacobian(theta, sets, weights, &mut made)?;
        let frozen = self.programs().first().map_or(0, |program| program.network().frozen());
        let rows: Vec<f64> = made.rows.chunks_exact(theta.len()).flat_map(|row| &row[frozen..]).copied().collect();
        visit(&rows, &made.residuals);
        Ok(made.parts)
    }
}
