//! Loops over blocks of a product, compiled once for each instruction set.
//!
//! Outer products go by slices of k and, in each, by panels of columns: the panel of B is packed so that it stays in the first
//! cache, then every packed panel of A passes by it. Slices and panels are cut by size alone.

use crate::kernel::{Inner, Outer, Start, inner, outer};
use crate::vector::{Plain, Vector};
use ropinn_vmath::{Real, Simd};

/// Longest slice of k: a packed panel of B is then 32 KiB with AVX-512.
const SLICE: usize = 256;
/// Registers of B in a block.
const REGISTERS: usize = 2;
/// The widest panel of any instruction set, in numbers.
pub(crate) const WIDEST: usize = REGISTERS * 16;
/// The most rows of a block of any instruction set.
const TALLEST: usize = 14;
/// Up to so many panels of A, B is read where it lies: packing would not pay.
const UNPACKED: usize = 2;

/// Room for a packed panel of B.
pub(crate) const PANEL_ROOM: usize = SLICE * WIDEST;

/// `count` things cut into pieces of at most `most`, as equal as can be: how many pieces, and where each begins.
#[derive(Clone, Copy)]
pub(crate) struct Cuts {
    count: usize,
    pub pieces: usize,
}

impl Cuts {
    #[inline(always)]
    pub fn new(count: usize, most: usize) -> Self {
        Self { count, pieces: count.div_ceil(most) }
    }

    #[inline(always)]
    pub fn start(&self, piece: usize) -> usize {
        piece * (self.count / self.pieces) + piece.min(self.count % self.pieces)
    }
}

/// A product C (start) A·B with A packed by [`crate::Packed`].
#[derive(Clone, Copy)]
pub struct OuterTask<T> {
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub a: *const T,
    pub b: *const T,
    pub b_row: usize,
    pub b_column: usize,
    pub c: *mut T,
    pub ldc: usize,
    pub start: Start<T>,
    /// Of row i only the first `diagonal + i + 1` columns are wanted.
    pub diagonal: usize,
    /// Room for [`PANEL_ROOM`] numbers.
    pub panel: *mut T,
}

/// A product C += A·Bᵀ; k numbers along the rows of A and B.
#[derive(Clone, Copy)]
pub struct InnerTask<T> {
    pub m: usize,
    pub n: usize,
    pub op: Inner<T>,
}

/// What the kernels can be asked for.
#[derive(Clone, Copy)]
pub enum Task<T> {
    Outer(OuterTask<T>),
    Inner(InnerTask<T>),
    /// So many rounds of multiply-adds in registers alone, of this factor and this term.
    Spin(usize, T, T),
}

/// Kernels of one number type for each instruction set.
pub trait Kernels: Real {
    /// Most rows of a panel of packed A.
    fn panel_rows(simd: Simd) -> usize;
    /// Returns the multiply-adds of one round of [`Task::Spin`].
    ///
    /// # Safety
    /// The processor has `simd`; every pointer of the task points at what its name says, of the sizes it says.
    unsafe fn run(simd: Simd, task: Task<Self>) -> usize;
}

/// Shapes of the blocks of one instruction set: how many accumulators fit its registers.
trait Shape {
    /// Rows of a block of outer products.
    const ROWS: usize;
    /// Rows and columns of a block of inner products.
    const INNER: (usize, usize);

    /// # Safety
    /// As [`outer`] with M = `rows`, at most `ROWS`.
    unsafe fn outer<V: Vector, const N: usize>(rows: usize, op: Outer<V::Number>);
    /// # Safety
    /// As [`inner`] with M = `rows`, N = `columns`, at most `INNER`.
    unsafe fn inner<V: Vector>(rows: usize, columns: usize, op: Inner<V::Number>);
}

macro_rules! shape {
    ($name:ident: outer $most:literal in [$($rows:literal)*], inner $inner:expr, in [$($m:literal by $n:literal,)*]) => {
        struct $name;
        impl Shape for $name {
            const ROWS: usize = $most;
            const INNER: (usize, usize) = $inner;

            #[inline(always)]
            unsafe fn outer<V: Vector, const N: usize>(rows: usize, op: Outer<V::Number>) {
                // SAFETY: as the caller vouches.
                unsafe {
                    match rows {
                        $($rows => outer::<V, $rows, N>(op),)*
                        _ => unreachable!("panels are cut to at most {} rows", $most),
                    }
                }
            }

            #[inline(always)]
            unsafe fn inner<V: Vector>(rows: usize, columns: usize, op: Inner<V::Number>) {
                // SAFETY: as the caller vouches.
                unsafe {
                    match (rows, columns) {
                        $(($m, $n) => inner::<V, $m, $n>(op),)*
                        _ => unreachable!("blocks are cut to at most {:?}", Self::INNER),
                    }
                }
            }
        }
    };
}

shape!(ThirtyTwo: outer 14 in [1 2 3 4 5 6 7 8 9 10 11 12 13 14], inner (4, 6), in [
    1 by 1, 1 by 2, 1 by 3, 1 by 4, 1 by 5, 1 by 6, 2 by 1, 2 by 2, 2 by 3, 2 by 4, 2 by 5, 2 by 6,
    3 by 1, 3 by 2, 3 by 3, 3 by 4, 3 by 5, 3 by 6, 4 by 1, 4 by 2, 4 by 3, 4 by 4, 4 by 5, 4 by 6,
]);
shape!(Sixteen: outer 6 in [1 2 3 4 5 6], inner (3, 4), in [
    1 by 1, 1 by 2, 1 by 3, 1 by 4, 2 by 1, 2 by 2, 2 by 3, 2 by 4, 3 by 1, 3 by 2, 3 by 3, 3 by 4,
]);

/// # Safety
/// As [`Kernels::run`], inlined into code for the instruction set of `V`.
#[inline(always)]
unsafe fn run_outer<V: Vector, S: Shape>(task: OuterTask<V::Number>) {
    let OuterTask { m, n, k, a, b, b_row, b_column, c, ldc, start, diagonal, panel } = task;
    let (panels, slices) = (Cuts::new(m, S::ROWS), Cuts::new(k, SLICE));
    let width = REGISTERS * V::LANES;
    for slice in 0..slices.pieces {
        let (l, end) = (slices.start(slice), slices.start(slice + 1));
        let mut j = 0;
        while j < n {
            // Two registers, one, or a part of one.
            let wanted = if n - j >= width { width } else { V::LANES };
            let columns = wanted.min(n - j);
            // SAFETY: row l and column j lie in B.
            let from = unsafe { b.add(l * b_row + j * b_column) };
            let is_packed = panels.pieces > UNPACKED || b_column != 1 || columns < wanted;
            let (from, ldb) = if is_packed {
                // SAFETY: `columns` columns of end − l rows lie in B from there; the panel has room for SLICE rows of `width`.
                unsafe { pack_panel::<V>(from, (b_row, b_column), (end - l, columns), panel, wanted) };
                (panel.cast_const(), wanted)
            } else {
                (from, b_row)
            };
            for piece in 0..panels.pieces {
                let (i, rows) = (panels.start(piece), panels.start(piece + 1) - panels.start(piece));
                if j > diagonal.saturating_add(i + rows - 1) {
                    continue;
                }
                let start = match start {
                    _ if slice > 0 => Start::Old,
                    // SAFETY: there is a number for every row.
                    Start::Rows(numbers) => Start::Rows(unsafe { numbers.add(i) }),
                    other => other,
                };
                // SAFETY: panels of A lie one after another, each `[k][rows]`; the block lies in C.
                unsafe {
                    let (a, c) = (a.add(i * k + l * rows), c.add(i * ldc + j));
                    let op = Outer { k: end - l, a, b: from, ldb, c, ldc, start };
                    if columns < wanted {
                        outer_in_part::<V, S>(rows, columns, op);
                    } else if wanted == width {
                        S::outer::<V, REGISTERS>(rows, op);
                    } else {
                        S::outer::<V, 1>(rows, op);
                    }
                }
            }
            j += columns;
        }
    }
}

/// A block narrower than a register, by way of a buffer.
///
/// # Safety
/// As [`outer`] with N = 1, but C has only `columns` columns.
#[inline(always)]
unsafe fn outer_in_part<V: Vector, S: Shape>(rows: usize, columns: usize, op: Outer<V::Number>) {
    let mut buffer = [V::Number::ZERO; TALLEST * WIDEST];
    // SAFETY: the buffer holds TALLEST rows of a register; the rest as the caller vouches.
    unsafe {
        if matches!(op.start, Start::Old) {
            for i in 0..rows {
                for j in 0..columns {
                    buffer[i * V::LANES + j] = *op.c.add(i * op.ldc + j);
                }
            }
        }
        S::outer::<V, 1>(rows, Outer { c: buffer.as_mut_ptr(), ldc: V::LANES, ..op });
        for i in 0..rows {
            for j in 0..columns {
                *op.c.add(i * op.ldc + j) = buffer[i * V::LANES + j];
            }
        }
    }
}

/// Packs `rows` rows of `columns` columns as `[row][wanted]`, padded with zeros.
///
/// # Safety
/// `from` points at the matrix, `panel` at room for rows·wanted numbers.
#[inline(always)]
unsafe fn pack_panel<V: Vector>(
    from: *const V::Number,
    (row, column): (usize, usize),
    (rows, columns): (usize, usize),
    panel: *mut V::Number,
    wanted: usize,
) {
    // SAFETY: as the caller vouches.
    unsafe {
        if column == 1 && columns == wanted {
            for l in 0..rows {
                let mut j = 0;
                while j < wanted {
                    V::load(from.add(l * row + j)).store(panel.add(l * wanted + j));
                    j += V::LANES;
                }
            }
        } else {
            for l in 0..rows {
                for j in 0..wanted {
                    let number = if j < columns { *from.add(l * row + j * column) } else { V::Number::ZERO };
                    *panel.add(l * wanted + j) = number;
                }
            }
        }
    }
}

/// # Safety
/// As [`Kernels::run`], inlined into code for the instruction set of `V`.
#[inline(always)]
unsafe fn run_inner<V: Vector, S: Shape>(task: InnerTask<V::Number>) {
    let InnerTask { m, n, op } = task;
    let (rows, columns) = (Cuts::new(m, S::INNER.0), Cuts::new(n, S::INNER.1));
    for row in 0..rows.pieces {
        let (i, height) = (rows.start(row), rows.start(row + 1) - rows.start(row));
        for column in 0..columns.pieces {
            let (j, width) = (columns.start(column), columns.start(column + 1) - columns.start(column));
            // SAFETY: the rows of A and B and the block of C lie in what the caller vouches for.
            unsafe {
                let (a, b, c) = (op.a.add(i * op.lda), op.b.add(j * op.ldb), op.c.add(i * op.ldc + j));
                S::inner::<V>(height, width, Inner { a, b, c, ..op });
            }
        }
    }
}

/// # Safety
/// As [`Kernels::run`], inlined into code for the instruction set of `V`.
#[inline(always)]
unsafe fn run<V: Vector, S: Shape>(task: Task<V::Number>) -> usize {
    // SAFETY: as the caller vouches.
    unsafe {
        match task {
            Task::Outer(task) => run_outer::<V, S>(task),
            Task::Inner(task) => run_inner::<V, S>(task),
            Task::Spin(rounds, factor, term) => spin::<V>(rounds, factor, term),
        }
    }
    SPINNING * V::LANES
}

/// Sums in flight: they hide the latency of a multiply-add and fit the registers of AVX2.
const SPINNING: usize = 12;

/// # Safety
/// Inlined into code for the instruction set of `V`.
#[inline(always)]
unsafe fn spin<V: Vector>(rounds: usize, factor: V::Number, term: V::Number) {
    // SAFETY: as the caller vouches; the buffer has room for a register.
    unsafe {
        let (factor, term) = (V::splat(factor), V::splat(term));
        let mut sums = [term; SPINNING];
        for _ in 0..rounds {
            for sum in &mut sums {
                *sum = sum.mul_add(factor, term);
            }
        }
        for sum in sums {
            let mut buffer = [V::Number::ZERO; WIDEST];
            sum.store(buffer.as_mut_ptr());
            std::hint::black_box(buffer);
        }
    }
}

macro_rules! kernels {
    ($number:ident: $wide:ident, $middle:ident, $lanes:literal) => {
        impl Kernels for $number {
            fn panel_rows(simd: Simd) -> usize {
                if simd == Simd::Avx512 { ThirtyTwo::ROWS } else { Sixteen::ROWS }
            }

            unsafe fn run(simd: Simd, task: Task<Self>) -> usize {
                #[cfg(target_arch = "x86_64")]
                {
                    use std::arch::x86_64::{$middle, $wide};
                    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
                    unsafe fn avx512(task: Task<$number>) -> usize {
                        // SAFETY: as the caller vouches.
                        unsafe { run::<$wide, ThirtyTwo>(task) }
                    }
                    #[target_feature(enable = "avx2,fma")]
                    unsafe fn avx2(task: Task<$number>) -> usize {
                        // SAFETY: as the caller vouches.
                        unsafe { run::<$middle, Sixteen>(task) }
                    }
                    match simd {
                        // SAFETY: as the caller vouches.
                        Simd::Avx512 => return unsafe { avx512(task) },
                        // SAFETY: as the caller vouches.
                        Simd::Avx2 => return unsafe { avx2(task) },
                        Simd::Baseline => {}
                    }
                }
                // SAFETY: as the caller vouches.
                unsafe { run::<Plain<$number, $lanes>, Sixteen>(task) }
            }
        }
    };
}

kernels!(f32: __m512, __m256, 4);
kernels!(f64: __m512d, __m256d, 2);
