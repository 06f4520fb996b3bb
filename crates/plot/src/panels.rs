//! Several figures in one picture, on a grid of rows and columns.

use crate::error::PlotError;
use crate::geometry::{Rect, Size};
use crate::heading::headed;
use crate::picture::Figure;
use crate::scene::Frame;
use crate::theme::MARGIN;

/// Figures in reading order; those in one column share their left axis.
///
/// ```
/// use ropinn_plot::{Curves, Figure, Panels, Series};
///
/// let points = |scale: f64| (1..50).map(|k| (f64::from(k), scale / f64::from(k))).collect();
/// let loss = Curves::new("iteration", "loss").with_log_y().with_series(Series::new("total", points(1.0)));
/// let region = Curves::new("iteration", "region size").with_series(Series::new("r", points(1e-4)));
/// let png = Panels::stacked("Training").with(loss).with(region).to_png_bytes()?;
/// assert!(png.starts_with(b"\x89PNG"));
/// # Ok::<(), ropinn_plot::PlotError>(())
/// ```
pub struct Panels {
    /// Title in bold; empty for none.
    pub title: String,
    /// Smaller line below the title; empty for none.
    pub subtitle: String,
    /// Figures per row.
    pub columns: usize,
    /// The figures, row by row.
    pub figures: Vec<Box<dyn Figure>>,
}

headed!(Panels);

impl Panels {
    /// One figure below the other.
    pub fn stacked(title: impl Into<String>) -> Self {
        Self::in_columns(title, 1)
    }

    /// Rows of `columns` figures.
    pub fn in_columns(title: impl Into<String>, columns: usize) -> Self {
        Self { title: title.into(), subtitle: String::new(), columns: columns.max(1), figures: Vec::new() }
    }

    /// Adds a figure.
    #[must_use]
    pub fn with(mut self, figure: impl Figure + 'static) -> Self {
        self.figures.push(Box::new(figure));
        self
    }

    /// The largest of `measure` over each column, or over each row.
    fn largest(&self, by_column: bool, measure: impl Fn(&dyn Figure) -> f64) -> Vec<f64> {
        let columns = self.columns.min(self.figures.len()).max(1);
        let count = if by_column { columns } else { self.figures.len().div_ceil(columns) };
        let mut most = vec![0.0f64; count];
        for (k, figure) in self.figures.iter().enumerate() {
            let slot = &mut most[if by_column { k % columns } else { k / columns }];
            *slot = slot.max(measure(figure.as_ref()));
        }
        most
    }

    fn heading_room(&self, width: f64) -> f64 {
        let height = self.heading().height(width - 2.0 * MARGIN);
        // The figures bring their own margin: the gap of the heading would come on top of it.
        if height > 0.0 { MARGIN + height - 10.0 } else { 0.0 }
    }
}

impl Figure for Panels {
    fn natural_size(&self) -> Size {
        let width: f64 = self.largest(true, |f| f.natural_size().width).iter().sum();
        let height: f64 = self.largest(false, |f| f.natural_size().height).iter().sum();
        Size::new(width, height + self.heading_room(width).round())
    }

    fn draw(&self, frame: Frame<'_>) -> Result<(), PlotError> {
        if self.figures.is_empty() {
            return Err(PlotError::Empty { what: format!("figure `{}`", self.title) });
        }
        let head = self.heading_room(frame.area.width);
        self.heading().draw(frame.scene, frame.area.shrunk(MARGIN, MARGIN, MARGIN, 0.0));
        let area = frame.area.shrunk(0.0, head, 0.0, 0.0);
        let widths = shares(self.largest(true, |f| f.natural_size().width), area.width);
        let heights = shares(self.largest(false, |f| f.natural_size().height), area.height);
        let gutters = self.largest(true, |f| f.left_gutter());
        let mut top = area.top;
        for (row, height) in self.figures.chunks(widths.len()).zip(heights) {
            let mut left = area.left;
            for ((figure, &width), &left_gutter) in row.iter().zip(&widths).zip(&gutters) {
                let area = Rect::new(left, top, width, height);
                figure.draw(Frame { scene: &mut *frame.scene, area, left_gutter })?;
                left += width;
            }
            top += height;
        }
        Ok(())
    }
}

/// `total` in the proportions of `sizes`.
fn shares(sizes: Vec<f64>, total: f64) -> Vec<f64> {
    let sum: f64 = sizes.iter().sum();
    sizes.into_iter().map(|size| total * size / sum).collect()
}
