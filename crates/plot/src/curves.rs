//! Curves against a common axis: loss per term, error and region size over iterations.

mod drawing;
mod labels;
mod series;

pub use series::{Band, Dash, Series, SeriesStyle, Trace};

use crate::axis::Scale;
use crate::coordinate::check_length;
use crate::error::PlotError;
use crate::heading::headed;
use crate::legend::{Entry, Legend, LegendBox, Sample};
use crate::setters::setters;

/// A thin labelled line across the plot, such as a change of optimizer or a target.
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// At a place on the horizontal axis.
    AtX(f64, String),
    /// At a place on the vertical axis.
    AtY(f64, String),
}

/// Curves over one pair of axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Curves {
    /// Title in bold; empty for none.
    pub title: String,
    /// Smaller line below the title; empty for none.
    pub subtitle: String,
    /// Name of the horizontal axis.
    pub x_label: String,
    /// Name of the vertical axis.
    pub y_label: String,
    /// Logarithmic horizontal axis.
    pub log_x: bool,
    /// Logarithmic vertical axis.
    pub log_y: bool,
    /// The curves, first drawn first.
    pub series: Vec<Series>,
    /// Lines across the plot.
    pub rules: Vec<Rule>,
    /// Where the names stand.
    pub legend: Legend,
}

headed!(Curves);

impl Curves {
    /// Linear axes without curves.
    pub fn new(x_label: impl Into<String>, y_label: impl Into<String>) -> Self {
        Self {
            title: String::new(),
            subtitle: String::new(),
            x_label: x_label.into(),
            y_label: y_label.into(),
            log_x: false,
            log_y: false,
            series: Vec::new(),
            rules: Vec::new(),
            legend: Legend::default(),
        }
    }

    setters! {
        /// Makes the horizontal axis logarithmic.
        with_log_x() |it| it.log_x = true;
        /// Makes the vertical axis logarithmic.
        with_log_y() |it| it.log_y = true;
        /// Adds a curve.
        with_series(series: Series) |it| it.series.push(series);
        /// Adds a line across the plot.
        with_rule(rule: Rule) |it| it.rules.push(rule);
        /// Places the names.
        with_legend(legend: Legend) |it| it.legend = legend;
    }

    /// A single unnamed or only curve needs no legend when the axis already names it.
    fn legend_box(&self) -> LegendBox {
        let shown = self.legend != Legend::Hidden && self.series.iter().any(|s| !s.name.is_empty());
        let entries = self.series.iter().enumerate().filter(|_| shown).map(|(k, Series { name, style, .. })| Entry {
            name: name.clone(),
            sample: Sample::Curve { stroke: style.stroke(k), line: style.has_line(), dots: style.has_dots() },
        });
        LegendBox { entries: entries.collect(), right: self.legend == Legend::Right }
    }

    fn check(&self) -> Result<(), PlotError> {
        if self.series.iter().all(|series| series.points.is_empty()) {
            return Err(PlotError::Empty { what: format!("figure `{}`", self.name()) });
        }
        for series in &self.series {
            let per_point = |list: &str, got: usize| {
                let what = format!("the {list} of `{}`", series.name);
                check_length(&what, got, series.points.len(), "one per point".to_owned())
            };
            if let Some(band) = &series.band {
                per_point("lower edge of the band", band.lower.len())?;
                per_point("upper edge of the band", band.upper.len())?;
            }
            if !series.labels.is_empty() {
                per_point("list of labels", series.labels.len())?;
            }
        }
        Ok(())
    }

    fn name(&self) -> &str {
        if self.title.is_empty() { &self.y_label } else { &self.title }
    }

    fn scales(&self) -> Result<(Scale, Scale), PlotError> {
        let unusable = |label: &str, log: bool| {
            let what = format!("`{label}` in figure `{}`", self.name());
            PlotError::nothing_to_place(what, log)
        };
        // A point counts only when both of its coordinates can be placed.
        let places = Scale::places;
        let points = || self.series.iter().flat_map(|s| &s.points);
        let xs = points().filter(|p| places(p.1, self.log_y)).map(|p| p.0);
        let bands = self.series.iter().filter_map(|s| Some((s, s.band.as_ref()?)));
        let edges = bands.flat_map(|(s, band)| {
            let own = s.points.iter().zip(band.lower.iter().zip(&band.upper));
            own.filter(|(p, _)| places(p.0, self.log_x)).flat_map(|(_, (&lower, &upper))| [lower, upper])
        });
        let ys = points().filter(|p| places(p.0, self.log_x)).map(|p| p.1).chain(edges);
        let y = Scale::around(ys, self.log_y).ok_or_else(|| unusable(&self.y_label, self.log_y))?;
        let x = Scale::around(xs, self.log_x).ok_or_else(|| unusable(&self.x_label, self.log_x))?;
        // Lines may start at the axis; dots would be cut by it.
        let dots = self.series.iter().all(|s| !s.style.has_line());
        Ok((if dots { x.padded(0.04) } else { x }, y.padded(0.04)))
    }
}
