//! Polynomials of cells, asked for anywhere.

use super::element::Places;
use crate::solution::Field;

pub(super) struct CellField<const N: usize> {
    pub places: Places<N>,
    pub cells: usize,
    pub low: [f64; 2],
    pub side: f64,
    pub instants: Vec<f64>,
    /// `[instant][y][x]`.
    pub frames: Vec<Vec<f64>>,
}

impl<const N: usize> Field for CellField<N> {
    fn unknowns(&self) -> usize {
        1
    }

    fn instants(&self) -> &[f64] {
        &self.instants
    }

    fn bounds(&self) -> (Vec<f64>, Vec<f64>) {
        (self.low.to_vec(), self.low.map(|x| x + self.side).to_vec())
    }

    fn value(&self, place: &[f64], instant: usize) -> Option<Vec<f64>> {
        let at = [0, 1].map(|axis| (place[axis] - self.low[axis]) / self.side * self.cells as f64);
        if !at.iter().all(|x| (-1e-9..=self.cells as f64 + 1e-9).contains(x)) {
            return None;
        }
        let cell = at.map(|x| (x.max(0.0) as usize).min(self.cells - 1));
        let [x, y] = [0, 1].map(|axis| self.places.values(at[axis] - cell[axis] as f64));
        let nodes = (N - 1) * self.cells + 1;
        let row = |j: usize| {
            let own = &self.frames[instant][((N - 1) * cell[1] + j) * nodes + (N - 1) * cell[0]..][..N];
            own.iter().zip(x).map(|(value, factor)| value * factor).sum::<f64>()
        };
        Some(vec![(0..N).map(|j| y[j] * row(j)).sum()])
    }
}
