//! The order of columns from a sketch: Y = G·B has so few rows that pivots can be sought in it one by one, while B itself is
//! touched a panel at a time (Martinsson, Quintana-Ortí, Heavner and van de Geijn 2017; Duersch and Gu 2017).
//!
//! When the panel of the chosen columns has become R₁₁, and their rows of the others R₁₂, what is left of Y follows without B:
//! Y₂ −= (Y₁R₁₁⁻¹)R₁₂.

use super::panel::{TINY, Tile, WIDTH};
use crate::packed::Packed;
use crate::product::{Product, Target, Workspace};
use crate::view::View;
use rayon::prelude::*;
use ropinn_vmath::dispatch;

/// Partial sums of a column of the sketch.
const PARTIAL: usize = 16;
/// Rows of the sketch: some more than are chosen at once, in whole sets of partial sums.
const ROWS: usize = WIDTH + PARTIAL;
/// Columns that are one piece of work.
const CHUNK: usize = 256;

/// G·B, one piece for each tile of B, row by row.
pub(super) struct Sketch {
    tiles: Vec<Vec<f64>>,
}

impl Sketch {
    /// The sketch of these columns of so many rows.
    pub fn new(tiles: &[Tile], rows: usize) -> Self {
        let mut random = Packed::default();
        random.set((ROWS, rows), 1.0, &draw(ROWS * rows), View::rows(0, rows));
        let sketch = |tile: &Tile| {
            let mut product = vec![0.0; ROWS * tile.width];
            let (view, to) = (View::rows(0, tile.width), Target::new(&mut product, 0, tile.width));
            random.times(tile.width, &tile.rows, view, to, Product::Set, &mut Workspace::default());
            product
        };
        Self { tiles: tiles.par_iter().map(sketch).collect() }
    }

    /// Chooses the columns of panel `j` among its own and all later ones, the largest first, each after what those before it
    /// have in common with it is gone. The n-th swap brings the n-th choice to the n-th column of the panel.
    pub fn choose(&self, j: usize) -> Vec<(usize, usize)> {
        let first = j * WIDTH;
        let mut columns: Vec<[f64; ROWS]> = Vec::new();
        for tile in &self.tiles[j..] {
            let width = tile.len() / ROWS;
            columns.extend((0..width).map(|c| std::array::from_fn(|i| tile[i * width + c])));
        }
        let count = self.tiles[j].len() / ROWS;
        let mut best = take(&mut columns, &[0.0; ROWS]);
        let choices = (0..count).map(|i| {
            columns.swap(i, i + best);
            let (chosen, rest) = columns[i..].split_first_mut().expect("as many columns as choices");
            let swap = (first + i, first + i + best);
            normalise(chosen);
            best = take(rest, chosen);
            swap
        });
        choices.collect()
    }

    /// The pieces that the swap of two columns is about.
    pub fn tiles(&mut self) -> &mut [Vec<f64>] {
        &mut self.tiles
    }

    /// Y₁R₁₁⁻¹, packed with the sign that [`follow`] wants, for the panel `j` and its rows of R.
    pub fn quotient(&self, j: usize, triangle: &[f64]) -> Packed<f64> {
        let mut quotient = self.tiles[j].clone();
        let width = quotient.len() / ROWS;
        dispatch(
            #[inline(always)]
            || {
                for row in quotient.chunks_exact_mut(width) {
                    for i in 0..width {
                        let r = &triangle[i * width..][..width];
                        // A column of nothing takes nothing.
                        let y = if r[i] == 0.0 { 0.0 } else { row[i] / r[i] };
                        row[i] = y;
                        row[i + 1..].iter_mut().zip(&r[i + 1..]).for_each(|(row, r)| *row -= y * r);
                    }
                }
            },
        );
        let mut packed = Packed::default();
        packed.set((ROWS, width), -1.0, &quotient, View::rows(0, width));
        packed
    }
}

/// Y₂ −= (Y₁R₁₁⁻¹)R₁₂ for one piece of the sketch.
pub(super) fn follow(sketch: &mut [f64], quotient: &Packed<f64>, top: &[f64]) {
    let width = sketch.len() / ROWS;
    let (view, to) = (View::rows(0, width), Target::new(sketch, 0, width));
    quotient.times(width, top, view, to, Product::Add, &mut Workspace::default());
}

/// Takes the direction q from all columns and tells which is the largest of what is left, the first of equals.
fn take(columns: &mut [[f64; ROWS]], q: &[f64; ROWS]) -> usize {
    let largest = |(chunk, columns): (usize, &mut [[f64; ROWS]])| {
        dispatch(
            #[inline(always)]
            || {
                let mut largest = (0, 0.0);
                for (c, column) in columns.iter_mut().enumerate() {
                    let along = dot(q, column);
                    column.iter_mut().zip(q).for_each(|(y, q)| *y -= along * q);
                    let squares = dot(column, column);
                    if squares > largest.1 {
                        largest = (chunk * CHUNK + c, squares);
                    }
                }
                largest
            },
        )
    };
    let all: Vec<(usize, f64)> = columns.par_chunks_mut(CHUNK).enumerate().map(largest).collect();
    all.into_iter().fold((0, 0.0), |best, next| if next.1 > best.1 { next } else { best }).0
}

/// Σ a·b of columns, the partial sums by halves: their latency is what so short a sum would spend its time on.
#[inline(always)]
fn dot(a: &[f64; ROWS], b: &[f64; ROWS]) -> f64 {
    let mut sums = [0.0; PARTIAL];
    for l in (0..ROWS).step_by(PARTIAL) {
        for i in 0..PARTIAL {
            sums[i] += a[l + i] * b[l + i];
        }
    }
    let mut half = PARTIAL / 2;
    while half > 0 {
        for i in 0..half {
            sums[i] += sums[i + half];
        }
        half /= 2;
    }
    sums[0]
}

/// Length one, or nothing at all.
fn normalise(column: &mut [f64; ROWS]) {
    let squares = dot(column, column);
    let scale = if squares < TINY { 0.0 } else { 1.0 / squares.sqrt() };
    column.iter_mut().for_each(|y| *y *= scale);
}

/// Numbers near enough to normal, always the same: sums of four uniform ones.
fn draw(count: usize) -> Vec<f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1u64 << 30) as f64 - 1.0
    };
    (0..count).map(|_| uniform() + uniform() + uniform() + uniform()).collect()
}
