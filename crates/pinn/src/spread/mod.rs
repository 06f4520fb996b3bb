//! How sure are the numbers that were found? Intervals from what noise in the readings does to them.
//!
//! Readings y = Q(u) + σε, and u solves the equations for the trained numbers k. A change of k moves u along
//! s = ∂u/∂k, the solution of the linearised equations, so the readings tell of k as much as the Fisher matrix SᵀS says,
//! S = Q′s/σ, and k̂ is the maximum of the likelihood where Sᵀ(Q(u) − y)/σ = 0 (`profile`). Where equations and conditions
//! leave u free, because some of its boundary is unknown or a coefficient is a field, s also takes back of the readings what that freedom can:
//! SᵀS is then the Schur complement of the Gauss–Newton matrix on k. `judge` makes intervals of it, and says which numbers the
//! readings cannot tell.

mod judge;
mod linear;
mod profile;
mod student;

pub use profile::{Numbers, Unspread, spread};

use crate::record::{Reading, Trained};
use std::collections::BTreeMap;

/// What is known of the numbers that were found.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// θ at the maximum of the likelihood.
    pub theta: Vec<f64>,
    /// The numbers by their names.
    pub trained: BTreeMap<String, Trained>,
    /// The numbers that are not noise levels, in the order of the problem.
    pub sought: Vec<String>,
    /// Correlations of each of these with each; those of a number that cannot be told are not numbers.
    pub correlations: Vec<Vec<f64>>,
    /// The readings, column by column.
    pub readings: Vec<Reading>,
    /// Changes of θ that draws of the noise bring about: how far anything else computed from θ is uncertain.
    pub draws: Vec<Vec<f64>>,
}

impl Spread {
    /// Correlations by the names of the numbers, as far as they are known.
    pub(crate) fn by_names(&self) -> BTreeMap<String, BTreeMap<String, f64>> {
        let others = |i: usize| {
            let known = self
                .sought
                .iter()
                .zip(&self.correlations[i])
                .enumerate()
                .filter(|(j, (_, value))| *j != i && value.is_finite());
            known.map(|(_, (name, value))| (name.clone(), *value)).collect::<BTreeMap<_, _>>()
        };
        let all = self.sought.iter().enumerate().map(|(i, name)| (name.clone(), others(i)));
        all.filter(|(_, others)| !others.is_empty()).collect()
    }
}
