//! Sizes, greys and distances shared by all figures, in CSS pixels.

use crate::colour::{Rgb, lightness};

pub(crate) const INK: Rgb = Rgb::from_hex(0x1f2328);
pub(crate) const MUTED: Rgb = Rgb::from_hex(0x59636e);
pub(crate) const FRAME: Rgb = Rgb::from_hex(0x3d444d);
pub(crate) const GRID: Rgb = Rgb::from_hex(0xe4e7eb);
pub(crate) const PAPER: Rgb = Rgb::from_hex(0xffffff);
/// Places of a field without a finite value.
pub(crate) const MISSING: Rgb = Rgb::from_hex(0xd5d8dc);

pub(crate) const TITLE: f64 = 16.0;
pub(crate) const SUBTITLE: f64 = 12.0;
pub(crate) const PANEL_TITLE: f64 = 12.5;
pub(crate) const AXIS_LABEL: f64 = 12.0;
pub(crate) const TICK_LABEL: f64 = 11.0;

/// Space around a whole picture.
pub(crate) const MARGIN: f64 = 14.0;
pub(crate) const TICK: f64 = 4.0;
pub(crate) const MINOR_TICK: f64 = 2.5;
/// Between a tick and its label.
pub(crate) const TICK_GAP: f64 = 3.5;
/// Between tick labels and the axis label.
pub(crate) const LABEL_GAP: f64 = 6.0;
pub(crate) const HAIRLINE: f64 = 1.0;
pub(crate) const CURVE: f64 = 1.8;
/// Of the dots on a curve and of the points of a scatter plot.
pub(crate) const DOT_RADIUS: f64 = 2.6;
/// From the middle of a diamond to its corners, and the width of its rim.
pub(crate) const DIAMOND_RADIUS: f64 = 4.2;
pub(crate) const DIAMOND_RIM: f64 = 1.2;

impl Rgb {
    /// Ink or paper, whichever is read more easily on this colour.
    pub(crate) fn contrasting(self) -> Self {
        if lightness(self) > 0.6 { INK } else { PAPER }
    }
}
