//! A dense front: some unknowns are eliminated from it, what is left couples the others.
//!
//! [F₁₁ F₁₂; F₂₁ F₂₂] with P F₁₁ = L₁₁U₁₁ leaves F₂₂ − L₂₁U₁₂, where L₂₁ = F₂₁U₁₁⁻¹ and U₁₂ = L₁₁⁻¹PF₁₂. Pivots are looked for among
//! the rows of F₁₁, which suffices for matrices of finite elements in this order, saddle points included.

use rayon::prelude::*;
use ropinn_linalg::{Product, Target, View, Workspace, matmul};
use ropinn_vmath::dispatch;

/// Columns that are eliminated before the rest of the front is brought up to date.
const PANEL: usize = 32;
/// Rows of the rest that are one task; fixed, so that nothing depends on the number of threads.
const TASK: usize = 192;

/// The factors of a front that has been eliminated.
pub(super) struct Eliminated {
    own: usize,
    others: usize,
    /// Rows of F₁₁ in the order in which they were pivots.
    pivots: Vec<u32>,
    /// L₁₁ and U₁₁ in one `[own][own]`, U₁₂ `[own][others]`, L₂₁ `[others][own]`.
    inner: Vec<f64>,
    upper: Vec<f64>,
    lower: Vec<f64>,
}

/// Eliminates the first unknowns of a square front: its factors, and what is left for the others; `None` if a pivot vanishes.
pub(super) fn eliminate(mut front: Vec<f64>, own: usize, size: usize) -> Option<(Eliminated, Vec<f64>)> {
    let mut pivots: Vec<u32> = (0..own as u32).collect();
    for first in (0..own).step_by(PANEL) {
        let end = (first + PANEL).min(own);
        for k in first..end {
            eliminate_column(&mut front, &mut pivots, k, (end, own, size))?;
        }
        update_rest(&mut front, first, end, own, size);
    }
    let others = size - own;
    let part = |rows: std::ops::Range<usize>, columns: std::ops::Range<usize>| -> Vec<f64> {
        rows.flat_map(|row| front[row * size..][columns.clone()].iter().copied()).collect()
    };
    let rest = part(own..size, own..size);
    let factors = Eliminated {
        own,
        others,
        pivots,
        inner: part(0..own, 0..own),
        upper: part(0..own, own..size),
        lower: part(own..size, 0..own),
    };
    Some((factors, rest))
}

/// One step within a panel, which ends before a column: the pivot, and the rows of F₁₁ below it.
fn eliminate_column(
    front: &mut [f64],
    pivots: &mut [u32],
    k: usize,
    (end, own, size): (usize, usize, usize),
) -> Option<()> {
    let best = (k..own).max_by(|&i, &j| front[i * size + k].abs().total_cmp(&front[j * size + k].abs()))?;
    if best != k {
        pivots.swap(k, best);
        let (above, below) = front.split_at_mut(best * size);
        above[k * size..][..size].swap_with_slice(&mut below[..size]);
    }
    let (above, below) = front.split_at_mut((k + 1) * size);
    let pivot = &above[k * size..];
    if pivot[k] == 0.0 || !pivot[k].is_finite() {
        return None;
    }
    for row in below.chunks_exact_mut(size).take(own - k - 1) {
        let factor = row[k] / pivot[k];
        row[k] = factor;
        if factor != 0.0 {
            row[k + 1..end].iter_mut().zip(&pivot[k + 1..end]).for_each(|(entry, above)| *entry -= factor * above);
        }
    }
    Some(())
}

/// After a panel: its rows to the right, its columns below, and the rest by a product of both.
fn update_rest(front: &mut [f64], first: usize, end: usize, own: usize, size: usize) {
    for k in first..end {
        let (above, below) = front.split_at_mut((k + 1) * size);
        let done = &above[k * size..];
        for row in below.chunks_exact_mut(size).take(end - k - 1) {
            let factor = row[k];
            row[end..].iter_mut().zip(&done[end..size]).for_each(|(entry, above)| *entry -= factor * above);
        }
    }
    let (panel, rest) = front.split_at_mut(end * size);
    let panel = &panel[first * size..];
    let width = end - first;
    rest.par_chunks_mut(TASK * size).enumerate().for_each_init(Workspace::default, |work, (task, rows)| {
        let count = rows.len() / size;
        for (k, row) in rows.chunks_exact_mut(size).enumerate() {
            if end + task * TASK + k < own {
                continue; // done with the panel
            }
            for j in 0..width {
                let pivots = &panel[j * size + first..];
                row[first + j] /= pivots[j];
                let factor = row[first + j];
                row[first + j + 1..end]
                    .iter_mut()
                    .zip(&pivots[j + 1..width])
                    .for_each(|(entry, u)| *entry -= factor * u);
            }
        }
        let left: Vec<f64> = rows.chunks_exact(size).flat_map(|row| row[first..end].iter().copied()).collect();
        let target = Target::new(rows, end, size);
        let (a, b) = ((&left[..], View::rows(0, width)), (panel, View::rows(end, size)));
        if end < size {
            matmul((count, size - end, width), target, Product::Add, -1.0, a, b, work);
        }
    });
}

impl Eliminated {
    /// L⁻¹P of the own part of x; what it means for the others is taken from them.
    pub fn forward(&self, own: &mut [f64], others: &[u32], x: &mut [f64], y: &mut Vec<f64>) {
        dispatch(
            #[inline(always)]
            || self.forward_here(own, others, x, y),
        );
    }

    #[inline(always)]
    fn forward_here(&self, own: &mut [f64], others: &[u32], x: &mut [f64], y: &mut Vec<f64>) {
        y.clear();
        y.extend(self.pivots.iter().map(|row| own[*row as usize]));
        for k in 1..self.own {
            let (known, next) = y.split_at_mut(k);
            next[0] -= dot(&self.inner[k * self.own..][..k], known);
        }
        own.copy_from_slice(y);
        for (row, place) in others.iter().enumerate() {
            x[*place as usize] -= dot(&self.lower[row * self.own..][..self.own], y);
        }
    }

    /// U⁻¹ of the own part of x, given the others.
    pub fn backward(&self, own: &mut [f64], others: &[f64]) {
        dispatch(
            #[inline(always)]
            || self.backward_here(own, others),
        );
    }

    #[inline(always)]
    fn backward_here(&self, own: &mut [f64], others: &[f64]) {
        for k in (0..self.own).rev() {
            let inner = &self.inner[k * self.own..][..self.own];
            let known = dot(&inner[k + 1..], &own[k + 1..]);
            let outer = dot(&self.upper[k * self.others..][..self.others], others);
            own[k] = (own[k] - known - outer) / inner[k];
        }
    }
}

/// Σ aᵢbᵢ in eight strands, which the compiler turns into lanes.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut strands = [0.0; 8];
    let (a_parts, b_parts) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a_parts.remainder().iter().zip(b_parts.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a_parts.zip(b_parts) {
        strands.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    strands.iter().sum::<f64>() + rest
}
