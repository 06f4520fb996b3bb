//! From a field to marks: ranges, panels, layout.

use std::borrow::Cow;

use super::{Aspect, ErrorView, FieldFigure, Sampling, contours};
use crate::axis::{AxisView, Scale, TICK_STYLE, label_with_unit, pen};
use crate::colour_bar::ColourBar;
use crate::colour_map::ColourMap;
use crate::contour::Grid;
use crate::coordinate::Axis;
use crate::error::PlotError;
use crate::font::{Anchor, TextStyle};
use crate::geometry::{Point, Rect, Size, point};
use crate::picture::Figure;
use crate::sampling::{self, Nodes, Painter, Site};
use crate::scene::{Frame, Mark, Pixels, Scene, Stroke};
use crate::theme::{DIAMOND_RADIUS, DIAMOND_RIM, INK, MARGIN, MUTED, PANEL_TITLE, PAPER};

const PANEL_STYLE: TextStyle = TextStyle::bold(PANEL_TITLE, INK);
const DETAIL_STYLE: TextStyle = TextStyle::regular(PANEL_TITLE - 1.0, MUTED);
/// From the top of the panel's heading to the field.
const PANEL_HEAD: f64 = 24.0;
const PANEL_GAP: f64 = 26.0;
const NATURAL_WIDTH: f64 = 264.0;
const NATURAL_HEIGHT: f64 = 236.0;
/// Pixels of a field per CSS pixel.
const DENSITY: f64 = 2.0;
/// Smallest side of a field worth drawing.
const LEAST_SIDE: f64 = 40.0;

/// The error has no other name.
const ERROR: &str = "Error";
/// Length of the arrow of a streamline.
const ARROW: f64 = 5.0;
/// Radius of a sensor's dot, and of the rim that sets it off.
const SENSOR: (f64, f64) = (1.6, 2.6);

struct Panel<'a> {
    name: &'a str,
    detail: String,
    values: Cow<'a, [f64]>,
    at: Sites<'a>,
    bar: ColourBar,
}

/// Where the values of a panel sit.
#[derive(Clone, Copy)]
struct Sites<'a> {
    x: &'a [f64],
    y: &'a [f64],
    sampling: Sampling,
}

impl FieldFigure {
    /// The range of each coordinate; scattered points keep clear of the frame.
    fn scales(&self) -> Result<(Scale, Scale), PlotError> {
        let scale = |axis: &Axis| -> Result<Scale, PlotError> {
            let scale = Scale::around(axis.values.iter().copied(), false);
            let scale = scale.ok_or_else(|| PlotError::NothingFinite { what: format!("axis `{}`", axis.label) })?;
            Ok(if self.sampling == Sampling::Grid { scale } else { scale.padded(0.03) })
        };
        Ok((scale(&self.x)?, scale(&self.y)?))
    }

    fn panels(&self, height: f64) -> Result<Vec<Panel<'_>>, PlotError> {
        let exact = self.exact.as_deref().unwrap_or_default();
        let own = |values| self.inside(values);
        let compared = exact.iter().copied().filter(|_| self.known_at.is_some());
        let shown = own(&self.predicted).chain(own(if self.known_at.is_some() { &[] } else { exact })).chain(compared);
        let (low, high) = self.range.unzip();
        let scale = Scale::between(low, high, shown, self.log_colours)
            .ok_or_else(|| PlotError::nothing_to_place("the predicted field".to_owned(), self.log_colours))?;
        let bar = ColourBar::new(self.map, scale, height);
        let at = Sites { x: &self.x.values, y: &self.y.values, sampling: self.sampling };
        let plain =
            |name, detail, values, at| Panel { name, detail, values: Cow::Borrowed(values), at, bar: bar.clone() };
        let sensors = match self.sensors.len() {
            0 => String::new(),
            1 => "dot: sensor".to_owned(),
            _ => "dots: sensors".to_owned(),
        };
        if self.exact.is_none() {
            return Ok(vec![plain("", sensors, &self.predicted, at)]);
        }
        let known = self.known_at.as_ref().map_or(at, |own| Sites { x: &own.x, y: &own.y, sampling: own.sampling });
        let (detail, values, bar) = self.error_panel(exact, height);
        let error = Panel { name: ERROR, detail, values: values.into(), at: known, bar };
        Ok(vec![
            plain("Predicted", sensors, &self.predicted, at),
            plain(&self.exact_name, String::new(), exact, known),
            error,
        ])
    }

    /// Values of nodes inside the domain; all of them without an edge.
    fn inside<'v>(&'v self, values: &'v [f64]) -> impl Iterator<Item = f64> + Clone + 'v {
        let is_inside = |k: usize| self.edge.as_ref().is_none_or(|edge| edge[k] <= 0.0);
        values.iter().enumerate().filter(move |(k, _)| is_inside(*k)).map(|(_, value)| *value)
    }

    fn error_panel(&self, exact: &[f64], height: f64) -> (String, Vec<f64>, ColourBar) {
        let predicted = self.known_at.as_ref().map_or(&self.predicted, |places| &places.predicted);
        let signed = predicted.iter().zip(exact).map(|(p, e)| p - e);
        let name = self.exact_name.to_lowercase();
        let largest = |values: &[f64]| {
            if let Some(fixed) = self.error_range.filter(|fixed| *fixed > 0.0 && fixed.is_finite()) {
                return fixed;
            }
            let most = |values: &mut dyn Iterator<Item = f64>| {
                values.filter(|v| v.is_finite()).fold(0.0f64, |a, v| a.max(v.abs()))
            };
            let most = match self.known_at {
                Some(_) => most(&mut values.iter().copied()),
                None => most(&mut self.inside(values)),
            };
            if most == 0.0 { 1.0 } else { most }
        };
        match self.error {
            ErrorView::Signed => {
                let values: Vec<f64> = signed.collect();
                let most = largest(&values);
                let scale = self.rounded_error_scale(-most, most);
                (format!("predicted − {name}"), values, ColourBar::new(ColourMap::BlueRed, scale, height))
            }
            ErrorView::Absolute => {
                let values: Vec<f64> = signed.map(f64::abs).collect();
                let scale = self.rounded_error_scale(0.0, largest(&values));
                (format!("|predicted − {name}|"), values, ColourBar::new(ColourMap::Cividis, scale, height))
            }
        }
    }

    /// A range that was asked for stays as it is.
    fn rounded_error_scale(&self, low: f64, high: f64) -> Scale {
        let scale = Scale { low, high, log: false };
        if self.error_range.is_some() { scale } else { scale.rounded_out() }
    }

    /// `heights`: the values as fractions of the range of colours.
    fn paint(&self, panel: &Panel<'_>, heights: &[f64], rect: &Rect, (sx, sy): (&Scale, &Scale)) -> Pixels {
        let (width, height) = ((DENSITY * rect.width) as usize, (DENSITY * rect.height) as usize);
        let table = panel.bar.map.table();
        let painter = Painter { table: &table };
        let sites = || -> Vec<Site> {
            let places = panel.at.x.iter().zip(panel.at.y).zip(heights);
            let placed = places.filter_map(|((&x, &y), &value)| {
                let (s, t) = (sx.fraction(x)?, sy.fraction(y)?);
                Some(Site { x: s * width as f64, y: (1.0 - t) * height as f64, value })
            });
            placed.collect()
        };
        let (across, along) = ((sx.low, sx.high), (sy.low, sy.high));
        let edge =
            self.edge.as_ref().map(|edge| Nodes { x: &self.x.values, y: &self.y.values, values: edge, across, along });
        let pixels = match panel.at.sampling {
            Sampling::Grid => {
                let nodes = Nodes { x: panel.at.x, y: panel.at.y, values: heights, across, along };
                sampling::grid(&nodes, edge.is_some(), width, height, &painter)
            }
            Sampling::Dots { radius } => sampling::dots(&sites(), DENSITY * radius, width, height, &painter),
            Sampling::Nearest => sampling::nearest(&sites(), width, height, &painter),
        };
        match edge {
            // Dots stand where they are known, be it beyond the edge.
            Some(edge) if panel.at.sampling == Sampling::Grid => sampling::cut(pixels, &edge),
            _ => pixels,
        }
    }

    fn panel_title(&self, panel: &Panel<'_>) -> String {
        let words = [panel.name, if panel.name == ERROR { "" } else { &self.quantity }];
        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }

    fn head_room(&self) -> f64 {
        if self.exact.is_none() && self.quantity.is_empty() { 10.0 } else { PANEL_HEAD }
    }
}

/// All that the layout depends on, for fields of a given height.
struct Plan<'a> {
    x: Scale,
    y: Scale,
    x_label: String,
    y_label: String,
    panels: Vec<Panel<'a>>,
}

impl<'a> Plan<'a> {
    fn new(figure: &'a FieldFigure, height: f64) -> Result<Self, PlotError> {
        figure.check()?;
        let (x, y) = figure.scales()?;
        let label = |axis: &Axis| label_with_unit(&axis.label, axis.unit.as_deref());
        Ok(Self { x, y, x_label: label(&figure.x), y_label: label(&figure.y), panels: figure.panels(height)? })
    }

    fn bottom_view(&self, width: f64) -> AxisView {
        AxisView::horizontal(self.x, &self.x_label, width)
    }

    fn left_view(&self, height: f64) -> AxisView {
        AxisView::vertical(self.y, &self.y_label, height)
    }

    /// Width of everything between and beside the fields.
    fn fixed_width(&self, gutter: f64) -> f64 {
        let bars: f64 = self.panels.iter().map(|panel| panel.bar.room()).sum();
        gutter + bars + (self.panels.len() - 1) as f64 * PANEL_GAP
    }

    /// The field's rectangle in its slot.
    fn rect(&self, slot: Rect, aspect: Aspect) -> Rect {
        match aspect {
            Aspect::Fill => slot.snapped(),
            Aspect::Equal => equal_units(slot, self.x.high - self.x.low, self.y.high - self.y.low).snapped(),
        }
    }
}

/// Height of the axis below the fields, which does not depend on the ticks.
fn bottom_room() -> f64 {
    AxisView::horizontal(Scale { low: 0.0, high: 1.0, log: false }, "x", 200.0).bottom_room()
}

impl FieldFigure {
    fn draw_panel(&self, scene: &mut Scene, plan: &Plan<'_>, panel: &Panel<'_>, rect: &Rect) {
        let place = |value: &f64| panel.bar.scale.fraction(*value).unwrap_or(f64::NAN);
        let heights: Vec<f64> = panel.values.iter().map(place).collect();
        let pixels = self.paint(panel, &heights, rect, (&plan.x, &plan.y));
        scene.marks.push(Mark::Image { rect: *rect, pixels });
        self.draw_streamlines(scene, plan, rect);
        self.draw_sensors(scene, plan, rect);
        scene.outline(*rect, pen());
        plan.bottom_view(rect.width).draw_below(scene, rect);
        panel.bar.draw(scene, rect);
        self.draw_contours(scene, plan, panel, &heights, rect);
        let title = self.panel_title(panel);
        let baseline = rect.top - 8.0;
        let after = rect.left + PANEL_STYLE.width(&title) + 8.0;
        if !title.is_empty() {
            scene.text(title, point(rect.left, baseline), Anchor::Start, PANEL_STYLE);
        }
        if !panel.detail.is_empty() && after + DETAIL_STYLE.width(&panel.detail) <= rect.right() {
            scene.text(panel.detail.as_str(), point(after, baseline), Anchor::Start, DETAIL_STYLE);
        }
    }
}

impl FieldFigure {
    /// Thin light lines, each with an arrow in its middle.
    fn draw_streamlines(&self, scene: &mut Scene, plan: &Plan<'_>, rect: &Rect) {
        let place = |&(x, y): &(f64, f64)| {
            let (s, t) = (plan.x.fraction(x)?, plan.y.fraction(y)?);
            Some(point(rect.left + s * rect.width, rect.bottom() - t * rect.height))
        };
        let lines: Vec<Vec<Point>> =
            self.streamlines.iter().map(|line| line.iter().filter_map(place).collect()).collect();
        let arrow = |line: &Vec<Point>| {
            let (tip, tail) = (line.get(line.len() / 2)?, line.get((line.len() / 2).checked_sub(2)?)?);
            let (dx, dy) = (tip.x - tail.x, tip.y - tail.y);
            let length = dx.hypot(dy).max(f64::MIN_POSITIVE);
            let (dx, dy) = (ARROW * dx / length, ARROW * dy / length);
            let side = |sign: f64| point(tip.x - dx - 0.5 * sign * dy, tip.y - dy + 0.5 * sign * dx);
            let outline = vec![*tip, side(1.0), side(-1.0)];
            Some(Mark::Area { outline, colour: PAPER, opacity: 1.0, edge: None })
        };
        let arrows: Vec<Mark> = lines.iter().filter_map(arrow).collect();
        if !lines.is_empty() {
            let lines = Mark::Lines { lines, stroke: Stroke::solid(PAPER, 0.8) };
            scene.marks.push(Mark::Clipped { rect: *rect, marks: [lines].into_iter().chain(arrows).collect() });
        }
    }

    /// A dark dot with a light rim at each, seen on every colour.
    fn draw_sensors(&self, scene: &mut Scene, plan: &Plan<'_>, rect: &Rect) {
        let place = |&(x, y): &(f64, f64)| {
            let (s, t) = (plan.x.fraction(x)?, plan.y.fraction(y)?);
            Some(point(rect.left + s * rect.width, rect.bottom() - t * rect.height))
        };
        let dot = |centre: Point| {
            [(SENSOR.1, PAPER), (SENSOR.0, INK)].map(|(radius, colour)| Mark::Circle { centre, radius, colour })
        };
        let marks: Vec<Mark> = self.sensors.iter().filter_map(place).flat_map(dot).collect();
        if !marks.is_empty() {
            scene.marks.push(Mark::Clipped { rect: *rect, marks });
        }
    }

    /// Contour lines and the marked point; the labels of the lines keep clear of the latter.
    fn draw_contours(&self, scene: &mut Scene, plan: &Plan<'_>, panel: &Panel<'_>, heights: &[f64], rect: &Rect) {
        let x_of = |x: f64| Some(rect.left + plan.x.fraction(x)? * rect.width);
        let y_of = |y: f64| Some(rect.bottom() - plan.y.fraction(y)? * rect.height);
        let mut above = Scene::new(scene.size);
        let mut taken = Vec::new();
        let marked = self.marked.as_ref();
        if let Some((marked, (x, y))) = marked.and_then(|m| Some((m, x_of(m.x).zip(y_of(m.y))?))) {
            taken = draw_marked(&mut above, &marked.label, point(x, y), rect);
        }
        if let (Some(levels), false, Sampling::Grid) = (&self.contours, panel.name == ERROR, panel.at.sampling) {
            let places =
                |nodes: &[f64], place: &dyn Fn(f64) -> Option<f64>| nodes.iter().filter_map(|&v| place(v)).collect();
            let (x, y): (Vec<f64>, Vec<f64>) = (places(panel.at.x, &x_of), places(panel.at.y, &y_of));
            contours::draw(scene, Grid { x: &x, y: &y, values: heights }, rect, &panel.bar, levels, taken);
        }
        scene.marks.extend(above.marks);
    }
}

/// A diamond and its label, right of it if there is room; returns the places they take.
fn draw_marked(scene: &mut Scene, label: &str, at: Point, rect: &Rect) -> Vec<Rect> {
    let reach = DIAMOND_RADIUS + DIAMOND_RIM;
    let diamond = Rect::new(at.x - reach, at.y - reach, 2.0 * reach, 2.0 * reach);
    if !rect.contains(&diamond) {
        return Vec::new();
    }
    scene.marks.push(Mark::hollow_diamond(at));
    if label.is_empty() {
        return vec![diamond];
    }
    let fits = diamond.right() + 6.0 + TICK_STYLE.width(label) <= rect.right();
    let (x, anchor) = if fits { (diamond.right() + 4.0, Anchor::Start) } else { (diamond.left - 4.0, Anchor::End) };
    vec![diamond, scene.plaque(label, point(x, at.y + TICK_STYLE.half_digit()), anchor, TICK_STYLE)]
}

impl Figure for FieldFigure {
    fn natural_size(&self) -> Size {
        let scale = if self.exact.is_some() { 1.0 } else { 1.4 };
        let (width, mut height) = (scale * NATURAL_WIDTH, scale * NATURAL_HEIGHT);
        if let (Aspect::Equal, Ok((x, y))) = (self.aspect, self.scales()) {
            height = (width * (y.high - y.low) / (x.high - x.low)).clamp(90.0, 1.5 * width).round();
        }
        // Figures that cannot be drawn have a size too; `draw` says what is wrong with them.
        let full = Plan::new(self, height).map_or(width, |plan| {
            plan.panels.len() as f64 * width + plan.fixed_width(plan.left_view(height).left_room())
        });
        let full = (full + 2.0 * MARGIN).ceil();
        let heading = self.heading().height(full - 2.0 * MARGIN);
        Size::new(full, (heading + self.head_room() + height + bottom_room() + 2.0 * MARGIN).ceil())
    }

    fn draw(&self, frame: Frame<'_>) -> Result<(), PlotError> {
        let scene = frame.scene;
        let area = frame.area.shrunk(MARGIN, MARGIN, MARGIN, MARGIN);
        let area = self.heading().draw(scene, area);
        let height = area.height - self.head_room() - bottom_room();
        let plan = Plan::new(self, height)?;
        let gutter = plan.left_view(height).left_room().max(frame.left_gutter - MARGIN);
        let count = plan.panels.len() as f64;
        let width = (area.width - plan.fixed_width(gutter)) / count;
        if !(width >= LEAST_SIDE && height >= LEAST_SIDE) {
            let lacking = Size::new(count * (LEAST_SIDE - width), LEAST_SIDE - height);
            return Err(PlotError::too_small(frame.area.size(), lacking));
        }
        let mut left = area.left + gutter;
        for (k, panel) in plan.panels.iter().enumerate() {
            let rect = plan.rect(Rect::new(left, area.top + self.head_room(), width, height), self.aspect);
            self.draw_panel(scene, &plan, panel, &rect);
            let view = plan.left_view(rect.height);
            if k == 0 {
                view.draw_left(scene, &rect, rect.left - view.left_room());
            } else {
                view.draw_left_bare(scene, &rect);
            }
            left += width + panel.bar.room() + PANEL_GAP;
        }
        Ok(())
    }

    fn left_gutter(&self) -> f64 {
        Plan::new(self, NATURAL_HEIGHT).map_or(0.0, |plan| MARGIN + plan.left_view(NATURAL_HEIGHT).left_room())
    }
}

/// The largest rectangle of the given proportions at the top left of `slot`.
fn equal_units(slot: Rect, x_range: f64, y_range: f64) -> Rect {
    let unit = (slot.width / x_range).min(slot.height / y_range);
    let (width, height) = ((unit * x_range).max(LEAST_SIDE), (unit * y_range).max(LEAST_SIDE));
    Rect::new(slot.left, slot.top + 0.5 * (slot.height - height).max(0.0), width, height)
}
