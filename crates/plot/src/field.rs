//! Heat maps: predicted, exact and error side by side, or a single field.
//!
//! Predicted and exact share one range, so their colours compare; the error predicted − exact has a range
//! symmetric about zero, so white is exact everywhere.

mod drawing;

use std::cmp::Ordering;

use crate::colour_map::ColourMap;
use crate::error::PlotError;

/// A coordinate: its name and, for every node or point, its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Name shown along the axis.
    pub label: String,
    /// Unit shown in brackets after the name.
    pub unit: Option<String>,
    /// Grid nodes in increasing order, or one coordinate per scattered point.
    pub values: Vec<f64>,
}

impl Axis {
    /// An axis without a unit.
    pub fn new(label: impl Into<String>, values: Vec<f64>) -> Self {
        Self { label: label.into(), unit: None, values }
    }

    /// Names the unit.
    #[must_use]
    pub fn with_unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = Some(unit.into());
        self
    }
}

/// Where the values of a field sit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Sampling {
    /// On every pair of nodes, x fastest: value `j * x.len() + i` is at `(x[i], y[j])`.
    #[default]
    Grid,
    /// Value `k` at `(x[k], y[k])`, drawn as a dot.
    Dots {
        /// Radius of the dots in CSS pixels.
        radius: f64,
    },
    /// Value `k` at `(x[k], y[k])`; places near the points take the value of the nearest one.
    Nearest,
}

/// How the error is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ErrorView {
    /// predicted − exact, on a symmetric range.
    #[default]
    Signed,
    /// |predicted − exact|, from zero.
    Absolute,
}

/// Shape of the panels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Aspect {
    /// As wide and high as the figure allows.
    #[default]
    Fill,
    /// The same length for one unit of x and of y: for domains in space.
    Equal,
}

/// A field over two coordinates; with an exact solution, the trio predicted, exact, error.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldFigure {
    /// Title in bold; empty for none.
    pub title: String,
    /// Smaller line below the title; empty for none.
    pub subtitle: String,
    /// Name of the field, shown above the panels; empty for none.
    pub quantity: String,
    /// Horizontal coordinate.
    pub x: Axis,
    /// Vertical coordinate.
    pub y: Axis,
    /// Where the values sit.
    pub sampling: Sampling,
    /// The values to show.
    pub predicted: Vec<f64>,
    /// Values to compare with.
    pub exact: Option<Vec<f64>>,
    /// How the error panel shows the difference.
    pub error: ErrorView,
    /// Colours of the predicted and exact panels.
    pub map: ColourMap,
    /// Values at the ends of the colours of predicted and exact; the range of the data when absent.
    pub range: Option<(f64, f64)>,
    /// Shape of the panels.
    pub aspect: Aspect,
}

impl FieldFigure {
    /// A single field on a grid.
    pub fn new(x: Axis, y: Axis, predicted: Vec<f64>) -> Self {
        Self {
            title: String::new(),
            subtitle: String::new(),
            quantity: String::new(),
            x,
            y,
            sampling: Sampling::default(),
            predicted,
            exact: None,
            error: ErrorView::default(),
            map: ColourMap::default(),
            range: None,
            aspect: Aspect::default(),
        }
    }

    /// Adds the exact values, and with them the error panel.
    #[must_use]
    pub fn with_exact(mut self, exact: Vec<f64>) -> Self {
        self.exact = Some(exact);
        self
    }

    /// Sets the title.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Sets the line below the title.
    #[must_use]
    pub fn with_subtitle(mut self, subtitle: impl Into<String>) -> Self {
        self.subtitle = subtitle.into();
        self
    }

    /// Names the field.
    #[must_use]
    pub fn with_quantity(mut self, quantity: impl Into<String>) -> Self {
        self.quantity = quantity.into();
        self
    }

    /// Says where the values sit.
    #[must_use]
    pub fn with_sampling(mut self, sampling: Sampling) -> Self {
        self.sampling = sampling;
        self
    }

    /// Chooses the view of the error.
    #[must_use]
    pub fn with_error(mut self, error: ErrorView) -> Self {
        self.error = error;
        self
    }

    /// Chooses the colours of predicted and exact.
    #[must_use]
    pub fn with_map(mut self, map: ColourMap) -> Self {
        self.map = map;
        self
    }

    /// Fixes the values at the ends of the colours.
    #[must_use]
    pub fn with_range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// Chooses the shape of the panels.
    #[must_use]
    pub fn with_aspect(mut self, aspect: Aspect) -> Self {
        self.aspect = aspect;
        self
    }

    fn check(&self) -> Result<(), PlotError> {
        for axis in [&self.x, &self.y] {
            if axis.values.is_empty() {
                return Err(PlotError::Empty { what: format!("axis `{}`", axis.label) });
            }
        }
        let (nx, ny) = (self.x.values.len(), self.y.values.len());
        let (expected, because) = match self.sampling {
            Sampling::Grid => {
                increasing(&self.x)?;
                increasing(&self.y)?;
                (nx * ny, format!("{nx} nodes of `{}` times {ny} of `{}`", self.x.label, self.y.label))
            }
            Sampling::Dots { .. } | Sampling::Nearest => {
                check_length(
                    &format!("axis `{}`", self.y.label),
                    ny,
                    nx,
                    format!("one per value of `{}`", self.x.label),
                )?;
                (nx, "one per point".to_owned())
            }
        };
        check_length("the predicted field", self.predicted.len(), expected, because.clone())?;
        self.exact.as_ref().map_or(Ok(()), |exact| check_length("the exact field", exact.len(), expected, because))
    }
}

fn increasing(axis: &Axis) -> Result<(), PlotError> {
    let fault = axis.values.windows(2).position(|pair| pair[0].partial_cmp(&pair[1]) != Some(Ordering::Less));
    fault.map_or(Ok(()), |k| {
        let (previous, value) = (axis.values[k], axis.values[k + 1]);
        Err(PlotError::NotIncreasing { axis: axis.label.clone(), index: k + 1, previous, value })
    })
}

fn check_length(what: &str, got: usize, expected: usize, because: String) -> Result<(), PlotError> {
    if got == expected { Ok(()) } else { Err(PlotError::Length { what: what.to_owned(), got, expected, because }) }
}
