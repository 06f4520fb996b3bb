//! Products, with their bounds checked once at the door so that everything above is safe code.

use crate::driver::{InnerTask, Kernels, OuterTask, PANEL_ROOM, Task};
use crate::kernel::{Inner, Start};
use crate::packed::Packed;
use crate::view::View;
use ropinn_vmath::{Simd, simd};

/// The numbers products are made of: `f32` and `f64`.
pub trait Numbers: Kernels {}
impl<T: Kernels> Numbers for T {}

/// Memory of products; grows to what is needed and stays.
#[derive(Clone, Debug, Default)]
pub struct Workspace<T> {
    panel: Vec<T>,
    left: Packed<T>,
}

/// What becomes of the target of a product.
#[derive(Clone, Copy, Debug)]
pub enum Product<'a, T> {
    /// C = A·B.
    Set,
    /// C += A·B.
    Add,
    /// C = A·B + b, one number of b for each row.
    SetPlus(&'a [T]),
}

/// Where a product goes: rows of contiguous numbers at a distance, the first at an offset.
#[derive(Debug)]
pub struct Target<'a, T> {
    /// The slice the matrix lies in.
    pub numbers: &'a mut [T],
    /// Where its first number lies.
    pub offset: usize,
    /// Distance from a row to the next.
    pub row: usize,
    /// Of row i only the first `diagonal + i + 1` columns are wanted; what is beyond them may or may not be computed.
    pub diagonal: Option<usize>,
}

impl<'a, T> Target<'a, T> {
    /// All of a matrix.
    pub fn new(numbers: &'a mut [T], offset: usize, row: usize) -> Self {
        Self { numbers, offset, row, diagonal: None }
    }

    /// Only what is on and below the diagonal, which crosses the first row at this column.
    pub fn below_diagonal(self, diagonal: usize) -> Self {
        Self { diagonal: Some(diagonal), ..self }
    }
}

impl<T: Numbers> Packed<T> {
    /// The product with B, a matrix of as many rows as A has columns, and of `n` columns.
    ///
    /// # Panics
    /// If a view does not lie inside its slice, or numbers are missing.
    pub fn times(
        &self,
        n: usize,
        b: &[T],
        view: View,
        to: Target<'_, T>,
        how: Product<'_, T>,
        work: &mut Workspace<T>,
    ) {
        let (m, k) = (self.rows(), self.columns());
        if m == 0 || n == 0 {
            return;
        }
        view.check(b.len(), k, n);
        View::rows(to.offset, to.row).check(to.numbers.len(), m, n);
        let start = match how {
            Product::Set => Start::Zero,
            Product::Add => Start::Old,
            Product::SetPlus(numbers) => {
                assert!(numbers.len() >= m, "{} numbers for {m} rows", numbers.len());
                Start::Rows(numbers.as_ptr())
            }
        };
        if k == 0 {
            start_only(m, n, to, how);
            return;
        }
        work.panel.resize(PANEL_ROOM, T::ZERO);
        // SAFETY: the views of B and C were checked above, `Packed` holds m·k numbers for its instruction set, which is
        // available; C is borrowed mutably, so it overlaps none of the others.
        unsafe {
            let task = OuterTask {
                m,
                n,
                k,
                a: self.numbers().as_ptr(),
                b: b.as_ptr().add(view.offset),
                b_row: view.row,
                b_column: view.column,
                c: to.numbers.as_mut_ptr().add(to.offset),
                ldc: to.row,
                start,
                diagonal: to.diagonal.unwrap_or(usize::MAX),
                panel: work.panel.as_mut_ptr(),
            };
            T::run(self.simd(), Task::Outer(task));
        }
    }
}

/// A product with nothing to sum over.
fn start_only<T: Numbers>(m: usize, n: usize, to: Target<'_, T>, how: Product<'_, T>) {
    for i in 0..m {
        let row = &mut to.numbers[to.offset + i * to.row..][..n];
        match how {
            Product::Set => row.fill(T::ZERO),
            Product::Add => {}
            Product::SetPlus(numbers) => row.fill(numbers[i]),
        }
    }
}

/// `C = scale·A·B`, or `C += scale·A·B` with [`Product::Add`]; A is m×k, B is k×n, with any strides.
///
/// # Panics
/// If a view does not lie inside its slice.
pub fn matmul<T: Numbers>(
    (m, n, k): (usize, usize, usize),
    to: Target<'_, T>,
    how: Product<'_, T>,
    scale: T,
    (a, a_view): (&[T], View),
    (b, b_view): (&[T], View),
    work: &mut Workspace<T>,
) {
    let mut left = std::mem::take(&mut work.left);
    left.set((m, k), scale, a, a_view);
    left.times(n, b, b_view, to, how, work);
    work.left = left;
}

/// C += A·Bᵀ for an m×k matrix A and an n×k matrix B with contiguous rows. Made for few rows and a long k; [`matmul`] is faster
/// where both matrices have hundreds of rows.
///
/// # Panics
/// If a view does not lie inside its slice, or its rows are not contiguous.
pub fn add_inner<T: Numbers>(sizes: (usize, usize, usize), to: Target<'_, T>, a: (&[T], View), b: (&[T], View)) {
    add_inner_on(simd(), sizes, to, a, b);
}

/// [`add_inner`] with the kernels of an instruction set that the processor has.
pub(crate) fn add_inner_on<T: Numbers>(
    simd: Simd,
    (m, n, k): (usize, usize, usize),
    to: Target<'_, T>,
    (a, a_view): (&[T], View),
    (b, b_view): (&[T], View),
) {
    if m == 0 || n == 0 || k == 0 {
        return;
    }
    assert!(a_view.column == 1 && b_view.column == 1, "inner products read along contiguous rows");
    a_view.check(a.len(), m, k);
    b_view.check(b.len(), n, k);
    View::rows(to.offset, to.row).check(to.numbers.len(), m, n);
    // SAFETY: all three views were checked above; the instruction set is available; C is borrowed mutably.
    unsafe {
        let op = Inner {
            k,
            a: a.as_ptr().add(a_view.offset),
            lda: a_view.row,
            b: b.as_ptr().add(b_view.offset),
            ldb: b_view.row,
            c: to.numbers.as_mut_ptr().add(to.offset),
            ldc: to.row,
        };
        T::run(simd, Task::Inner(InnerTask { m, n, op }));
    }
}
