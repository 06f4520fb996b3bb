//! A picture at half its size, and no taller than a page wants it, for pages that show many.

use crate::error::PlotError;
use crate::png_file;
use crate::scene::Pixels;
use std::io::Cursor;

/// Rows of one colour between figures that are stacked; within a figure there are fewer.
const GAP: usize = 60;

/// The PNG file of a picture with one pixel for each two by two of `png`, which is one of ours: 8 bits, red, green, blue. Colours
/// are means. What is taller than `tallest` rows after that is cut between two of the figures that are stacked in it, if there are any.
///
/// ```
/// use ropinn_plot::{Curves, Figure, Series, half_size};
/// let curve = Curves::new("x", "y").with_series(Series::new("", vec![(0.0, 1.0), (1.0, 0.1)]));
/// let small = half_size(&curve.to_png_bytes()?, 1000)?;
/// assert_eq!(small[16..24], curve.picture()?.with_scale(1.0).to_png_bytes()?[16..24]); // as wide and high
/// # Ok::<(), ropinn_plot::PlotError>(())
/// ```
///
/// # Errors
/// A file that is not such a picture.
pub fn half_size(png: &[u8], tallest: usize) -> Result<Vec<u8>, PlotError> {
    let unreadable = |reason: String| PlotError::Decode(reason);
    let mut reader = png::Decoder::new(Cursor::new(png)).read_info().map_err(|error| unreadable(error.to_string()))?;
    let info = reader.info();
    let (width, height) = (info.width as usize, info.height as usize);
    if (info.color_type, info.bit_depth) != (png::ColorType::Rgb, png::BitDepth::Eight) || width < 2 || height < 2 {
        return Err(unreadable("it is not 8-bit RGB, or has a single row or column".to_owned()));
    }
    let size = reader.output_buffer_size().ok_or_else(|| unreadable("it is too large".to_owned()))?;
    let mut rgb = vec![0; size];
    reader.next_frame(&mut rgb).map_err(|error| unreadable(error.to_string()))?;
    let height = if height / 2 > tallest { cut(&rgb, 3 * width, 2 * tallest).unwrap_or(height) } else { height };
    let mut small = Vec::with_capacity(size / 4);
    for (row, column) in (0..height / 2).flat_map(|row| (0..width / 2).map(move |column| (row, column))) {
        for colour in 0..3 {
            let at = |down: usize, right: usize| {
                u16::from(rgb[3 * ((2 * row + down) * width + 2 * column + right) + colour])
            };
            let mean = (at(0, 0) + at(0, 1) + at(1, 0) + at(1, 1) + 2) / 4;
            small.push(mean as u8);
        }
    }
    png_file::encode(&Pixels { width: width / 2, height: height / 2, rgb: small }, 1.0)
}

/// The middle of the last gap between figures that ends within the first `tallest` rows of so many bytes each.
fn cut(rgb: &[u8], row: usize, tallest: usize) -> Option<usize> {
    let is_blank = |row: &[u8]| row.chunks(3).all(|pixel| *pixel == row[..3]);
    let (mut blank, mut found) = (0, None);
    for (at, row) in rgb.chunks(row).take(tallest).enumerate() {
        if is_blank(row) {
            blank += 1;
        } else {
            // The margin above the first figure is no gap.
            found = Some(at - blank / 2).filter(|_| blank >= GAP && blank < at).or(found);
            blank = 0;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixels(png: &[u8]) -> (u32, u32, Vec<u8>) {
        let mut reader = png::Decoder::new(Cursor::new(png)).read_info().expect("a PNG header");
        let mut rgb = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut rgb).expect("pixels");
        (reader.info().width, reader.info().height, rgb)
    }

    #[test]
    fn colours_are_means_and_an_odd_edge_is_left_out() -> Result<(), PlotError> {
        let rows = [[0u8, 10, 100, 100, 7], [20, 30, 101, 101, 7], [9, 9, 9, 9, 9]];
        let rgb = rows.iter().flatten().flat_map(|&grey| [grey, 0, 255]).collect();
        let small = half_size(&png_file::encode(&Pixels { width: 5, height: 3, rgb }, 2.0)?, 1)?;
        assert_eq!(pixels(&small), (2, 1, vec![15, 0, 255, 101, 0, 255]));
        Ok(())
    }

    #[test]
    fn what_is_too_tall_is_cut_between_figures() -> Result<(), PlotError> {
        // A margin, then figures of 100 rows with gaps of 80; a gap of 10 inside each.
        let is_white = |row: usize| row < 100 || (row - 100) % 180 >= 100 || (row - 100) % 180 / 10 == 5;
        let rgb = (0..800).flat_map(|row| if is_white(row) { [255; 6] } else { [0, 0, 0, 9, 9, 9] }).collect();
        let png = png_file::encode(&Pixels { width: 2, height: 800, rgb }, 2.0)?;
        let height = |tallest| Ok::<_, PlotError>(pixels(&half_size(&png, tallest)?).1);
        assert_eq!([height(400)?, height(399)?, height(200)?, height(141)?], [400, 300, 120, 120]);
        // No figure would be left.
        assert_eq!(height(100)?, 400);
        Ok(())
    }

    #[test]
    fn what_is_no_picture_of_ours_is_refused() -> Result<(), PlotError> {
        let whole = png_file::encode(&Pixels { width: 4, height: 4, rgb: vec![9; 48] }, 2.0)?;
        for bad in [&b"no picture"[..], &whole[..whole.len() / 2]] {
            assert!(half_size(bad, 9).expect_err("bad").to_string().starts_with("the picture cannot be read: "));
        }
        let line = png_file::encode(&Pixels { width: 4, height: 1, rgb: vec![9; 12] }, 2.0)?;
        assert!(half_size(&line, 9).is_err());
        Ok(())
    }
}
