//! Matrices by rows: entries are gathered in any order, those of the same place added up in the order in which they came.

/// Entries of a matrix yet to be sorted.
pub(crate) struct Entries {
    size: usize,
    all: Vec<(u32, u32, f64)>,
}

/// A square matrix: columns increase within a row.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    pub starts: Vec<usize>,
    pub columns: Vec<u32>,
    pub values: Vec<f64>,
}

impl Entries {
    pub fn new(size: usize) -> Self {
        Self { size, all: Vec::new() }
    }

    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        self.all.push((row as u32, column as u32, value));
    }

    pub fn finish(self) -> Matrix {
        let mut starts = vec![0; self.size + 1];
        self.all.iter().for_each(|(row, ..)| starts[*row as usize + 1] += 1);
        (0..self.size).for_each(|row| starts[row + 1] += starts[row]);
        let (mut next, mut sorted) = (starts.clone(), vec![(0_u32, 0.0); self.all.len()]);
        for (row, column, value) in self.all {
            sorted[next[row as usize]] = (column, value);
            next[row as usize] += 1;
        }
        let mut matrix = Matrix { starts: vec![0], columns: Vec::new(), values: Vec::new() };
        for row in starts.windows(2) {
            let own = &mut sorted[row[0]..row[1]];
            own.sort_by_key(|(column, _)| *column);
            for same in own.chunk_by(|a, b| a.0 == b.0) {
                matrix.columns.push(same[0].0);
                matrix.values.push(same.iter().map(|(_, value)| value).sum());
            }
            matrix.starts.push(matrix.columns.len());
        }
        matrix
    }
}

impl Matrix {
    pub fn size(&self) -> usize {
        self.starts.len() - 1
    }

    /// Columns and values of a row.
    pub fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// An entry; zero where there is none.
    pub fn at(&self, row: usize, column: u32) -> f64 {
        let (columns, values) = self.row(row);
        columns.binary_search(&column).map_or(0.0, |k| values[k])
    }

    /// Adds to an entry that is there.
    pub fn add(&mut self, row: usize, column: u32, value: f64) {
        if let Ok(k) = self.row(row).0.binary_search(&column) {
            self.values[self.starts[row] + k] += value;
        }
    }

    /// Ax.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        let product = |row: usize| {
            let (columns, values) = self.row(row);
            columns.iter().zip(values).map(|(column, value)| value * x[*column as usize]).sum()
        };
        (0..self.size()).map(product).collect()
    }

    /// sA + tB for a matrix B with entries in the same places.
    pub fn combined(&self, s: f64, other: &Matrix, t: f64) -> Matrix {
        let values = self.values.iter().zip(&other.values).map(|(a, b)| s * a + t * b).collect();
        Matrix { values, ..self.clone() }
    }
}
