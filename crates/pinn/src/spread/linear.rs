//! The problem linearised at a solution: rows of the physics, on points of their own, and rows of the readings, in units of their
//! noise.
//!
//! Physics weighs Λ times as much as the readings do, row sums of squares compared, so that it gives way by 1/Λ. Parameters of
//! the network that nothing tells are left out by the rank of the factor, as in a polish.

use crate::case::Case;
use crate::error::Error;
use crate::polish::{points_of, row_weights};
use crate::problem::{Term, TermGroup};
use ropinn_domain::Stream;
use ropinn_engine::{Evaluation, Evaluator, Precision, Samples, SetId};
use ropinn_linalg::RowFactor;

/// Rows of the factor that are pushed at once.
const BLOCK: usize = 2048;
/// What columns of the network add below this share is left out.
const CUTOFF: f64 = 1e-9;

/// Equations, conditions and readings of a case, at parameters near a solution.
pub(super) struct Linear {
    physics: Side,
    /// What is assumed of fields to be found, as far as it is part of the loss.
    assumed: Option<Side>,
    data: Side,
    frozen: usize,
    network: usize,
}

/// Terms on their points.
struct Side {
    evaluator: Evaluator,
    sets: Vec<SetId>,
    /// 1/mean ‖row‖² of each part.
    scales: Vec<f64>,
    /// Samples of each part.
    counts: Vec<usize>,
    /// Weights of the parts in the loss.
    weights: Vec<f64>,
}

impl Side {
    fn new(case: &Case, theta: &[f64], terms: &[Term]) -> Result<Self, Error> {
        let programs = terms.iter().map(|term| case.program(term, vec![1; term.residuals.len()]));
        let mut evaluator = Evaluator::new(programs.collect::<Result<Vec<_>, _>>()?, Precision::F64, case.threads())?;
        let mut sets = Vec::new();
        for (k, term) in terms.iter().enumerate() {
            let points = case.network_points(&term.points);
            sets.push(evaluator.add(k, Samples { points: &points, data: &term.data, weights: &[] })?);
        }
        let scales = row_weights(&mut evaluator, case, theta, terms)?;
        let axes = case.problem().ranges().len();
        let counts = terms.iter().flat_map(|term| vec![term.samples(axes); term.residuals.len()]).collect();
        let weights =
            terms.iter().flat_map(|term| term.label_weights.iter().map(|weight| term.weight * weight)).collect();
        Ok(Self { evaluator, sets, scales, counts, weights })
    }

    fn residuals(&mut self, theta: &[f64], weights: &[f64]) -> Result<Vec<f64>, Error> {
        let mut out = Vec::new();
        self.evaluator.scaled_residuals(theta, &self.sets, weights, &mut out)?;
        Ok(out)
    }

    fn along(&mut self, theta: &[f64], direction: &[f64], weights: &[f64]) -> Result<Vec<f64>, Error> {
        let mut out = Vec::new();
        self.evaluator.scaled_push_forward(theta, direction, &self.sets, weights, &mut out)?;
        Ok(out)
    }
}

/// What the network does about a change of each trained number, about the residuals that are left, and about draws of the noise:
/// directions of θ.
pub(super) struct Responses {
    pub numbers: Vec<Vec<f64>>,
    pub residual: Vec<f64>,
    pub draws: Vec<Vec<f64>>,
    /// How many readings the freedom of the network takes up.
    pub taken: f64,
}

impl Linear {
    /// The problem at θ, with the terms it was trained on.
    pub fn new(case: &Case, theta: &[f64], own: &[Term]) -> Result<Self, Error> {
        let columns = theta.len() - case.network().frozen();
        let is_data = |term: &Term| term.group == TermGroup::Data;
        let mut physics = points_of(case.problem(), columns, case.config().seed)?;
        physics.retain(|term| !is_data(term));
        let assumed: Vec<Term> = physics.extract_if(.., |term| term.group == TermGroup::Smoothness).collect();
        let assumed = match assumed.is_empty() {
            true => None,
            false => Some(Side::new(case, theta, &assumed)?),
        };
        let (physics, data) = (Side::new(case, theta, &physics)?, Side::new(case, theta, own)?);
        let (frozen, network) = (case.network().frozen(), case.network().parameters());
        Ok(Self { physics, assumed, data, frozen, network })
    }

    /// Readings in each column.
    pub fn counts(&self) -> &[usize] {
        &self.data.counts
    }

    /// Factors of the mean squares with which readings count in units of noises of these sizes.
    fn data_weights(&self, noises: &[f64]) -> Vec<f64> {
        self.counts().iter().zip(noises).map(|(count, noise)| *count as f64 / (noise * noise)).collect()
    }

    /// What the weights of the physics are multiplied by to be Λ times as heavy as the readings.
    fn told(&self, noises: &[f64], tightness: f64) -> f64 {
        let rows = self.data.scales.iter().zip(&self.data.weights).map(|(scale, weight)| weight / scale);
        tightness * self.data_weights(noises).iter().zip(rows).map(|(weight, row)| weight * row).sum::<f64>()
    }

    /// Those of what is assumed: as they stand beside the readings in the loss, in units of the likelihood.
    fn assumed_weights(&self, noises: &[f64]) -> Vec<f64> {
        // The loss has w·mean r² of each column, the likelihood Σ r²/σ²; all columns have the same share of it.
        let shares = self.data_weights(noises).into_iter().zip(&self.data.weights).map(|(sum, own)| sum / own);
        let share = shares.fold(f64::INFINITY, f64::min);
        self.assumed.iter().flat_map(|side| side.weights.iter().map(|weight| weight * share)).collect()
    }

    /// Residuals of the readings in units of their noise.
    pub fn readings(&mut self, theta: &[f64], noises: &[f64]) -> Result<Vec<f64>, Error> {
        let weights = self.data_weights(noises);
        self.data.residuals(theta, &weights)
    }

    /// Root mean squares of the readings' residuals, a number for each column.
    pub fn scatter(&mut self, theta: &[f64]) -> Result<Vec<f64>, Error> {
        let (mut out, sets) = (Evaluation::default(), self.data.sets.clone());
        self.data.evaluator.evaluate_loss(theta, &sets, &vec![1.0; self.data.counts.len()], &mut out)?;
        Ok(out.parts.iter().map(|square| square.sqrt()).collect())
    }

    /// ‖residual‖ of the physics, every part in units of its rows.
    pub fn physics(&mut self, theta: &[f64]) -> Result<f64, Error> {
        let scales = self.physics.scales.clone();
        Ok(norm(&self.physics.residuals(theta, &scales)?))
    }

    /// How the readings, in units of their noise, and the physics, in units of its rows, change along a direction of θ.
    pub fn along(&mut self, theta: &[f64], direction: &[f64], noises: &[f64]) -> Result<(Vec<f64>, f64), Error> {
        let (weights, scales) = (self.data_weights(noises), self.physics.scales.clone());
        let readings = self.data.along(theta, direction, &weights)?;
        Ok((readings, norm(&self.physics.along(theta, direction, &scales)?)))
    }

    /// Solves for what the network does, the trained numbers standing still; with so many draws of the noise.
    pub fn responses(
        &mut self,
        theta: &[f64],
        noises: &[f64],
        hold: Hold,
        draws: &mut Draws,
    ) -> Result<Responses, Error> {
        let (columns, numbers) = (self.network - self.frozen, theta.len() - self.network);
        let mut factor = RowFactor::new(columns, numbers + 1 + draws.count);
        let told = self.told(noises, hold.tightness);
        let physics = self.physics.scales.iter().map(|scale| told * scale).collect();
        let weights = [physics, self.assumed_weights(noises), self.data_weights(noises)];
        let mut drawn = vec![0.0; draws.count];
        let sides = [Some(&mut self.physics), self.assumed.as_mut(), Some(&mut self.data)];
        for (k, (side, weights)) in sides.into_iter().zip(&weights).enumerate() {
            let Some(side) = side else { continue };
            let (mut rows, mut right) = (Vec::new(), Vec::new());
            side.evaluator.scaled_rows(theta, &side.sets, weights, |own, residuals| {
                for (row, residual) in own.chunks_exact(columns + numbers).zip(residuals) {
                    rows.extend_from_slice(&row[..columns]);
                    right.extend(row[columns..].iter().map(|slope| -slope));
                    right.push(-residual);
                    if k == 2 {
                        draws.stream.fill_normal(&mut drawn);
                    }
                    right.extend_from_slice(&drawn);
                }
                if rows.len() >= BLOCK * columns {
                    factor.push(&rows, &right);
                    rows.clear();
                    right.clear();
                }
            })?;
            if !rows.is_empty() {
                factor.push(&rows, &right);
            }
        }
        hold.push_to(&mut factor);
        let nothing = vec![0.0; columns];
        let found = factor.ranked(0.1 * CUTOFF).solve(CUTOFF);
        let sides = numbers + 1..numbers + 1 + draws.count;
        // ‖Az‖² of the part of a draw that the network follows; its expectation is the trace of the projection.
        let taken = sides.clone().map(|side| factor.residual(&nothing, side).powi(2) - found.residual[side].powi(2));
        let taken = taken.sum::<f64>() / draws.count.max(1) as f64;
        let mut solutions = found.x.chunks_exact(columns).map(|x| {
            let (frozen, still) = (vec![0.0; self.frozen], vec![0.0; numbers]);
            [frozen, x.to_vec(), still].concat()
        });
        let mut numbers: Vec<Vec<f64>> = solutions.by_ref().take(numbers).collect();
        for (j, direction) in numbers.iter_mut().enumerate() {
            direction[self.network + j] = 1.0;
        }
        let residual = solutions.next().unwrap_or_default();
        Ok(Responses { numbers, residual, draws: solutions.collect(), taken })
    }
}

/// What holds the network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hold {
    /// Λ, of the physics.
    pub tightness: f64,
    /// What a change of a parameter by 1 costs, in units of the noise: the linear problem is as good as it is near.
    pub damping: f64,
}

impl Hold {
    /// Rows that hold every parameter where it is, as far as nothing else does.
    fn push_to(self, factor: &mut RowFactor) {
        let (columns, sides) = (factor.columns(), factor.sides());
        for first in (0..columns).step_by(BLOCK) {
            let count = BLOCK.min(columns - first);
            let mut rows = vec![0.0; count * columns];
            (0..count).for_each(|row| rows[row * columns + first + row] = self.damping);
            factor.push(&rows, &vec![0.0; count * sides]);
        }
    }
}

/// Draws of the noise, in the order of the rows.
pub(super) struct Draws {
    pub count: usize,
    pub stream: Stream,
}

pub(super) fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}
