//! The one door to the GEMM crate: bounds are checked here, so the kernels above stay safe code.

use crate::backend::Precision;
use ropinn_vmath::Real;
use std::time::Instant;

/// A matrix inside a slice: first entry, distance between rows, distance between columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub offset: usize,
    pub row: usize,
    pub column: usize,
}

impl View {
    /// Row-major with the given row length.
    pub fn rows(offset: usize, row: usize) -> Self {
        Self { offset, row, column: 1 }
    }

    /// The same numbers read as the transpose.
    pub fn transposed(self) -> Self {
        Self { row: self.column, column: self.row, ..self }
    }

    fn check(&self, len: usize, rows: usize, columns: usize) {
        let last = self.offset + (rows - 1) * self.row + (columns - 1) * self.column;
        assert!(last < len, "matrix view of {rows}×{columns} ends at {last} in a slice of {len}");
    }
}

/// `dst = a·b`, or `dst += a·b` if `add`; a is m×k, b is k×n.
#[expect(clippy::too_many_arguments, reason = "three matrices and their three sizes")]
pub(crate) fn matmul<T: Real>(
    (m, n, k): (usize, usize, usize),
    dst: &mut [T],
    d: View,
    add: bool,
    a: &[T],
    av: View,
    b: &[T],
    bv: View,
) {
    if m == 0 || n == 0 || k == 0 {
        return;
    }
    d.check(dst.len(), m, n);
    av.check(a.len(), m, k);
    bv.check(b.len(), k, n);
    // SAFETY: all three views were checked to lie inside their slices; dst is borrowed mutably, so it overlaps neither a nor b.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            dst.as_mut_ptr().add(d.offset),
            d.column as isize,
            d.row as isize,
            add,
            a.as_ptr().add(av.offset),
            av.column as isize,
            av.row as isize,
            b.as_ptr().add(bv.offset),
            bv.column as isize,
            bv.row as isize,
            T::ONE,
            T::ONE,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

/// GFLOP/s of large square matrix products running on `threads` threads at once: the machine's practical ceiling.
///
/// Each thread multiplies its own matrices, as the tiles of a program do; the best of several rounds counts.
pub fn gemm_peak(precision: Precision, threads: usize) -> f64 {
    match precision {
        Precision::F32 => peak_of::<f32>(threads),
        Precision::F64 => peak_of::<f64>(threads),
    }
}

fn peak_of<T: Real>(threads: usize) -> f64 {
    const SIZE: usize = 512;
    const ROUNDS: usize = 8;
    let work = |_: usize| {
        let a = vec![T::from_f64(0.5); SIZE * SIZE];
        let b = vec![T::from_f64(0.25); SIZE * SIZE];
        let mut c = vec![T::ZERO; SIZE * SIZE];
        let view = View::rows(0, SIZE);
        let mut best = f64::INFINITY;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            for _ in 0..4 {
                matmul((SIZE, SIZE, SIZE), &mut c, view, false, &a, view, &b, view);
            }
            best = best.min(start.elapsed().as_secs_f64() / 4.0);
        }
        2.0 * (SIZE * SIZE * SIZE) as f64 / best / 1e9
    };
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads.max(1)).map(|t| scope.spawn(move || work(t))).collect();
        handles.into_iter().map(|h| h.join().unwrap_or(0.0)).sum()
    })
}
