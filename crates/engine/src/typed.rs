//! Products over whole batches in one working precision.
//!
//! Tiles are dealt to a *fixed* number of accumulators by position, never by thread, and the accumulators are added in order:
//! the same bits come out for any number of threads. Gradients of a few thousand columns are summed in the working precision
//! by the matrix products; everything beyond that, and every loss, is summed in f64.

mod gram;

pub(crate) use gram::residual_scale;

use crate::error::EngineError;
use crate::evaluator::{Batch, Evaluation, RowTile};
use crate::exec::{GradSink, Tile};
use crate::program::{LANES, Program};
use crate::schedule::{Job, Schedule};
use crate::threads::Threads;
use rayon::prelude::*;
use ropinn_vmath::Real;
use std::sync::Mutex;

/// What a tile does after its forward sweep.
#[derive(Clone, Copy)]
enum Task<'a> {
    /// Mean squares, one weight per part, and their gradient if it is wanted. `idle` terms, whose parts have no weight, may
    /// be left out.
    Loss { weights: &'a [f64], first_parts: &'a [usize], skip_idle: bool, with_gradient: bool },
    /// The gradient of `Σ 2 weight · mean(r r')`, where the second half of a term's outputs are the slopes r' of the first.
    Slope { weights: &'a [f64], first_parts: &'a [usize] },
    /// Jᵀw for given cotangents per term.
    Pullback { cotangents: &'a [&'a [f64]] },
}

impl Task<'_> {
    /// Whether a term adds nothing to what is wanted.
    fn skips(&self, term: usize, program: &Program) -> bool {
        match self {
            Self::Loss { weights, first_parts, skip_idle: true, .. } | Self::Slope { weights, first_parts } => {
                weights[first_parts[term]..][..program.parts()].iter().all(|&weight| weight == 0.0)
            }
            _ => false,
        }
    }

    /// Whether a reverse sweep follows.
    fn is_swept_back(&self) -> bool {
        !matches!(self, Self::Loss { with_gradient: false, .. })
    }
}

/// Sums of one accumulator.
struct Accumulator {
    terms: Vec<f64>,
    grad: Vec<f64>,
    empty: bool,
}

/// Buffers of one thread: a tile per term and the gradient being summed.
struct Workspace<T> {
    tiles: Vec<Tile<T>>,
    partial: Vec<T>,
    /// Made at first use, for per-sample rows.
    row_tiles: Vec<Option<Tile<T>>>,
    /// A block row of JᵀJ being summed.
    block: Vec<T>,
}

/// Gradient columns summed in the working precision before they move to f64.
const FLUSH_COLUMNS: usize = 4096;

/// [`crate::Evaluator`] in precision `T`, with every buffer made once.
pub(crate) struct TypedEvaluator<T> {
    terms: Vec<Program>,
    /// Number of each term's first part among all.
    first_parts: Vec<usize>,
    parts: usize,
    threads: Threads,
    workspaces: Vec<Mutex<Workspace<T>>>,
    accumulators: Vec<Accumulator>,
    schedule: Schedule,
    theta: Vec<T>,
    row_tiles: Vec<Option<Tile<T>>>,
    rows: Vec<T>,
    wide: Vec<f64>,
    panels: gram::PanelMemory<T>,
}

impl<T: Real> TypedEvaluator<T> {
    /// Makes the buffers for `terms`, which must share one network.
    pub fn new(terms: Vec<Program>, threads: &Threads) -> Result<Self, EngineError> {
        let parameters = terms.first().ok_or(EngineError::NoResiduals)?.parameters();
        if let Some(term) = terms.iter().find(|t| t.parameters() != parameters) {
            let (term, found) = (term.name().to_owned(), term.parameters());
            return Err(EngineError::DifferentNetworks { term, expected: parameters, found });
        }
        let workspaces = (0..threads.count())
            .map(|_| {
                let tiles = terms.iter().map(|t| Tile::new(t, t.plan(false), t.tile_samples(), false)).collect();
                let row_tiles = terms.iter().map(|_| None).collect();
                Mutex::new(Workspace { tiles, partial: vec![T::ZERO; parameters], row_tiles, block: Vec::new() })
            })
            .collect();
        let row_tiles = terms.iter().map(|_| None).collect();
        let mut parts = 0;
        let mut next = |count| {
            parts += count;
            parts - count
        };
        let first_parts = terms.iter().map(|term| next(term.parts())).collect();
        Ok(Self {
            terms,
            first_parts,
            parts,
            threads: threads.clone(),
            workspaces,
            accumulators: Vec::new(),
            schedule: Schedule::default(),
            theta: vec![T::ZERO; parameters],
            row_tiles,
            rows: Vec::new(),
            wide: Vec::new(),
            panels: gram::PanelMemory::default(),
        })
    }

    /// Loss `Σ_t weights[t] · mean_t(r²)` over the parts t of all terms, and its gradient at `theta`.
    ///
    /// Each residual expression of a part is a mean over samples and sequence elements; several expressions add up.
    pub fn evaluate(
        &mut self,
        theta: &[f64],
        batches: &[Batch<'_>],
        weights: &[f64],
        out: &mut Evaluation,
    ) -> Result<(), EngineError> {
        self.sum_squares(theta, batches, weights, false, true)?;
        self.collect_gradient(&mut out.grad);
        self.collect_terms(weights, out);
        Ok(())
    }

    /// The loss of [`Self::evaluate`] alone, with the same bits; the gradient is left empty.
    pub fn evaluate_loss(
        &mut self,
        theta: &[f64],
        batches: &[Batch<'_>],
        weights: &[f64],
        out: &mut Evaluation,
    ) -> Result<(), EngineError> {
        self.sum_squares(theta, batches, weights, false, false)?;
        out.grad.clear();
        self.collect_terms(weights, out);
        Ok(())
    }

    /// The gradient alone; terms whose parts all have weight 0 cost nothing.
    pub fn gradient(
        &mut self,
        theta: &[f64],
        batches: &[Batch<'_>],
        weights: &[f64],
        grad: &mut Vec<f64>,
    ) -> Result<(), EngineError> {
        self.sum_squares(theta, batches, weights, true, true)?;
        self.collect_gradient(grad);
        Ok(())
    }

    /// The gradient of `Σ_t weights[t] · 2 mean_t(r r')` for terms whose second half of outputs are the slopes r' of the
    /// first.
    pub fn slope_gradient(
        &mut self,
        theta: &[f64],
        batches: &[Batch<'_>],
        weights: &[f64],
        grad: &mut Vec<f64>,
    ) -> Result<(), EngineError> {
        self.check_weights(weights)?;
        self.prepare(theta, batches)?;
        let first_parts = std::mem::take(&mut self.first_parts);
        self.run_tiles(batches, Task::Slope { weights, first_parts: &first_parts });
        self.first_parts = first_parts;
        self.collect_gradient(grad);
        Ok(())
    }

    fn sum_squares(
        &mut self,
        theta: &[f64],
        batches: &[Batch<'_>],
        weights: &[f64],
        skip_idle: bool,
        with_gradient: bool,
    ) -> Result<(), EngineError> {
        self.check_weights(weights)?;
        self.prepare(theta, batches)?;
        let first_parts = std::mem::take(&mut self.first_parts);
        self.run_tiles(batches, Task::Loss { weights, first_parts: &first_parts, skip_idle, with_gradient });
        self.first_parts = first_parts;
        Ok(())
    }

    fn check_weights(&self, weights: &[f64]) -> Result<(), EngineError> {
        let (expected, found) = (self.parts, weights.len());
        if found == expected { Ok(()) } else { Err(EngineError::BatchCount { expected, found }) }
    }

    /// `Σ_t J_tᵀ w_t`: the gradient of `Σ cotangent · residual`, cotangents laid out like [`Self::residuals`].
    pub fn pullback(
        &mut self,
        theta: &[f64],
        batches: &[Batch<'_>],
        cotangents: &[&[f64]],
        grad: &mut Vec<f64>,
    ) -> Result<(), EngineError> {
        self.prepare(theta, batches)?;
        if cotangents.len() != self.terms.len() {
            return Err(EngineError::BatchCount { expected: self.terms.len(), found: cotangents.len() });
        }
        for ((term, batch), w) in self.terms.iter().zip(batches).zip(cotangents) {
            let expected = samples_of(term, batch) * term.outputs();
            if w.len() != expected {
                let (term, what) = (term.name().to_owned(), "cotangents");
                return Err(EngineError::VectorLength { term, what, expected, found: w.len() });
            }
        }
        self.run_tiles(batches, Task::Pullback { cotangents });
        self.collect_gradient(grad);
        Ok(())
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
        self.load_theta(theta)?;
        let program = &self.terms[term];
        check_batch(program, &batch)?;
        let (samples, outputs) = (samples_of(program, &batch), program.outputs());
        out.resize(samples * outputs, 0.0);
        let (tile_samples, lanes) = tile_split(samples, program.tile_samples());
        let (workspaces, theta) = (&self.workspaces, &self.theta);
        self.threads.run(|| {
            out.par_chunks_mut(tile_samples * outputs).enumerate().with_max_len(1).for_each(|(tile_number, out)| {
                let mut workspace = own_workspace(workspaces);
                let tile = &mut workspace.tiles[term];
                let (first, valid) = (tile_number * tile_samples, out.len() / outputs);
                tile.load(program, batch.points, batch.data, first, valid, lanes);
                tile.forward(program, program.plan(false), theta);
                for k in 0..outputs {
                    for (i, r) in tile.residual(program, k)[..valid].iter().enumerate() {
                        out[i * outputs + k] = r.to_f64();
                    }
                }
            });
        });
        Ok(())
    }

    /// Delivers residuals and per-sample gradient rows of one term, tile by tile in order, to `visit`.
    ///
    /// Rows are never held for more than one tile, so memory does not grow with the batch.
    pub fn rows(
        &mut self,
        term: usize,
        theta: &[f64],
        batch: Batch<'_>,
        visit: &mut dyn FnMut(RowTile<'_>),
    ) -> Result<(), EngineError> {
        self.load_theta(theta)?;
        let program = &self.terms[term];
        check_batch(program, &batch)?;
        let plan = program.plan(true);
        let samples = samples_of(program, &batch);
        let (tile_samples, lanes) = tile_split(samples, program.tile_samples());
        let tile = self.row_tiles[term].get_or_insert_with(|| Tile::new(program, plan, program.tile_samples(), true));
        self.rows.resize(self.theta.len() * lanes, T::ZERO);
        self.wide.resize((self.theta.len() + 1) * lanes, 0.0);
        for first in (0..samples).step_by(tile_samples) {
            let valid = tile_samples.min(samples - first);
            tile.load(program, batch.points, batch.data, first, valid, lanes);
            tile.forward(program, plan, &self.theta);
            for output in 0..program.outputs() {
                tile.clear_seeds();
                tile.seed(program, output).fill(T::ONE);
                self.rows.fill(T::ZERO);
                tile.backward(program, plan, &self.theta, &mut GradSink::Rows { rows: &mut self.rows, samples: lanes });
                let residuals = tile.residual(program, output);
                self.wide[..lanes].iter_mut().zip(residuals).for_each(|(w, r)| *w = r.to_f64());
                self.wide[lanes..].iter_mut().zip(&self.rows).for_each(|(w, r)| *w = r.to_f64());
                let (residuals, rows) = self.wide.split_at(lanes);
                visit(RowTile { first, samples: valid, stride: lanes, output, residuals: &residuals[..valid], rows });
            }
        }
        Ok(())
    }

    fn load_theta(&mut self, theta: &[f64]) -> Result<(), EngineError> {
        if theta.len() != self.theta.len() {
            return Err(EngineError::ThetaLength { expected: self.theta.len(), found: theta.len() });
        }
        self.theta.iter_mut().zip(theta).for_each(|(t, &v)| *t = T::from_f64(v));
        Ok(())
    }

    /// Checks the batches and deals their tiles to accumulators; nothing is allocated while sizes stay the same.
    fn prepare(&mut self, theta: &[f64], batches: &[Batch<'_>]) -> Result<(), EngineError> {
        self.load_theta(theta)?;
        if batches.len() != self.terms.len() {
            return Err(EngineError::BatchCount { expected: self.terms.len(), found: batches.len() });
        }
        for (term, batch) in self.terms.iter().zip(batches) {
            check_batch(term, batch)?;
        }
        self.schedule.update(&self.terms, batches.iter().zip(&self.terms).map(|(b, t)| samples_of(t, b)));
        let (groups, parameters, parts) = (self.schedule.groups(), self.theta.len(), self.parts);
        self.accumulators.resize_with(groups, || Accumulator {
            terms: vec![0.0; parts],
            grad: vec![0.0; parameters],
            empty: true,
        });
        Ok(())
    }

    fn run_tiles(&mut self, batches: &[Batch<'_>], task: Task<'_>) {
        let (terms, schedule, theta, workspaces) = (&self.terms, &self.schedule, &self.theta, &self.workspaces);
        let accumulators = &mut self.accumulators;
        self.threads.run(|| {
            accumulators.par_iter_mut().enumerate().with_max_len(1).for_each(|(group, accumulator)| {
                let mut workspace = own_workspace(workspaces);
                accumulator.terms.fill(0.0);
                accumulator.empty = true;
                workspace.partial.fill(T::ZERO);
                let mut columns = 0;
                for job in schedule.jobs(group) {
                    let program = &terms[job.term];
                    if task.skips(job.term, program) {
                        continue;
                    }
                    let Workspace { tiles, partial, .. } = &mut *workspace;
                    run_job(program, &mut tiles[job.term], job, &batches[job.term], task, theta, partial, accumulator);
                    columns += job.lanes * program.channels();
                    if columns >= FLUSH_COLUMNS {
                        accumulator.flush(&mut workspace.partial);
                        columns = 0;
                    }
                }
                accumulator.flush(&mut workspace.partial);
            });
        });
    }

    fn collect_terms(&self, weights: &[f64], out: &mut Evaluation) {
        out.terms.resize(self.parts, 0.0);
        for (t, term) in out.terms.iter_mut().enumerate() {
            *term = self.accumulators.iter().map(|a| a.terms[t]).sum();
        }
        out.loss = out.terms.iter().zip(weights).map(|(term, w)| term * w).sum();
    }

    /// Adds the accumulators in their fixed order, each thread a slice of the parameters.
    fn collect_gradient(&self, grad: &mut Vec<f64>) {
        grad.resize(self.theta.len(), 0.0);
        let accumulators = &self.accumulators;
        self.threads.run(|| {
            grad.par_chunks_mut(8192).enumerate().for_each(|(chunk, grad)| {
                let start = chunk * 8192;
                grad.fill(0.0);
                for accumulator in accumulators {
                    let part = &accumulator.grad[start..start + grad.len()];
                    grad.iter_mut().zip(part).for_each(|(g, &a)| *g += a);
                }
            });
        });
    }
}

impl Accumulator {
    fn flush<T: Real>(&mut self, partial: &mut [T]) {
        if self.empty {
            self.grad.iter_mut().zip(partial.iter()).for_each(|(g, p)| *g = p.to_f64());
        } else {
            self.grad.iter_mut().zip(partial.iter()).for_each(|(g, p)| *g += p.to_f64());
        }
        self.empty = false;
        partial.fill(T::ZERO);
    }
}

#[expect(clippy::too_many_arguments, reason = "one tile: its program, buffers, samples, task and sums")]
fn run_job<T: Real>(
    program: &Program,
    tile: &mut Tile<T>,
    job: &Job,
    batch: &Batch<'_>,
    task: Task<'_>,
    theta: &[T],
    partial: &mut [T],
    accumulator: &mut Accumulator,
) {
    let plan = program.plan(false);
    tile.load(program, batch.points, batch.data, job.first, job.samples, job.lanes);
    tile.forward(program, plan, theta);
    tile.clear_seeds();
    let (outputs, total) = (program.outputs(), job.total);
    let mean = 1.0 / (total * program.elements_used()) as f64;
    let sample_weight = |i: usize| if batch.weights.is_empty() { 1.0 } else { batch.weights[job.first + i] };
    for k in 0..outputs {
        match task {
            Task::Loss { weights, first_parts, .. } => {
                let part = first_parts[job.term] + program.part_of(k);
                let slope = 2.0 * weights[part] * mean;
                let mut squares = 0.0;
                for i in 0..job.samples {
                    let (r, w) = (tile.residual(program, k)[i].to_f64(), sample_weight(i));
                    squares += w * r * r;
                    tile.seed(program, k)[i] += T::from_f64(slope * w * r);
                }
                accumulator.terms[part] += squares * mean;
            }
            Task::Slope { weights, first_parts } => {
                let (own, slopes) = (k % (outputs / 2), outputs / 2);
                let partner = (k + slopes) % outputs;
                let slope = 2.0 * weights[first_parts[job.term] + program.part_of(own)] * mean;
                for i in 0..job.samples {
                    let r = tile.residual(program, partner)[i].to_f64();
                    tile.seed(program, k)[i] += T::from_f64(slope * sample_weight(i) * r);
                }
            }
            Task::Pullback { cotangents } => {
                let w = &cotangents[job.term][job.first * outputs..];
                let seeds = tile.seed(program, k);
                (0..job.samples).for_each(|i| seeds[i] += T::from_f64(w[i * outputs + k]));
            }
        }
    }
    if task.is_swept_back() {
        tile.backward(program, plan, theta, &mut GradSink::Sum(partial));
    }
}

pub(crate) fn samples_of(program: &Program, batch: &Batch<'_>) -> usize {
    batch.points.len() / program.coordinates_per_sample()
}

/// Samples per tile and padded lanes for a batch of `samples`.
pub(crate) fn tile_split(samples: usize, largest: usize) -> (usize, usize) {
    let tiles = samples.div_ceil(largest).max(1);
    let size = samples.div_ceil(tiles).max(1);
    let lanes = size.next_multiple_of(LANES);
    (lanes.min(samples), lanes)
}

fn check_batch(program: &Program, batch: &Batch<'_>) -> Result<(), EngineError> {
    let term = || program.name().to_owned();
    let per_sample = program.coordinates_per_sample();
    if batch.points.is_empty() {
        return Err(EngineError::NoPoints { term: term() });
    }
    if !batch.points.len().is_multiple_of(per_sample) {
        return Err(EngineError::PointsLength { term: term(), per_sample, found: batch.points.len() });
    }
    let samples = batch.points.len() / per_sample;
    let columns = program.data_columns();
    if batch.data.len() != samples * columns {
        let (expected, found) = (samples * columns, batch.data.len());
        return Err(EngineError::DataLength { term: term(), expected, columns, samples, found });
    }
    if !batch.weights.is_empty() && batch.weights.len() != samples {
        let (what, found) = ("sample weights", batch.weights.len());
        return Err(EngineError::VectorLength { term: term(), what, expected: samples, found });
    }
    Ok(())
}

/// The calling worker's workspace: each worker has its own, so the lock is never contended.
fn own_workspace<T>(workspaces: &[Mutex<Workspace<T>>]) -> std::sync::MutexGuard<'_, Workspace<T>> {
    let index = rayon::current_thread_index().unwrap_or(0) % workspaces.len();
    workspaces[index].lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
