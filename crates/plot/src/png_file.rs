//! Pixels to the bytes of a PNG file.

use crate::error::PlotError;
use crate::scene::Pixels;

/// `scale` is pixels per CSS pixel; it becomes the file's physical resolution (96 CSS pixels per inch), so that a
/// picture drawn at twice the density is not shown at twice the size on paper.
pub(crate) fn encode(pixels: &Pixels, scale: f64) -> Result<Vec<u8>, PlotError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width as u32, pixels.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let per_metre = (scale * 96.0 / 0.0254).round() as u32;
    encoder.set_pixel_dims(Some(png::PixelDimensions { xppu: per_metre, yppu: per_metre, unit: png::Unit::Meter }));
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels.rgb)?;
    writer.finish()?;
    Ok(bytes)
}
