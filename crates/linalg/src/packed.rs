//! A left operand in the order in which the kernels read it.

use crate::driver::{Cuts, Kernels};
use crate::view::View;
use ropinn_vmath::{Simd, simd};

/// An m×k matrix cut into panels of rows, each stored `[k][row]`: made once, multiplied many times.
#[derive(Clone, Debug)]
pub struct Packed<T> {
    /// The instruction set whose panels these are.
    simd: Simd,
    rows: usize,
    columns: usize,
    numbers: Vec<T>,
}

impl<T> Default for Packed<T> {
    fn default() -> Self {
        Self { simd: simd(), rows: 0, columns: 0, numbers: Vec::new() }
    }
}

impl<T: Kernels> Packed<T> {
    /// For another instruction set than that of the process.
    #[cfg(test)]
    pub(crate) fn on(simd: Simd) -> Self {
        assert!(simd.is_available());
        Self { simd, ..Self::default() }
    }

    pub(crate) fn simd(&self) -> Simd {
        self.simd
    }

    /// Packs scale · A, an m×k matrix. Memory is kept from one matrix to the next.
    ///
    /// # Panics
    /// If the view does not lie inside `a`.
    pub fn set(&mut self, (m, k): (usize, usize), scale: T, a: &[T], view: View) {
        view.check(a.len(), m, k);
        (self.rows, self.columns) = (m, k);
        self.numbers.resize(m * k, T::ZERO);
        let panels = Cuts::new(m, T::panel_rows(self.simd));
        for panel in 0..panels.pieces {
            let (first, end) = (panels.start(panel), panels.start(panel + 1));
            let height = end - first;
            let target = &mut self.numbers[first * k..end * k];
            if view.row == 1 {
                for (l, target) in target.chunks_exact_mut(height).enumerate() {
                    let source = &a[view.offset + first + l * view.column..][..height];
                    target.iter_mut().zip(source).for_each(|(target, &number)| *target = scale * number);
                }
            } else {
                for (i, row) in (first..end).enumerate() {
                    let source = &a[view.offset + row * view.row..];
                    for l in 0..k {
                        target[l * height + i] = scale * source[l * view.column];
                    }
                }
            }
        }
    }

    /// Rows of the matrix.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns of the matrix.
    pub fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn numbers(&self) -> &[T] {
        &self.numbers
    }
}
