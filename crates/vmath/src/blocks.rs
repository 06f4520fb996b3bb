//! How a slice is cut for the vector unit: blocks of exactly [`BLOCK`] elements.
//!
//! A fixed block has a constant trip count, so the compiler emits pure vector code. The last block is moved back to end with the
//! slice (it repeats a few elements), and a slice shorter than a block is padded: an element is thus computed by the same
//! instructions wherever it stands.

use crate::Real;

/// Elements per block: two AVX2 registers of `f32`, four of `f64`.
pub(crate) const BLOCK: usize = 16;

/// rows\[k\]\[i\] = f(x\[i\])\[k\]; every row is as long as `x`.
#[inline(always)]
pub(crate) fn fill_rows<T: Real, const K: usize>(x: &[T], mut rows: [&mut [T]; K], f: impl Fn(T) -> [T; K]) {
    let n = x.len();
    if n == 0 {
        return;
    }
    let mut short_x = [T::ZERO; BLOCK];
    let mut short_rows = [[T::ZERO; BLOCK]; K];
    // Both cases share one inlined loop: the towers are many, and two copies would double their code.
    let (long_x, long_rows) = if n < BLOCK {
        short_x[..n].copy_from_slice(x);
        (&short_x[..], short_rows.each_mut().map(|row| &mut row[..]))
    } else {
        (x, rows.each_mut().map(|row| &mut **row))
    };
    fill_long(long_x, long_rows, f);
    if n < BLOCK {
        for (row, short) in rows.iter_mut().zip(&short_rows) {
            row.copy_from_slice(&short[..n]);
        }
    }
}

/// [`fill_rows`] for at least [`BLOCK`] elements.
#[inline(always)]
fn fill_long<T: Real, const K: usize>(x: &[T], mut rows: [&mut [T]; K], f: impl Fn(T) -> [T; K]) {
    let mut start = 0;
    while start < x.len() {
        start = start.min(x.len() - BLOCK);
        let Some(block) = x[start..].first_chunk::<BLOCK>() else {
            return;
        };
        let mut out = [[T::ZERO; BLOCK]; K];
        for i in 0..BLOCK {
            let values = f(block[i]);
            for k in 0..K {
                out[k][i] = values[k];
            }
        }
        for (row, out) in rows.iter_mut().zip(&out) {
            row[start..start + BLOCK].copy_from_slice(out);
        }
        start += BLOCK;
    }
}

/// The first K rows of length n of a row-major buffer.
#[inline(always)]
pub(crate) fn split_rows<T, const K: usize>(s: &mut [T], n: usize) -> [&mut [T]; K] {
    let mut rest = s;
    std::array::from_fn(
        #[inline(always)]
        |_| {
            let (row, tail) = std::mem::take(&mut rest).split_at_mut(n);
            rest = tail;
            row
        },
    )
}
