//! Sums over tiles: losses, gradients and pull-backs.
//!
//! Gradients of a few thousand columns are summed in the working precision by the matrix products; everything beyond that,
//! and every loss, is summed in f64.

use super::schedule::{Job, Schedule};
use super::{Cpu, Set, Workspace, own_workspace};
use crate::backend::{Evaluation, SetId, Sum};
use crate::exec::{GradSink, Tile};
use crate::program::Program;
use rayon::prelude::*;
use ropinn_linalg::Numbers;
use std::ops::Range;

/// Gradient columns summed in the working precision before they move to f64.
const FLUSH_COLUMNS: usize = 4096;
/// Parameters a thread adds up at a time.
const CHUNK: usize = 8192;

impl<T: Numbers> Cpu<T> {
    /// Deals the tiles of these sets to groups; nothing is allocated while sizes stay the same.
    pub(super) fn deal(&mut self, sets: &[SetId]) -> &Schedule {
        let samples = sets.iter().map(|set| self.sets[set.index()].samples);
        self.schedule.update(&self.programs, samples);
        &self.schedule
    }

    /// The sum over all groups. Gradients are added in the order of the groups, each thread a slice of the parameters.
    pub(super) fn run_all(&mut self, sets: &[SetId], sum: Sum<'_>, out: &mut Evaluation) {
        let count = self.deal(sets).groups();
        self.run_groups(sets, sum, 0..count);
        let groups = &self.groups[..count];
        out.parts.clear();
        out.parts.resize(groups[0].parts.len(), 0.0);
        out.gram.clear();
        groups.iter().for_each(|group| out.parts.iter_mut().zip(&group.parts).for_each(|(term, part)| *term += part));
        out.grad.resize(groups[0].grad.len(), 0.0);
        self.threads.run(|| {
            out.grad.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, grad)| {
                grad.fill(0.0);
                for group in groups {
                    let part = &group.grad[chunk * CHUNK..][..grad.len()];
                    grad.iter_mut().zip(part).for_each(|(g, &a)| *g += a);
                }
            });
        });
    }

    /// Leaves the sums of the groups in `self.groups`.
    pub(super) fn run_groups(&mut self, sets: &[SetId], sum: Sum<'_>, groups: Range<usize>) {
        self.deal(sets);
        self.groups.resize_with(self.groups.len().max(groups.len()), Evaluation::default);
        let Self { programs, first_parts, parts, threads, sets: stored, parameters, schedule, workspaces, .. } = self;
        let (is_back, has_terms) = (!matches!(sum, Sum::Loss), matches!(sum, Sum::Loss | Sum::LossAndGradient { .. }));
        let (sums, parameters, workspaces) = (&mut self.groups[..groups.len()], &*parameters, &*workspaces);
        threads.run(|| {
            sums.par_iter_mut().zip(groups).with_max_len(1).for_each(|(out, group)| {
                let mut workspace = own_workspace(workspaces);
                out.parts.clear();
                out.parts.resize(if has_terms { *parts } else { 0 }, 0.0);
                out.grad.resize(if is_back { parameters.theta.len() } else { 0 }, 0.0);
                workspace.partial.fill(T::ZERO);
                let (mut columns, mut is_first) = (0, true);
                for job in schedule.jobs(group) {
                    let (program, first_part) = (&programs[job.term], first_parts[job.term]);
                    if skips(sum, first_part, program) {
                        continue;
                    }
                    let Workspace { tiles, partial, .. } = &mut *workspace;
                    let (tile, set) = (&mut tiles[job.term], &stored[sets[job.term].index()]);
                    tile.load(program, (&set.points, &set.data), job.first, job.samples, job.lanes);
                    tile.forward(program, program.plan(false), parameters);
                    tile.clear_seeds();
                    seed(program, tile, job, set, sum, first_part, &mut out.parts);
                    if is_back {
                        tile.backward(program, program.plan(false), parameters, &mut GradSink::Sum(partial));
                    }
                    columns += job.lanes * program.channels();
                    if columns >= FLUSH_COLUMNS {
                        flush(partial, &mut out.grad, &mut is_first);
                        columns = 0;
                    }
                }
                flush(&mut workspace.partial, &mut out.grad, &mut is_first);
            });
        });
    }
}

/// Whether a term adds nothing to what is wanted.
fn skips(sum: Sum<'_>, first_part: usize, program: &Program) -> bool {
    match sum {
        Sum::Gradient { weights } | Sum::Hessian { weights, .. } => {
            weights[first_part..][..program.parts()].iter().all(|&weight| weight == 0.0)
        }
        _ => false,
    }
}

/// Moves a partial gradient to its sum in f64.
fn flush<T: Numbers>(partial: &mut [T], sum: &mut [f64], is_first: &mut bool) {
    if std::mem::take(is_first) {
        sum.iter_mut().zip(&*partial).for_each(|(g, p)| *g = p.to_f64());
    } else {
        sum.iter_mut().zip(&*partial).for_each(|(g, p)| *g += p.to_f64());
    }
    partial.fill(T::ZERO);
}

/// Adds up the squares of a tile's residuals and seeds its reverse sweep.
fn seed<T: Numbers>(
    program: &Program,
    tile: &mut Tile<T>,
    job: &Job,
    set: &Set,
    sum: Sum<'_>,
    first_part: usize,
    terms: &mut [f64],
) {
    let outputs = program.outputs();
    let weights = match sum {
        Sum::LossAndGradient { weights } | Sum::Gradient { weights } => Some(weights),
        _ => None,
    };
    let mean = 1.0 / (set.samples * program.elements_used()) as f64;
    for k in 0..outputs {
        match sum {
            Sum::Pullback { cotangents } => {
                let w = &cotangents[job.term][job.first * outputs..];
                let seeds = tile.seed(program, k);
                (0..job.samples).for_each(|i| seeds[i] += T::from_f64(w[i * outputs + k]));
            }
            // The gradient of Σ 2 weight · mean(r r'), where the second half of the outputs are the slopes r' of the first.
            Sum::Hessian { weights, .. } => {
                let (own, partner) = (k % (outputs / 2), (k + outputs / 2) % outputs);
                let slope = 2.0 * weights[first_part + program.part_of(own)] * mean;
                for i in 0..job.samples {
                    let r = tile.residual(program, partner)[i].to_f64();
                    tile.seed(program, k)[i] += T::from_f64(slope * set.weight(job.first + i) * r);
                }
            }
            _ => {
                let part = first_part + program.part_of(k);
                let slope = weights.map_or(0.0, |weights| 2.0 * weights[part] * mean);
                let mut squares = 0.0;
                for i in 0..job.samples {
                    let (r, w) = (tile.residual(program, k)[i].to_f64(), set.weight(job.first + i));
                    squares += w * r * r;
                    tile.seed(program, k)[i] += T::from_f64(slope * w * r);
                }
                if let Some(term) = terms.get_mut(part) {
                    *term += squares * mean;
                }
            }
        }
    }
}
