//! What every figure can do, and how a drawn figure becomes a file.

use std::path::Path;

use crate::error::PlotError;
use crate::geometry::{Rect, Size};
use crate::png_file;
use crate::raster;
use crate::scene::{Frame, Scene};
use crate::setters::setters;
use crate::svg::{self, SvgText};

/// Data that know how to draw themselves. The methods with a body are the everyday ones; [`Figure::picture`] gives
/// access to size, density and the treatment of text.
pub trait Figure {
    /// The size at which the figure looks best.
    fn natural_size(&self) -> Size;

    /// Checks the data and leaves marks in `frame`.
    ///
    /// # Errors
    /// Data that cannot be drawn, or a frame too small for its labels.
    fn draw(&self, frame: Frame<'_>) -> Result<(), PlotError>;

    /// Room needed left of the data for labels; figures stacked in [`Panels`](crate::Panels) share the widest.
    fn left_gutter(&self) -> f64 {
        0.0
    }

    /// Draws at the natural size.
    ///
    /// # Errors
    /// As for [`Figure::draw`].
    fn picture(&self) -> Result<Picture, PlotError> {
        self.picture_sized(self.natural_size())
    }

    /// Draws at a given size.
    ///
    /// # Errors
    /// As for [`Figure::draw`].
    fn picture_sized(&self, size: Size) -> Result<Picture, PlotError> {
        let mut scene = Scene::new(size);
        let area = Rect::new(0.0, 0.0, size.width, size.height);
        self.draw(Frame { scene: &mut scene, area, left_gutter: 0.0 })?;
        Ok(Picture { scene, scale: 2.0, svg_text: SvgText::default() })
    }

    /// A PNG at natural size and two pixels per unit.
    ///
    /// # Errors
    /// As for [`Figure::draw`], and when the pixels cannot be encoded.
    fn to_png_bytes(&self) -> Result<Vec<u8>, PlotError> {
        self.picture()?.to_png_bytes()
    }

    /// An SVG at natural size.
    ///
    /// # Errors
    /// As for [`Figure::draw`].
    fn to_svg_string(&self) -> Result<String, PlotError> {
        self.picture()?.to_svg_string()
    }

    /// Writes [`Figure::to_png_bytes`] to a file.
    ///
    /// # Errors
    /// As there, and when the file cannot be written.
    fn save_png(&self, path: impl AsRef<Path>) -> Result<(), PlotError>
    where
        Self: Sized,
    {
        self.picture()?.save_png(path)
    }

    /// Writes [`Figure::to_svg_string`] to a file.
    ///
    /// # Errors
    /// As there, and when the file cannot be written.
    fn save_svg(&self, path: impl AsRef<Path>) -> Result<(), PlotError>
    where
        Self: Sized,
    {
        self.picture()?.save_svg(path)
    }
}

/// A drawn figure, ready to be written.
///
/// ```
/// use ropinn_plot::{Curves, Figure, Series, Size};
///
/// let curve = Curves::new("iteration", "loss").with_series(Series::new("total", vec![(0.0, 1.0), (1.0, 0.1)]));
/// let png = curve.picture_sized(Size::new(400.0, 300.0))?.with_scale(3.0).to_png_bytes()?;
/// assert_eq!(&png[16..24], [0, 0, 4, 176, 0, 0, 3, 132]); // 1200 × 900 in the header
/// # Ok::<(), ropinn_plot::PlotError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Picture {
    scene: Scene,
    scale: f64,
    svg_text: SvgText,
}

/// Beyond this many pixels on a side a scale or size is a mistake.
const LARGEST_SIDE: f64 = 16384.0;

impl Picture {
    setters! {
        /// PNG pixels per CSS pixel (2 unless set).
        with_scale(scale: f64) |it| it.scale = scale;
        /// How SVG shows words.
        with_svg_text(text: SvgText) |it| it.svg_text = text;
    }

    /// Size in CSS pixels.
    pub fn size(&self) -> Size {
        self.scene.size
    }

    /// The picture as a PNG file.
    ///
    /// # Errors
    /// A scale that leaves no pixels or more than 16384 on a side.
    pub fn to_png_bytes(&self) -> Result<Vec<u8>, PlotError> {
        let (width, height) =
            ((self.scene.size.width * self.scale).round(), (self.scene.size.height * self.scale).round());
        let too_large = PlotError::Size { width, height, min_width: 1.0, min_height: 1.0 };
        if !(1.0..=LARGEST_SIDE).contains(&width) || !(1.0..=LARGEST_SIDE).contains(&height) {
            return Err(too_large);
        }
        let pixels = raster::paint(&self.scene, self.scale).ok_or(too_large)?;
        png_file::encode(&pixels, self.scale)
    }

    /// The picture as an SVG document.
    ///
    /// # Errors
    /// When an embedded image cannot be encoded.
    pub fn to_svg_string(&self) -> Result<String, PlotError> {
        svg::write(&self.scene, self.svg_text)
    }

    /// Writes the PNG file.
    ///
    /// # Errors
    /// As for [`Picture::to_png_bytes`], and when the file cannot be written.
    pub fn save_png(&self, path: impl AsRef<Path>) -> Result<(), PlotError> {
        write_file(path.as_ref(), &self.to_png_bytes()?)
    }

    /// Writes the SVG document.
    ///
    /// # Errors
    /// As for [`Picture::to_svg_string`], and when the file cannot be written.
    pub fn save_svg(&self, path: impl AsRef<Path>) -> Result<(), PlotError> {
        write_file(path.as_ref(), self.to_svg_string()?.as_bytes())
    }
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), PlotError> {
    std::fs::write(path, bytes).map_err(|source| PlotError::Write { path: path.to_owned(), source })
}
