//! R and Qᵀb of a matrix that comes in blocks of rows: A = QR, ‖Ax − b‖² = ‖Rx − Qᵀb‖² + ‖what Q leaves of b‖².

use super::panel::{Tile, WIDTH, eliminate};
use rayon::prelude::*;

/// Rows taken at once: few enough that a tile of them stays in the second cache, many enough that the triangle above costs
/// little.
const PIECE: usize = 1024;

/// The triangle of all rows pushed so far, with the right-hand sides turned alike.
///
/// Half of n² numbers are held for n columns, however many rows come, and n·1024 more while rows are pushed; each row costs 2n²
/// operations, and the fewer come at once the more besides: blocks of some hundred rows or more are best. Work is shared among
/// the threads of the current pool, the bits do not depend on how many there are. What is not finite makes everything not
/// finite, and numbers beyond 1e±140 count as nothing or as infinite.
///
/// ```
/// use ropinn_linalg::RowFactor;
///
/// // A line through three points, with a third column that is the sum of the first two.
/// let mut factor = RowFactor::new(3, 1);
/// factor.push(&[1.0, 0.0, 1.0, 1.0, 1.0, 2.0], &[1.0, 3.0]);
/// factor.push(&[1.0, 2.0, 3.0], &[5.0]);
/// let solution = factor.ranked(1e-15).solve(1e-12);
/// assert_eq!(solution.rank, 2);
/// assert!(solution.residual[0] < 1e-14);
/// let x = &solution.x;
/// assert!((x[0] + x[2] - 1.0).abs() < 1e-14 && (x[1] + x[2] - 2.0).abs() < 1e-14);
/// ```
#[derive(Debug, Clone)]
pub struct RowFactor {
    columns: usize,
    sides: usize,
    /// The columns, and after them the right-hand sides.
    tiles: Vec<Tile>,
    /// What was left of each right-hand side, squared.
    discarded: Vec<f64>,
    rows: usize,
}

impl RowFactor {
    /// No rows yet, for so many columns and right-hand sides.
    ///
    /// # Panics
    /// If either number is zero.
    pub fn new(columns: usize, sides: usize) -> Self {
        assert!(columns > 0 && sides > 0, "{columns} columns and {sides} right-hand sides");
        let mut tiles: Vec<Tile> = Tile::cut(columns).collect();
        for (t, tile) in tiles.iter_mut().enumerate() {
            tile.top = vec![0.0; columns.min((t + 1) * WIDTH) * tile.width];
        }
        tiles.push(Tile { width: sides, top: vec![0.0; columns * sides], rows: Vec::new() });
        Self { columns, sides, tiles, discarded: vec![0.0; sides], rows: 0 }
    }

    /// Adds rows of A, one after another, and as many rows of the right-hand sides.
    ///
    /// # Panics
    /// If the numbers are not whole rows, or the rows are not as many.
    pub fn push(&mut self, rows: &[f64], sides: &[f64]) {
        let count = rows.len() / self.columns;
        assert_eq!(rows.len(), count * self.columns, "rows of {} numbers", self.columns);
        assert_eq!(sides.len(), count * self.sides, "{} right-hand sides of {count} rows", self.sides);
        self.rows += count;
        let pieces = rows.chunks(PIECE * self.columns).zip(sides.chunks(PIECE * self.sides));
        pieces.for_each(|(rows, sides)| self.push_piece(rows, sides));
    }

    fn push_piece(&mut self, rows: &[f64], sides: &[f64]) {
        let (columns, panels) = (self.columns, self.tiles.len() - 1);
        self.tiles[..panels].par_iter_mut().enumerate().for_each(|(t, tile)| {
            tile.rows.clear();
            for row in rows.chunks_exact(columns) {
                tile.rows.extend_from_slice(&row[t * WIDTH..][..tile.width]);
            }
        });
        self.tiles[panels].rows = sides.to_vec();
        eliminate(&mut self.tiles, panels, drop);
        for row in self.tiles[panels].rows.chunks_exact(self.sides) {
            self.discarded.iter_mut().zip(row).for_each(|(sum, left)| *sum += left * left);
        }
    }

    /// Columns of A.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Right-hand sides.
    pub fn sides(&self) -> usize {
        self.sides
    }

    /// Rows pushed so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns of R.
    pub(super) fn triangle(&self) -> &[Tile] {
        &self.tiles[..self.tiles.len() - 1]
    }

    /// Qᵀb, row by row.
    pub(super) fn turned(&self) -> &[f64] {
        &self.tiles[self.tiles.len() - 1].top
    }

    /// ‖Ax − b‖ for one of the right-hand sides, to the rounding of ‖A‖‖x‖.
    ///
    /// # Panics
    /// If x has not a number for each column, or there is no such right-hand side.
    pub fn residual(&self, x: &[f64], side: usize) -> f64 {
        assert_eq!(x.len(), self.columns);
        let mut left: Vec<f64> = self.turned().iter().skip(side).step_by(self.sides).map(|b| -b).collect();
        for (tile, x) in self.triangle().iter().zip(x.chunks(WIDTH)) {
            for (left, row) in left.iter_mut().zip(tile.top.chunks_exact(tile.width)) {
                *left += row.iter().zip(x).map(|(r, x)| r * x).sum::<f64>();
            }
        }
        (left.iter().map(|left| left * left).sum::<f64>() + self.discarded[side]).sqrt()
    }
}
