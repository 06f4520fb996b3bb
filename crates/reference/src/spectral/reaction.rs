//! A reaction: its equations, first values and conditions.

use crate::Function;

/// N at a point (x, y, t) where the unknowns have some values: rates of all of them.
pub type Rates<'a> = &'a (dyn Fn(&[f64; 3], &[f64], &mut [f64]) + Sync);

/// What holds on the sides of the rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// Opposite sides are the same.
    Periodic,
    /// Unknowns vanish; N must be odd about the sides if they are continued oddly, as forces that vanish there are.
    Zero,
}

/// u_i,t = dᵢΔuᵢ + lᵢuᵢ + Nᵢ in a rectangle.
#[derive(Clone)]
pub struct Reaction<'a> {
    /// Its low corner.
    pub low: [f64; 2],
    /// Its high corner.
    pub high: [f64; 2],
    /// Conditions on the sides.
    pub sides: Sides,
    /// dᵢ ≥ 0.
    pub diffusivities: Vec<f64>,
    /// lᵢ; what is left of the linear part may be in N.
    pub linear: Vec<f64>,
    /// N.
    pub rates: Rates<'a>,
    /// Values at t = 0, functions of (x, y).
    pub initial: Vec<Function<'a>>,
}
