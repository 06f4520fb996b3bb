//! Second-order products: the Gram matrix JᵀJ of the scaled residuals, and the Jacobian itself where it is the smaller one.
//!
//! With ρ = √(weight/mean count)·r, the loss is f = ‖ρ‖², its gradient 2Jᵀρ and its Gauss–Newton matrix 2JᵀJ. Rows are made a
//! panel of tiles at a time, each tile by one thread into its own slab; then each block row of JᵀJ is updated by one thread.
//! Both cuts depend on the sizes alone, so the same bits come out for any number of threads.

use super::{TypedEvaluator, Workspace, check_batch, own_workspace, samples_of, tile_split};
use crate::error::EngineError;
use crate::evaluator::{Batch, Jacobian, NormalEquations};
use crate::exec::{GradSink, Tile, View, matmul};
use crate::program::Program;
use rayon::prelude::*;
use ropinn_vmath::Real;

/// Samples per tile: long enough inner products for the matrix kernel, whatever the number of derivative channels.
const TILE_SAMPLES: usize = 256;
/// Rows of JᵀJ updated as one piece of work.
const BLOCK_ROWS: usize = 96;
/// Bounds on the rows held at once.
const PANEL_BYTES: usize = 96 << 20;
const PANEL_SLABS: usize = 16;

/// One residual output on one tile of one term.
#[derive(Clone, Copy)]
struct Slab {
    term: usize,
    /// Its part among those of all terms.
    part: usize,
    output: usize,
    first: usize,
    samples: usize,
    lanes: usize,
    /// √(weight · 1/count).
    scale: f64,
    /// Number of its first residual among all, and the distance to the next.
    row: usize,
    stride: usize,
}

/// Memory of the second-order products, made at first use.
pub(super) struct PanelMemory<T> {
    slabs: Vec<Slab>,
    /// `[slab][parameter][lane]`.
    rows: Vec<T>,
    /// `[slab][lane]`.
    residuals: Vec<f64>,
}

impl<T> Default for PanelMemory<T> {
    fn default() -> Self {
        Self { slabs: Vec::new(), rows: Vec::new(), residuals: Vec::new() }
    }
}

impl<T: Real> TypedEvaluator<T> {
    /// Loss, gradient and JᵀJ (lower triangle) at `theta`.
    pub fn normal_equations(
        &mut self,
        theta: &[f64],
        batches: &[Batch<'_>],
        weights: &[f64],
        out: &mut NormalEquations,
    ) -> Result<(), EngineError> {
        let p = self.theta.len();
        out.gram.resize(p * p, 0.0);
        out.gram.fill(0.0);
        out.grad.resize(p, 0.0);
        out.grad.fill(0.0);
        out.terms.clear();
        out.terms.resize(self.parts, 0.0);
        self.each_panel(theta, batches, weights, |me, panel, memory| {
            me.add_gram(panel, memory, &mut out.gram);
            me.add_gradient(panel, memory, &mut out.grad);
            add_terms(panel, memory, &mut out.terms);
        })?;
        finish_loss(&mut out.loss, &mut out.terms, weights);
        Ok(())
    }

    /// Loss and the scaled residuals with their Jacobian at `theta`.
    pub fn jacobian(
        &mut self,
        theta: &[f64],
        batches: &[Batch<'_>],
        weights: &[f64],
        out: &mut Jacobian,
    ) -> Result<(), EngineError> {
        let p = self.theta.len();
        let count = self.terms.iter().zip(batches).map(|(t, b)| samples_of(t, b) * t.outputs()).sum::<usize>();
        out.rows.resize(count * p, 0.0);
        out.residuals.resize(count, 0.0);
        out.terms.clear();
        out.terms.resize(self.parts, 0.0);
        self.each_panel(theta, batches, weights, |_, panel, memory| {
            for (slab, (rows, residuals)) in panel.iter().zip(memory.slabs_of(p)) {
                for i in 0..slab.samples {
                    let number = slab.row + i * slab.stride;
                    let row = &mut out.rows[number * p..][..p];
                    row.iter_mut().enumerate().for_each(|(k, j)| *j = rows[k * slab.lanes + i].to_f64());
                    out.residuals[number] = residuals[i];
                }
            }
            add_terms(panel, memory, &mut out.terms);
        })?;
        finish_loss(&mut out.loss, &mut out.terms, weights);
        Ok(())
    }

    /// Fills panels of scaled rows one after another and hands each over.
    fn each_panel(
        &mut self,
        theta: &[f64],
        batches: &[Batch<'_>],
        weights: &[f64],
        mut use_panel: impl FnMut(&Self, &[Slab], &PanelMemory<T>),
    ) -> Result<(), EngineError> {
        self.load_theta(theta)?;
        let expected = self.terms.len();
        if batches.len() != expected {
            return Err(EngineError::BatchCount { expected, found: batches.len() });
        }
        self.check_weights(weights)?;
        for (term, batch) in self.terms.iter().zip(batches) {
            check_batch(term, batch)?;
        }
        let mut memory = std::mem::take(&mut self.panels);
        memory.slabs = slabs(&self.terms, &self.first_parts, batches, weights);
        let (p, slabs) = (self.theta.len(), std::mem::take(&mut memory.slabs));
        let affordable = PANEL_BYTES / (size_of::<T>() * p.max(1) * TILE_SAMPLES);
        let per_panel = affordable.clamp(2, PANEL_SLABS).min(slabs.len());
        memory.rows.resize(per_panel * p * TILE_SAMPLES, T::ZERO);
        memory.residuals.resize(per_panel * TILE_SAMPLES, 0.0);
        for panel in slabs.chunks(per_panel) {
            self.fill(panel, batches, &mut memory);
            use_panel(self, panel, &memory);
        }
        memory.slabs = slabs;
        self.panels = memory;
        Ok(())
    }

    fn fill(&self, panel: &[Slab], batches: &[Batch<'_>], memory: &mut PanelMemory<T>) {
        let (terms, theta, workspaces) = (&self.terms, &self.theta, &self.workspaces);
        let rows = memory.rows.par_chunks_mut(theta.len() * TILE_SAMPLES);
        let residuals = memory.residuals.par_chunks_mut(TILE_SAMPLES);
        self.threads.run(|| {
            panel.par_iter().zip(rows).zip(residuals).with_max_len(1).for_each(|((slab, rows), residuals)| {
                let mut workspace = own_workspace(workspaces);
                fill_slab(&terms[slab.term], slab, &batches[slab.term], theta, &mut workspace, rows, residuals);
            });
        });
    }

    /// JᵀJ += Σ_slabs J_slabᵀ J_slab, lower triangle by block rows; the longest rows start first.
    fn add_gram(&self, panel: &[Slab], memory: &PanelMemory<T>, gram: &mut [f64]) {
        let p = self.theta.len();
        let workspaces = &self.workspaces;
        self.threads.run(|| {
            gram.par_chunks_mut(BLOCK_ROWS * p).enumerate().rev().with_max_len(1).for_each(|(block, gram)| {
                let (first, rows) = (block * BLOCK_ROWS, gram.len() / p);
                let columns = first + rows;
                let mut workspace = own_workspace(workspaces);
                let sum = &mut workspace.block;
                sum.resize(BLOCK_ROWS * p, T::ZERO);
                for (k, (slab, (slab_rows, _))) in panel.iter().zip(memory.slabs_of(p)).enumerate() {
                    let (left, right) = (View::rows(first * slab.lanes, slab.lanes), View::rows(0, slab.lanes));
                    let sizes = (rows, columns, slab.lanes);
                    let target = View::rows(0, columns);
                    matmul(sizes, sum, target, k > 0, slab_rows, left, slab_rows, right.transposed());
                }
                for (gram, sum) in gram.chunks_exact_mut(p).zip(sum.chunks_exact(columns)) {
                    gram.iter_mut().zip(sum).for_each(|(g, s)| *g += s.to_f64());
                }
            });
        });
    }
}

impl<T: Real> TypedEvaluator<T> {
    /// grad += 2 Jᵀρ, each thread a slice of the parameters.
    fn add_gradient(&self, panel: &[Slab], memory: &PanelMemory<T>, grad: &mut [f64]) {
        let p = self.theta.len();
        self.threads.run(|| {
            grad.par_chunks_mut(BLOCK_ROWS).enumerate().for_each(|(chunk, grad)| {
                for (slab, (rows, residuals)) in panel.iter().zip(memory.slabs_of(p)) {
                    let rows = rows[chunk * BLOCK_ROWS * slab.lanes..].chunks_exact(slab.lanes);
                    for (g, row) in grad.iter_mut().zip(rows) {
                        let mut sums = [0.0; 8];
                        for (row, residuals) in row.chunks_exact(8).zip(residuals.chunks_exact(8)) {
                            (0..8).for_each(|i| sums[i] += row[i].to_f64() * residuals[i]);
                        }
                        *g += 2.0 * sums.iter().sum::<f64>();
                    }
                }
            });
        });
    }
}

impl<T> PanelMemory<T> {
    fn slabs_of(&self, p: usize) -> impl Iterator<Item = (&[T], &[f64])> {
        self.rows.chunks(p * TILE_SAMPLES).zip(self.residuals.chunks(TILE_SAMPLES))
    }
}

/// Tiles of all terms, each output apart.
fn slabs(terms: &[Program], first_parts: &[usize], batches: &[Batch<'_>], weights: &[f64]) -> Vec<Slab> {
    let mut all = Vec::new();
    let mut before = 0;
    for (term, (program, batch)) in terms.iter().zip(batches).enumerate() {
        let total = samples_of(program, batch);
        let (size, lanes) = tile_split(total, TILE_SAMPLES);
        let stride = program.outputs();
        for first in (0..total).step_by(size) {
            let samples = size.min(total - first);
            for output in 0..stride {
                let row = before + first * stride + output;
                let part = first_parts[term] + program.part_of(output);
                let scale = residual_scale(program, total, weights[part]);
                all.push(Slab { term, part, output, first, samples, lanes, scale, row, stride });
            }
        }
        before += total * stride;
    }
    all
}

/// √(weight/count): the loss is the sum of squares of residuals times this.
pub(crate) fn residual_scale(program: &Program, samples: usize, weight: f64) -> f64 {
    (weight / (samples * program.elements_used()) as f64).sqrt()
}

fn fill_slab<T: Real>(
    program: &Program,
    slab: &Slab,
    batch: &Batch<'_>,
    theta: &[T],
    workspace: &mut Workspace<T>,
    rows: &mut [T],
    residuals: &mut [f64],
) {
    let plan = program.plan(true);
    let tile = workspace.row_tiles[slab.term].get_or_insert_with(|| Tile::new(program, plan, TILE_SAMPLES, true));
    tile.load(program, batch.points, batch.data, slab.first, slab.samples, slab.lanes);
    tile.forward(program, plan, theta);
    tile.clear_seeds();
    residuals.fill(0.0);
    // Padding has seed 0: its rows vanish.
    for (i, residual) in residuals[..slab.samples].iter_mut().enumerate() {
        let weight = if batch.weights.is_empty() { 1.0 } else { batch.weights[slab.first + i] };
        let scale = slab.scale * weight.sqrt();
        *residual = scale * tile.residual(program, slab.output)[i].to_f64();
        tile.seed(program, slab.output)[i] = T::from_f64(scale);
    }
    let rows = &mut rows[..theta.len() * slab.lanes];
    rows.fill(T::ZERO);
    tile.backward(program, plan, theta, &mut GradSink::Rows { rows, samples: slab.lanes });
}

fn add_terms<T>(panel: &[Slab], memory: &PanelMemory<T>, terms: &mut [f64]) {
    for (slab, residuals) in panel.iter().zip(memory.residuals.chunks(TILE_SAMPLES)) {
        terms[slab.part] += residuals.iter().map(|r| r * r).sum::<f64>();
    }
}

/// Terms were summed with their weights; they are reported without.
fn finish_loss(loss: &mut f64, terms: &mut [f64], weights: &[f64]) {
    *loss = terms.iter().sum();
    for (term, &weight) in terms.iter_mut().zip(weights) {
        if weight > 0.0 {
            *term /= weight;
        }
    }
}
