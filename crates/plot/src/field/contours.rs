//! Contour lines over a field: which levels, their lines, and a label on each.

use super::ContourLevels;
use crate::colour::Rgb;
use crate::colour_bar::ColourBar;
use crate::contour::Grid;
use crate::font::{Anchor, TextStyle};
use crate::geometry::{Point, Rect, point};
use crate::numbers::sig;
use crate::scene::{Mark, Scene, Stroke};
use crate::theme::TICK_LABEL;

const LINE: f64 = 0.9;
/// Of lines without a label.
const FINE_LINE: f64 = 0.5;
const LABEL_SIZE: f64 = TICK_LABEL - 2.0;
/// Vertices closer than this are not told apart.
const CLOSEST: f64 = 0.35;
/// Lines shorter than this many label widths have none.
const LABELLED_LENGTH: f64 = 4.0;
/// Where along a line its label is tried, first choice first.
const PLACES: [f64; 9] = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9];

/// A level, as a fraction of the range of colours.
struct Level {
    height: f64,
    label: String,
    colour: Rgb,
}

impl Level {
    fn stroke(&self) -> Stroke {
        let width = if self.label.is_empty() { FINE_LINE } else { LINE };
        Stroke { round: true, ..Stroke::solid(self.colour.contrasting(), width) }
    }
}

fn levels(bar: &ColourBar, asked: &ContourLevels) -> Vec<Level> {
    let level = |value: f64, label: String| {
        let height = bar.scale.fraction(value)?;
        Some(Level { height, label, colour: bar.map.at(height) })
    };
    match asked {
        ContourLevels::At(values) => values.iter().filter_map(|&v| level(v, sig(v, 3).replace('-', "−"))).collect(),
        ContourLevels::Ticks => {
            let ticks = bar.ticks.major.iter().map(|t| (t.value, t.label.clone()));
            let halves = bar.half_decades().into_iter().map(|value| (value, String::new()));
            let levels = ticks.chain(halves).filter_map(|(value, label)| level(value, label));
            // At the ends of the range there are plateaus at most.
            levels.filter(|level| (1e-6..1.0 - 1e-6).contains(&level.height)).collect()
        }
    }
}

/// Draws the lines of a field given as fractions of its range of colours. `taken` is where labels may not go.
pub(super) fn draw(
    scene: &mut Scene,
    grid: Grid<'_>,
    rect: &Rect,
    bar: &ColourBar,
    asked: &ContourLevels,
    mut taken: Vec<Rect>,
) {
    let levels = levels(bar, asked);
    let (mut lines, mut labels) = (Vec::new(), Vec::new());
    for level in &levels {
        let own: Vec<Vec<Point>> = grid.lines(level.height).iter().map(|line| thinned(line)).collect();
        if let Some(label) = label_marks(level, &own, rect, &mut taken) {
            labels.extend(label);
        }
        if !own.is_empty() {
            lines.push(Mark::Lines { lines: own, stroke: level.stroke() });
        }
    }
    lines.extend(labels);
    scene.marks.push(Mark::Clipped { rect: *rect, marks: lines });
    for level in &levels {
        bar.draw_level(scene, rect, level.height, level.stroke());
    }
}

fn thinned(line: &[Point]) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::with_capacity(line.len());
    for (k, p) in line.iter().enumerate() {
        let far = kept.last().is_none_or(|last| (p.x - last.x).hypot(p.y - last.y) >= CLOSEST);
        if far || k + 1 == line.len() {
            kept.push(*p);
        }
    }
    kept
}

/// The label on its longest line, on a patch of the level's own colour; `None` where there is no room.
fn label_marks(level: &Level, lines: &[Vec<Point>], rect: &Rect, taken: &mut Vec<Rect>) -> Option<[Mark; 2]> {
    let style = TextStyle::regular(LABEL_SIZE, level.colour.contrasting());
    let width = style.width(&level.label);
    // The first of those about as long, so that mirror images are not chosen between by rounding.
    let most = lines.iter().map(|line| length(line)).fold(0.0, f64::max);
    let longest = lines.iter().find(|line| length(line) >= 0.98 * most)?;
    if level.label.is_empty() || length(longest) < LABELLED_LENGTH * width {
        return None;
    }
    let patch =
        |at: Point| Rect::new(at.x - 0.5 * width - 2.0, at.y - 0.55 * LABEL_SIZE, width + 4.0, 1.1 * LABEL_SIZE);
    let inner = rect.shrunk(3.0, 3.0, 3.0, 3.0);
    let free = |patch: &Rect| {
        let room = patch.shrunk(-3.0, -3.0, -3.0, -3.0);
        inner.contains(patch) && !taken.iter().any(|other| other.overlaps(&room))
    };
    let patch = PLACES.iter().map(|&part| patch(along(longest, part))).find(free)?;
    taken.push(patch);
    let at = point(patch.centre_x(), patch.centre_y() + style.half_digit());
    let text = Mark::Text { text: level.label.clone(), at, anchor: Anchor::Middle, style, upwards: false };
    Some([Mark::block(patch, level.colour, 0.9), text])
}

fn length(line: &[Point]) -> f64 {
    line.windows(2).map(|w| (w[1].x - w[0].x).hypot(w[1].y - w[0].y)).sum()
}

/// The vertex at a fraction of the length.
fn along(line: &[Point], part: f64) -> Point {
    let goal = part * length(line);
    let mut walked = 0.0;
    for pair in line.windows(2) {
        walked += (pair[1].x - pair[0].x).hypot(pair[1].y - pair[0].y);
        if walked >= goal {
            return pair[1];
        }
    }
    line[line.len() - 1]
}
