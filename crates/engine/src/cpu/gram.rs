//! Second-order products: the Gram matrix JᵀJ of the scaled residuals, and the Jacobian itself where it is the smaller one.
//!
//! With ρ = √(weight/mean count)·r, the loss is f = ‖ρ‖², its gradient 2Jᵀρ and its Gauss–Newton matrix 2JᵀJ. Rows are made a
//! panel of slabs at a time, each slab by one thread, tile by tile: a tile's slopes, parameter by parameter, stay in its cache
//! until they are turned into rows of J. Then, group by group, each block row of JᵀJ is updated by one thread, up to its
//! diagonal: in the working precision within a panel, in f64 beyond. All cuts depend on the sizes alone, so the same bits come
//! out for any number of threads.

use super::schedule::{MOST_MERGED, tile_split};
use super::{Cpu, Set, Workspace, own_workspace};
use crate::backend::{Evaluation, Jacobian, SetId};
use crate::exec::{GradSink, Parameters, Tile};
use crate::program::Program;
use rayon::prelude::*;
use ropinn_linalg::{Numbers, Product, Target, View, matmul, transpose};
use ropinn_vmath::dispatch;
use std::ops::Range;

/// Samples per slab: long enough sums for the matrix kernel, whatever the number of derivative channels.
const SLAB_SAMPLES: usize = 256;
/// Samples per tile within a slab: their slopes by all parameters should stay in cache.
const TILE_SAMPLES: usize = 64;
/// Rows of JᵀJ updated as one piece of work, and entries of the gradient.
const BLOCK_ROWS: usize = 96;
const GRADIENT_COLUMNS: usize = 256;
/// Bounds on the rows held at once.
const PANEL_BYTES: usize = 96 << 20;
const PANEL_SLABS: usize = 16;

/// Slabs in a panel, for rows of so many bytes.
fn most_slabs(row_bytes: usize) -> usize {
    (PANEL_BYTES / (row_bytes.max(1) * SLAB_SAMPLES)).clamp(2, PANEL_SLABS)
}

/// Bytes the sum of JᵀJ takes at most beside its result: rows of a panel, and the matrix of a group of several panels.
pub fn gram_room(parameters: usize, residuals: usize) -> u64 {
    let row_bytes = size_of::<f64>().saturating_mul(parameters);
    let slabs = residuals.div_ceil(MOST_MERGED * SLAB_SAMPLES);
    let group = if slabs > most_slabs(row_bytes) { parameters } else { 0 };
    (row_bytes as u64).saturating_mul((group + slabs.min(most_slabs(row_bytes)) * SLAB_SAMPLES) as u64)
}

/// One residual output on one tile of one term.
#[derive(Clone, Copy)]
struct Slab {
    group: usize,
    term: usize,
    /// Its part among those of all terms.
    part: usize,
    output: usize,
    first: usize,
    samples: usize,
    /// √(weight · 1/count).
    scale: f64,
    /// Number of its first residual among all, and the distance to the next.
    row: usize,
    stride: usize,
}

impl Slab {
    fn same_group(&self, other: &Self) -> bool {
        self.group == other.group
    }
}

/// Memory of the second-order products, made at first use.
pub(super) struct PanelMemory<T> {
    /// `[slab][sample][parameter]`.
    rows: Vec<T>,
    /// `[slab][sample]`.
    residuals: Vec<f64>,
    /// The mean square of each slab.
    squares: Vec<f64>,
    /// The sums of a group that takes several panels, and of one that is handed over.
    group: Evaluation,
    handed: Evaluation,
}

impl<T> Default for PanelMemory<T> {
    fn default() -> Self {
        let (group, handed) = (Evaluation::default(), Evaluation::default());
        Self { rows: Vec::new(), residuals: Vec::new(), squares: Vec::new(), group, handed }
    }
}

/// Rows and residuals of the slabs of a panel.
type Panel<'a, T> = [(&'a Slab, (&'a [T], &'a [f64]))];

impl<T: Numbers> Cpu<T> {
    /// Mean squares, gradient and JᵀJ (lower triangle).
    pub(super) fn normal_equations(&mut self, sets: &[SetId], weights: &[f64], out: &mut Evaluation) {
        let groups = self.deal(sets).merged();
        let slabs = self.slabs(sets, weights, 0..groups);
        let mut memory = std::mem::take(&mut self.panels);
        self.add_groups(sets, &slabs, &mut memory, out);
        self.panels = memory;
    }

    /// The same of some groups.
    pub(super) fn normal_groups(
        &mut self,
        sets: &[SetId],
        weights: &[f64],
        groups: Range<usize>,
        visit: &mut dyn FnMut(&Evaluation),
    ) {
        self.deal(sets);
        let slabs = self.slabs(sets, weights, groups);
        let mut memory = std::mem::take(&mut self.panels);
        let mut handed = std::mem::take(&mut memory.handed);
        for group in slabs.chunk_by(Slab::same_group) {
            self.add_groups(sets, group, &mut memory, &mut handed);
            visit(&handed);
        }
        memory.handed = handed;
        self.panels = memory;
    }

    /// Mean squares and the scaled residuals with their Jacobian.
    pub(super) fn scaled_jacobian(&mut self, sets: &[SetId], weights: &[f64], out: &mut Jacobian) {
        let groups = self.deal(sets).merged();
        let slabs = self.slabs(sets, weights, 0..groups);
        let (p, count) = (self.parameters.theta.len(), slabs.iter().map(|slab| slab.samples).sum::<usize>());
        out.rows.resize(count * p, 0.0);
        out.residuals.resize(count, 0.0);
        let mut memory = std::mem::take(&mut self.panels);
        self.each_panel(sets, &slabs, 0, &mut memory, |panel, _| {
            for (slab, (rows, residuals)) in panel {
                for i in 0..slab.samples {
                    let number = slab.row + i * slab.stride;
                    let row = out.rows[number * p..][..p].iter_mut();
                    row.zip(&rows[i * p..]).for_each(|(out, slope)| *out = slope.to_f64());
                    out.residuals[number] = residuals[i];
                }
            }
        });
        self.sum_squares(&slabs, &memory.squares, &mut out.parts);
        self.panels = memory;
    }

    /// Mean squares, and the scaled residuals with the slopes of what is not frozen, slab by slab.
    pub(super) fn visit_scaled_rows(
        &mut self,
        sets: &[SetId],
        weights: &[f64],
        visit: &mut dyn FnMut(&[f64], &[f64]),
    ) -> Vec<f64> {
        let groups = self.deal(sets).merged();
        let slabs = self.slabs(sets, weights, 0..groups);
        let first = self.programs.first().map_or(0, |program| program.network().frozen());
        let q = self.parameters.theta.len() - first;
        let (mut memory, mut wide) = (std::mem::take(&mut self.panels), Vec::new());
        self.each_panel(sets, &slabs, first, &mut memory, |panel, _| {
            for (slab, (rows, residuals)) in panel {
                wide.clear();
                wide.extend(rows[..slab.samples * q].iter().map(|slope| slope.to_f64()));
                visit(&wide, &residuals[..slab.samples]);
            }
        });
        let mut parts = Vec::new();
        self.sum_squares(&slabs, &memory.squares, &mut parts);
        self.panels = memory;
        parts
    }

    /// The sums of whole groups, added in order.
    fn add_groups(&self, sets: &[SetId], slabs: &[Slab], memory: &mut PanelMemory<T>, out: &mut Evaluation) {
        let p = self.parameters.theta.len();
        let room = |sums: &mut Evaluation| {
            sums.grad.resize(p, 0.0);
            sums.gram.resize(p * p, 0.0);
        };
        room(out);
        let mut group = std::mem::take(&mut memory.group);
        // The first sums are put where nothing is yet, the others added.
        let mut is_empty = true;
        self.each_panel(sets, slabs, 0, memory, |panel, first| {
            let mut end = first;
            for run in panel.chunk_by(|(a, _), (b, _)| a.same_group(b)) {
                let is_begun = end > 0 && slabs[end - 1].same_group(&slabs[end]);
                end += run.len();
                let goes_on = end < slabs.len() && slabs[end].same_group(&slabs[end - 1]);
                if !is_begun && !goes_on {
                    self.add_run(run, out, is_empty);
                    is_empty = false;
                    continue;
                }
                room(&mut group);
                self.add_run(run, &mut group, !is_begun);
                if !goes_on {
                    self.add_sums(&group.grad, &mut out.grad, is_empty);
                    self.add_sums(&group.gram, &mut out.gram, is_empty);
                    is_empty = false;
                }
            }
        });
        memory.group = group;
        self.sum_squares(slabs, &memory.squares, &mut out.parts);
    }

    /// Fills panels of scaled rows, from a parameter on, one after another and hands each over, with the number of its first
    /// slab. A group is cut only if it does not fit.
    fn each_panel(
        &self,
        sets: &[SetId],
        slabs: &[Slab],
        from: usize,
        memory: &mut PanelMemory<T>,
        mut use_panel: impl FnMut(&Panel<'_, T>, usize),
    ) {
        let p = self.parameters.theta.len() - from;
        let most = most_slabs(size_of::<T>() * p).min(slabs.len());
        memory.rows.resize(most * p * SLAB_SAMPLES, T::ZERO);
        memory.residuals.resize(most * SLAB_SAMPLES, 0.0);
        memory.squares.resize(slabs.len(), 0.0);
        let mut first = 0;
        while first < slabs.len() {
            let mut end = first;
            for group in slabs[first..].chunk_by(Slab::same_group) {
                if end > first && end + group.len() > first + most {
                    break;
                }
                end = (end + group.len()).min(first + most);
            }
            let (panel, squares) = (&slabs[first..end], &mut memory.squares[first..end]);
            self.fill(sets, panel, from, (&mut memory.rows, &mut memory.residuals, squares));
            let rows = memory.rows.chunks(p * SLAB_SAMPLES).zip(memory.residuals.chunks(SLAB_SAMPLES));
            use_panel(&panel.iter().zip(rows).collect::<Vec<_>>(), first);
            first = end;
        }
    }

    fn fill(
        &self,
        sets: &[SetId],
        panel: &[Slab],
        from: usize,
        (rows, residuals, squares): (&mut [T], &mut [f64], &mut [f64]),
    ) {
        let Self { programs, parameters, workspaces, sets: stored, .. } = self;
        let rows = rows.par_chunks_mut((parameters.theta.len() - from) * SLAB_SAMPLES);
        let residuals = residuals.par_chunks_mut(SLAB_SAMPLES);
        self.threads.run(|| {
            let slabs = panel.par_iter().zip(rows).zip(residuals).zip(squares);
            slabs.with_max_len(1).for_each(|(((slab, rows), residuals), squares)| {
                let mut workspace = own_workspace(workspaces);
                let set = &stored[sets[slab.term].index()];
                let made = (rows, residuals);
                *squares = fill_slab(&programs[slab.term], slab, set, (parameters, from), &mut workspace, made);
            });
        });
    }

    /// JᵀJ and 2Jᵀρ of slabs of one group: the lower triangle by block rows, the longest of which start first; the gradient
    /// by slices of the parameters. They are added to what is there unless that is nothing.
    fn add_run(&self, run: &Panel<'_, T>, out: &mut Evaluation, is_empty: bool) {
        let (p, workspaces) = (self.parameters.theta.len(), &self.workspaces);
        let Evaluation { grad, gram, .. } = out;
        self.threads.run(|| {
            gram.par_chunks_mut(BLOCK_ROWS * p).enumerate().rev().with_max_len(1).for_each(|(block, gram)| {
                let (first, rows) = (block * BLOCK_ROWS, gram.len() / p);
                let columns = first + rows;
                let mut workspace = own_workspace(workspaces);
                let Workspace { block: sum, products, .. } = &mut *workspace;
                sum.resize(BLOCK_ROWS * p, T::ZERO);
                for (k, (slab, (slab_rows, _))) in run.iter().enumerate() {
                    let (left, right) = (View::rows(first, p).transposed(), View::rows(0, p));
                    let target = Target::new(sum, 0, columns).below_diagonal(first);
                    let how = if k > 0 { Product::Add } else { Product::Set };
                    let sizes = (rows, columns, slab.samples);
                    matmul(sizes, target, how, T::ONE, (slab_rows, left), (slab_rows, right), products);
                }
                for (i, (gram, sum)) in gram.chunks_exact_mut(p).zip(sum.chunks_exact(columns)).enumerate() {
                    let entries = gram.iter_mut().zip(&sum[..=first + i]);
                    if is_empty {
                        entries.for_each(|(g, s)| *g = s.to_f64());
                    } else {
                        entries.for_each(|(g, s)| *g += s.to_f64());
                    }
                }
            });
            grad.par_chunks_mut(GRADIENT_COLUMNS).enumerate().for_each(|(chunk, grad)| {
                let mut sums = [0.0; GRADIENT_COLUMNS];
                dispatch(inlined!(|| {
                    for (slab, (rows, residuals)) in run {
                        for (i, residual) in residuals[..slab.samples].iter().enumerate() {
                            let slopes = &rows[i * p + chunk * GRADIENT_COLUMNS..][..grad.len()];
                            for (sum, slope) in sums.iter_mut().zip(slopes) {
                                *sum += 2.0 * residual * slope.to_f64();
                            }
                        }
                    }
                }));
                grad.iter_mut().zip(&sums).for_each(|(g, sum)| *g = if is_empty { *sum } else { *g + sum });
            });
        });
    }

    fn add_sums(&self, group: &[f64], total: &mut [f64], is_empty: bool) {
        const CHUNK: usize = 1 << 16;
        self.threads.run(|| {
            total.par_chunks_mut(CHUNK).zip(group.par_chunks(CHUNK)).for_each(|(total, group)| {
                if is_empty {
                    total.copy_from_slice(group);
                } else {
                    total.iter_mut().zip(group).for_each(|(total, group)| *total += group);
                }
            });
        });
    }

    /// Mean squares of the parts, group by group.
    fn sum_squares(&self, slabs: &[Slab], squares: &[f64], terms: &mut Vec<f64>) {
        terms.clear();
        terms.resize(self.parts, 0.0);
        let mut group = vec![0.0; self.parts];
        let mut squares = squares.iter();
        for slabs in slabs.chunk_by(Slab::same_group) {
            group.fill(0.0);
            slabs.iter().zip(&mut squares).for_each(|(slab, square)| group[slab.part] += square);
            terms.iter_mut().zip(&group).for_each(|(term, part)| *term += part);
        }
    }

    /// Tiles of these groups, each output apart.
    fn slabs(&self, sets: &[SetId], weights: &[f64], groups: Range<usize>) -> Vec<Slab> {
        let samples = |term: usize| self.sets[sets[term].index()].samples;
        let before = |term: usize| (0..term).map(|t| samples(t) * self.programs[t].outputs()).sum::<usize>();
        let mut all = Vec::new();
        for group in groups {
            for (term, start, count) in self.schedule.merged_samples(group) {
                let program = &self.programs[term];
                let (size, _) = tile_split(count, SLAB_SAMPLES);
                let (stride, before) = (program.outputs(), before(term));
                for first in (start..start + count).step_by(size) {
                    let samples = size.min(start + count - first);
                    all.extend((0..stride).map(|output| {
                        let row = before + first * stride + output;
                        let part = self.first_parts[term] + program.part_of(output);
                        let scale = program.residual_scale(self.sets[sets[term].index()].samples, weights[part]);
                        Slab { group, term, part, output, first, samples, scale, row, stride }
                    }));
                }
            }
        }
        all
    }
}

/// Scaled residuals and their rows, from a parameter on; returns the mean square.
fn fill_slab<T: Numbers>(
    program: &Program,
    slab: &Slab,
    set: &Set,
    (parameters, from): (&Parameters<T>, usize),
    workspace: &mut Workspace<T>,
    (rows, residuals): (&mut [T], &mut [f64]),
) -> f64 {
    let (plan, p) = (program.plan(true), parameters.theta.len() - from);
    let Workspace { row_tiles, slopes, .. } = workspace;
    let tile = row_tiles[slab.term].get_or_insert_with(|| Tile::new(program, plan, TILE_SAMPLES, true));
    let (size, lanes) = tile_split(slab.samples, TILE_SAMPLES);
    slopes.resize(p * TILE_SAMPLES, T::ZERO);
    let slopes = &mut slopes[..p * lanes];
    let mut squares = 0.0;
    for done in (0..slab.samples).step_by(size) {
        let (first, samples) = (slab.first + done, size.min(slab.samples - done));
        tile.load(program, (&set.points, &set.data), first, samples, lanes);
        tile.forward(program, plan, parameters);
        tile.clear_seeds();
        // Padding has seed 0 and is left out of the rows.
        for i in 0..samples {
            let (r, weight) = (tile.residual(program, slab.output)[i].to_f64(), set.weight(first + i));
            let scale = slab.scale * weight.sqrt();
            squares += weight * r * r;
            residuals[done + i] = scale * r;
            tile.seed(program, slab.output)[i] = T::from_f64(scale);
        }
        slopes.fill(T::ZERO);
        let mut sink = GradSink::Rows { rows: &mut *slopes, samples: lanes, first: from };
        tile.backward(program, plan, parameters, &mut sink);
        transpose(p, lanes, samples, slopes, &mut rows[done * p..], p);
    }
    squares / (set.samples * program.elements_used()) as f64
}
