//! From bars to marks: slots, bars, whiskers, diamonds and the words above them.

use super::{BarSeries, Bars};
use crate::axis::{AxisView, Scale, TICK_STYLE, pen};
use crate::cartesian::{Cartesian, LEAST, Plot};
use crate::colour::Rgb;
use crate::error::PlotError;
use crate::font::{Anchor, TextStyle};
use crate::geometry::{Rect, Size, point};
use crate::legend::Legend;
use crate::numbers::sig;
use crate::picture::Figure;
use crate::scene::{Frame, Mark, Scene, Stroke};
use crate::theme::{DIAMOND_RADIUS, DIAMOND_RIM, INK, MARGIN, MUTED, TICK_LABEL};

const VALUE_STYLE: TextStyle = TextStyle::regular(TICK_LABEL - 1.0, INK);
const ABSENT_STYLE: TextStyle = TextStyle::regular(TICK_LABEL - 1.0, MUTED);
const ABSENT: &str = "not run";
/// Part of a category's width taken by its bars, and of a bar's slot taken by the bar.
const GROUP_PART: f64 = 0.82;
const BAR_PART: f64 = 0.9;
const WIDEST_SLOT: f64 = 64.0;
/// Room for text that reads upwards.
const LEAST_SLOT: f64 = 11.0;
const NATURAL_SLOT: f64 = 26.0;
const NATURAL_WIDTH: f64 = 420.0;
const NATURAL_HEIGHT: f64 = 250.0;
/// Beyond this width values are better written upwards than side by side.
const WIDEST_NATURAL: f64 = 760.0;
const WHISKER: Stroke = Stroke::solid(INK, 1.2);
/// Between a bar and its words.
const GAP: f64 = 4.0;
const BETWEEN_NAMES: f64 = 10.0;
/// Part of the range left free beyond the highest bar.
const SLACK: f64 = 0.04;

impl Bars {
    fn widest_value(&self) -> f64 {
        let values = self.series.iter().flat_map(|s| &s.values).flatten();
        if self.value_labels { values.map(|v| VALUE_STYLE.width(&written(*v))).fold(0.0, f64::max) } else { 0.0 }
    }

    /// Width of the plot when every bar has a slot of at least `slot`, and names are this far apart.
    fn width_for(&self, slot: f64, between: f64) -> f64 {
        let name = self.categories.iter().map(|c| TICK_STYLE.width(c)).fold(0.0, f64::max) + between;
        self.categories.len() as f64 * name.max(slot * self.series.len() as f64 / GROUP_PART)
    }

    /// Room for the words and diamonds beyond the highest bar.
    fn headroom(&self, upwards: bool) -> f64 {
        let label = match (self.value_labels, upwards) {
            (false, _) => 0.0,
            (true, true) => 2.0 * GAP + self.widest_value(),
            (true, false) => 2.0 * GAP + VALUE_STYLE.size,
        };
        label + if self.has_marks() { 2.0 * (DIAMOND_RADIUS + DIAMOND_RIM) } else { 0.0 }
    }

    /// The plot and the width of a bar's slot. A first layout tells how much of the height the words will take.
    fn layout(&self, frame: Rect, left_gutter: f64) -> Result<(Plot<'_>, f64), PlotError> {
        self.check()?;
        let y = self.scale()?;
        let least = Size::new(
            self.width_for(LEAST_SLOT, BETWEEN_NAMES).max(LEAST.width),
            (2.0 * self.headroom(true)).max(LEAST.height),
        );
        let lay_out = |y: Scale| {
            let (heading, legend) = (self.heading(), self.legend_box());
            let axis = |_| AxisView::categories(&self.categories, &self.x_label);
            Cartesian { heading, legend, y, y_label: &self.y_label, least }.lay_out(axis, frame, left_gutter)
        };
        let rect = lay_out(y)?.rect;
        let head = self.headroom(self.upwards(self.slot(&rect)));
        let part = SLACK + head / (rect.height - head);
        let below = if !y.log && y.low < 0.0 { part } else { 0.0 };
        let above = if y.log || y.high > 0.0 { part } else { 0.0 };
        let plot = lay_out(y.extended(below, above))?;
        let slot = self.slot(&plot.rect);
        Ok((plot, slot))
    }

    fn slot(&self, rect: &Rect) -> f64 {
        let bars = (self.categories.len() * self.series.len()) as f64;
        (GROUP_PART * rect.width / bars).min(WIDEST_SLOT)
    }

    /// Whether the values are too wide to stand side by side.
    fn upwards(&self, slot: f64) -> bool {
        self.widest_value() + GAP > slot
    }
}

/// One place for a bar.
struct Slot<'a> {
    plot: &'a Plot<'a>,
    series: &'a BarSeries,
    category: usize,
    /// Of the middle line of the bar.
    x: f64,
    width: f64,
}

impl Slot<'_> {
    /// Where bars stand: at zero, or at the lower end of a logarithmic axis.
    fn ground(&self) -> f64 {
        let zero = if self.plot.y.scale.log { None } else { self.plot.y_of(0.0) };
        zero.unwrap_or(self.plot.rect.bottom())
    }

    /// Draws the bar and says how far it reaches with its whisker; `None` when there is no bar.
    fn draw_bar(&self, scene: &mut Scene, colour: Rgb) -> Option<f64> {
        let value = self.series.values[self.category]?;
        let (end, ground) = (self.plot.y_of(value)?, self.ground());
        let width = BAR_PART * self.width;
        let bar = Rect::new(self.x - 0.5 * width, end.min(ground), width, (end - ground).abs());
        scene.marks.push(Mark::block(bar, colour, 1.0));
        let whisker = self.series.whisker(self.category);
        Some(whisker.map_or(end, |ends| self.draw_whisker(scene, ends, value < 0.0)))
    }

    /// A lower end below a logarithmic axis has no cap: the whisker goes on.
    fn draw_whisker(&self, scene: &mut Scene, (low, high): (f64, f64), downwards: bool) -> f64 {
        let floor = self.plot.rect.bottom();
        let place = |value: f64| self.plot.y_of(value).filter(|y| *y <= floor);
        let (bottom, top) = (place(low), place(high).unwrap_or(floor));
        let cap = (0.2 * self.width).min(5.0);
        let across = |y: f64| vec![point(self.x - cap, y), point(self.x + cap, y)];
        let stem = vec![point(self.x, bottom.unwrap_or(floor)), point(self.x, top)];
        let lines = [Some(stem), Some(across(top)), bottom.map(across)].into_iter().flatten().collect();
        scene.marks.push(Mark::Lines { lines, stroke: WHISKER });
        if downwards { bottom.unwrap_or(floor) } else { top }
    }

    /// Draws the diamond and gives its upper and lower corner.
    fn draw_mark(&self, scene: &mut Scene) -> Option<(f64, f64)> {
        let y = self.plot.y_of(self.series.mark(self.category)?)?;
        scene.marks.push(Mark::hollow_diamond(point(self.x, y)));
        let reach = DIAMOND_RADIUS + DIAMOND_RIM;
        Some((y - reach, y + reach))
    }

    /// Words beyond `edge`, beyond the diamond too if that is in their way.
    fn write(&self, scene: &mut Scene, words: &Words<'_>, edge: f64, diamond: Option<(f64, f64)>) {
        let width = words.style.width(words.text);
        let length = if words.upwards { width } else { words.style.size };
        let sign = if words.below { 1.0 } else { -1.0 };
        let end = edge + sign * (2.0 * GAP + length);
        let in_the_way = |(top, bottom): &(f64, f64)| edge.min(end) < *bottom && *top < edge.max(end);
        let corner = |(top, bottom)| if words.below { bottom } else { top };
        let near = diamond.filter(in_the_way).map_or(edge, corner) + sign * GAP;
        let start = if words.below { near + length } else { near };
        if words.upwards {
            let at = point(self.x + words.style.half_digit(), start);
            scene.text_upwards(words.text, at, Anchor::Start, words.style);
        } else {
            // Digits have no descenders: their box ends at the baseline.
            scene.text(words.text, point(self.x, start), Anchor::Middle, words.style);
        }
    }
}

struct Words<'a> {
    text: &'a str,
    style: TextStyle,
    upwards: bool,
    below: bool,
}

impl Figure for Bars {
    fn natural_size(&self) -> Size {
        let side_by_side = self.width_for(NATURAL_SLOT.max(self.widest_value() + 2.0 * GAP), 2.0 * BETWEEN_NAMES);
        let plot = if side_by_side <= WIDEST_NATURAL {
            side_by_side
        } else {
            self.width_for(NATURAL_SLOT, 2.0 * BETWEEN_NAMES)
        };
        let right = if self.legend == Legend::Right { self.legend_box().width() } else { 0.0 };
        let width = (plot.max(NATURAL_WIDTH) + self.left_gutter() + MARGIN + right).ceil();
        let inside = width - 2.0 * MARGIN;
        let extra = self.heading().height(inside) + self.legend_box().height(plot.max(NATURAL_WIDTH));
        let axis = AxisView::categories(&self.categories, &self.x_label).bottom_room();
        Size::new(width, (NATURAL_HEIGHT + 2.0 * MARGIN + 8.0 + axis + extra).ceil())
    }

    fn draw(&self, frame: Frame<'_>) -> Result<(), PlotError> {
        let (plot, width) = self.layout(frame.area, frame.left_gutter)?;
        let scene = frame.scene;
        plot.draw_heading(scene);
        plot.draw_level_grid(scene);
        let upwards = self.upwards(width);
        let middle = 0.5 * (self.series.len() as f64 - 1.0);
        for (category, name) in plot.x.ticks.major.iter().enumerate() {
            let Some(centre) = plot.x_of(name.value) else { continue };
            for (k, series) in self.series.iter().enumerate() {
                let slot = Slot { plot: &plot, series, category, x: centre + (k as f64 - middle) * width, width };
                let reach = slot.draw_bar(scene, self.colour(k));
                let diamond = slot.draw_mark(scene);
                let value = series.values[category];
                match (reach, value.map(written)) {
                    (Some(edge), Some(text)) if self.value_labels => {
                        let below = value.is_some_and(|v| v < 0.0);
                        let words = Words { text: &text, style: VALUE_STYLE, upwards, below };
                        slot.write(scene, &words, edge, diamond);
                    }
                    (Some(_), _) => {}
                    // A value without a place, such as NaN or a zero on a logarithmic axis, is told in figures.
                    (None, text) => {
                        let text = text.as_deref().unwrap_or(ABSENT);
                        let words = Words { text, style: ABSENT_STYLE, upwards: true, below: false };
                        slot.write(scene, &words, slot.ground(), diamond);
                    }
                }
            }
        }
        if let Some(zero) = plot.y_of(0.0).filter(|y| *y < plot.rect.bottom()) {
            scene.line(point(plot.rect.left, zero), point(plot.rect.right(), zero), pen());
        }
        plot.draw_axes(scene);
        Ok(())
    }

    fn left_gutter(&self) -> f64 {
        self.scale().map_or(0.0, |y| MARGIN + AxisView::vertical(y, &self.y_label, NATURAL_HEIGHT).left_room())
    }
}

/// Three digits, with a true minus sign.
fn written(value: f64) -> String {
    sig(value, 3).replace('-', "−")
}
