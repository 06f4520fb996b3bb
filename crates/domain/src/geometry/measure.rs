//! Lengths, areas and volumes of domains and of their boundaries: exact for single solids, estimated for combinations.

use super::{BoundaryPart, Geometry};
use crate::error::Result;
use crate::rng::Purpose;
use crate::sequence::{Layout, Scramble, Sobol};

/// Candidates behind an estimate.
const CANDIDATES: usize = 1 << 16;

/// A size, and how it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Measure {
    /// From a formula.
    Exact(f64),
    /// From the share of 2¹⁶ fixed points of a known region that belong to the domain.
    Estimate {
        /// The estimate.
        value: f64,
        /// Its standard error had the points been independent; with Sobol points it is smaller.
        error: f64,
    },
}

impl Measure {
    /// The number itself.
    pub fn value(self) -> f64 {
        match self {
            Measure::Exact(value) | Measure::Estimate { value, .. } => value,
        }
    }

    fn from_share(kept: usize, whole: f64) -> Self {
        let share = kept as f64 / CANDIDATES as f64;
        let error = (share * (1.0 - share) / CANDIDATES as f64).sqrt();
        Measure::Estimate { value: whole * share, error: whole * error }
    }

    fn scaled(self, factor: f64) -> Self {
        match self {
            Measure::Exact(value) => Measure::Exact(factor * value),
            Measure::Estimate { value, error } => Measure::Estimate { value: factor * value, error: factor * error },
        }
    }
}

impl Geometry {
    /// Length, area or volume; times the time span for a domain over time.
    ///
    /// ```
    /// use ropinn_domain::{Geometry, geometry::Measure};
    /// let box3 = Geometry::cuboid(&[0.0; 3], &[1.0, 2.0, 3.0])?;
    /// assert_eq!(box3.measure()?, Measure::Exact(6.0));
    /// # Ok::<(), ropinn_domain::DomainError>(())
    /// ```
    pub fn measure(&self) -> Result<Measure> {
        let space = match &self.members[..] {
            [only] => Measure::Exact(only.solid.measure()),
            _ => {
                let (proposal, space) = (self.proposal(), Geometry { time: None, ..self.clone() });
                let unit = candidates(proposal.parameters())?;
                let inside = |unit: &&[f64]| space.contains(&proposal.place(unit), 0.0);
                let kept = unit.chunks_exact(proposal.parameters()).filter(inside).count();
                Measure::from_share(kept, proposal.measure())
            }
        };
        Ok(space.scaled(self.duration()))
    }

    /// Length or area of a part of the boundary, times the time span for a domain over time. The ends of an interval
    /// count 1 each.
    pub fn boundary_measure(&self, part: BoundaryPart) -> Result<Measure> {
        let pieces = self.pieces_of(part)?;
        let space = if self.members.len() == 1 {
            Measure::Exact(pieces.total())
        } else {
            let parameters = self.boundary_parameters(&pieces).max(1);
            let unit = candidates(parameters)?;
            let kept = unit.chunks_exact(parameters).filter(|unit| self.visible(&pieces, unit).is_some()).count();
            Measure::from_share(kept, pieces.total())
        };
        Ok(space.scaled(self.duration()))
    }

    fn duration(&self) -> f64 {
        self.time.map_or(1.0, |[start, end]| end - start)
    }
}

fn candidates(dim: usize) -> Result<Vec<f64>> {
    let layout = if dim <= Sobol::MAX_DIM { Layout::Sobol { scramble: Scramble::Owen } } else { Layout::Uniform };
    layout.unit_points(dim, CANDIDATES, 0, Purpose::Evaluation)
}
