//! Grouped bars: one group per category, one colour per series, whiskers for the spread, diamonds for values to
//! compare with. What was not measured says so in words, since a bar of no height would read as zero.

mod drawing;

use crate::axis::Scale;
use crate::colour::{OKABE_ITO, Rgb};
use crate::coordinate::check_length;
use crate::error::PlotError;
use crate::heading::headed;
use crate::legend::{Entry, Legend, LegendBox, Sample};
use crate::setters::setters;

/// The bars of one colour, one per category.
#[derive(Debug, Clone, PartialEq)]
pub struct BarSeries {
    /// Name in the legend.
    pub name: String,
    /// Height of each bar; `None` leaves a gap labelled "not run".
    pub values: Vec<Option<f64>>,
    /// Half the length of each whisker, such as a standard deviation; empty for no whiskers.
    pub spread: Vec<Option<f64>>,
    /// Values to compare with, such as published ones, each a hollow diamond; empty for none.
    pub marks: Vec<Option<f64>>,
    /// Colour; by position, from Okabe and Ito's, when absent.
    pub colour: Option<Rgb>,
}

impl BarSeries {
    /// Bars without whiskers and diamonds.
    pub fn new(name: impl Into<String>, values: Vec<Option<f64>>) -> Self {
        Self { name: name.into(), values, spread: Vec::new(), marks: Vec::new(), colour: None }
    }

    setters! {
        /// Adds whiskers from value − spread to value + spread.
        with_spread(spread: Vec<Option<f64>>) |it| it.spread = spread;
        /// Adds a diamond at each value to compare with, whether or not there is a bar.
        with_marks(marks: Vec<Option<f64>>) |it| it.marks = marks;
        /// Chooses the colour.
        with_colour(colour: Rgb) |it| it.colour = Some(colour);
    }

    /// Ends of the whisker of a bar.
    fn whisker(&self, category: usize) -> Option<(f64, f64)> {
        let value = self.values[category]?;
        let spread = self.spread.get(category).copied().flatten()?.abs();
        Some((value - spread, value + spread)).filter(|(low, high)| low.is_finite() && high.is_finite())
    }

    fn mark(&self, category: usize) -> Option<f64> {
        self.marks.get(category).copied().flatten()
    }
}

/// Bars in groups over named categories.
///
/// ```
/// use ropinn_plot::{BarSeries, Bars, Figure};
///
/// let bars = Bars::new(["PINN", "QRes"], "relative error")
///     .with_series(BarSeries::new("point", vec![Some(0.98), Some(0.97)]).with_marks(vec![Some(0.981), Some(0.979)]))
///     .with_series(BarSeries::new("region", vec![Some(0.007), None]).with_spread(vec![Some(0.002), None]))
///     .with_mark_name("published")
///     .with_value_labels()
///     .with_log_y();
/// assert!(bars.to_svg_string()?.contains("aria-label=\"not run\""));
/// # Ok::<(), ropinn_plot::PlotError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// Title in bold; empty for none.
    pub title: String,
    /// Smaller line below the title; empty for none.
    pub subtitle: String,
    /// Name of the horizontal axis; empty for none.
    pub x_label: String,
    /// Name of the vertical axis.
    pub y_label: String,
    /// Names below the groups, from left to right.
    pub categories: Vec<String>,
    /// The bars of each group, from left to right.
    pub series: Vec<BarSeries>,
    /// Logarithmic vertical axis; bars stand on its lower end.
    pub log_y: bool,
    /// Writes each value above its bar.
    pub value_labels: bool,
    /// What a diamond stands for, in the legend.
    pub mark_name: String,
    /// Where the names stand.
    pub legend: Legend,
}

headed!(Bars);

impl Bars {
    /// A linear axis without bars.
    pub fn new(categories: impl IntoIterator<Item = impl Into<String>>, y_label: impl Into<String>) -> Self {
        Self {
            title: String::new(),
            subtitle: String::new(),
            x_label: String::new(),
            y_label: y_label.into(),
            categories: categories.into_iter().map(Into::into).collect(),
            series: Vec::new(),
            log_y: false,
            value_labels: false,
            mark_name: "reference".to_owned(),
            legend: Legend::default(),
        }
    }

    setters! {
        /// Names the horizontal axis.
        with_x_label(label: impl Into<String>) |it| it.x_label = label.into();
        /// Adds a bar to every group.
        with_series(series: BarSeries) |it| it.series.push(series);
        /// Makes the vertical axis logarithmic.
        with_log_y() |it| it.log_y = true;
        /// Writes each value above its bar, with three digits.
        with_value_labels() |it| it.value_labels = true;
        /// Says what the diamonds stand for.
        with_mark_name(name: impl Into<String>) |it| it.mark_name = name.into();
        /// Places the names.
        with_legend(legend: Legend) |it| it.legend = legend;
    }

    fn colour(&self, series: usize) -> Rgb {
        self.series[series].colour.unwrap_or(OKABE_ITO[series % OKABE_ITO.len()])
    }

    fn has_marks(&self) -> bool {
        self.series.iter().flat_map(|s| &s.marks).any(Option::is_some)
    }

    fn legend_box(&self) -> LegendBox {
        let shown = self.legend != Legend::Hidden;
        let named = |series: &BarSeries| shown && !series.name.is_empty();
        let bars = self.series.iter().enumerate().filter(|(_, series)| named(series));
        let bars = bars.map(|(k, series)| Entry { name: series.name.clone(), sample: Sample::Bar(self.colour(k)) });
        let diamond =
            (shown && self.has_marks()).then(|| Entry { name: self.mark_name.clone(), sample: Sample::Diamond });
        LegendBox { entries: bars.chain(diamond).collect(), right: self.legend == Legend::Right }
    }

    fn name(&self) -> &str {
        if self.title.is_empty() { &self.y_label } else { &self.title }
    }

    fn check(&self) -> Result<(), PlotError> {
        let expected = self.categories.len();
        for series in &self.series {
            let lists = [("values", &series.values), ("spread", &series.spread), ("marks", &series.marks)];
            for (list, entries) in lists {
                let optional = list != "values";
                if !(optional && entries.is_empty()) {
                    let what = format!("the list of {list} of `{}`", series.name);
                    check_length(&what, entries.len(), expected, "one per category".to_owned())?;
                }
            }
        }
        let anything = |s: &BarSeries| s.values.iter().chain(&s.marks).any(Option::is_some);
        if self.series.iter().any(anything) {
            Ok(())
        } else {
            Err(PlotError::Empty { what: format!("figure `{}`", self.name()) })
        }
    }

    /// The range of bars and diamonds: from zero, or on a logarithmic axis from a decade that leaves the shortest bar
    /// some height. There whiskers may reach below the range, where they are cut.
    fn scale(&self) -> Result<Scale, PlotError> {
        let heights = self.series.iter().flat_map(|s| s.values.iter().chain(&s.marks)).flatten().copied();
        let ends = self.series.iter().flat_map(|s| (0..s.values.len()).filter_map(|k| s.whisker(k)));
        let scale = if self.log_y {
            let least = heights.clone().filter(|v| v.is_finite() && *v > 0.0).fold(f64::INFINITY, f64::min);
            let floor = 10f64.powf((least.log10() - SHORTEST_BAR).floor());
            let scale = Scale::around(heights.chain(ends.map(|(_, high)| high)).chain([floor]), true);
            scale.filter(|_| least.is_finite())
        } else {
            let usable = heights.clone().any(f64::is_finite);
            let ends = ends.flat_map(|(low, high)| [low, high]);
            let scale = Scale::around(heights.chain(ends).chain([0.0]), false);
            scale.filter(|_| usable)
        };
        scale.ok_or_else(|| {
            PlotError::nothing_to_place(format!("`{}` in figure `{}`", self.y_label, self.name()), self.log_y)
        })
    }
}

/// Decades that the shortest bar rises above the lower end of a logarithmic axis, at least.
const SHORTEST_BAR: f64 = 0.18;
