//! Laplace's equation in a rectangle with round holes, the values on its boundary known.
//!
//! u = Re Σ_{n ≤ N} aₙ zⁿ + Σ_holes (b log|z − c| + Re Σ_{m ≤ M} d_m ((z − c)/r)⁻ᵐ) solves it whatever the coefficients are, and every
//! solution is of this form (Axler 1986; Trefethen 2018). They are fitted to the boundary values by least squares. What remains
//! there bounds the error everywhere, since the difference of two solutions is largest on the boundary.

use crate::least_squares::least_squares;
use num_complex::Complex64;
use ropinn_expr::{Env, Expr};
use std::f64::consts::{PI, TAU};

/// The largest misfit, relative to the values, with which something can be compared.
const TOLERATED: f64 = 1e-3;
/// Functions that are fitted in about half a minute.
const MOST_FUNCTIONS: usize = 2000;
/// Of [`Rectangle::solve`] where nothing is said: enough for eight digits if values fit at the corners.
pub const USUAL_TERMS: usize = 24;

/// A rectangle with round holes, and the values on its boundary.
#[derive(Clone, Debug, PartialEq)]
pub struct Rectangle {
    low: [f64; 2],
    high: [f64; 2],
    sides: [Expr; 4],
    holes: Vec<Hole>,
}

/// A round hole and the values on its rim.
#[derive(Clone, Debug, PartialEq)]
pub struct Hole {
    /// Its centre.
    pub center: [f64; 2],
    /// Its radius.
    pub radius: f64,
    /// u on its rim.
    pub value: Expr,
}

/// Why there is no such reference, and what to do about it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "messages name every field")]
pub enum LaplaceError {
    /// Another equation.
    #[error("a Laplace reference solves u_xx + u_yy = 0 for one unknown of two coordinates, and nothing else")]
    Equation,
    /// Another domain.
    #[error("a Laplace reference needs a rectangle, less discs that touch neither it nor each other")]
    Shape,
    /// A piece of the boundary without a value.
    #[error("a Laplace reference needs the value of `{unknown}` at {place}; add a condition of kind \"dirichlet\"")]
    Value { unknown: String, place: String },
    /// A number of terms out of bounds.
    #[error(
        "`terms` of the Laplace reference is {terms}, which makes {functions} functions; at least one term and at most {limit} functions are possible"
    )]
    Terms { terms: usize, functions: usize, limit: usize },
    /// Values that are not met.
    #[error(
        "the Laplace reference is not accurate: with {terms} terms it misses the boundary values by {error:.1e} of their size; raise `terms`, or look for values that do not fit at corners"
    )]
    Inaccurate { error: f64, terms: usize },
}

impl Rectangle {
    /// Values on the sides are in the order low x, high x, low y, high y.
    pub fn new(low: [f64; 2], high: [f64; 2], sides: [Expr; 4], holes: Vec<Hole>) -> Result<Self, LaplaceError> {
        let inside = |hole: &Hole| {
            (0..2).all(|k| hole.center[k] - hole.radius > low[k] && hole.center[k] + hole.radius < high[k])
        };
        let apart = |(k, hole): (usize, &Hole)| {
            holes[..k].iter().all(|other| {
                let (x, y) = (hole.center[0] - other.center[0], hole.center[1] - other.center[1]);
                x.hypot(y) > hole.radius + other.radius
            })
        };
        match holes.iter().all(inside) && holes.iter().enumerate().all(apart) {
            true => Ok(Self { low, high, sides, holes }),
            false => Err(LaplaceError::Shape),
        }
    }

    /// Refuses what cannot be, or takes forever.
    pub fn check(&self, terms: usize) -> Result<(), LaplaceError> {
        let holes = self.holes.len();
        let functions = terms.saturating_mul(5 + 2 * holes).saturating_add(1 + holes);
        match terms > 0 && functions <= MOST_FUNCTIONS {
            true => Ok(()),
            false => Err(LaplaceError::Terms { terms, functions, limit: MOST_FUNCTIONS }),
        }
    }

    /// Fits `terms` powers about each hole, and two and a half times as many about the centre.
    ///
    /// ```
    /// use ropinn_expr::Scope;
    /// use ropinn_reference::laplace::{Hole, Rectangle};
    /// let scope = Scope::new(["x", "y"], ["u"])?;
    /// let value = scope.parse("log(x^2 + y^2)")?; // solves the equation around a hole at the origin
    /// let hole = Hole { center: [0.0, 0.0], radius: 0.3, value: value.clone() };
    /// let ring = Rectangle::new([-1.0, -1.0], [1.0, 1.0], [0; 4].map(|_| value.clone()), vec![hole])?;
    /// assert!((ring.solve(8)?.values(&[0.5, 0.0])[0] - 0.25_f64.ln()).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solve(&self, terms: usize) -> Result<Solution, LaplaceError> {
        self.check(terms)?;
        let mut solution = Solution { domain: self.clone(), terms, coefficients: Vec::new(), error: f64::INFINITY };
        // Three points for each coefficient that belongs to a piece.
        let (points, values) = self.boundary(4 * terms, 6 * terms);
        let rows: Vec<Vec<f64>> = points.iter().map(|point| solution.basis(*point)).collect();
        solution.coefficients = least_squares(rows, values);
        let (points, values) = self.boundary(4 * 4 * terms + 1, 4 * 6 * terms + 1);
        let largest = |values: &mut dyn Iterator<Item = f64>| {
            values.fold(0.0, |a: f64, b| if b.is_nan() { b } else { a.max(b.abs()) })
        };
        let missed = largest(&mut points.iter().zip(&values).map(|(point, value)| solution.value(*point) - value));
        let size = largest(&mut values.iter().copied());
        solution.error = if missed == 0.0 { 0.0 } else { missed / size };
        match solution.error < TOLERATED {
            true => Ok(solution),
            false => Err(LaplaceError::Inaccurate { error: solution.error, terms }),
        }
    }

    /// Points and values on the boundary: so many on each side, closer at the corners, and on each rim.
    fn boundary(&self, on_side: usize, on_rim: usize) -> (Vec<[f64; 2]>, Vec<f64>) {
        let between = |k: usize, s: f64| self.low[k] + s * (self.high[k] - self.low[k]);
        let along = (0..on_side).map(|j| 0.5 - 0.5 * (PI * (j as f64 + 0.5) / on_side as f64).cos());
        let side = |k: usize| {
            let (axis, end) = (k / 2, if k.is_multiple_of(2) { self.low[k / 2] } else { self.high[k / 2] });
            along
                .clone()
                .map(move |s| (if axis == 0 { [end, between(1, s)] } else { [between(0, s), end] }, &self.sides[k]))
        };
        let rim = |hole: &'_ Hole| {
            let Hole { center, radius, .. } = *hole;
            (0..on_rim).map(move |j| {
                let (sine, cosine) = (TAU * j as f64 / on_rim as f64).sin_cos();
                [center[0] + radius * cosine, center[1] + radius * sine]
            })
        };
        let rims = self.holes.iter().flat_map(|hole| rim(hole).map(|point| (point, &hole.value)));
        let placed: Vec<([f64; 2], &Expr)> = (0..4).flat_map(side).chain(rims).collect();
        let values = placed.iter().map(|(point, value)| value.eval(&Env::at(point))).collect();
        (placed.into_iter().map(|(point, _)| point).collect(), values)
    }
}

/// u as a sum of harmonic functions.
#[derive(Clone, Debug)]
pub struct Solution {
    domain: Rectangle,
    terms: usize,
    coefficients: Vec<f64>,
    error: f64,
}

impl Solution {
    /// The largest difference from the boundary values, relative to the largest of them: a bound for the error anywhere.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// Values at points `[point](x, y)`.
    pub fn values(&self, points: &[f64]) -> Vec<f64> {
        points.chunks_exact(2).map(|point| self.value([point[0], point[1]])).collect()
    }

    fn value(&self, point: [f64; 2]) -> f64 {
        self.basis(point).iter().zip(&self.coefficients).map(|(function, factor)| function * factor).sum()
    }

    /// The functions at a point, none much larger than one.
    fn basis(&self, [x, y]: [f64; 2]) -> Vec<f64> {
        let Rectangle { low, high, holes, .. } = &self.domain;
        let mut functions = vec![1.0];
        let mut powers = |z: Complex64, count: usize| {
            let mut power = Complex64::ONE;
            for _ in 0..count {
                power *= z;
                functions.extend([power.re, power.im]);
            }
        };
        let half = Complex64::new(high[0] - low[0], high[1] - low[1]) / 2.0;
        let centre = Complex64::new(low[0], low[1]) + half;
        powers((Complex64::new(x, y) - centre) / half.norm(), 5 * self.terms / 2);
        let about = |hole: &Hole| Complex64::new(x - hole.center[0], y - hole.center[1]) / hole.radius;
        holes.iter().for_each(|hole| powers(about(hole).inv(), self.terms));
        functions.extend(holes.iter().map(|hole| about(hole).norm().ln()));
        functions
    }
}
