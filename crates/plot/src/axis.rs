//! One axis of a plot: the range it shows, its scale, and its ticks and labels around a rectangle.

use crate::font::{Anchor, TextStyle};
use crate::geometry::{Rect, point};
use crate::scene::{Scene, Stroke};
use crate::theme::{AXIS_LABEL, FRAME, HAIRLINE, INK, LABEL_GAP, MINOR_TICK, MUTED, TICK, TICK_GAP, TICK_LABEL};
use crate::ticks::{self, Tick, Ticks};

pub(crate) const TICK_STYLE: TextStyle = TextStyle::regular(TICK_LABEL, INK);
pub(crate) const FACTOR_STYLE: TextStyle = TextStyle::regular(TICK_LABEL, MUTED);
pub(crate) const LABEL_STYLE: TextStyle = TextStyle::regular(AXIS_LABEL, INK);

/// A range of values and how it is spread over a length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    pub low: f64,
    pub high: f64,
    pub log: bool,
}

impl Scale {
    /// Whether such a scale has a place for the value.
    pub fn places(value: f64, log: bool) -> bool {
        value.is_finite() && (!log || value >= f64::MIN_POSITIVE)
    }

    /// The scale around the usable values, `None` when there are none.
    pub fn around(values: impl Iterator<Item = f64>, log: bool) -> Option<Self> {
        let usable = values.filter(|v| Self::places(*v, log));
        let (low, high) = usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        (low <= high).then(|| Self { low, high, log }.widened())
    }

    /// The scale with the given ends; an end that is absent, or that the scale cannot place, is taken from the values.
    pub fn between(
        low: Option<f64>,
        high: Option<f64>,
        values: impl Iterator<Item = f64> + Clone,
        log: bool,
    ) -> Option<Self> {
        let usable = |end: &f64| Self::places(*end, log);
        let (low, high) = (low.filter(usable), high.filter(usable));
        match (low, high) {
            (None, None) => Self::around(values, log).map(Self::rounded_out),
            (Some(low), Some(high)) => Self::around([low, high].into_iter(), log),
            // Values beyond the given end are shown at it.
            (Some(low), None) => Self::around(values.filter(|v| v.is_finite()).map(|v| v.max(low)).chain([low]), log),
            (None, Some(high)) => {
                Self::around(values.filter(|v| v.is_finite()).map(|v| v.min(high)).chain([high]), log)
            }
        }
    }

    /// A single value gets a range around it, wide enough for ticks to differ.
    fn widened(self) -> Self {
        let Self { low, high, log } = self;
        if log {
            let narrow = high <= low * (1.0 + 1e-9);
            return if narrow { Self::bounded(low / 2.0, high * 2.0, log) } else { self };
        }
        let size = low.abs().max(high.abs());
        let pad = if size == 0.0 { 1.0 } else { 0.1 * size };
        if high - low <= 1e-9 * size { Self::bounded(low - pad, high + pad, log) } else { self }
    }

    /// Ends pushed out of the numbers come back to the outermost ones.
    fn bounded(low: f64, high: f64, log: bool) -> Self {
        let least = if log { f64::MIN_POSITIVE } else { f64::MIN };
        Self { low: low.max(least), high: high.min(f64::MAX), log }
    }

    /// Moves both ends outwards by a fraction of the shown length.
    pub fn padded(self, fraction: f64) -> Self {
        self.extended(fraction, fraction)
    }

    /// Moves each end outwards by its own fraction of the shown length.
    pub fn extended(self, below: f64, above: f64) -> Self {
        let Self { low, high, log } = self;
        if log {
            let factor = |fraction: f64| (fraction * (high.ln() - low.ln())).exp();
            Self::bounded(low / factor(below), high * factor(above), log)
        } else {
            // Multiplied first: the difference of two large numbers of opposite sign may overflow.
            let pad = |fraction: f64| fraction * high - fraction * low;
            Self::bounded(low - pad(below), high + pad(above), log)
        }
    }

    /// Moves an end that nearly reaches a round number out to it, so that a range from 0.0004 to 0.9996 reads 0 to 1.
    pub fn rounded_out(self) -> Self {
        let round: Vec<f64> = self.padded(0.03).ticks(5).major.iter().map(|t| t.value).collect();
        let low = round.first().copied().filter(|&v| v < self.low).unwrap_or(self.low);
        let high = round.last().copied().filter(|&v| v > self.high).unwrap_or(self.high);
        Self { low, high, ..self }
    }

    /// Where a value falls between the ends (0 and 1); `None` for values the scale cannot place.
    pub fn fraction(&self, value: f64) -> Option<f64> {
        // Halved first, so that a range close to the largest f64 does not overflow.
        let measure = |v: f64| if self.log { v.ln() } else { 0.5 * v };
        let (low, high) = (measure(self.low), measure(self.high));
        Self::places(value, self.log).then(|| (measure(value) - low) / (high - low))
    }

    /// The value at a fraction of the way from the lower end to the upper.
    pub fn value(&self, fraction: f64) -> f64 {
        if self.log {
            ((1.0 - fraction) * self.low.ln() + fraction * self.high.ln()).exp()
        } else {
            (1.0 - fraction) * self.low + fraction * self.high
        }
    }

    pub fn ticks(&self, intervals: usize) -> Ticks {
        if self.log {
            ticks::logarithmic(self.low, self.high, intervals)
        } else {
            ticks::linear(self.low, self.high, intervals)
        }
    }
}

/// A scale with its ticks chosen for a certain length, and its name.
#[derive(Debug, Clone)]
pub(crate) struct AxisView {
    pub scale: Scale,
    pub ticks: Ticks,
    pub label: String,
}

impl AxisView {
    /// For an axis along the bottom: as many ticks as fit side by side.
    pub fn horizontal(scale: Scale, label: &str, length: f64) -> Self {
        let mut intervals = ((length / 55.0) as usize).clamp(2, 10);
        loop {
            let ticks = scale.ticks(intervals);
            let widest = ticks.major.iter().map(|t| TICK_STYLE.width(&t.label)).fold(0.0, f64::max);
            let room = length / ticks.major.len().max(1) as f64;
            if widest + 14.0 <= room || intervals <= 2 {
                return Self { scale, ticks, label: label.to_owned() };
            }
            intervals -= 1;
        }
    }

    /// For an axis along the bottom that names things: one tick in the middle of each of equal parts.
    pub fn categories(names: &[String], label: &str) -> Self {
        let scale = Scale { low: -0.5, high: names.len() as f64 - 0.5, log: false };
        let major = names.iter().enumerate().map(|(k, name)| Tick { value: k as f64, label: name.clone() });
        let ticks = Ticks { major: major.collect(), ..Ticks::default() };
        Self { scale, ticks, label: label.to_owned() }
    }

    /// For an axis along a side: a tick every 44 units or so, closer for decades, whose labels are alike.
    pub fn vertical(scale: Scale, label: &str, length: f64) -> Self {
        let intervals = ((length / if scale.log { 30.0 } else { 44.0 }) as usize).clamp(2, 10);
        Self { scale, ticks: scale.ticks(intervals), label: label.to_owned() }
    }

    fn widest_label(&self) -> f64 {
        let factor = self.ticks.factor.as_deref().map_or(0.0, |f| FACTOR_STYLE.width(f) - TICK);
        self.ticks.major.iter().map(|t| TICK_STYLE.width(&t.label)).fold(factor, f64::max)
    }

    /// Room left of the rectangle for ticks, their labels and the axis label.
    pub fn left_room(&self) -> f64 {
        let label = if self.label.is_empty() { 0.0 } else { LABEL_GAP + LABEL_STYLE.line_height() };
        TICK + TICK_GAP + self.widest_label() + label
    }

    /// Room below the rectangle.
    pub fn bottom_room(&self) -> f64 {
        let label = if self.label.is_empty() { 0.0 } else { LABEL_GAP + LABEL_STYLE.size };
        TICK + TICK_GAP + TICK_LABEL + label
    }

    /// How far the last tick label reaches beyond the right end.
    pub fn right_overhang(&self, length: f64) -> f64 {
        let reach =
            self.ticks.major.iter().filter_map(|t| {
                Some(self.scale.fraction(t.value)? * length + 0.5 * TICK_STYLE.width(&t.label) - length)
            });
        reach.fold(0.0, f64::max)
    }

    pub fn draw_below(&self, scene: &mut Scene, rect: &Rect) {
        let x_of = |value| self.scale.fraction(value).map(|s| rect.left + s * rect.width);
        let baseline = rect.bottom() + TICK + TICK_GAP + 0.8 * TICK_LABEL;
        for tick in &self.ticks.major {
            let Some(x) = x_of(tick.value) else { continue };
            scene.line(point(x, rect.bottom()), point(x, rect.bottom() + TICK), pen());
            scene.text(&tick.label, point(x, baseline), Anchor::Middle, TICK_STYLE);
        }
        for x in self.ticks.minor.iter().filter_map(|&v| x_of(v)) {
            scene.line(point(x, rect.bottom()), point(x, rect.bottom() + MINOR_TICK), pen());
        }
        let label_baseline = baseline + LABEL_GAP + AXIS_LABEL;
        if !self.label.is_empty() {
            scene.text(&self.label, point(rect.centre_x(), label_baseline), Anchor::Middle, LABEL_STYLE);
        }
        if let Some(factor) = &self.ticks.factor {
            scene.text(factor, point(rect.right(), label_baseline), Anchor::End, FACTOR_STYLE);
        }
    }

    /// Ticks and labels left of the rectangle; the axis label keeps to `outer_left`, so that stacked plots line up.
    pub fn draw_left(&self, scene: &mut Scene, rect: &Rect, outer_left: f64) {
        let y_of = |value| self.scale.fraction(value).map(|s| rect.bottom() - s * rect.height);
        for tick in &self.ticks.major {
            let Some(y) = y_of(tick.value) else { continue };
            scene.line(point(rect.left - TICK, y), point(rect.left, y), pen());
            let at = point(rect.left - TICK - TICK_GAP, y + TICK_STYLE.half_digit());
            scene.text(&tick.label, at, Anchor::End, TICK_STYLE);
        }
        self.draw_left_minor(scene, rect);
        if !self.label.is_empty() {
            let at = point(outer_left + AXIS_LABEL, rect.centre_y());
            scene.text_upwards(&self.label, at, Anchor::Middle, LABEL_STYLE);
        }
        if let Some(factor) = &self.ticks.factor {
            scene.text(factor, point(rect.left - TICK_GAP, rect.top - 9.0), Anchor::End, FACTOR_STYLE);
        }
    }

    fn draw_left_minor(&self, scene: &mut Scene, rect: &Rect) {
        for s in self.ticks.minor.iter().filter_map(|&v| self.scale.fraction(v)) {
            let y = rect.bottom() - s * rect.height;
            scene.line(point(rect.left - MINOR_TICK, y), point(rect.left, y), pen());
        }
    }

    /// Ticks without labels, for a panel whose neighbour on the left carries them.
    pub fn draw_left_bare(&self, scene: &mut Scene, rect: &Rect) {
        for s in self.ticks.major.iter().filter_map(|t| self.scale.fraction(t.value)) {
            let y = rect.bottom() - s * rect.height;
            scene.line(point(rect.left - TICK, y), point(rect.left, y), pen());
        }
        self.draw_left_minor(scene, rect);
    }
}

pub(crate) const fn pen() -> Stroke {
    Stroke::solid(FRAME, HAIRLINE)
}

/// "x (m)", or just "x".
pub(crate) fn label_with_unit(label: &str, unit: Option<&str>) -> String {
    unit.map_or_else(|| label.to_owned(), |unit| format!("{label} ({unit})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_value_gets_a_range() {
        let around = |v: f64, log| Scale::around([v].into_iter(), log).expect("one usable value");
        assert_eq!(around(0.0, false), Scale { low: -1.0, high: 1.0, log: false });
        assert_eq!(around(8.0, true), Scale { low: 4.0, high: 16.0, log: true });
        assert!(around(1e-9, false).high < 2e-9);
    }

    #[test]
    fn unusable_values_are_ignored() {
        let values = [f64::NAN, 0.0, -1.0, f64::INFINITY, 2.0, 8.0];
        assert_eq!(Scale::around(values.into_iter(), true), Some(Scale { low: 2.0, high: 8.0, log: true }));
        assert_eq!(Scale::around([f64::NAN].into_iter(), false), None);
        assert_eq!(Scale::around([0.0].into_iter(), true), None);
    }

    #[test]
    fn ranges_round_out_only_when_close() {
        let linear = |low, high| Scale { low, high, log: false };
        assert_eq!(linear(0.0004, 0.9996).rounded_out(), linear(0.0, 1.0));
        assert_eq!(linear(0.07, 0.93).rounded_out(), linear(0.07, 0.93));
    }

    #[test]
    fn missing_ends_come_from_the_values() {
        let values = [0.0, 2.0, 8.0, f64::NAN];
        let between = |low, high, log| Scale::between(low, high, values.into_iter(), log);
        assert_eq!(between(None, Some(5.0), true), Some(Scale { low: 2.0, high: 5.0, log: true }));
        assert_eq!(between(Some(0.0), Some(5.0), true), Some(Scale { low: 2.0, high: 5.0, log: true }));
        assert_eq!(between(Some(1.0), None, false), Some(Scale { low: 1.0, high: 8.0, log: false }));
        assert_eq!(between(Some(9.0), Some(1.0), false), Some(Scale { low: 1.0, high: 9.0, log: false }));
        assert_eq!(between(None, None, false), Some(Scale { low: 0.0, high: 8.0, log: false }));
    }

    #[test]
    fn fractions_follow_the_scale() {
        let log = Scale { low: 1e-4, high: 1.0, log: true };
        assert!((log.fraction(1e-2).expect("positive") - 0.5).abs() < 1e-12);
        assert_eq!(log.fraction(0.0), None);
        assert_eq!(Scale { low: -f64::MAX, high: f64::MAX, log: false }.fraction(0.0), Some(0.5));
    }
}
