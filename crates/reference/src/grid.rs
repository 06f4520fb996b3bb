//! Values on an even grid of the plane, asked for anywhere between its nodes: Lagrange's polynomials through the nearest nodes of
//! each axis; beyond the sides values repeat, or change sign.

use crate::solution::Field;

/// Nodes of each axis that a value depends on.
const NEAREST: usize = 6;

/// How values go on beyond the sides of a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beyond {
    /// They repeat; n nodes, without the far side.
    Repeat,
    /// They change sign at a side and vanish on it; n nodes, without the far side.
    Negate,
}

/// Unknowns at instants, `[instant][unknown][y][x]`.
pub(crate) struct GridField {
    pub low: [f64; 2],
    pub high: [f64; 2],
    /// Cells along each axis.
    pub cells: usize,
    pub beyond: Beyond,
    pub instants: Vec<f64>,
    pub frames: Vec<Vec<Vec<f64>>>,
}

impl Beyond {
    /// The stored node that stands for any, and its sign.
    fn node(self, k: isize, cells: usize) -> (usize, f64) {
        let n = cells as isize;
        match (self, k.rem_euclid(2 * n)) {
            (Beyond::Repeat, _) => (k.rem_euclid(n) as usize, 1.0),
            (Beyond::Negate, 0) => (0, 0.0),
            (Beyond::Negate, k) if k == n => (0, 0.0),
            (_, k) if k <= n => (k as usize, 1.0),
            (Beyond::Negate, k) => ((2 * n - k) as usize, -1.0),
        }
    }
}

impl GridField {
    /// (node, factor) along an axis.
    fn weights(&self, axis: usize, x: f64) -> [(usize, f64); NEAREST] {
        let place = (x - self.low[axis]) / (self.high[axis] - self.low[axis]) * self.cells as f64;
        let first = place.floor() as isize - (NEAREST as isize / 2 - 1);
        std::array::from_fn(|k| {
            let others = (0..NEAREST).filter(|other| *other != k);
            let factor: f64 =
                others.map(|other| (place - (first + other as isize) as f64) / (k as f64 - other as f64)).product();
            let (node, sign) = self.beyond.node(first + k as isize, self.cells);
            (node, sign * factor)
        })
    }
}

impl Field for GridField {
    fn unknowns(&self) -> usize {
        self.frames.first().map_or(0, Vec::len)
    }

    fn instants(&self) -> &[f64] {
        &self.instants
    }

    fn bounds(&self) -> (Vec<f64>, Vec<f64>) {
        (self.low.to_vec(), self.high.to_vec())
    }

    fn value(&self, place: &[f64], instant: usize) -> Option<Vec<f64>> {
        let slack = |axis: usize| 1e-9 * (self.high[axis] - self.low[axis]);
        let inside =
            |axis: usize| (self.low[axis] - slack(axis)..=self.high[axis] + slack(axis)).contains(&place[axis]);
        // A field that repeats is known everywhere.
        if self.beyond != Beyond::Repeat && !(inside(0) && inside(1)) {
            return None;
        }
        let (along_x, along_y) = (self.weights(0, place[0]), self.weights(1, place[1]));
        let nodes = self.cells;
        let value = |values: &Vec<f64>| {
            let row = |j: usize| -> f64 { along_x.iter().map(|(i, factor)| factor * values[j * nodes + i]).sum() };
            along_y.iter().map(|(j, factor)| factor * row(*j)).sum()
        };
        Some(self.frames[instant].iter().map(value).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_met_between_nodes_and_waves_beyond_the_sides() {
        for (beyond, wave) in [(Beyond::Repeat, 2.0), (Beyond::Negate, 3.0)] {
            let exact = |x: f64, y: f64| {
                let (x, y) = (std::f64::consts::PI * wave * x, std::f64::consts::PI * wave * y);
                x.sin() * y.sin()
            };
            let (cells, nodes) = (32, 32);
            let value = |k: usize| exact((k % nodes) as f64 / 32.0, (k / nodes) as f64 / 32.0);
            let frames = vec![vec![(0..nodes * nodes).map(value).collect()]];
            let (low, high) = ([0.0; 2], [1.0; 2]);
            let field = GridField { low, high, cells, beyond, instants: Vec::new(), frames };
            for (x, y) in [(0.01, 0.99), (0.511, 0.3), (0.0, 0.77), (1.0, 0.98)] {
                let found = field.value(&[x, y], 0).unwrap()[0];
                assert!((found - exact(x, y)).abs() < 3e-5, "{beyond:?} ({x}, {y}): {found}, not {}", exact(x, y));
            }
        }
    }
}
