//! From a surface to marks: the largest box that fits with its labels, the quads, and the colour bar.

use super::Surface;
use super::frame::{BoxAxis, BoxFrame};
use super::quads::quads;
use super::view::View;
use crate::axis::{Scale, label_with_unit};
use crate::colour_bar::ColourBar;
use crate::coordinate::Axis;
use crate::error::PlotError;
use crate::geometry::{Rect, Size};
use crate::picture::Figure;
use crate::scene::Frame;
use crate::theme::MARGIN;

const NATURAL_WIDTH: f64 = 440.0;
const SHORTEST: f64 = 240.0;
const TALLEST: f64 = 420.0;
/// Part of the height that the colour bar takes.
const BAR_PART: f64 = 0.62;
/// Between the labels of the box and the colour bar.
const BAR_GAP: f64 = 6.0;

impl Surface {
    fn axes(&self, z: Scale) -> [BoxAxis; 3] {
        let horizontal = |axis: &Axis| BoxAxis {
            scale: Scale { low: axis.values[0], high: axis.values[axis.values.len() - 1], log: false },
            label: label_with_unit(&axis.label, axis.unit.as_deref()),
        };
        [horizontal(&self.x), horizontal(&self.y), BoxAxis { scale: z, label: self.z_label.clone() }]
    }

    fn fitted(&self, area: &Rect, axes: &[BoxAxis; 3]) -> Result<View, Size> {
        BoxFrame::fitted(&View::new(self.azimuth, self.elevation), area, axes)
    }
}

impl Figure for Surface {
    fn natural_size(&self) -> Size {
        let area = Rect::new(0.0, 0.0, NATURAL_WIDTH, TALLEST);
        // Figures that cannot be drawn have a size too; `draw` says what is wrong with them.
        let needed = || -> Option<f64> {
            let z = self.check().and_then(|()| self.z_scale()).ok()?;
            let room = ColourBar::new(self.map, z, BAR_PART * SHORTEST).room() + BAR_GAP;
            let axes = self.axes(z);
            let view = self.fitted(&area.shrunk(0.0, 0.0, room, 0.0), &axes).ok()?;
            Some(BoxFrame::new(view, &axes).bounds().height)
        };
        let height = needed().unwrap_or(SHORTEST);
        let height = height.clamp(SHORTEST, TALLEST) + self.heading().height(NATURAL_WIDTH);
        Size::new(NATURAL_WIDTH + 2.0 * MARGIN, (height + 2.0 * MARGIN).ceil())
    }

    fn draw(&self, frame: Frame<'_>) -> Result<(), PlotError> {
        self.check()?;
        let (z, whole, scene) = (self.z_scale()?, frame.area, frame.scene);
        let area = self.heading().draw(scene, whole.shrunk(MARGIN, MARGIN, MARGIN, MARGIN));
        let bar = ColourBar::new(self.map, z, BAR_PART * area.height);
        let left = area.shrunk(0.0, 0.0, bar.room() + BAR_GAP, 0.0);
        let axes = self.axes(z);
        let view = self.fitted(&left, &axes).map_err(|lacking| PlotError::too_small(whole.size(), lacking))?;
        let quads = quads(self, z, &view);
        if quads.is_empty() {
            return Err(self.unusable());
        }
        let table = self.map.table();
        let walls = BoxFrame::new(view, &axes);
        walls.draw_behind(scene);
        scene.marks.extend(quads.iter().map(|quad| quad.mark(&view, &table)));
        walls.draw_before(scene);
        let margin = 0.5 * (1.0 - BAR_PART) * area.height;
        let beside = left.shrunk(0.0, margin, -BAR_GAP, margin).snapped();
        bar.draw(scene, &beside);
        Ok(())
    }
}
