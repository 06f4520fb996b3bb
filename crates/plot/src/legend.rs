//! Names beside a sample of what they stand for: a line, a bar, a marker.

use crate::colour::Rgb;
use crate::font::{Anchor, TextStyle};
use crate::geometry::{Point, Rect, point};
use crate::scene::{Mark, Scene, Stroke};
use crate::theme::{DOT_RADIUS, INK, TICK_LABEL};

const STYLE: TextStyle = TextStyle::regular(TICK_LABEL + 0.5, INK);
const LINE: f64 = 26.0;
const SWATCH: f64 = 12.0;
const GAP: f64 = 6.0;
const BETWEEN: f64 = 20.0;
const ROW: f64 = 19.0;

/// Where the names of curves or bars stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Legend {
    /// In rows above the plot.
    #[default]
    Above,
    /// In a column right of the plot.
    Right,
    /// Nowhere.
    Hidden,
}

pub(crate) struct Entry {
    pub name: String,
    pub sample: Sample,
}

/// What a name stands for.
pub(crate) enum Sample {
    Curve { stroke: Stroke, line: bool, dots: bool },
    Bar(Rgb),
    Diamond,
}

/// All entries, in rows above the plot or in a column right of it.
pub(crate) struct LegendBox {
    pub entries: Vec<Entry>,
    pub right: bool,
}

impl Entry {
    fn width(&self) -> f64 {
        self.sample.width() + GAP + STYLE.width(&self.name)
    }
}

impl Sample {
    fn width(&self) -> f64 {
        match self {
            Self::Curve { line: true, .. } => LINE,
            Self::Curve { line: false, .. } | Self::Bar(_) | Self::Diamond => SWATCH,
        }
    }

    /// Draws the sample to the right of `start`.
    fn draw(&self, scene: &mut Scene, start: Point) {
        let Point { x, y } = start;
        let centre = point(x + 0.5 * self.width(), y);
        match self {
            Self::Curve { stroke, line, dots } => {
                if *line {
                    scene.line(start, point(x + LINE, y), stroke.clone());
                }
                if *dots {
                    scene.marks.push(Mark::Circle { centre, radius: DOT_RADIUS, colour: stroke.colour });
                }
            }
            Self::Bar(colour) => {
                scene.marks.push(Mark::block(Rect::new(x, y - 0.5 * SWATCH, SWATCH, SWATCH), *colour, 1.0));
            }
            Self::Diamond => scene.marks.push(Mark::hollow_diamond(centre)),
        }
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
            entry.sample.draw(scene, point(x, y));
            let at = point(x + entry.sample.width() + GAP, y + STYLE.half_digit());
            scene.text(&entry.name, at, Anchor::Start, STYLE);
        }
    }
}
