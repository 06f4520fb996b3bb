//! The points of a problem that says nothing about them: as many as the equations need, shared out by the size of what they
//! lie on.
//!
//! The interior has about three residuals for each parameter of the default network, more in more dimensions, fewer for each
//! of several equations. A face or an instant has twice as many as such a set has across: 2 N^((D−1)/D) of N points in D
//! dimensions.

use ropinn_domain::{BoundaryPart, Layout};
use ropinn_expr::Env;

use super::spread::Spread;
use super::{Problem, Trainable};

/// Points of the interior for one equation, by the number of coordinates; the last for all larger ones.
const INTERIOR: [usize; 4] = [2000, 2500, 4000, 6000];
/// The fewest, however many equations there are.
const FEWEST: usize = 500;
/// The smallest part of a boundary has this share of the points of a side.
const SMALLEST: f64 = 0.25;
/// No boundary has more sides than this.
const LARGEST: f64 = 8.0;

impl Problem {
    /// The points of the equations.
    pub(super) fn interior(&self) -> Spread {
        let usual = || match self.ranges[..] {
            // Without a point at the end itself, a solution can leave its first value in no time at all, unseen.
            [(low, high)] if [low, high].iter().all(|end| self.is_defined_at(*end)) => {
                Spread::grid([self.usual_count()])
            }
            _ => Spread::scattered(Layout::Hammersley, self.usual_count()),
        };
        self.points.interior.clone().unwrap_or_else(usual)
    }

    /// Whether the equations have values at an end of the only coordinate, for unknowns that have.
    fn is_defined_at(&self, end: f64) -> bool {
        let (point, trained): (_, Vec<f64>) = ([end], self.trainables.iter().map(Trainable::start).collect());
        let env = Env::at(&point).with_unknowns(|_, _, _| 1.0).with_trainables(&trained);
        self.equations().all(|(_, residual)| residual.eval(&env).is_finite())
    }

    fn usual_count(&self) -> usize {
        let (dimensions, equations) = (self.ranges.len(), self.equations().count().max(1));
        let one = INTERIOR[dimensions.clamp(1, INTERIOR.len()) - 1];
        ((one as f64 / (equations as f64).sqrt()).ceil() as usize).max(FEWEST)
    }

    fn usual_side(&self) -> f64 {
        let dimensions = self.ranges.len() as f64;
        2.0 * (self.interior().count() as f64).powf((dimensions - 1.0) / dimensions)
    }

    /// The points of the first or last instant.
    pub(super) fn usual_instant(&self) -> Spread {
        Spread::scattered(Layout::Hammersley, self.usual_side().ceil() as usize)
    }

    /// The points of parts of the boundary.
    pub(super) fn usual_boundary(&self, parts: &[BoundaryPart]) -> Spread {
        let size = |part: BoundaryPart| self.geometry.boundary_measure(part).map_or(0.0, |size| size.value());
        let side = size(BoundaryPart::All) / (2 * self.geometry.space_dim()) as f64;
        let sides: f64 = parts.iter().map(|part| size(*part)).sum::<f64>() / side;
        let sides = if sides.is_finite() { sides.clamp(SMALLEST, LARGEST) } else { 1.0 };
        Spread::scattered(Layout::Halton, (sides * self.usual_side()).ceil() as usize)
    }
}
