//! The linearised problem: all residuals at all points, their slopes by what is not frozen, and the step that makes them vanish.
//!
//! min_δ Σ_parts w · mean (r + J δ)². A part is one expression of one term; w is 1/mean ‖row of J‖², so that equations of any
//! order and conditions weigh alike. The factorisation is orthogonal and reveals the rank; JᵀJ is never formed.

use crate::case::Case;
use crate::error::Error;
use crate::problem::{Term, TermGroup};
use ropinn_engine::{Evaluation, Evaluator, Precision, Samples, SetId};
use ropinn_linalg::RowFactor;

/// Samples by which a row of J is measured.
const PROBES: usize = 64;
/// Rows that are handed to the factor at once: as many as this, fewer if they are long.
const BLOCK: usize = 4096;
const LEAST_BLOCK: usize = 512;
const MOST_ENTRIES: usize = 16 << 20;
/// Conditions weigh so many times as much as equations (mean squares).
const CONDITIONS: f64 = 100.0;

/// Terms of a case on points of their own.
pub(crate) struct System {
    evaluator: Evaluator,
    train: Vec<SetId>,
    fresh: Vec<SetId>,
    weights: Vec<f64>,
    frozen: usize,
    /// Rows of the equations, which come first.
    rows_of_equations: usize,
    out: Evaluation,
}

/// A step, and what it was made with.
pub(crate) struct Step {
    pub delta: Vec<f64>,
    /// Loss that the linear problem promises.
    pub promised: f64,
}

impl System {
    pub fn new(case: &Case, theta: &[f64], train: &[Term], fresh: &[Term]) -> Result<Self, Error> {
        let programs = train.iter().map(|term| case.program(term, vec![1; term.residuals.len()]));
        let programs = programs.collect::<Result<Vec<_>, _>>()?;
        let mut evaluator = Evaluator::new(programs, Precision::F64, case.threads())?;
        let mut sets = |terms: &[Term]| -> Result<Vec<SetId>, Error> {
            let mut sets = Vec::new();
            for (k, term) in terms.iter().enumerate() {
                let points = case.network_points(&term.points);
                sets.push(evaluator.add(k, Samples { points: &points, data: &term.data, weights: &[] })?);
            }
            Ok(sets)
        };
        let (train_sets, fresh_sets) = (sets(train)?, sets(fresh)?);
        let axes = case.problem().ranges().len();
        let rows = |term: &Term| term.samples(axes) * term.residuals.len();
        let weights = row_weights(&mut evaluator, case, theta, train)?;
        Ok(Self {
            evaluator,
            train: train_sets,
            fresh: fresh_sets,
            weights,
            frozen: case.network().frozen(),
            rows_of_equations: train.iter().filter(|term| term.group == TermGroup::Residual).map(rows).sum(),
            out: Evaluation::default(),
        })
    }

    /// Steps at several cutoffs of the rank.
    pub fn steps(&mut self, theta: &[f64], cutoffs: &[f64]) -> Result<Vec<Step>, Error> {
        let columns = theta.len() - self.frozen;
        let mut factor = RowFactor::new(columns, 1);
        let room = BLOCK.min(MOST_ENTRIES / columns.max(1)).max(LEAST_BLOCK);
        let (mut rows, mut rhs) = (Vec::with_capacity(room * columns), Vec::with_capacity(room));
        self.evaluator.scaled_rows(theta, &self.train, &self.weights, |own, residuals| {
            rows.extend_from_slice(own);
            rhs.extend(residuals.iter().map(|r| -r));
            if rhs.len() >= room {
                factor.push(&rows, &rhs);
                rows.clear();
                rhs.clear();
            }
        })?;
        if !rhs.is_empty() {
            factor.push(&rows, &rhs);
        }
        let least = cutoffs.iter().copied().fold(1.0, f64::min);
        let ranked = factor.ranked(0.1 * least);
        let solve = |&cutoff: &f64| {
            let found = ranked.solve(cutoff);
            Step { delta: found.x, promised: found.residual[0] * found.residual[0] }
        };
        Ok(cutoffs.iter().map(solve).collect())
    }

    /// What the equations and what the conditions account for of a full step, apart.
    pub fn parts(&mut self, theta: &[f64], cutoff: f64) -> Result<[Vec<f64>; 2], Error> {
        let columns = theta.len() - self.frozen;
        let mut factor = RowFactor::new(columns, 2);
        let (equations, mut next) = (self.rows_of_equations, 0);
        self.evaluator.scaled_rows(theta, &self.train, &self.weights, |rows, residuals| {
            let sides: Vec<f64> = residuals
                .iter()
                .enumerate()
                .flat_map(|(k, r)| if next + k < equations { [-r, 0.0] } else { [0.0, -r] })
                .collect();
            next += residuals.len();
            factor.push(rows, &sides);
        })?;
        let found = factor.ranked(0.1 * cutoff).solve(cutoff).x;
        // A number for each side and column.
        let (one, other) = found.split_at(columns);
        Ok([one.to_vec(), other.to_vec()])
    }

    /// θ with a step of what is not frozen.
    pub fn moved(&self, theta: &[f64], delta: &[f64], length: f64) -> Vec<f64> {
        let mut moved = theta.to_vec();
        moved[self.frozen..].iter_mut().zip(delta).for_each(|(t, d)| *t += length * d);
        moved
    }

    pub fn loss(&mut self, theta: &[f64]) -> Result<f64, Error> {
        self.evaluator.evaluate_loss(theta, &self.train, &self.weights, &mut self.out)?;
        Ok(self.out.loss)
    }

    pub fn fresh_loss(&mut self, theta: &[f64]) -> Result<f64, Error> {
        self.evaluator.evaluate_loss(theta, &self.fresh, &self.weights, &mut self.out)?;
        Ok(self.out.loss)
    }
}

/// 1/mean ‖row‖² of each part, rows by what is not frozen; more for conditions, and times the weights the problem gives.
pub(crate) fn row_weights(
    evaluator: &mut Evaluator,
    case: &Case,
    theta: &[f64],
    terms: &[Term],
) -> Result<Vec<f64>, Error> {
    let (axes, frozen) = (case.network().coordinates(), case.network().frozen());
    let mut weights = Vec::new();
    for (k, term) in terms.iter().enumerate() {
        let count = term.samples(axes);
        let step = (count / PROBES).max(1);
        let (width, columns) = (term.points.len() / count.max(1), term.data.len() / count.max(1));
        let pick = |values: &[f64], width: usize| -> Vec<f64> {
            (0..count).step_by(step).flat_map(|i| values[i * width..(i + 1) * width].iter().copied()).collect()
        };
        let (points, data) = (pick(&term.points, width), pick(&term.data, columns));
        let points = case.network_points(&points);
        let set = evaluator.add(k, Samples { points: &points, data: &data, weights: &[] })?;
        let (mut sums, mut counts) = (vec![0.0; term.residuals.len()], vec![0usize; term.residuals.len()]);
        evaluator.rows(theta, set, |tile| {
            for slopes in tile.rows.chunks_exact(tile.stride).skip(frozen) {
                sums[tile.output] += slopes[..tile.samples].iter().map(|s| s * s).sum::<f64>();
            }
            counts[tile.output] += tile.samples;
        })?;
        evaluator.remove(set)?;
        let factor = if term.group == TermGroup::Residual { 1.0 } else { CONDITIONS };
        let own = sums.iter().zip(&counts).zip(&term.label_weights);
        weights.extend(own.map(|((sum, count), weight)| {
            factor * weight * term.weight / (sum / (*count).max(1) as f64).max(f64::MIN_POSITIVE)
        }));
    }
    Ok(weights)
}
