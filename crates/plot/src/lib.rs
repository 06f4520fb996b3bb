//! Pictures of fields and training curves as PNG and SVG, and tables as text.
//!
//! ```text
//! data ──► Figure (FieldFigure, Surface, Isosurfaces, Curves, Bars, Panels) ──draw──► Scene ──► PNG (tiny-skia) or SVG (text)
//! ```
//!
//! A [`Figure`] checks its data, lays itself out with the metrics of a bundled font and leaves a list of marks in a
//! `Scene`; two small back ends turn the same scene into pixels or into SVG. Nothing is asked of the system: no
//! fonts, no network, no C library, and the same data give the same bytes.
//!
//! ```
//! use ropinn_plot::{Axis, FieldFigure, Figure};
//!
//! let nodes: Vec<f64> = (0..=20).map(|k| f64::from(k) / 20.0).collect();
//! let exact: Vec<f64> = nodes.iter().flat_map(|t| nodes.iter().map(move |x| x * t)).collect();
//! let predicted: Vec<f64> = exact.iter().map(|u| u + 1e-3 * (9.0 * u).sin()).collect();
//! let trio = FieldFigure::new(Axis::new("x", nodes.clone()), Axis::new("t", nodes), predicted)
//!     .with_exact(exact)
//!     .with_title("u(x, t) = x t");
//! let svg = trio.to_svg_string()?;
//! assert_eq!(svg.matches("<image").count(), 6); // three fields, three colour bars
//! # Ok::<(), ropinn_plot::PlotError>(())
//! ```
#![forbid(unsafe_code)]

mod axis;
mod bars;
mod braille;
mod cartesian;
mod colour;
mod colour_bar;
mod colour_map;
mod contour;
mod coordinate;
mod curves;
mod decimate;
mod error;
mod field;
mod font;
mod geometry;
mod half_size;
mod heading;
mod isosurface;
#[cfg(test)]
mod layout_tests;
mod legend;
mod numbers;
mod panels;
mod picture;
mod png_file;
mod raster;
mod sampling;
mod scene;
mod setters;
mod surface;
mod svg;
mod table;
mod text_plot;
mod theme;
mod ticks;

pub use bars::{BarSeries, Bars};
pub use colour::{OKABE_ITO, Rgb};
pub use colour_map::ColourMap;
pub use coordinate::Axis;
pub use curves::{Band, Curves, Dash, Rule, Series, SeriesStyle, Trace};
pub use error::PlotError;
pub use field::{Aspect, ContourLevels, ErrorView, FieldFigure, KnownAt, MarkedPoint, Sampling};
pub use geometry::Size;
pub use half_size::half_size;
pub use isosurface::Isosurfaces;
pub use legend::Legend;
pub use numbers::{mean_std, scientific, sig};
pub use panels::Panels;
pub use picture::{Figure, Picture};
pub use scene::Frame;
pub use surface::Surface;
pub use svg::SvgText;
pub use table::{Align, Column, Table};
pub use text_plot::TextPlot;
