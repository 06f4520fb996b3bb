//! Names of curves beside a sample of their line.

use crate::curves::Trace;
use crate::font::{Anchor, TextStyle};
use crate::geometry::{Point, point};
use crate::scene::{Mark, Scene, Stroke};
use crate::theme::{INK, TICK_LABEL};

const STYLE: TextStyle = TextStyle::regular(TICK_LABEL + 0.5, INK);
const SAMPLE: f64 = 26.0;
const GAP: f64 = 6.0;
const BETWEEN: f64 = 20.0;
const ROW: f64 = 19.0;

pub(crate) struct Entry {
    pub name: String,
    pub stroke: Stroke,
    pub trace: Trace,
}

/// All entries, in rows above the plot or in a column right of it.
pub(crate) struct LegendBox {
    pub entries: Vec<Entry>,
    pub right: bool,
}

impl Entry {
    fn width(&self) -> f64 {
        SAMPLE + GAP + STYLE.width(&self.name)
    }
}

impl LegendBox {
    /// Room right of the plot.
    pub fn width(&self) -> f64 {
        let widest = self.entries.iter().map(Entry::width).fold(0.0, f64::max);
        if self.right && widest > 0.0 { widest + 20.0 } else { 0.0 }
    }

    /// Room above the plot.
    pub fn height(&self, width: f64) -> f64 {
        let rows = self.places(width).last().map_or(0.0, |place| place.y + ROW);
        if self.right || self.entries.is_empty() { 0.0 } else { rows + 4.0 }
    }

    /// Top left corner of each entry: along rows as wide as `width`, or down a column.
    fn places(&self, width: f64) -> Vec<Point> {
        let (mut x, mut y) = (0.0, 0.0);
        let mut places = Vec::with_capacity(self.entries.len());
        for (k, entry) in self.entries.iter().enumerate() {
            if k > 0 && (self.right || x + entry.width() > width) {
                (x, y) = (0.0, y + ROW);
            }
            places.push(point(x, y));
            x += entry.width() + BETWEEN;
        }
        places
    }

    pub fn draw(&self, scene: &mut Scene, corner: Point, width: f64) {
        for (entry, place) in self.entries.iter().zip(self.places(width)) {
            let (x, y) = (corner.x + place.x, corner.y + place.y + 0.5 * ROW);
            if entry.trace != Trace::Dots {
                scene.line(point(x, y), point(x + SAMPLE, y), entry.stroke.clone());
            }
            if entry.trace != Trace::Line {
                let centre = point(x + 0.5 * SAMPLE, y);
                scene.marks.push(Mark::Circle { centre, radius: 2.6, colour: entry.stroke.colour });
            }
            let at = point(x + SAMPLE + GAP, y + STYLE.half_digit());
            scene.text(&entry.name, at, Anchor::Start, STYLE);
        }
    }
}
