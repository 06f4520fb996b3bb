//! The scale beside a field: which colour stands for which value.

use crate::axis::{FACTOR_STYLE, Scale, TICK_STYLE, pen};
use crate::colour_map::ColourMap;
use crate::font::Anchor;
use crate::geometry::{Rect, point};
use crate::scene::{Mark, Pixels, Scene, Stroke};
use crate::theme::{MINOR_TICK, TICK, TICK_GAP};
use crate::ticks::Ticks;

const WIDTH: f64 = 12.0;
/// Between the field and its bar.
const GAP: f64 = 8.0;

#[derive(Debug, Clone)]
pub(crate) struct ColourBar {
    pub map: ColourMap,
    pub scale: Scale,
    pub ticks: Ticks,
}

impl ColourBar {
    pub fn new(map: ColourMap, scale: Scale, height: f64) -> Self {
        let intervals = ((height / 36.0) as usize).clamp(2, 8);
        Self { map, scale, ticks: scale.ticks(intervals) }
    }

    /// Where few decades are in view, the values between them that read well: 2 and 5 times powers of ten.
    pub fn half_decades(&self) -> Vec<f64> {
        let few = self.scale.log && self.ticks.major.len() < 7;
        let digit = |v: f64| (v / 10f64.powf(v.log10().floor())).round();
        self.ticks.minor.iter().copied().filter(|&v| few && [2.0, 5.0].contains(&digit(v))).collect()
    }

    fn place(field: &Rect) -> Rect {
        Rect::new(field.right() + GAP, field.top, WIDTH, field.height)
    }

    /// Room right of the field for gap, bar, ticks and labels.
    pub fn room(&self) -> f64 {
        let widest = self.ticks.major.iter().map(|t| TICK_STYLE.width(&t.label)).fold(0.0, f64::max);
        let factor = self.ticks.factor.as_deref().map_or(0.0, |f| FACTOR_STYLE.width(f));
        GAP + (WIDTH + TICK + TICK_GAP + widest).max(factor)
    }

    /// Draws the bar right of the field's rectangle, as high as it.
    pub fn draw(&self, scene: &mut Scene, field: &Rect) {
        let bar = Self::place(field);
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
        for s in self.ticks.minor.iter().filter_map(|&v| self.scale.fraction(v)) {
            let y = bar.bottom() - s * bar.height;
            scene.line(point(bar.right(), y), point(bar.right() + MINOR_TICK, y), pen());
        }
        if let Some(factor) = &self.ticks.factor {
            scene.text(factor, point(bar.left, bar.top - 9.0), Anchor::Start, FACTOR_STYLE);
        }
    }

    /// A line across the bar, at a fraction of its range.
    pub fn draw_level(&self, scene: &mut Scene, field: &Rect, fraction: f64, stroke: Stroke) {
        let bar = Self::place(field);
        let y = bar.bottom() - fraction * bar.height;
        if (0.0..=1.0).contains(&fraction) {
            scene.line(point(bar.left + 1.0, y), point(bar.right() - 1.0, y), stroke);
        }
    }
}
