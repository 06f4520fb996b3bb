//! Cholesky factorisation A = LLᵀ in blocks whose cut depends on the size alone: the same bits for any number of threads.
//!
//! For each block column: its diagonal block is factored, L₁₁L₁₁ᵀ = A₁₁; the rows below become L₂₁ = A₂₁L₁₁⁻ᵀ; the rest loses
//! L₂₁L₂₁ᵀ, on and below its diagonal.

use crate::packed::Packed;
use crate::product::{Product, Target, Workspace, matmul};
use crate::transpose::transpose;
use crate::view::View;
use rayon::prelude::*;
use ropinn_vmath::dispatch;
use std::cell::RefCell;

/// Rows and columns per block, and rows of one piece of work. Wide blocks spend less on moving the rest of the matrix, narrow
/// ones less on the diagonal blocks, which no other thread can share.
const NARROW: usize = 64;
const WIDE: usize = 128;
/// Sizes from which blocks are wide.
const LARGE: usize = 2048;

/// The factor of one matrix, with its memory.
#[derive(Debug, Clone, Default)]
pub struct Cholesky {
    n: usize,
    /// L row by row; above the diagonal whatever the matrix left there.
    factor: Vec<f64>,
    /// The block column below its diagonal block, transposed piece by piece: `[piece][column][row]`.
    column: Vec<f64>,
}

thread_local! {
    /// Memory of the products of this thread.
    static MEMORY: RefCell<(Workspace<f64>, Packed<f64>)> = RefCell::default();
}

impl Cholesky {
    /// Factors the symmetric matrix whose lower triangle is in `matrix` (row by row) plus the diagonal `shift(i)`. Returns
    /// whether it is positive definite to working precision. Work is shared among the threads of the current pool.
    ///
    /// # Panics
    /// If `matrix` has fewer than n² numbers.
    pub fn factor(&mut self, n: usize, matrix: &[f64], shift: impl Fn(usize) -> f64) -> bool {
        self.n = n;
        self.factor.resize(n * n, 0.0);
        let rows = self.factor.chunks_exact_mut(n.max(1)).zip(matrix[..n * n].chunks_exact(n.max(1)));
        for (i, (own, given)) in rows.enumerate() {
            own[..=i].copy_from_slice(&given[..=i]);
            own[i] += shift(i);
        }
        let block = if n < LARGE { NARROW } else { WIDE };
        (0..n).step_by(block).all(|k| self.eliminate(k, block))
    }

    /// One block column: its diagonal block, the rows below it, and what they take from the rest.
    fn eliminate(&mut self, k: usize, block: usize) -> bool {
        let n = self.n;
        let b = block.min(n - k);
        let (above, below) = self.factor.split_at_mut((k + b) * n);
        let Some(inverse) = factor_block(&mut above[k * n..], n, k, b) else { return false };
        // The rows below need each other's new columns: those stand apart, so that each task may write its own.
        self.column.resize(below.len() / n * b, 0.0);
        let pieces = self.column.par_chunks_mut(block * b).zip(below.par_chunks_mut(block * n));
        pieces.for_each(|(column, rows)| solve_rows(column, rows, &inverse, n, k, b));
        let column = &self.column;
        below.par_chunks_mut(block * n).enumerate().rev().with_max_len(1).for_each(|(task, rows)| {
            subtract_products(rows, column, n, k + b, task, block, b);
        });
        true
    }

    /// Overwrites `x` with A⁻¹x.
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        dispatch(
            #[inline(always)]
            || {
                for i in 0..n {
                    let row = &self.factor[i * n..][..=i];
                    x[i] = (x[i] - dot(&row[..i], &x[..i])) / row[i];
                }
                for i in (0..n).rev() {
                    let row = &self.factor[i * n..][..=i];
                    x[i] /= row[i];
                    let xi = x[i];
                    for (x, l) in x[..i].iter_mut().zip(row) {
                        *x -= xi * l;
                    }
                }
            },
        );
    }
}

/// Σ a·b in sixteen partial sums.
#[inline(always)]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    const PARTIAL: usize = 16;
    let mut sums = [0.0; PARTIAL];
    let (whole_a, rest_a) = a.as_chunks::<PARTIAL>();
    let (whole_b, rest_b) = b.as_chunks::<PARTIAL>();
    for (a, b) in whole_a.iter().zip(whole_b) {
        for i in 0..PARTIAL {
            sums[i] += a[i] * b[i];
        }
    }
    let mut total = 0.0;
    for (a, b) in rest_a.iter().zip(rest_b) {
        total += a * b;
    }
    for sum in sums {
        total += sum;
    }
    total
}

/// Factors the b×b block at column k of the given rows in place and returns L⁻ᵀ, row by row; `None` if it is not positive
/// definite. The inverse of so small a block is as good as a solve, and turns the rows below it into a matrix product.
fn factor_block(rows: &mut [f64], n: usize, k: usize, b: usize) -> Option<Vec<f64>> {
    let mut upper = [0.0; WIDE * WIDE];
    let mut inverse = vec![0.0; b * b];
    let is_definite = dispatch(
        #[inline(always)]
        || {
            // U = Lᵀ, so that every update runs along a row.
            for i in 0..b {
                for j in 0..=i {
                    upper[j * b + i] = rows[i * n + k + j];
                }
            }
            for j in 0..b {
                let (done, rest) = upper.split_at_mut((j + 1) * b);
                let row = &mut done[j * b..];
                let pivot = row[j];
                // Not `pivot <= 0`: NaN must fail too.
                if !(pivot > 0.0 && pivot < f64::INFINITY) {
                    return false;
                }
                let scale = 1.0 / pivot.sqrt();
                for u in &mut row[j..] {
                    *u *= scale;
                }
                row[j] = pivot.sqrt();
                for (i, other) in (j + 1..b).zip(rest.chunks_exact_mut(b)) {
                    let factor = row[i];
                    for (o, u) in other[i..].iter_mut().zip(&row[i..]) {
                        *o -= factor * u;
                    }
                }
            }
            // U⁻¹ = L⁻ᵀ from its last row up: row i is (e_i − Σ_{m>i} U_im row m)/U_ii.
            for i in (0..b).rev() {
                let (own, below) = inverse[i * b..].split_at_mut(b);
                own[i] = 1.0;
                for (m, other) in (i + 1..b).zip(below.chunks_exact(b)) {
                    let factor = upper[i * b + m];
                    for (x, o) in own[m..].iter_mut().zip(&other[m..]) {
                        *x -= factor * o;
                    }
                }
                let scale = 1.0 / upper[i * b + i];
                for x in &mut own[i..] {
                    *x *= scale;
                }
            }
            for i in 0..b {
                for j in 0..=i {
                    rows[i * n + k + j] = upper[j * b + i];
                }
            }
            true
        },
    );
    is_definite.then_some(inverse)
}

/// X ← X L⁻ᵀ for the columns k..k+b of some rows; Xᵀ is also left in `column`.
fn solve_rows(column: &mut [f64], rows: &mut [f64], inverse: &[f64], n: usize, k: usize, b: usize) {
    let count = rows.len() / n;
    MEMORY.with_borrow_mut(|(work, _)| {
        let mut solved = [0.0; WIDE * WIDE];
        let (a, b_view) = ((&*rows, View::rows(k, n)), View::rows(0, b));
        matmul((count, b, b), Target::new(&mut solved, 0, b), Product::Set, 1.0, a, (inverse, b_view), work);
        transpose(count, b, b, &solved, column, count);
        for (row, solved) in rows.chunks_exact_mut(n).zip(solved.chunks_exact(b)) {
            row[k..k + b].copy_from_slice(solved);
        }
    });
}

/// The rows of piece `task`, from column `from` to the diagonal, lose the products of their new columns with those of all pieces
/// up to their own.
fn subtract_products(rows: &mut [f64], column: &[f64], n: usize, from: usize, task: usize, block: usize, b: usize) {
    MEMORY.with_borrow_mut(|(work, left)| {
        let count = rows.len() / n;
        let own = &column[task * block * b..][..count * b];
        left.set((count, b), -1.0, own, View::rows(0, count).transposed());
        for (piece, other) in column.chunks(block * b).enumerate().take(task + 1) {
            let width = other.len() / b;
            let target = Target::new(rows, from + piece * block, n);
            let target = if piece == task { target.below_diagonal(0) } else { target };
            left.times(width, other, View::rows(0, width), target, Product::Add, work);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A = MMᵀ + I from a small generator.
    fn matrix(n: usize, seed: u64) -> Vec<f64> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / (1u64 << 30) as f64 - 1.0
        };
        let m: Vec<f64> = (0..n * n).map(|_| next()).collect();
        (0..n * n)
            .map(|e| dot(&m[e / n * n..][..n], &m[e % n * n..][..n]) + f64::from(u8::from(e / n == e % n)))
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn solves_what_it_factored(n in 1usize..200, seed: u64) {
            let a = matrix(n, seed);
            let wanted: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
            let mut x: Vec<f64> = (0..n).map(|i| dot(&a[i * n..][..n], &wanted) + 0.5 * wanted[i]).collect();
            let mut cholesky = Cholesky::default();
            prop_assert!(cholesky.factor(n, &a, |_| 0.5));
            cholesky.solve(&mut x);
            let error = x.iter().zip(&wanted).map(|(x, w)| (x - w).abs()).fold(0.0, f64::max);
            prop_assert!(error < 1e-8, "error {error}");
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let n = 150;
        let mut a = matrix(n, 3);
        a[140 * n + 140] = -1.0;
        assert!(!Cholesky::default().factor(n, &a, |_| 0.0));
        a[140 * n + 140] = f64::NAN;
        assert!(!Cholesky::default().factor(n, &a, |_| 0.0));
    }

    #[test]
    fn any_thread_count_gives_the_same_bits() {
        let n = 333;
        let a = matrix(n, 5);
        let factor = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a small pool");
            let mut cholesky = Cholesky::default();
            assert!(pool.install(|| cholesky.factor(n, &a, |_| 0.0)));
            cholesky.factor
        };
        let one = factor(1);
        assert!(factor(2) == one && factor(3) == one);
    }
}
