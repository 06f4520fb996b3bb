//! Shapes as files and builders describe them, and the domain they combine to.

use ropinn_domain::Geometry;

use super::error::ProblemError;
use super::formula::Formula;

/// A solid in space; its numbers may be formulas of the problem's constants.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// The box of the coordinates' ranges.
    Ranges,
    /// An interval, rectangle or box between two opposite corners.
    Box {
        /// Lower corner.
        low: Vec<Formula>,
        /// Upper corner.
        high: Vec<Formula>,
    },
    /// A disc or ball.
    Ball {
        /// Its centre.
        center: Vec<Formula>,
        /// Its radius.
        radius: Formula,
    },
    /// A simple polygon in the plane.
    Polygon {
        /// Its corners, in order around the outline.
        vertices: Vec<[Formula; 2]>,
    },
}

/// How a further shape changes the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Combination {
    /// Takes it away; it becomes a hole.
    Minus,
    /// Adds it.
    Union,
    /// Keeps what lies in both.
    Intersect,
}

/// A shape and what further shapes do to it, in order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ShapePlan {
    pub base: Shape,
    pub steps: Vec<(Combination, Shape)>,
    pub written_at: usize,
}

impl Default for ShapePlan {
    fn default() -> Self {
        ShapePlan { base: Shape::Ranges, steps: Vec::new(), written_at: 0 }
    }
}

impl ShapePlan {
    /// The domain in space; `ranges` are those of the space coordinates. What geometry refuses has no place yet.
    pub fn geometry(
        &self,
        ranges: &[(f64, f64)],
        number: &dyn Fn(&Formula) -> Result<f64, ProblemError>,
    ) -> Result<Geometry, ProblemError> {
        let base = self.base.geometry(ranges, number)?;
        self.steps.iter().try_fold(base, |domain, (combination, shape)| {
            let shape = shape.geometry(ranges, number)?;
            Ok(match combination {
                Combination::Minus => domain.minus(shape),
                Combination::Union => domain.union(shape),
                Combination::Intersect => domain.intersection(shape),
            }?)
        })
    }
}

impl Shape {
    /// The box between two opposite corners.
    pub fn cuboid(low: &[f64], high: &[f64]) -> Self {
        Shape::Box { low: formulas(low), high: formulas(high) }
    }

    /// The disc or ball around a centre.
    pub fn ball(center: &[f64], radius: f64) -> Self {
        Shape::Ball { center: formulas(center), radius: radius.into() }
    }

    /// The polygon through these corners.
    pub fn polygon(vertices: &[[f64; 2]]) -> Self {
        Shape::Polygon { vertices: vertices.iter().map(|vertex| vertex.map(Formula::from)).collect() }
    }

    fn geometry(
        &self,
        ranges: &[(f64, f64)],
        number: &dyn Fn(&Formula) -> Result<f64, ProblemError>,
    ) -> Result<Geometry, ProblemError> {
        let all = |list: &[Formula]| list.iter().map(number).collect::<Result<Vec<f64>, _>>();
        Ok(match self {
            Shape::Ranges => {
                let (low, high): (Vec<f64>, Vec<f64>) = ranges.iter().copied().unzip();
                Geometry::cuboid(&low, &high)
            }
            Shape::Box { low, high } => Geometry::cuboid(&all(low)?, &all(high)?),
            Shape::Ball { center, radius } => Geometry::ball(&all(center)?, number(radius)?),
            Shape::Polygon { vertices } => {
                let corners = vertices.iter().map(|vertex| all(vertex).map(|point| [point[0], point[1]]));
                Geometry::polygon(&corners.collect::<Result<Vec<[f64; 2]>, _>>()?)
            }
        }?)
    }
}

fn formulas(numbers: &[f64]) -> Vec<Formula> {
    numbers.iter().copied().map(Formula::from).collect()
}
