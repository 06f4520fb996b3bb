//! Cholesky factorisation A = LLᵀ in blocks whose cut depends on the size alone: the same bits for any number of threads.

use crate::vector::dot;
use rayon::prelude::*;

/// Rows and columns per block.
const BLOCK: usize = 64;
/// Block rows updated as one piece of work.
const TASK_ROWS: usize = 64;

/// The factor of one matrix, with its memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cholesky {
    n: usize,
    /// L row by row; above the diagonal whatever the matrix left there.
    factor: Vec<f64>,
    /// The block column being eliminated, below its diagonal block.
    column: Vec<f64>,
}

impl Cholesky {
    /// Factors the symmetric matrix whose lower triangle is in `matrix` (row by row) plus the diagonal `shift(i)`. Returns
    /// whether it is positive definite to working precision.
    pub fn factor(&mut self, n: usize, matrix: &[f64], shift: impl Fn(usize) -> f64) -> bool {
        self.n = n;
        self.factor.clear();
        self.factor.extend_from_slice(&matrix[..n * n]);
        for i in 0..n {
            self.factor[i * n + i] += shift(i);
        }
        (0..n).step_by(BLOCK).all(|k| self.eliminate(k))
    }

    /// One block column: its diagonal block, the rows below it, and what they take from the rest.
    fn eliminate(&mut self, k: usize) -> bool {
        let n = self.n;
        let b = BLOCK.min(n - k);
        let (above, below) = self.factor.split_at_mut((k + b) * n);
        if !factor_block(&mut above[k * n..], n, k, b) {
            return false;
        }
        let inverse = invert_block(&above[k * n..], n, k, b);
        // The rows below need each other's new columns: they stand apart, so that each task may write its own.
        self.column.resize(below.len() / n * b, 0.0);
        let parts = self.column.par_chunks_mut(TASK_ROWS * b).zip(below.par_chunks_mut(TASK_ROWS * n));
        parts.for_each(|(column, rows)| solve_rows(column, rows, &inverse, n, k, b));
        let column = &self.column;
        below.par_chunks_mut(TASK_ROWS * n).enumerate().rev().with_max_len(1).for_each(|(task, rows)| {
            let (first, count) = (task * TASK_ROWS, rows.len() / n);
            subtract_product(rows, column, n, k + b, first, count, b);
        });
        true
    }

    /// Overwrites `x` with A⁻¹x.
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            let row = &self.factor[i * n..][..=i];
            x[i] = (x[i] - dot(&row[..i], &x[..i])) / row[i];
        }
        for i in (0..n).rev() {
            let row = &self.factor[i * n..][..=i];
            x[i] /= row[i];
            let xi = x[i];
            x[..i].iter_mut().zip(row).for_each(|(x, l)| *x -= xi * l);
        }
    }
}

/// Unblocked factorisation of the b×b block at column k of the given rows.
fn factor_block(rows: &mut [f64], n: usize, k: usize, b: usize) -> bool {
    for i in 0..b {
        let (before, from) = rows.split_at_mut(i * n);
        let row = &mut from[k..k + i + 1];
        for (j, other) in before.chunks_exact(n).enumerate() {
            let other = &other[k..k + j + 1];
            row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
        }
        let pivot = row[i] - dot(&row[..i], &row[..i]);
        // Not `pivot <= 0`: NaN must fail too.
        if !(pivot > 0.0 && pivot.is_finite()) {
            return false;
        }
        row[i] = pivot.sqrt();
    }
    true
}

/// L⁻¹ of the b×b block at column k, row by row. A block of 64 is small enough for its inverse to be as good as a solve, and
/// turns the rows below it into a matrix product.
fn invert_block(rows: &[f64], n: usize, k: usize, b: usize) -> Vec<f64> {
    let mut inverse = vec![0.0; b * b];
    for j in 0..b {
        inverse[j * b + j] = 1.0 / rows[j * n + k + j];
        for i in j + 1..b {
            let row = &rows[i * n + k..][..=i];
            let sum: f64 = (j..i).map(|m| row[m] * inverse[m * b + j]).sum();
            inverse[i * b + j] = -sum / row[i];
        }
    }
    inverse
}

/// X ← X L⁻ᵀ for the columns k..k+b of some rows; X is also left in `column`.
fn solve_rows(column: &mut [f64], rows: &mut [f64], inverse: &[f64], n: usize, k: usize, b: usize) {
    let count = rows.len() / n;
    assert!(column.len() == count * b && inverse.len() == b * b && rows.len() >= (count - 1) * n + k + b);
    // SAFETY: `column` is count×b and `inverse` b×b, both contiguous; `rows` holds count rows of at least k + b numbers at
    // distance n (asserted); `column` is borrowed mutably, so it overlaps neither.
    unsafe {
        gemm::gemm(
            count,
            b,
            b,
            column.as_mut_ptr(),
            1,
            b as isize,
            false,
            rows.as_ptr().add(k),
            1,
            n as isize,
            inverse.as_ptr(),
            b as isize,
            1,
            0.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
    for (row, solved) in rows.chunks_exact_mut(n).zip(column.chunks_exact(b)) {
        row[k..k + b].copy_from_slice(solved);
    }
}

/// rows[:, from..] −= column[first..]·columnᵀ, up to the diagonal.
fn subtract_product(rows: &mut [f64], column: &[f64], n: usize, from: usize, first: usize, count: usize, b: usize) {
    let width = first + count;
    let a = &column[first * b..][..count * b];
    let others = &column[..width * b];
    let out = &mut rows[from..];
    assert!(out.len() >= (count - 1) * n + width);
    // SAFETY: `out` holds `count` rows of `width` numbers at distance n (asserted), `a` is count×b and `others` width×b, both
    // contiguous; `out` is borrowed mutably, so it overlaps neither.
    unsafe {
        gemm::gemm(
            count,
            width,
            b,
            out.as_mut_ptr(),
            1,
            n as isize,
            true,
            a.as_ptr(),
            1,
            b as isize,
            others.as_ptr(),
            b as isize,
            1,
            1.0,
            -1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
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
