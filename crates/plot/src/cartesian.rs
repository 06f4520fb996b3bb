//! What plots over a pair of axes share: heading, legend and axes around the rectangle left for the data.

use crate::axis::{AxisView, Scale, pen};
use crate::error::PlotError;
use crate::geometry::{Point, Rect, Size, point};
use crate::heading::Heading;
use crate::legend::LegendBox;
use crate::scene::{Scene, Stroke};
use crate::theme::{GRID, HAIRLINE, MARGIN};

/// Smallest rectangle worth drawing in.
pub(crate) const LEAST: Size = Size::new(60.0, 60.0);

/// All that the layout depends on.
pub(crate) struct Cartesian<'a> {
    pub heading: Heading<'a>,
    pub legend: LegendBox,
    pub y: Scale,
    pub y_label: &'a str,
    /// What the data need, at least [`LEAST`].
    pub least: Size,
}

/// A plot with its places decided: from values to points, and the marks around the data.
pub(crate) struct Plot<'a> {
    pub rect: Rect,
    pub x: AxisView,
    pub y: AxisView,
    heading: Heading<'a>,
    legend: LegendBox,
    /// The frame without its margin, and what the heading leaves of it.
    inside: Rect,
    area: Rect,
    /// From the left end of `area` to the data.
    left: f64,
}

impl<'a> Cartesian<'a> {
    /// Divides the frame; `x` is the horizontal axis at a given length.
    pub fn lay_out(self, x: impl Fn(f64) -> AxisView, frame: Rect, left_gutter: f64) -> Result<Plot<'a>, PlotError> {
        let Self { heading, legend, y, y_label, least } = self;
        let inside = frame.shrunk(MARGIN, MARGIN, MARGIN, MARGIN);
        let area = inside.shrunk(0.0, heading.height(inside.width), 0.0, 0.0);
        let x_room = x(300.0).bottom_room();
        let height_for = |left: f64| area.height - legend.height(area.width - left) - x_room - 8.0;
        let y = AxisView::vertical(y, y_label, height_for(60.0));
        let left = y.left_room().max(left_gutter - MARGIN);
        let above = legend.height(area.width - left) + if y.ticks.factor.is_some() { 14.0 } else { 8.0 };
        let mut right = legend.width();
        let x = x(area.width - left - right);
        right = right.max(x.right_overhang(area.width - left - right));
        let rect = area.shrunk(left, above, right, x_room).snapped();
        if !(rect.width >= least.width && rect.height >= least.height) {
            let lacking = Size::new(least.width - rect.width, least.height - rect.height);
            return Err(PlotError::too_small(frame.size(), lacking));
        }
        Ok(Plot { rect, x, y, heading, legend, inside, area, left })
    }
}

impl Plot<'_> {
    pub fn x_of(&self, value: f64) -> Option<f64> {
        Some(self.rect.left + self.x.scale.fraction(value)? * self.rect.width)
    }

    pub fn y_of(&self, value: f64) -> Option<f64> {
        Some(self.rect.bottom() - self.y.scale.fraction(value)? * self.rect.height)
    }

    pub fn place(&self, x: f64, y: f64) -> Option<Point> {
        Some(point(self.x_of(x)?, self.y_of(y)?))
    }

    pub fn draw_heading(&self, scene: &mut Scene) {
        self.heading.draw(scene, self.inside);
    }

    /// A pale line up from every labelled tick of the horizontal axis.
    pub fn draw_upright_grid(&self, scene: &mut Scene) {
        for x in self.x.ticks.major.iter().filter_map(|t| self.x_of(t.value)) {
            scene.line(point(x, self.rect.top), point(x, self.rect.bottom()), Stroke::solid(GRID, HAIRLINE));
        }
    }

    /// A pale line across from every labelled tick of the vertical axis.
    pub fn draw_level_grid(&self, scene: &mut Scene) {
        for y in self.y.ticks.major.iter().filter_map(|t| self.y_of(t.value)) {
            scene.line(point(self.rect.left, y), point(self.rect.right(), y), Stroke::solid(GRID, HAIRLINE));
        }
    }

    /// Axes, ticks, labels and legend: over the data, so that marks at the edge do not cover them.
    pub fn draw_axes(&self, scene: &mut Scene) {
        let Self { rect, legend, area, left, .. } = self;
        scene.line(point(rect.left, rect.top), point(rect.left, rect.bottom()), pen());
        scene.line(point(rect.left, rect.bottom()), point(rect.right(), rect.bottom()), pen());
        self.x.draw_below(scene, rect);
        self.y.draw_left(scene, rect, area.left + left - self.y.left_room());
        let corner = if legend.right { point(rect.right() + 18.0, rect.top) } else { point(rect.left, area.top) };
        legend.draw(scene, corner, area.width - left);
    }
}
