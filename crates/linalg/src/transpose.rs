//! Rows to columns, in blocks that fit the registers.

use ropinn_vmath::{Real, dispatch};

/// Rows and columns of a block.
const BLOCK: usize = 8;

/// to = fromᵀ: the first `columns` numbers of each row of `from`, at distance `from_row`, become rows of `to`, at distance `to_row`.
///
/// # Panics
/// If a slice is too short.
pub fn transpose<T: Real>(rows: usize, from_row: usize, columns: usize, from: &[T], to: &mut [T], to_row: usize) {
    dispatch(
        #[inline(always)]
        || {
            // Bands of rows whose lines stay in the first cache while all columns pass.
            for row in (0..rows).step_by(BLOCK) {
                for column in (0..columns).step_by(BLOCK) {
                    let (high, wide) = (BLOCK.min(rows - row), BLOCK.min(columns - column));
                    if high == BLOCK && wide == BLOCK {
                        whole_block(
                            &from[row * from_row + column..],
                            from_row,
                            &mut to[column * to_row + row..],
                            to_row,
                        );
                        continue;
                    }
                    for j in column..column + wide {
                        for i in row..row + high {
                            to[j * to_row + i] = from[i * from_row + j];
                        }
                    }
                }
            }
        },
    );
}

/// A block with all its rows and columns, turned in registers.
#[inline(always)]
fn whole_block<T: Real>(from: &[T], from_row: usize, to: &mut [T], to_row: usize) {
    let mut block = [[T::ZERO; BLOCK]; BLOCK];
    for (i, row) in block.iter_mut().enumerate() {
        row.copy_from_slice(&from[i * from_row..][..BLOCK]);
    }
    for j in 0..BLOCK {
        let mut column = [T::ZERO; BLOCK];
        for i in 0..BLOCK {
            column[i] = block[i][j];
        }
        to[j * to_row..][..BLOCK].copy_from_slice(&column);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_is_turned() {
        for (rows, columns) in [(1, 1), (8, 8), (7, 9), (16, 24), (33, 18), (3, 40)] {
            let (from_row, to_row) = (columns + 3, rows + 2);
            let from: Vec<f64> = (0..rows * from_row).map(|i| i as f64).collect();
            let mut to = vec![-1.0; columns * to_row];
            transpose(rows, from_row, columns, &from, &mut to, to_row);
            for (j, row) in to.chunks_exact(to_row).enumerate() {
                assert!((0..rows).all(|i| row[i] == from[i * from_row + j]), "{rows} × {columns}");
                assert_eq!(row[rows..], [-1.0; 2], "wrote beyond a row");
            }
        }
    }
}
