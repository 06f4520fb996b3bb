//! Linear equations whose matrix has entries near its diagonal only, by elimination without exchange of rows.

pub(super) struct Banded {
    size: usize,
    /// Entries on either side of the diagonal.
    reach: usize,
    /// `[row][column − row + reach]`.
    entries: Vec<f64>,
}

impl Banded {
    pub fn new(size: usize, reach: usize) -> Self {
        Self { size, reach, entries: vec![0.0; size * (2 * reach + 1)] }
    }

    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        self.entries[row * (2 * self.reach + 1) + column + self.reach - row] += value;
    }

    /// x with Ax = b; not finite if a pivot vanishes.
    pub fn solve(mut self, mut b: Vec<f64>) -> Vec<f64> {
        let (reach, width) = (self.reach, 2 * self.reach + 1);
        for pivot in 0..self.size {
            let rows = reach.min(self.size - 1 - pivot);
            let (above, below) = self.entries.split_at_mut((pivot + 1) * width);
            let own = &above[pivot * width + reach..];
            for (k, row) in below.chunks_exact_mut(width).take(rows).enumerate() {
                // In the next rows the pivot's column stands one place further left each.
                let row = &mut row[reach - 1 - k..];
                let factor = row[0] / own[0];
                if factor != 0.0 {
                    row[1..].iter_mut().zip(&own[1..=reach]).for_each(|(entry, own)| *entry -= factor * own);
                    b[pivot + 1 + k] -= factor * b[pivot];
                }
            }
        }
        for row in (0..self.size).rev() {
            let own = &self.entries[row * width + reach..][..=reach];
            let known: f64 = own[1..].iter().zip(&b[row + 1..]).map(|(entry, x)| entry * x).sum();
            b[row] = (b[row] - known) / own[0];
        }
        b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_banded_matrix_is_solved() {
        let (size, reach) = (9, 2);
        let entry = |i: usize, j: usize| if i == j { 7.0 } else { (i as f64 - 1.7 * j as f64).sin() };
        let mut matrix = Banded::new(size, reach);
        let x: Vec<f64> = (0..size).map(|k| (k as f64).cos()).collect();
        let mut b = vec![0.0; size];
        for (i, b) in b.iter_mut().enumerate() {
            for (j, x) in x.iter().enumerate().filter(|(j, _)| i.abs_diff(*j) <= reach) {
                matrix.add(i, j, entry(i, j));
                *b += entry(i, j) * x;
            }
        }
        let solved = matrix.solve(b);
        assert!(solved.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-13), "{solved:?}");
    }
}
