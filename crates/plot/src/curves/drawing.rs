//! From curves to marks: layout, grid, bands, lines, dots and rules.

use super::series::Series;
use super::{Curves, Rule, labels};
use crate::axis::AxisView;
use crate::cartesian::{Cartesian, LEAST, Plot};
use crate::colour::Rgb;
use crate::decimate;
use crate::error::PlotError;
use crate::font::{Anchor, TextStyle};
use crate::geometry::{Point, Size, point};
use crate::legend::Legend;
use crate::picture::Figure;
use crate::scene::{Frame, Mark, Scene, Stroke};
use crate::theme::{DOT_RADIUS, HAIRLINE, MARGIN, MUTED, TICK_LABEL};

const RULE_STYLE: TextStyle = TextStyle::regular(TICK_LABEL, MUTED);
/// Pixel columns per CSS pixel kept when long curves are thinned.
const COLUMNS: f64 = 2.0;

/// Maximal runs of points that can be placed.
fn runs(plot: &Plot<'_>, points: &[(f64, f64)]) -> Vec<Vec<Point>> {
    let placed: Vec<Option<Point>> = points.iter().map(|&(x, y)| plot.place(x, y)).collect();
    let runs = placed.split(Option::is_none).filter(|run| !run.is_empty());
    runs.map(|run| run.iter().flatten().copied().collect()).collect()
}

fn series_marks(plot: &Plot<'_>, series: &Series, stroke: &Stroke) -> Vec<Mark> {
    let runs = runs(plot, &series.points);
    let mut marks = Vec::new();
    if series.style.has_line() {
        let lines = runs.iter().map(|run| decimate::thin(run, COLUMNS)).collect();
        marks.push(Mark::Lines { lines, stroke: stroke.clone() });
    }
    // A point between two gaps has no line to show it.
    let dotted = runs.iter().filter(|run| series.style.has_dots() || run.len() == 1);
    marks.extend(dotted.flatten().map(|&centre| Mark::Circle { centre, radius: DOT_RADIUS, colour: stroke.colour }));
    marks
}

/// The band as one polygon per run. On a logarithmic axis a lower edge at or below zero reaches the floor.
fn band_marks(plot: &Plot<'_>, series: &Series, colour: Rgb) -> Vec<Mark> {
    let Some(band) = &series.band else {
        return Vec::new();
    };
    let scale = plot.y.scale;
    let edge = |x: f64, y: f64| plot.place(x, if scale.log && y <= 0.0 { scale.low } else { y });
    let both = series.points.iter().zip(band.lower.iter().zip(&band.upper));
    let edges: Vec<Option<(Point, Point)>> =
        both.map(|(&(x, _), (&lower, &upper))| edge(x, lower).zip(edge(x, upper))).collect();
    let runs = edges.split(Option::is_none).filter(|run| run.len() > 1);
    let polygon = |run: &[Option<(Point, Point)>]| {
        let (lower, upper): (Vec<Point>, Vec<Point>) = run.iter().flatten().copied().unzip();
        let mut outline = decimate::thin(&upper, COLUMNS);
        outline.extend(decimate::thin(&lower, COLUMNS).into_iter().rev());
        Mark::Area { outline, colour, opacity: 0.2, edge: None }
    };
    runs.map(polygon).collect()
}

fn draw_rule(scene: &mut Scene, plot: &Plot<'_>, rule: &Rule) {
    let stroke = Stroke { dashes: &[3.0, 3.0], ..Stroke::solid(MUTED, HAIRLINE) };
    let rect = &plot.rect;
    match rule {
        Rule::AtX(value, label) => {
            let Some(x) = plot.x_of(*value).filter(|x| (rect.left..=rect.right()).contains(x)) else {
                return;
            };
            scene.line(point(x, rect.top), point(x, rect.bottom()), stroke);
            let fits = x + 6.0 + RULE_STYLE.width(label) <= rect.right();
            let (at, anchor) = if fits { (x + 6.0, Anchor::Start) } else { (x - 6.0, Anchor::End) };
            scene.plaque(label, point(at, rect.top + 4.0 + TICK_LABEL), anchor, RULE_STYLE);
        }
        Rule::AtY(value, label) => {
            let Some(y) = plot.y_of(*value).filter(|y| (rect.top..=rect.bottom()).contains(y)) else {
                return;
            };
            scene.line(point(rect.left, y), point(rect.right(), y), stroke);
            let baseline = if y - TICK_LABEL - 6.0 < rect.top { y + 4.0 + TICK_LABEL } else { y - 5.0 };
            scene.plaque(label, point(rect.left + 6.0, baseline), Anchor::Start, RULE_STYLE);
        }
    }
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
        let axis = |length: f64| AxisView::horizontal(x, &self.x_label, length);
        let layout =
            Cartesian { heading: self.heading(), legend: self.legend_box(), y, y_label: &self.y_label, least: LEAST };
        let plot = layout.lay_out(axis, frame.area, frame.left_gutter)?;
        let scene = frame.scene;
        plot.draw_heading(scene);
        plot.draw_upright_grid(scene);
        plot.draw_level_grid(scene);
        let mut marks = Vec::new();
        for (k, series) in self.series.iter().enumerate() {
            marks.extend(band_marks(&plot, series, series.style.stroke(k).colour));
        }
        for (k, series) in self.series.iter().enumerate() {
            marks.extend(series_marks(&plot, series, &series.style.stroke(k)));
        }
        // Room for half a line width, so that a curve along the edge is not cut lengthwise.
        let clip = plot.rect.shrunk(-3.0, -3.0, -3.0, -3.0);
        scene.marks.push(Mark::Clipped { rect: clip, marks });
        for rule in &self.rules {
            draw_rule(scene, &plot, rule);
        }
        labels::draw(scene, &plot, &self.series);
        plot.draw_axes(scene);
        Ok(())
    }

    fn left_gutter(&self) -> f64 {
        self.scales().map_or(0.0, |(_, y)| MARGIN + AxisView::vertical(y, &self.y_label, 280.0).left_room())
    }
}
