//! A wave: its medium and its first shape.

use crate::Function;

/// Where c stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// u_tt = cΔu.
    Plain,
    /// u_tt = ∇·(c∇u).
    Divergence,
}

/// A wave in a square.
#[derive(Clone)]
pub struct Wave<'a> {
    /// Its low corner.
    pub low: [f64; 2],
    /// Its high corner; sides are equal.
    pub high: [f64; 2],
    /// c > 0, the square of the speed; smooth inside each cell.
    pub c: Function<'a>,
    /// Where it stands.
    pub form: Form,
    /// u at t = 0.
    pub initial: Function<'a>,
}
