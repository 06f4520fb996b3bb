//! A surface z(x, y) seen from the side, as filled and shaded quads in a box with ticks.

mod drawing;
pub(crate) mod frame;
mod quads;
pub(crate) mod view;

use crate::axis::Scale;
use crate::colour_map::ColourMap;
use crate::coordinate::{Axis, check_grid, check_length, check_not_empty};
use crate::error::PlotError;
use crate::heading::headed;
use crate::setters::setters;

/// A surface over a grid: value `j * x.len() + i` is the height at `(x[i], y[j])`. Cells with a corner that cannot be
/// placed (NaN, infinite, or not positive on a logarithmic axis) are left out.
///
/// At most 64 × 64 quads are drawn, through every k-th node and the last, so that an SVG stays small.
///
/// ```
/// use ropinn_plot::{Axis, Figure, Panels, Surface};
///
/// let nodes: Vec<f64> = (-20..=20).map(|k| f64::from(k) / 200.0).collect();
/// let bowl = |sharpness: f64| {
///     let loss = nodes.iter().flat_map(|b| nodes.iter().map(move |a| 1e-4 + sharpness * a * a + b * b)).collect();
///     Surface::new(Axis::new("α", nodes.clone()), Axis::new("β", nodes.clone()), "loss", loss)
///         .with_log_z()
///         .with_range(1e-4, 1.0)
/// };
/// let pair = Panels::in_columns("Two minima", 2)
///     .with(bowl(40.0).with_title("sharp"))
///     .with(bowl(2.0).with_title("flat"));
/// assert!(pair.to_svg_string()?.len() < 2_000_000);
/// # Ok::<(), ropinn_plot::PlotError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// Title in bold; empty for none.
    pub title: String,
    /// Smaller line below the title; empty for none.
    pub subtitle: String,
    /// First horizontal coordinate.
    pub x: Axis,
    /// Second horizontal coordinate.
    pub y: Axis,
    /// Name of the vertical axis.
    pub z_label: String,
    /// Heights, x fastest.
    pub values: Vec<f64>,
    /// Logarithmic heights and colours.
    pub log_z: bool,
    /// Lower end of heights and colours, where lower values are drawn flat; that of the data when absent.
    pub floor: Option<f64>,
    /// Upper end of heights and colours, where higher values are drawn flat; that of the data when absent.
    pub cap: Option<f64>,
    /// Colours by height.
    pub map: ColourMap,
    /// Where the viewer stands, in degrees: at 0° on the side of large x, at 90° on that of large y.
    pub azimuth: f64,
    /// How far above the horizon the viewer stands, in degrees from 5 to 85.
    pub elevation: f64,
}

headed!(Surface);

impl Surface {
    /// A linear surface over a grid, seen from the side of small x and y.
    pub fn new(x: Axis, y: Axis, z_label: impl Into<String>, values: Vec<f64>) -> Self {
        Self {
            title: String::new(),
            subtitle: String::new(),
            x,
            y,
            z_label: z_label.into(),
            values,
            log_z: false,
            floor: None,
            cap: None,
            map: ColourMap::default(),
            azimuth: -55.0,
            elevation: 30.0,
        }
    }

    setters! {
        /// Makes heights and colours logarithmic.
        with_log_z() |it| it.log_z = true;
        /// Cuts the surface off flat at a height.
        with_cap(cap: f64) |it| it.cap = Some(cap);
        /// Fixes both ends of heights and colours, so that surfaces side by side compare.
        with_range(low: f64, high: f64) |it| (it.floor, it.cap) = (Some(low), Some(high));
        /// Chooses the colours.
        with_map(map: ColourMap) |it| it.map = map;
        /// Looks from another side: azimuth and elevation in degrees.
        with_view(azimuth: f64, elevation: f64) |it| (it.azimuth, it.elevation) = (azimuth, elevation);
    }

    fn check(&self) -> Result<(), PlotError> {
        for axis in [&self.x, &self.y] {
            check_not_empty(axis)?;
            if axis.values.len() < 2 {
                let because = "a surface has at least two nodes each way".to_owned();
                check_length(&format!("axis `{}`", axis.label), axis.values.len(), 2, because)?;
            }
        }
        let (expected, because) = check_grid(&self.x, &self.y)?;
        check_length("the surface", self.values.len(), expected, because)?;
        let Self { azimuth, elevation, .. } = *self;
        if azimuth.is_finite() && (5.0..=85.0).contains(&elevation) {
            Ok(())
        } else {
            Err(PlotError::View { azimuth, elevation })
        }
    }

    fn z_scale(&self) -> Result<Scale, PlotError> {
        let scale = Scale::between(self.floor, self.cap, self.values.iter().copied(), self.log_z);
        scale.ok_or_else(|| self.unusable())
    }

    fn unusable(&self) -> PlotError {
        let what = format!("`{}` over `{}` and `{}`", self.z_label, self.x.label, self.y.label);
        PlotError::nothing_to_place(what, self.log_z)
    }
}
