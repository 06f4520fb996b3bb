//! One curve and its looks.

use crate::colour::{OKABE_ITO, Rgb};
use crate::scene::Stroke;
use crate::setters::setters;
use crate::theme::CURVE;

/// Pattern of a line, so that curves differ in black and white too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dash {
    /// Unbroken.
    Solid,
    /// Even dashes.
    Dashed,
    /// A dash, a dot.
    DashDot,
    /// Dots.
    Dotted,
    /// Long dashes.
    LongDash,
}

impl Dash {
    const ALL: [Self; 5] = [Self::Solid, Self::Dashed, Self::DashDot, Self::Dotted, Self::LongDash];

    fn lengths(self) -> &'static [f64] {
        match self {
            Self::Solid => &[],
            Self::Dashed => &[6.0, 2.6],
            Self::DashDot => &[8.0, 2.4, 1.8, 2.4],
            Self::Dotted => &[1.8, 2.0],
            Self::LongDash => &[13.0, 3.0],
        }
    }
}

/// What stands for the points of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trace {
    /// A line through them.
    #[default]
    Line,
    /// A dot on each.
    Dots,
    /// Both.
    LineWithDots,
}

/// Looks of a series; what is absent is chosen by its position, from Okabe and Ito's colours and five dash patterns.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SeriesStyle {
    /// Line, dots or both.
    pub trace: Trace,
    /// Colour.
    pub colour: Option<Rgb>,
    /// Pattern of the line.
    pub dash: Option<Dash>,
    /// Width of the line in CSS pixels.
    pub width: Option<f64>,
}

/// A shaded range around a series, such as mean ± standard deviation.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    /// Lower edge at each point.
    pub lower: Vec<f64>,
    /// Upper edge at each point.
    pub upper: Vec<f64>,
}

/// One curve. Points that cannot be placed (NaN, infinite, or not positive on a logarithmic axis) leave a gap.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Points in drawing order.
    pub points: Vec<(f64, f64)>,
    /// Looks.
    pub style: SeriesStyle,
    /// Shaded range.
    pub band: Option<Band>,
    /// A few words beside each point, where there is room; empty for none.
    pub labels: Vec<String>,
}

impl Series {
    /// A curve with default looks.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, style: SeriesStyle::default(), band: None, labels: Vec::new() }
    }

    setters! {
        /// Sets the looks.
        with_style(style: SeriesStyle) |it| it.style = style;
        /// Shades the range between two curves at the same x.
        with_band(lower: Vec<f64>, upper: Vec<f64>) |it| it.band = Some(Band { lower, upper });
        /// Writes a few words beside each point; an empty string for none.
        ///
        /// ```
        /// use ropinn_plot::{Curves, Figure, Series, SeriesStyle, Trace};
        ///
        /// let dots = SeriesStyle { trace: Trace::Dots, ..SeriesStyle::default() };
        /// let series = Series::new("networks", vec![(2.0, 1e-2), (9.0, 1e-4)])
        ///     .with_style(dots)
        ///     .with_labels(vec!["n=9".to_owned(), "n=64".to_owned()]);
        /// let svg = Curves::new("seconds", "error").with_log_y().with_series(series).to_svg_string()?;
        /// assert!(svg.contains("aria-label=\"n=64\""));
        /// # Ok::<(), ropinn_plot::PlotError>(())
        /// ```
        with_labels(labels: Vec<String>) |it| it.labels = labels;
    }
}

impl SeriesStyle {
    pub(crate) fn has_line(&self) -> bool {
        self.trace != Trace::Dots
    }

    pub(crate) fn has_dots(&self) -> bool {
        self.trace != Trace::Line
    }

    /// The pen of the series at this position in the figure.
    pub(crate) fn stroke(&self, position: usize) -> Stroke {
        let dash = self.dash.unwrap_or(Dash::ALL[position % Dash::ALL.len()]);
        Stroke {
            colour: self.colour.unwrap_or(OKABE_ITO[position % OKABE_ITO.len()]),
            width: self.width.unwrap_or(CURVE),
            dashes: dash.lengths(),
            round: dash == Dash::Solid,
        }
    }
}
