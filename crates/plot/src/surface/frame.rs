//! The box around a surface: three walls behind it, and ticks and labels along three edges in front.

use super::view::{HALF_HEIGHT, Vector, View};
use crate::axis::{LABEL_STYLE, Scale, TICK_STYLE, pen};
use crate::colour::Rgb;
use crate::font::{Anchor, TextStyle};
use crate::geometry::{Point, Rect, Size, point};
use crate::scene::{Mark, Scene, Stroke};
use crate::theme::{GRID, HAIRLINE, LABEL_GAP, TICK, TICK_GAP};
use crate::ticks::Ticks;

const WALL: Rgb = Rgb::from_hex(0xf7f8fa);
/// Between labels of one axis.
const BETWEEN: f64 = 4.0;
/// Step by which an axis label moves out of the way of tick labels.
const NUDGE: f64 = 2.0;

/// Smallest pixels per unit of the box, whose sides are two units long.
const LEAST_SCALE: f64 = 24.0;
/// Of the pixels per unit.
const PRECISION: f64 = 0.05;

/// One of the three axes: its scale and name.
pub(crate) struct BoxAxis {
    pub scale: Scale,
    pub label: String,
}

/// A text and the place it takes.
#[derive(Debug, Clone)]
struct Label {
    text: String,
    style: TextStyle,
    place: Rect,
    upwards: bool,
}

/// An axis with its places decided.
struct Edge {
    ticks: Ticks,
    /// Ends in box coordinates; ticks point from it along `outwards` in the picture.
    from: Vector,
    to: Vector,
    outwards: Point,
}

/// The box in a view, with every label placed.
pub(crate) struct BoxFrame {
    view: View,
    edges: [Edge; 3],
    scales: [Scale; 3],
    labels: Vec<Label>,
}

impl BoxFrame {
    pub fn new(view: View, axes: &[BoxAxis; 3]) -> Self {
        let (x, y) = (view.near(0), view.near(1));
        // Of the two upright edges at the sides of the picture the left one carries the heights.
        let left = [[-x, y], [x, -y]].into_iter().min_by(|a, b| {
            let across = |c: &[f64; 2]| view.place([c[0], c[1], 0.0]).x;
            across(a).total_cmp(&across(b))
        });
        let [u, v] = left.unwrap_or([-x, y]);
        let low = -HALF_HEIGHT;
        let ends =
            [([-1.0, y, low], [1.0, y, low]), ([x, -1.0, low], [x, 1.0, low]), ([u, v, low], [u, v, HALF_HEIGHT])];
        let mut edges = ends.map(|(from, to)| {
            let outwards = outwards(view.centre, view.place(from), view.place(to));
            Edge { ticks: Ticks::default(), from, to, outwards }
        });
        // Heights first: where labels of two axes meet at a corner, theirs stay.
        let mut labels = Vec::new();
        for k in [2, 0, 1] {
            edges[k].ticks = edges[k].chosen_ticks(&view, &axes[k].scale);
            edges[k].label_ticks(&view, &axes[k].scale, &mut labels);
        }
        for k in [2, 0, 1] {
            edges[k].label_axis(&view, &axes[k].label, k == 2, &mut labels);
        }
        let scales = [0, 1, 2].map(|k| axes[k].scale);
        Self { view, edges, scales, labels }
    }

    /// The largest view of the box from a side that fits `area` with its labels, by bisection; or, when there is none, the width and
    /// height that the smallest one lacks.
    pub fn fitted(from: &View, area: &Rect, axes: &[BoxAxis; 3]) -> Result<View, Size> {
        let scaled = |scale: f64| View { scale, ..*from };
        let bounds = |scale: f64| Self::new(scaled(scale), axes).bounds();
        let fits = |bounds: &Rect| bounds.width <= area.width && bounds.height <= area.height;
        let (least, unit) = (bounds(LEAST_SCALE), scaled(1.0).bounds());
        if !fits(&least) {
            return Err(Size::new((least.width - area.width).max(0.0), (least.height - area.height).max(0.0)));
        }
        let (mut small, mut large) = (LEAST_SCALE, (area.width / unit.width).min(area.height / unit.height));
        while large - small > PRECISION {
            let middle = 0.5 * (small + large);
            *(if fits(&bounds(middle)) { &mut small } else { &mut large }) = middle;
        }
        let taken = bounds(small);
        let centre = point(area.centre_x() - taken.centre_x(), area.centre_y() - taken.centre_y());
        Ok(View { centre, ..scaled(small) })
    }

    /// The box with all its labels.
    pub fn bounds(&self) -> Rect {
        self.labels.iter().fold(self.view.bounds(), |all, label| all.union(&label.place))
    }

    /// The walls behind the surface, with lines at the ticks.
    pub fn draw_behind(&self, scene: &mut Scene) {
        let far = [-self.view.near(0), -self.view.near(1), -HALF_HEIGHT];
        let half = [1.0, 1.0, HALF_HEIGHT];
        for fixed in 0..3 {
            let (a, b) = ((fixed + 1) % 3, (fixed + 2) % 3);
            let at = |s: f64, t: f64| {
                let mut p = far;
                (p[a], p[b]) = (s * half[a], t * half[b]);
                self.view.place(p)
            };
            let outline = vec![at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)];
            let edge = Some(Stroke::solid(GRID, HAIRLINE));
            scene.marks.push(Mark::Area { outline, colour: WALL, opacity: 1.0, edge });
            let mut lines = Vec::new();
            lines.extend(self.marks_along(a).map(|s| vec![at(s, -1.0), at(s, 1.0)]));
            lines.extend(self.marks_along(b).map(|t| vec![at(-1.0, t), at(1.0, t)]));
            if !lines.is_empty() {
                scene.marks.push(Mark::Lines { lines, stroke: Stroke::solid(GRID, HAIRLINE) });
            }
        }
    }

    /// Labelled ticks of an axis, from −1 to 1.
    fn marks_along(&self, axis: usize) -> impl Iterator<Item = f64> {
        let ticks = self.edges[axis].ticks.major.iter();
        ticks.filter_map(move |tick| Some(2.0 * self.scales[axis].fraction(tick.value)? - 1.0))
    }

    /// Edges, ticks and labels, which nothing covers.
    pub fn draw_before(&self, scene: &mut Scene) {
        for (edge, scale) in self.edges.iter().zip(&self.scales) {
            scene.line(self.view.place(edge.from), self.view.place(edge.to), pen());
            for tick in &edge.ticks.major {
                let Some(at) = edge.place(&self.view, scale, tick.value) else { continue };
                scene.line(at, moved(at, edge.outwards, TICK), pen());
            }
        }
        for label in &self.labels {
            let (x, y, half) = (label.place.centre_x(), label.place.centre_y(), label.style.half_digit());
            if label.upwards {
                scene.text_upwards(&label.text, point(x + half, y), Anchor::Middle, label.style);
            } else {
                scene.text(&label.text, point(x, y + half), Anchor::Middle, label.style);
            }
        }
    }
}

impl Edge {
    fn place(&self, view: &View, scale: &Scale, value: f64) -> Option<Point> {
        let s = scale.fraction(value)?;
        Some(view.place(std::array::from_fn(|k| self.from[k] + s * (self.to[k] - self.from[k]))))
    }

    /// As many ticks as have room for their labels, which stay level while the edge slants.
    fn chosen_ticks(&self, view: &View, scale: &Scale) -> Ticks {
        let (a, b) = (view.place(self.from), view.place(self.to));
        let spacing = if scale.log { 22.0 } else { 38.0 };
        let mut intervals = (((b.x - a.x).hypot(b.y - a.y) / spacing) as usize).clamp(2, 8);
        loop {
            let ticks = scale.ticks(intervals);
            let places: Vec<Rect> = self.places(view, scale, &ticks).into_iter().map(|(_, place)| place).collect();
            if intervals <= 2 || places.windows(2).all(|pair| !grown(&pair[0]).overlaps(&pair[1])) {
                return ticks;
            }
            intervals -= 1;
        }
    }

    fn places(&self, view: &View, scale: &Scale, ticks: &Ticks) -> Vec<(String, Rect)> {
        let labels = ticks.major.iter().filter_map(|tick| {
            let at = moved(self.place(view, scale, tick.value)?, self.outwards, TICK + TICK_GAP);
            Some((tick.label.clone(), beyond(at, self.outwards, TICK_STYLE.width(&tick.label), TICK_STYLE.size)))
        });
        labels.collect()
    }

    /// Labels that would cover one already placed are left to the eye.
    fn label_ticks(&self, view: &View, scale: &Scale, labels: &mut Vec<Label>) {
        for (text, place) in self.places(view, scale, &self.ticks) {
            if !labels.iter().any(|other| grown(&other.place).overlaps(&place)) {
                labels.push(Label { text, style: TICK_STYLE, place, upwards: false });
            }
        }
    }

    /// The name at the middle of the edge, as close as the tick labels allow.
    fn label_axis(&self, view: &View, name: &str, upwards: bool, labels: &mut Vec<Label>) {
        let text = match (&self.ticks.factor, name) {
            (None, "") => return,
            (None, name) => name.to_owned(),
            (Some(factor), "") => factor.clone(),
            (Some(factor), name) => format!("{name} ({factor})"),
        };
        let (long, high) = (LABEL_STYLE.width(&text), LABEL_STYLE.size);
        let (width, height) = if upwards { (high, long) } else { (long, high) };
        let (a, b) = (view.place(self.from), view.place(self.to));
        let middle = point(0.5 * (a.x + b.x), 0.5 * (a.y + b.y));
        let at = |distance: f64| beyond(moved(middle, self.outwards, distance), self.outwards, width, height);
        let free = |place: &Rect| {
            let room = place.shrunk(-BETWEEN, -BETWEEN, -BETWEEN, -BETWEEN);
            !labels.iter().any(|other| other.place.overlaps(&room))
        };
        let widest = self.ticks.major.iter().map(|tick| TICK_STYLE.width(&tick.label)).fold(0.0, f64::max);
        let reach = widest * self.outwards.x.powi(2) + TICK_STYLE.size * self.outwards.y.powi(2);
        let start = TICK + TICK_GAP + reach + LABEL_GAP;
        // Far enough out nothing is in the way: the labels reach a few hundred pixels at most.
        let tries = (0..500).map(|k| at(start + NUDGE * f64::from(k)));
        let place = tries.clone().find(free).unwrap_or_else(|| at(start));
        labels.push(Label { text, style: LABEL_STYLE, place, upwards });
    }
}

/// The unit vector across a line, away from `centre`.
fn outwards(centre: Point, a: Point, b: Point) -> Point {
    let (x, y) = (b.y - a.y, a.x - b.x);
    let away = x * (a.x - centre.x) + y * (a.y - centre.y);
    let length = x.hypot(y).copysign(away);
    point(x / length, y / length)
}

fn moved(from: Point, along: Point, distance: f64) -> Point {
    point(from.x + distance * along.x, from.y + distance * along.y)
}

/// A box of the given size that lies beyond `at` in a direction.
fn beyond(at: Point, along: Point, width: f64, height: f64) -> Rect {
    let centre = point(at.x + 0.5 * width * along.x, at.y + 0.5 * height * along.y);
    Rect::new(centre.x - 0.5 * width, centre.y - 0.5 * height, width, height)
}

fn grown(rect: &Rect) -> Rect {
    rect.shrunk(-BETWEEN, -0.5 * BETWEEN, -BETWEEN, -0.5 * BETWEEN)
}
