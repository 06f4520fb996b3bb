//! The scale beside a field: which colour stands for which value.

use crate::axis::{FACTOR_STYLE, Scale, TICK_STYLE, pen};
use crate::colour_map::ColourMap;
use crate::font::Anchor;
use crate::geometry::{Rect, point};
use crate::scene::{Mark, Pixels, Scene};
use crate::theme::{TICK, TICK_GAP};
use crate::ticks::Ticks;

const WIDTH: f64 = 12.0;
/// Between the field and its bar.
const GAP: f64 = 8.0;

#[derive(Debug, Clone)]
pub(crate) struct ColourBar {
    pub map: ColourMap,
    pub scale: Scale,
    ticks: Ticks,
}

impl ColourBar {
    pub fn new(map: ColourMap, scale: Scale, height: f64) -> Self {
        let intervals = ((height / 36.0) as usize).clamp(2, 8);
        Self { map, scale, ticks: scale.ticks(intervals) }
    }

    /// Room right of the field for gap, bar, ticks and labels.
    pub fn room(&self) -> f64 {
        let widest = self.ticks.major.iter().map(|t| TICK_STYLE.width(&t.label)).fold(0.0, f64::max);
        let factor = self.ticks.factor.as_deref().map_or(0.0, |f| FACTOR_STYLE.width(f));
        GAP + (WIDTH + TICK + TICK_GAP + widest).max(factor)
    }

    /// Draws the bar right of the field's rectangle, as high as it.
    pub fn draw(&self, scene: &mut Scene, field: &Rect) {
        let bar = Rect::new(field.right() + GAP, field.top, WIDTH, field.height);
        let rows = (2.0 * bar.height) as usize;
        let table = self.map.table();
        let pixels = Pixels::from_fn((2.0 * WIDTH) as usize, rows, |_, row| {
            table[(255.0 * (1.0 - (row as f64 + 0.5) / rows as f64)).round() as usize]
        });
        scene.marks.push(Mark::Image { rect: bar, pixels });
        scene.outline(bar, pen());
        for tick in &self.ticks.major {
            let Some(s) = self.scale.fraction(tick.value) else {
                continue;
            };
            let y = bar.bottom() - s * bar.height;
            scene.line(point(bar.right(), y), point(bar.right() + TICK, y), pen());
            let at = point(bar.right() + TICK + TICK_GAP, y + TICK_STYLE.half_digit());
            scene.text(&tick.label, at, Anchor::Start, TICK_STYLE);
        }
        if let Some(factor) = &self.ticks.factor {
            scene.text(factor, point(bar.left, bar.top - 9.0), Anchor::Start, FACTOR_STYLE);
        }
    }
}
