//! What a model is built for.

use crate::problem::UnknownField;
use ropinn_expr::Expr;

/// What a model must know of the problem it is built for.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelInputs {
    /// Number of coordinates, e.g. 2 for (x, t).
    pub coordinates: usize,
    /// Number of unknowns.
    pub unknowns: usize,
    /// Range of each coordinate, for models that normalise their input.
    pub ranges: Vec<(f64, f64)>,
    /// Seed of what is random but not trained: the frequencies of Fourier features.
    pub seed: u64,
    /// Which coordinates are periodic over their range by construction; none, or one entry for each.
    pub periodic: Vec<bool>,
    /// Conditions the network satisfies by construction.
    pub hard_constraint: Option<HardConstraint>,
    /// The last of the unknowns that are functions of some coordinates only, each with a network of its own.
    pub fields: Vec<UnknownField>,
    /// Intervals of the last coordinate, which is time, each with a network of its own; none for a single network.
    pub pieces: Vec<Piece>,
}

/// An interval of time with a network of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Its first and last instant, for models that normalise their input.
    pub range: (f64, f64),
    /// Conditions its network satisfies by construction.
    pub hard_constraint: Option<HardConstraint>,
}

impl ModelInputs {
    /// No ranges, seed 0, nothing by construction.
    pub fn new(coordinates: usize, unknowns: usize) -> Self {
        let (ranges, periodic, pieces) = (Vec::new(), Vec::new(), Vec::new());
        Self { coordinates, unknowns, ranges, seed: 0, periodic, hard_constraint: None, fields: Vec::new(), pieces }
    }
}

impl ModelInputs {
    /// The periods of the coordinates that have one.
    pub(super) fn periods(&self) -> Vec<Option<(f64, f64)>> {
        self.ranges.iter().zip(&self.periodic).map(|(&range, &periodic)| periodic.then_some(range)).collect()
    }

    /// What is left to the network of the solution.
    pub(super) fn without_fields(&self) -> Self {
        let unknowns = self.unknowns - self.fields.len();
        let short = |constraint: &Option<HardConstraint>| {
            let mut constraint = constraint.clone();
            for HardConstraint { g, d } in constraint.iter_mut() {
                g.truncate(unknowns);
                d.truncate(unknowns);
            }
            constraint
        };
        let piece = |piece: &Piece| Piece { range: piece.range, hard_constraint: short(&piece.hard_constraint) };
        Self {
            unknowns,
            hard_constraint: short(&self.hard_constraint),
            pieces: self.pieces.iter().map(piece).collect(),
            fields: Vec::new(),
            ..self.clone()
        }
    }

    /// What a single network is built for in one of the pieces.
    pub(super) fn during(&self, piece: &Piece) -> Self {
        let mut own = Self { hard_constraint: piece.hard_constraint.clone(), pieces: Vec::new(), ..self.clone() };
        own.ranges.last_mut().into_iter().for_each(|time| *time = piece.range);
        own
    }

    /// What is left to a backbone: sines and cosines in the place of periodic coordinates, each from −1 to 1.
    pub(super) fn embedded(&self) -> Self {
        let seen =
            |(&range, &periodic): (&(f64, f64), &bool)| if periodic { vec![(-1.0, 1.0); 2] } else { vec![range] };
        let ranges: Vec<(f64, f64)> = self.ranges.iter().zip(&self.periodic).flat_map(seen).collect();
        Self { coordinates: ranges.len(), ranges, periodic: Vec::new(), ..self.clone() }
    }
}

/// A solution of the form `u = g(x) + d(x)·N(x; θ)`: where d vanishes, u is g whatever θ is (Lagaris et al. 1998).
#[derive(Clone, Debug, PartialEq)]
pub struct HardConstraint {
    /// The prescribed values, one function of the coordinates per unknown.
    pub g: Vec<Expr>,
    /// The distances, one function of the coordinates per unknown.
    pub d: Vec<Expr>,
}
