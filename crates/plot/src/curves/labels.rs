//! Words beside points: for each, the place around its point that covers no other label and least of the rest.

use super::series::Series;
use crate::cartesian::Plot;
use crate::font::{Anchor, TextStyle};
use crate::geometry::{Point, Rect, point};
use crate::scene::Scene;
use crate::theme::{DOT_RADIUS, INK, TICK_LABEL};

const STYLE: TextStyle = TextStyle::regular(TICK_LABEL - 1.0, INK);
/// Between a dot and its label.
const GAP: f64 = 3.5;
/// Directions from the point, first choice first.
const PLACES: [(f64, f64); 8] =
    [(1.0, 0.0), (-1.0, 0.0), (0.0, -1.0), (0.0, 1.0), (0.8, -0.8), (-0.8, -0.8), (0.8, 0.8), (-0.8, 0.8)];
/// What it costs to cover a dot, in pieces of a line.
const DOT_COST: usize = 10;

pub(super) fn draw(scene: &mut Scene, plot: &Plot<'_>, series: &[Series]) {
    if series.iter().all(|s| s.labels.is_empty()) {
        return;
    }
    let placed: Vec<Vec<Option<Point>>> =
        series.iter().map(|s| s.points.iter().map(|&(x, y)| plot.place(x, y)).collect()).collect();
    let dots: Vec<Rect> = placed.iter().flatten().flatten().map(|at| around(*at)).collect();
    let pieces: Vec<[Point; 2]> = series
        .iter()
        .zip(&placed)
        .filter(|(s, _)| s.style.has_line())
        .flat_map(|(_, points)| points.windows(2).filter_map(|pair| Some([pair[0]?, pair[1]?])))
        .collect();
    let mut taken: Vec<Rect> = Vec::new();
    for (series, points) in series.iter().zip(&placed) {
        for (label, at) in series.labels.iter().zip(points) {
            let (Some(at), false) = (at, label.is_empty()) else { continue };
            let cost = |place: &Rect| {
                DOT_COST * dots.iter().filter(|dot| dot.overlaps(place)).count()
                    + pieces.iter().filter(|piece| crosses(place, piece)).count()
            };
            let bounds = plot.rect.shrunk(0.0, -GAP, 0.0, 0.0);
            let free = |place: &Rect| bounds.contains(place) && !taken.iter().any(|other| other.overlaps(place));
            let places = PLACES.iter().map(|&along| beside(*at, along, STYLE.width(label)));
            // The earliest of equals; two labels on one place could not be read, so the later one is left out.
            let Some(place) = places.filter(free).min_by_key(cost) else { continue };
            taken.push(place);
            let baseline = point(place.left, place.centre_y() + STYLE.half_digit());
            scene.text(label, baseline, Anchor::Start, STYLE);
        }
    }
}

fn around(at: Point) -> Rect {
    Rect::new(at.x - DOT_RADIUS, at.y - DOT_RADIUS, 2.0 * DOT_RADIUS, 2.0 * DOT_RADIUS)
}

/// A box for text of the given width, from `at` along a direction.
fn beside(at: Point, (across, down): (f64, f64), width: f64) -> Rect {
    let reach = DOT_RADIUS + GAP;
    let centre = point(at.x + across * (reach + 0.5 * width), at.y + down * (reach + 0.5 * STYLE.size));
    Rect::new(centre.x - 0.5 * width, centre.y - 0.5 * STYLE.size, width, STYLE.size)
}

/// Whether a piece of line enters a box: Liang and Barsky's clipping (1984) leaves something of it.
fn crosses(place: &Rect, [a, b]: &[Point; 2]) -> bool {
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    let sides = [
        (a.x - b.x, a.x - place.left),
        (b.x - a.x, place.right() - a.x),
        (a.y - b.y, a.y - place.top),
        (b.y - a.y, place.bottom() - a.y),
    ];
    for (speed, room) in sides {
        if speed == 0.0 && room < 0.0 {
            return false;
        }
        if speed < 0.0 {
            enter = enter.max(room / speed);
        } else if speed > 0.0 {
            leave = leave.min(room / speed);
        }
    }
    enter < leave
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Clipping agrees with walking along the piece in small steps.
        #[test]
        fn crossing_means_a_point_inside(ends in prop::array::uniform4(-3f64..3.0)) {
            let place = Rect::new(-1.0, -0.5, 2.0, 1.0);
            let [a, b] = [point(ends[0], ends[1]), point(ends[2], ends[3])];
            let inside = |margin: f64| (0..=2000).any(|k| {
                let s = f64::from(k) / 2000.0;
                let (x, y) = (a.x + s * (b.x - a.x), a.y + s * (b.y - a.y));
                x.abs() < 1.0 + margin && y.abs() < 0.5 + margin
            });
            let crossed = crosses(&place, &[a, b]);
            prop_assert!(crossed || !inside(-1e-9));
            prop_assert!(!crossed || inside(0.01));
        }
    }
}
