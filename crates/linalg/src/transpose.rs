//! Rows to columns, in blocks that fit the first cache.

use ropinn_vmath::Real;

/// Rows and columns of a block.
const BLOCK: usize = 16;

/// to = fromᵀ: the first `columns` numbers of each row of `from`, at distance `from_row`, become rows of `to`, at distance `to_row`.
///
/// # Panics
/// If a slice is too short.
pub fn transpose<T: Real>(rows: usize, from_row: usize, columns: usize, from: &[T], to: &mut [T], to_row: usize) {
    for first_row in (0..rows).step_by(BLOCK) {
        let end_row = (first_row + BLOCK).min(rows);
        for first_column in (0..columns).step_by(BLOCK) {
            let end_column = (first_column + BLOCK).min(columns);
            for column in first_column..end_column {
                let target = &mut to[column * to_row + first_row..][..end_row - first_row];
                for (target, row) in target.iter_mut().zip(first_row..end_row) {
                    *target = from[row * from_row + column];
                }
            }
        }
    }
}
