//! From curves to marks: layout, grid, bands, lines, dots and rules.

use super::series::{Series, Trace};
use super::{Curves, Legend, Rule};
use crate::axis::{AxisView, Scale, pen};
use crate::colour::Rgb;
use crate::decimate;
use crate::error::PlotError;
use crate::font::{Anchor, TextStyle};
use crate::geometry::{Point, Rect, Size, point};
use crate::picture::Figure;
use crate::scene::{Frame, Mark, Scene, Stroke};
use crate::theme::{GRID, HAIRLINE, MARGIN, MUTED, PAPER, TICK_LABEL};

const RULE_STYLE: TextStyle = TextStyle::regular(TICK_LABEL, MUTED);
const DOT_RADIUS: f64 = 2.6;
/// Pixel columns per CSS pixel kept when long curves are thinned.
const COLUMNS: f64 = 2.0;
const LEAST_SIDE: f64 = 60.0;

/// The plot's rectangle and its two scales: from values to places.
struct View {
    rect: Rect,
    x: Scale,
    y: Scale,
}

impl View {
    fn place(&self, x: f64, y: f64) -> Option<Point> {
        let (s, t) = (self.x.fraction(x)?, self.y.fraction(y)?);
        Some(point(self.rect.left + s * self.rect.width, self.rect.bottom() - t * self.rect.height))
    }

    /// Maximal runs of points that can be placed.
    fn runs(&self, points: &[(f64, f64)]) -> Vec<Vec<Point>> {
        let placed: Vec<Option<Point>> = points.iter().map(|&(x, y)| self.place(x, y)).collect();
        let runs = placed.split(Option::is_none).filter(|run| !run.is_empty());
        runs.map(|run| run.iter().flatten().copied().collect()).collect()
    }

    fn series_marks(&self, series: &Series, stroke: &Stroke) -> Vec<Mark> {
        let runs = self.runs(&series.points);
        let mut marks = Vec::new();
        if series.style.trace != Trace::Dots {
            let lines = runs.iter().map(|run| decimate::thin(run, COLUMNS)).collect();
            marks.push(Mark::Lines { lines, stroke: stroke.clone() });
        }
        // A point between two gaps has no line to show it.
        let dotted = runs.iter().filter(|run| series.style.trace != Trace::Line || run.len() == 1);
        marks.extend(dotted.flatten().map(|&centre| Mark::Circle {
            centre,
            radius: DOT_RADIUS,
            colour: stroke.colour,
        }));
        marks
    }

    /// The band as one polygon per run. On a logarithmic axis a lower edge at or below zero reaches the floor.
    fn band_marks(&self, series: &Series, colour: Rgb) -> Vec<Mark> {
        let Some(band) = &series.band else {
            return Vec::new();
        };
        let edge = |x: f64, y: f64| self.place(x, if self.y.log && y <= 0.0 { self.y.low } else { y });
        let both = series.points.iter().zip(band.lower.iter().zip(&band.upper));
        let edges: Vec<Option<(Point, Point)>> =
            both.map(|(&(x, _), (&lower, &upper))| edge(x, lower).zip(edge(x, upper))).collect();
        let runs = edges.split(Option::is_none).filter(|run| run.len() > 1);
        let polygon = |run: &[Option<(Point, Point)>]| {
            let (lower, upper): (Vec<Point>, Vec<Point>) = run.iter().flatten().copied().unzip();
            let mut outline = decimate::thin(&upper, COLUMNS);
            outline.extend(decimate::thin(&lower, COLUMNS).into_iter().rev());
            Mark::Area { outline, colour, opacity: 0.2 }
        };
        runs.map(polygon).collect()
    }

    fn draw_grid(&self, scene: &mut Scene, x: &AxisView, y: &AxisView) {
        let line = || Stroke::solid(GRID, HAIRLINE);
        for s in x.ticks.major.iter().filter_map(|t| self.x.fraction(t.value)) {
            let at = self.rect.left + s * self.rect.width;
            scene.line(point(at, self.rect.top), point(at, self.rect.bottom()), line());
        }
        for s in y.ticks.major.iter().filter_map(|t| self.y.fraction(t.value)) {
            let at = self.rect.bottom() - s * self.rect.height;
            scene.line(point(self.rect.left, at), point(self.rect.right(), at), line());
        }
    }

    fn draw_rule(&self, scene: &mut Scene, rule: &Rule) {
        let stroke = Stroke { dashes: &[3.0, 3.0], ..Stroke::solid(MUTED, HAIRLINE) };
        let rect = &self.rect;
        let inside = |s: Option<f64>| s.filter(|s| (0.0..=1.0).contains(s));
        match rule {
            Rule::AtX(value, label) => {
                let Some(s) = inside(self.x.fraction(*value)) else {
                    return;
                };
                let x = rect.left + s * rect.width;
                scene.line(point(x, rect.top), point(x, rect.bottom()), stroke);
                let fits = x + 6.0 + RULE_STYLE.width(label) <= rect.right();
                let (at, anchor) = if fits { (x + 6.0, Anchor::Start) } else { (x - 6.0, Anchor::End) };
                plaque(scene, label, point(at, rect.top + 4.0 + TICK_LABEL), anchor);
            }
            Rule::AtY(value, label) => {
                let Some(s) = inside(self.y.fraction(*value)) else {
                    return;
                };
                let y = rect.bottom() - s * rect.height;
                scene.line(point(rect.left, y), point(rect.right(), y), stroke);
                let baseline = if y - TICK_LABEL - 6.0 < rect.top { y + 4.0 + TICK_LABEL } else { y - 5.0 };
                plaque(scene, label, point(rect.left + 6.0, baseline), Anchor::Start);
            }
        }
    }
}

/// A label on a patch of paper, readable over curves.
fn plaque(scene: &mut Scene, label: &str, at: Point, anchor: Anchor) {
    let width = RULE_STYLE.width(label);
    let left = if anchor == Anchor::End { at.x - width } else { at.x } - 2.0;
    let (right, top, bottom) = (left + width + 4.0, at.y - TICK_LABEL, at.y + 3.5);
    let outline = vec![point(left, top), point(right, top), point(right, bottom), point(left, bottom)];
    scene.marks.push(Mark::Area { outline, colour: PAPER, opacity: 0.82 });
    scene.text(label, at, anchor, RULE_STYLE);
}

impl Figure for Curves {
    fn natural_size(&self) -> Size {
        let right = if self.legend == Legend::Right { self.legend_box().width() } else { 0.0 };
        let width = (640.0 + right).round();
        let extra = self.heading().height(width - 2.0 * MARGIN) + self.legend_box().height(540.0);
        Size::new(width, (330.0 + extra).round())
    }

    fn draw(&self, frame: Frame<'_>) -> Result<(), PlotError> {
        self.check()?;
        let (x, y) = self.scales()?;
        let scene = frame.scene;
        let area = self.heading().draw(scene, frame.area.shrunk(MARGIN, MARGIN, MARGIN, MARGIN));
        let legend = self.legend_box();
        let x_room = AxisView::horizontal(x, &self.x_label, 300.0).bottom_room();
        let height_for = |left: f64| area.height - legend.height(area.width - left) - x_room - 8.0;
        let y_view = AxisView::vertical(y, &self.y_label, height_for(60.0));
        let left = y_view.left_room().max(frame.left_gutter - MARGIN);
        let above = legend.height(area.width - left) + if y_view.ticks.factor.is_some() { 14.0 } else { 8.0 };
        let mut right = legend.width();
        let x_view = AxisView::horizontal(x, &self.x_label, area.width - left - right);
        right = right.max(x_view.right_overhang(area.width - left - right));
        let rect = area.shrunk(left, above, right, x_room).snapped();
        if !(rect.width >= LEAST_SIDE && rect.height >= LEAST_SIDE) {
            return Err(PlotError::Size {
                width: frame.area.width,
                height: frame.area.height,
                min_width: (frame.area.width + LEAST_SIDE - rect.width).ceil(),
                min_height: (frame.area.height + LEAST_SIDE - rect.height).ceil(),
            });
        }
        let view = View { rect, x, y };
        view.draw_grid(scene, &x_view, &y_view);
        let mut marks = Vec::new();
        for (k, series) in self.series.iter().enumerate() {
            marks.extend(view.band_marks(series, series.style.stroke(k).colour));
        }
        for (k, series) in self.series.iter().enumerate() {
            marks.extend(view.series_marks(series, &series.style.stroke(k)));
        }
        // Room for half a line width, so that a curve along the edge is not cut lengthwise.
        let clip = rect.shrunk(-3.0, -3.0, -3.0, -3.0);
        scene.marks.push(Mark::Clipped { rect: clip, marks });
        for rule in &self.rules {
            view.draw_rule(scene, rule);
        }
        scene.line(point(rect.left, rect.top), point(rect.left, rect.bottom()), pen());
        scene.line(point(rect.left, rect.bottom()), point(rect.right(), rect.bottom()), pen());
        x_view.draw_below(scene, &rect);
        y_view.draw_left(scene, &rect, area.left + left - y_view.left_room());
        let corner = if legend.right { point(rect.right() + 18.0, rect.top) } else { point(rect.left, area.top) };
        legend.draw(scene, corner, area.width - left);
        Ok(())
    }

    fn left_gutter(&self) -> f64 {
        self.scales().map_or(0.0, |(_, y)| MARGIN + AxisView::vertical(y, &self.y_label, 280.0).left_room())
    }
}
