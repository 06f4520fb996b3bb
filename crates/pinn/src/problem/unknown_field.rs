//! Fields to be found: coefficients and sources that are functions of some coordinates, each a network of its own.
//!
//! A field is one more unknown in equations, conditions, readings and references; what it is not a function of it cannot depend
//! on. Nothing but readings determines it, and they determine smooth fields only; a weight w adds to the loss
//!
//! | smooth | w · mean of |
//! |---|---|
//! | gradient (Tikhonov) | Σ (∂a/∂x_k)² |
//! | total variation | √(Σ (∂a/∂x_k)² + 10⁻⁶) |

use ropinn_engine::Activation;
use ropinn_expr::{Expr, MultiIndex, Scope};

use super::error::ProblemError;
use super::named::Named;
use super::source::Source;
use super::term::{Term, TermGroup};

/// Keeps the root of the total variation smooth where a field is flat.
const FLAT: f64 = 1e-6;

/// A field to be found, with the size of its network.
#[derive(Clone, Debug, PartialEq)]
pub struct UnknownField {
    /// Its name.
    pub name: String,
    /// The coordinates it is a function of.
    pub axes: Vec<usize>,
    /// Units per hidden layer.
    pub width: usize,
    /// Hidden layers.
    pub depth: usize,
    /// Activation of the hidden layers.
    pub activation: Activation,
    /// Whether it is eᴺ of its network N instead of N, and so always above zero.
    pub positive: bool,
}

/// What a smooth field is, and how much it counts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Smoothness {
    /// Mean square of the gradient.
    Gradient(f64),
    /// Mean size of the gradient, which allows for jumps.
    TotalVariation(f64),
}

/// What is said of a field to be found: at least which coordinates it is a function of.
///
/// ```
/// use ropinn::problem::{SoughtField, Smoothness};
/// let conductivity = SoughtField::of(["x", "y"]).positive().sized(50, 5).smooth(Smoothness::Gradient(1e-4));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SoughtField {
    pub(super) of: Vec<Named<()>>,
    pub(super) width: usize,
    pub(super) depth: usize,
    pub(super) activation: Activation,
    pub(super) positive: bool,
    pub(super) smooth: Option<Smoothness>,
}

impl SoughtField {
    /// A field over these coordinates: three layers of 32 units.
    pub fn of<C: Into<String>>(coordinates: impl IntoIterator<Item = C>) -> Self {
        let named = |name: C| Named { name: name.into(), value: (), written_at: 0 };
        let of = coordinates.into_iter().map(named).collect();
        Self { of, width: 32, depth: 3, activation: Activation::Tanh, positive: false, smooth: None }
    }

    /// Another size of its network.
    pub fn sized(self, width: usize, depth: usize) -> Self {
        Self { width, depth, ..self }
    }

    /// Another activation than tanh.
    pub fn activated(self, activation: Activation) -> Self {
        Self { activation, ..self }
    }

    /// Above zero everywhere.
    pub fn positive(self) -> Self {
        Self { positive: true, ..self }
    }

    /// With a weight on what is not smooth.
    pub fn smooth(self, smoothness: Smoothness) -> Self {
        Self { smooth: Some(smoothness), ..self }
    }

    /// Finds its coordinates; its name is that of an unknown already.
    pub(super) fn resolve(
        &self,
        named: &Named<SoughtField>,
        scope: &Scope,
        source: &Source,
    ) -> Result<UnknownField, ProblemError> {
        let name = named.name.clone();
        let mut axes = Vec::new();
        for coordinate in &self.of {
            let at = || source.position(coordinate.written_at);
            let axis = scope.coord(&coordinate.name).map_err(|error| ProblemError::Name { source: error }.at(at()))?;
            if axes.contains(&axis.index()) {
                let what = "coordinates of one field";
                return Err(ProblemError::Duplicate { what, name: coordinate.name.clone() }.at(at()));
            }
            axes.push(axis.index());
        }
        if axes.is_empty() {
            let all = scope.coord_names().join("\", \"");
            let section = format!("[fields.{name}]");
            let error = ProblemError::MissingKey { section, key: "of", example: format!("of = [\"{all}\"]") };
            return Err(error.at(source.position(named.written_at)));
        }
        if let Some(weight) = self.weight().filter(|weight| !(*weight >= 0.0 && weight.is_finite())) {
            let what = format!("the smoothness of field `{name}`");
            return Err(ProblemError::BadWeight { what, weight }.at(source.position(named.written_at)));
        }
        let Self { width, depth, activation, positive, .. } = *self;
        Ok(UnknownField { name, axes, width, depth, activation, positive })
    }

    fn weight(&self) -> Option<f64> {
        self.smooth.map(|(Smoothness::Gradient(weight) | Smoothness::TotalVariation(weight))| weight)
    }

    /// What its smoothness adds to the loss, for the unknown of that number.
    pub(super) fn smoothness(&self, own: &UnknownField, number: usize, scope: &Scope) -> Option<Term> {
        let (slope, weight) = (|axis: usize| Expr::unknown(number, MultiIndex::unit(axis)), self.weight()?);
        let residuals = match self.smooth? {
            Smoothness::Gradient(_) => {
                let label = |axis: usize| format!("{}_{}", own.name, scope.coord_names()[axis]);
                own.axes.iter().map(|&axis| (label(axis), slope(axis))).collect()
            }
            Smoothness::TotalVariation(_) => {
                let square = Expr::sum(own.axes.iter().map(|&axis| slope(axis).powi(2))) + FLAT;
                vec![(own.name.clone(), square.sqrt().sqrt())]
            }
        };
        let mut term = Term::new(format!("smooth {}", own.name), TermGroup::Smoothness, residuals);
        term.weight = weight;
        Some(term)
    }
}
