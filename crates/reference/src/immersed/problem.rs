//! A box less balls, and the equation in it.

use crate::{Function, SolveError};

/// A round hole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Its centre.
    pub center: [f64; 3],
    /// Its radius.
    pub radius: f64,
}

/// −∇·(p∇u − G) + qu = f in a box less balls; (p∇u − G)·n = 0 on its whole surface.
#[derive(Clone)]
pub struct Immersed<'a> {
    /// Its low corner.
    pub low: [f64; 3],
    /// Its high corner; all sides are equal.
    pub high: [f64; 3],
    /// What is not part of the domain. Balls may touch and leave the box.
    pub balls: Vec<Ball>,
    /// p > 0, constant in each cell; jumps are at faces of cells.
    pub diffusivity: Function<'a>,
    /// q > 0, constant in each cell.
    pub decay: Function<'a>,
    /// f.
    pub source: Function<'a>,
    /// G, if there is one; p∂u/∂n = G·n on the surface then.
    pub flux: Option<[Function<'a>; 3]>,
}

/// Where a cell lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    Cut,
    Outside,
}

impl Ball {
    pub(super) fn contains(&self, place: &[f64]) -> bool {
        let squares = place.iter().zip(self.center).map(|(x, c)| (x - c) * (x - c));
        squares.sum::<f64>() < self.radius * self.radius
    }

    /// How a box lies to the ball.
    fn part(&self, low: [f64; 3], high: [f64; 3]) -> Part {
        let (mut nearest, mut farthest) = (0.0, 0.0);
        for axis in 0..3 {
            let (below, above) = (low[axis] - self.center[axis], self.center[axis] - high[axis]);
            nearest += below.max(above).max(0.0).powi(2);
            farthest += below.abs().max(above.abs()).powi(2);
        }
        let squared = self.radius * self.radius;
        if nearest >= squared {
            Part::Whole
        } else if farthest <= squared {
            Part::Outside
        } else {
            Part::Cut
        }
    }
}

impl Immersed<'_> {
    pub(super) fn check(&self) -> Result<f64, SolveError> {
        let sides = [0, 1, 2].map(|axis| self.high[axis] - self.low[axis]);
        let cube = sides[0] > 0.0 && sides.iter().all(|side| (side - sides[0]).abs() < 1e-9 * sides[0]);
        let round = self.balls.iter().all(|ball| ball.radius > 0.0);
        match (cube, round) {
            (true, true) => Ok(sides[0]),
            (false, _) => {
                Err(SolveError::Domain { reason: "balls are cut out of a cube, whose sides are equal".into() })
            }
            (_, false) => Err(SolveError::Domain { reason: "the radius of a ball must be positive".into() }),
        }
    }

    pub(super) fn part(&self, low: [f64; 3], high: [f64; 3]) -> Part {
        let parts = || self.balls.iter().map(|ball| ball.part(low, high));
        if parts().any(|part| part == Part::Outside) {
            Part::Outside
        } else if parts().any(|part| part == Part::Cut) {
            Part::Cut
        } else {
            Part::Whole
        }
    }
}
