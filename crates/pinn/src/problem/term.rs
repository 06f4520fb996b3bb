//! One term of a loss: residual expressions, and which points they are taken on.

use ropinn_expr::Expr;

use super::place::Place;
use super::spread::Spread;

/// The name of the equations' term.
pub(super) const EQUATIONS: &str = "residual";

/// What a term of the loss stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TermGroup {
    /// The equations.
    Residual,
    /// Conditions at an instant.
    Initial,
    /// Conditions on the boundary, periodic ones included.
    Boundary,
    /// Observed values.
    Data,
    /// What is assumed of fields to be found.
    Smoothness,
}

/// One term: expressions that must vanish at the same points, each a mean square of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// Name for messages and records: `residual` for the equations, else that of the condition.
    pub name: String,
    /// What it stands for.
    pub group: TermGroup,
    /// The expressions.
    pub residuals: Vec<Expr>,
    /// A name for each expression: that of the equation, the unknown or the column.
    pub labels: Vec<String>,
    /// A factor for each expression, beside that of the whole term: an equation may count for more than others.
    pub label_weights: Vec<f64>,
    /// Coordinates, indexed `[sample][site][axis]`, once they are drawn.
    pub points: Vec<f64>,
    /// Linked points per sample: 2 for the pairs of periodic conditions, else 1.
    pub sites: usize,
    /// Data columns, indexed `[sample][column]`: normals or observed values.
    pub data: Vec<f64>,
    /// Factor in the loss.
    pub weight: f64,
    /// What is known of the noise of readings, if all of them have a level: residuals are in units of it then.
    pub noise: Option<Noise>,
    /// Whether models that see a sequence of instants take this term at the first one only, as initial values do.
    pub first_element_only: bool,
}

impl Term {
    /// A term of weight 1 without points.
    pub(super) fn new(name: String, group: TermGroup, residuals: Vec<(String, Expr)>) -> Self {
        let (labels, residuals): (Vec<_>, Vec<_>) = residuals.into_iter().unzip();
        let (label_weights, points, data) = (vec![1.0; labels.len()], Vec::new(), Vec::new());
        Self {
            name,
            group,
            residuals,
            labels,
            label_weights,
            points,
            sites: 1,
            data,
            weight: 1.0,
            noise: None,
            first_element_only: false,
        }
    }

    /// Multiplies each expression by the root of its weight, where weights of single expressions have no place.
    pub(crate) fn absorb(&mut self, weights: &[f64]) {
        let unequal = self.residuals.iter_mut().zip(weights).filter(|(_, weight)| **weight != 1.0);
        unequal.for_each(|(residual, weight)| *residual = residual.clone() * weight.sqrt());
    }

    /// Whether it compares with values that are known at its own points only.
    pub(crate) fn is_measured(&self) -> bool {
        // At an instant there are no normals, so its data are values.
        self.group == TermGroup::Data || self.group == TermGroup::Initial && !self.data.is_empty()
    }

    /// The number of samples, for `axes` coordinates.
    pub fn samples(&self, axes: usize) -> usize {
        self.points.len() / (self.sites * axes).max(1)
    }
}

/// The noise of the readings of a term: r = (M(u) − y)/σ, of variance 1 for the solution.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// So many of the term's expressions are readings; those after them are what an unknown level adds to the likelihood.
    pub readings: usize,
    /// The levels that are to be found, by their places among the problem's trained numbers.
    pub trained: Vec<usize>,
    /// The sum of 1/σ² over all readings.
    pub precision: f64,
    /// How many times each quantity was read.
    pub rows: usize,
}

/// What made readings are made of.
#[derive(Clone, Debug)]
pub(super) enum MadeOf {
    /// A formula for each.
    Formulas(Vec<Expr>),
    /// The reference of these unknowns.
    Reference(Vec<usize>),
}

/// Which points a term is taken on.
#[derive(Clone, Debug)]
pub(super) enum Support {
    /// Points of the interior, and those of all others if the equations hold everywhere.
    Equations,
    /// Points of these places; normals as data columns if the residuals use them.
    Places { places: Vec<Place>, spread: Option<Spread> },
    /// Pairs of points, the first at the high end of the axis and the second at its low end.
    Pairs { axis: usize, high: Place, low: Place, spread: Option<Spread> },
    /// The points and data it has.
    Given,
    /// Points of the interior with made data, drawn from a seed of their own or from that of the run.
    Made { values: MadeOf, noise: f64, seed: Option<u32>, spread: Option<Spread>, written_at: usize },
}
