//! A matrix inside a slice.

/// First entry, distance between rows, distance between columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Where the first entry lies.
    pub offset: usize,
    /// Distance from a row to the next.
    pub row: usize,
    /// Distance from a column to the next.
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

    /// # Panics
    /// If a matrix of this size does not lie inside a slice of `len` numbers.
    pub(crate) fn check(&self, len: usize, rows: usize, columns: usize) {
        if rows > 0 && columns > 0 {
            let last = self.offset + (rows - 1) * self.row + (columns - 1) * self.column;
            assert!(last < len, "matrix view of {rows}×{columns} ends at {last} in a slice of {len}");
        }
    }
}
