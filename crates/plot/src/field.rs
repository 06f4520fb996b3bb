//! Heat maps: predicted, exact and error side by side, or a single field.
//!
//! The predicted field may be on a grid of its own, cut by the edge of a domain, and what it is compared with at other places.
//!
//! Predicted and exact share one range, so their colours compare; the error predicted − exact has a range
//! symmetric about zero, so white is exact everywhere.

mod contours;
mod drawing;

use crate::colour_map::ColourMap;
use crate::coordinate::{Axis, check_grid, check_length, check_not_empty};
use crate::error::PlotError;
use crate::heading::headed;
use crate::setters::setters;

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

/// Where contour lines run.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ContourLevels {
    /// At the values labelled on the colour bar, and between decades where those are few.
    #[default]
    Ticks,
    /// At these values.
    At(Vec<f64>),
}

/// A place to point out, such as the minimum of a loss.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkedPoint {
    /// Horizontal coordinate.
    pub x: f64,
    /// Vertical coordinate.
    pub y: f64,
    /// Words beside the marker; empty for none.
    pub label: String,
}

/// Places where values to compare with are known, if they are not those of the predicted field.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownAt {
    /// Horizontal coordinates of the nodes or points.
    pub x: Vec<f64>,
    /// Vertical coordinates.
    pub y: Vec<f64>,
    /// Where the values sit.
    pub sampling: Sampling,
    /// The predicted values there; the error is theirs.
    pub predicted: Vec<f64>,
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
    /// What they are called.
    pub exact_name: String,
    /// Where they are known, if elsewhere.
    pub known_at: Option<KnownAt>,
    /// Signed distances of the nodes from the edge of the domain, negative inside: what is outside stays blank.
    pub edge: Option<Vec<f64>>,
    /// Places to be dotted, such as those of sensors.
    pub sensors: Vec<(f64, f64)>,
    /// Lines over the predicted values, such as those along a flow, each with an arrow in its middle.
    pub streamlines: Vec<Vec<(f64, f64)>>,
    /// How the error panel shows the difference.
    pub error: ErrorView,
    /// Largest error the colours can tell, so that several figures compare; the largest there is when absent.
    pub error_range: Option<f64>,
    /// Colours of the predicted and exact panels.
    pub map: ColourMap,
    /// Values at the ends of the colours of predicted and exact; the range of the data when absent.
    pub range: Option<(f64, f64)>,
    /// Shape of the panels.
    pub aspect: Aspect,
    /// Logarithmic colours of predicted and exact; values that are not positive count as missing.
    pub log_colours: bool,
    /// Contour lines of predicted and exact.
    pub contours: Option<ContourLevels>,
    /// A diamond on every panel.
    pub marked: Option<MarkedPoint>,
}

headed!(FieldFigure);

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
            exact_name: "Exact".to_owned(),
            known_at: None,
            edge: None,
            sensors: Vec::new(),
            streamlines: Vec::new(),
            error: ErrorView::default(),
            error_range: None,
            map: ColourMap::default(),
            range: None,
            aspect: Aspect::default(),
            log_colours: false,
            contours: None,
            marked: None,
        }
    }

    setters! {
        /// Adds the exact values, and with them the error panel.
        with_exact(exact: Vec<f64>) |it| it.exact = Some(exact);
        /// Calls the values to compare with something else, such as "Reference".
        with_exact_name(name: impl Into<String>) |it| it.exact_name = name.into();
        /// Says that the values to compare with are known at other places.
        with_known_at(places: KnownAt) |it| it.known_at = Some(places);
        /// Cuts the field at the edge of a domain: a signed distance for each node, negative inside.
        with_edge(distances: Vec<f64>) |it| it.edge = Some(distances);
        /// Dots places such as those of sensors.
        with_sensors(places: Vec<(f64, f64)>) |it| it.sensors = places;
        /// Draws lines along a flow.
        with_streamlines(lines: Vec<Vec<(f64, f64)>>) |it| it.streamlines = lines;
        /// Names the field.
        with_quantity(quantity: impl Into<String>) |it| it.quantity = quantity.into();
        /// Says where the values sit.
        with_sampling(sampling: Sampling) |it| it.sampling = sampling;
        /// Chooses the view of the error.
        with_error(error: ErrorView) |it| it.error = error;
        /// Fixes the largest error the colours can tell.
        with_error_range(largest: f64) |it| it.error_range = Some(largest);
        /// Chooses the colours of predicted and exact.
        with_map(map: ColourMap) |it| it.map = map;
        /// Fixes the values at the ends of the colours.
        with_range(low: f64, high: f64) |it| it.range = Some((low, high));
        /// Chooses the shape of the panels.
        with_aspect(aspect: Aspect) |it| it.aspect = aspect;
        /// Makes the colours of predicted and exact logarithmic.
        with_log_colours() |it| it.log_colours = true;
        /// Adds contour lines; the values must be on a grid.
        ///
        /// ```
        /// use ropinn_plot::{Axis, ContourLevels, FieldFigure, Figure};
        ///
        /// let nodes: Vec<f64> = (-20..=20).map(|k| f64::from(k) / 200.0).collect();
        /// let loss = nodes.iter().flat_map(|b| nodes.iter().map(move |a| 1e-4 + 40.0 * a * a + 3.0 * b * b)).collect();
        /// let figure = FieldFigure::new(Axis::new("α", nodes.clone()), Axis::new("β", nodes), loss)
        ///     .with_log_colours()
        ///     .with_contours(ContourLevels::At(vec![1e-3, 1e-2, 1e-1]))
        ///     .with_marked_point(0.0, 0.0, "trained");
        /// assert!(figure.to_svg_string()?.contains("aria-label=\"trained\""));
        /// # Ok::<(), ropinn_plot::PlotError>(())
        /// ```
        with_contours(levels: ContourLevels) |it| it.contours = Some(levels);
        /// Puts a diamond and a label at a place; outside the axes neither shows.
        with_marked_point(x: f64, y: f64, label: impl Into<String>) |it| it.marked = Some(MarkedPoint { x, y, label: label.into() });
    }

    fn check(&self) -> Result<(), PlotError> {
        self.check_contours()?;
        let (expected, because) = expected(&self.x, &self.y, self.sampling)?;
        check_length("the predicted field", self.predicted.len(), expected, because.clone())?;
        if let Some(edge) = &self.edge {
            check_length("the distances from the edge", edge.len(), expected, because.clone())?;
        }
        let (expected, because) = match &self.known_at {
            Some(KnownAt { x, y, sampling, predicted }) => {
                let axis = |label: &str, values: &[f64]| Axis::new(label, values.to_vec());
                let own = self::expected(&axis(&self.x.label, x), &axis(&self.y.label, y), *sampling)?;
                check_length("the prediction to compare", predicted.len(), own.0, own.1.clone())?;
                own
            }
            None => (expected, because),
        };
        self.exact.as_ref().map_or(Ok(()), |exact| check_length("the exact field", exact.len(), expected, because))
    }
}

/// How many values belong on these places, and why.
fn expected(x: &Axis, y: &Axis, sampling: Sampling) -> Result<(usize, String), PlotError> {
    check_not_empty(x)?;
    check_not_empty(y)?;
    match sampling {
        Sampling::Grid => check_grid(x, y),
        Sampling::Dots { .. } | Sampling::Nearest => {
            let (nx, ny) = (x.values.len(), y.values.len());
            check_length(&format!("axis `{}`", y.label), ny, nx, format!("one per value of `{}`", x.label))?;
            Ok((nx, "one per point".to_owned()))
        }
    }
}

impl FieldFigure {
    fn check_contours(&self) -> Result<(), PlotError> {
        let Some(levels) = &self.contours else { return Ok(()) };
        if self.sampling != Sampling::Grid {
            let axes = [&self.x, &self.y].map(|axis| axis.label.clone());
            return Err(PlotError::ScatteredContours { axes });
        }
        let what = || "the list of contour levels".to_owned();
        match levels {
            ContourLevels::At(values) if values.is_empty() => Err(PlotError::Empty { what: what() }),
            ContourLevels::At(values) if !values.iter().any(|v| v.is_finite()) => {
                Err(PlotError::NothingFinite { what: what() })
            }
            _ => Ok(()),
        }
    }
}
