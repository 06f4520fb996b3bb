//! Dots in characters: a Braille sign holds 2 × 4 of them, so a terminal of 80 × 24 characters has 160 × 96.

/// Dots across and down a character.
pub(crate) const DOTS: (usize, usize) = (2, 4);

/// Bits of the dots in a Braille sign, `[row][column]` (Unicode, block 2800).
const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

/// A sheet of characters with dots, each character of the last series that has one there.
pub(crate) struct Sheet {
    columns: usize,
    cells: Vec<(u8, usize)>,
}

impl Sheet {
    pub fn new(columns: usize, rows: usize) -> Self {
        Self { columns, cells: vec![(0, 0); columns * rows] }
    }

    /// Puts a dot at a place counted from the upper left; those off the sheet are not seen.
    pub fn dot(&mut self, x: i64, y: i64, series: usize) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        let (column, row) = (x / DOTS.0, y / DOTS.1);
        if column < self.columns
            && let Some(cell) = self.cells.get_mut(row * self.columns + column)
        {
            *cell = (cell.0 | BITS[y % DOTS.1][x % DOTS.0], series);
        }
    }

    /// Dots from one place to another (Bresenham).
    pub fn line(&mut self, from: (i64, i64), to: (i64, i64), series: usize) {
        let (dx, dy) = ((to.0 - from.0).abs(), -(to.1 - from.1).abs());
        let step = ((to.0 - from.0).signum(), (to.1 - from.1).signum());
        let (mut at, mut error) = (from, dx + dy);
        loop {
            self.dot(at.0, at.1, series);
            if at == to {
                return;
            }
            let twice = 2 * error;
            if twice >= dy {
                error += dy;
                at.0 += step.0;
            }
            if twice <= dx {
                error += dx;
                at.1 += step.1;
            }
        }
    }

    /// The characters of a row and the series each belongs to; none where there are no dots.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (char, Option<usize>)> {
        let sign = |bits: u8| char::from_u32(0x2800 + u32::from(bits)).unwrap_or(' ');
        let cells = &self.cells[row * self.columns..(row + 1) * self.columns];
        cells.iter().map(move |(bits, series)| if *bits == 0 { (' ', None) } else { (sign(*bits), Some(*series)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(sheet: &Sheet, rows: usize) -> Vec<String> {
        (0..rows).map(|row| sheet.row(row).map(|(sign, _)| sign).collect()).collect()
    }

    #[test]
    fn dots_fill_signs() {
        let mut sheet = Sheet::new(2, 1);
        sheet.line((0, 0), (3, 3), 0);
        assert_eq!(text(&sheet, 1), ["⠑⢄"]);
        for (x, y) in [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (1, 3)] {
            sheet.dot(x, y, 1);
        }
        assert_eq!(text(&sheet, 1), ["⣿⢄"]);
        assert_eq!(sheet.row(0).map(|(_, series)| series).collect::<Vec<_>>(), [Some(1), Some(0)]);
    }

    #[test]
    fn what_is_off_the_sheet_is_not_seen() {
        let mut sheet = Sheet::new(1, 1);
        for (x, y) in [(-1, 0), (2, 0), (0, 4), (0, -3)] {
            sheet.dot(x, y, 0);
        }
        assert_eq!(text(&sheet, 1), [" "]);
    }
}
