//! The two innermost loops, with all accumulators in registers.
//!
//! *Outer products*: a block of M rows × N registers of C gains `Σ_l a_l ⊗ b_l`, the M numbers a_l read one after another from a
//! packed panel, the registers b_l from a row. *Inner products*: M × N numbers `Σ_l a_il b_jl`, both operands read along their
//! rows, summed lane by lane and across lanes at the end; nothing is packed.

#![expect(
    clippy::needless_range_loop,
    clippy::manual_memcpy,
    reason = "plain loops of constant length unroll into registers; iterators may not"
)]

use crate::vector::Vector;
use ropinn_vmath::Real;

/// What a block of C starts from.
#[derive(Clone, Copy)]
pub enum Start<T> {
    /// Nothing.
    Zero,
    /// What is there.
    Old,
    /// One number per row, the first of which is here.
    Rows(*const T),
}

/// The operands of an outer-product block: `a` packed `[k][M]`, rows of `b` at distance `ldb`, rows of `c` at `ldc`.
#[derive(Clone, Copy)]
pub(crate) struct Outer<T> {
    pub k: usize,
    pub a: *const T,
    pub b: *const T,
    pub ldb: usize,
    pub c: *mut T,
    pub ldc: usize,
    pub start: Start<T>,
}

/// One block of outer products.
///
/// # Safety
/// The processor has the instruction set of `V`; `a` has k·M numbers, `b` k rows and `c` M rows of N·LANES numbers at their
/// distances; nobody else reads or writes `c`.
#[inline(always)]
pub(crate) unsafe fn outer<V: Vector, const M: usize, const N: usize>(op: Outer<V::Number>) {
    let Outer { k, mut a, mut b, ldb, c, ldc, start } = op;
    // SAFETY: every access lies in what the caller vouches for.
    unsafe {
        let zero = V::splat(V::Number::ZERO);
        let mut sums = [[zero; N]; M];
        match start {
            Start::Zero => {}
            Start::Old => {
                for i in 0..M {
                    for j in 0..N {
                        sums[i][j] = V::load(c.add(i * ldc + j * V::LANES));
                    }
                }
            }
            Start::Rows(numbers) => {
                for i in 0..M {
                    sums[i] = [V::splat(*numbers.add(i)); N];
                }
            }
        }
        for _ in 0..k {
            let mut row = [zero; N];
            for j in 0..N {
                row[j] = V::load(b.add(j * V::LANES));
            }
            for i in 0..M {
                let left = V::splat(*a.add(i));
                for j in 0..N {
                    sums[i][j] = left.mul_add(row[j], sums[i][j]);
                }
            }
            a = a.add(M);
            b = b.add(ldb);
        }
        for i in 0..M {
            for j in 0..N {
                sums[i][j].store(c.add(i * ldc + j * V::LANES));
            }
        }
    }
}

/// The operands of an inner-product block: rows of `a`, `b` and `c` at their distances, k numbers along a row.
#[derive(Clone, Copy)]
pub struct Inner<T> {
    pub k: usize,
    pub a: *const T,
    pub lda: usize,
    pub b: *const T,
    pub ldb: usize,
    pub c: *mut T,
    pub ldc: usize,
}

/// c += a·bᵀ on a block of M × N.
///
/// # Safety
/// The processor has the instruction set of `V`; `a` has M and `b` N rows of k numbers, `c` M rows of N numbers at their
/// distances; nobody else reads or writes `c`.
#[inline(always)]
pub(crate) unsafe fn inner<V: Vector, const M: usize, const N: usize>(op: Inner<V::Number>) {
    let Inner { k, a, lda, b, ldb, c, ldc } = op;
    // SAFETY: every access lies in what the caller vouches for.
    unsafe {
        let zero = V::splat(V::Number::ZERO);
        let mut sums = [[zero; N]; M];
        let whole = k / V::LANES * V::LANES;
        let mut l = 0;
        while l < whole {
            let mut left = [zero; M];
            for i in 0..M {
                left[i] = V::load(a.add(i * lda + l));
            }
            for j in 0..N {
                let right = V::load(b.add(j * ldb + l));
                for i in 0..M {
                    sums[i][j] = left[i].mul_add(right, sums[i][j]);
                }
            }
            l += V::LANES;
        }
        for i in 0..M {
            let mut j = 0;
            while j < N {
                let mut four = [zero; 4];
                let some = if N - j < 4 { N - j } else { 4 };
                for o in 0..some {
                    four[o] = sums[i][j + o];
                }
                let totals = V::sums(four);
                for o in 0..some {
                    let mut total = totals[o];
                    for l in whole..k {
                        total += *a.add(i * lda + l) * *b.add((j + o) * ldb + l);
                    }
                    *c.add(i * ldc + j + o) += total;
                }
                j += 4;
            }
        }
    }
}
