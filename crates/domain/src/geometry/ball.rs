//! Discs and balls, |x − c| ≤ r in any dimension d, with maps from the unit cube that preserve area and volume.
//!
//! Directions: an angle for d = 2; height and angle for d = 3, since equal heights cut equal areas off a sphere
//! (Archimedes); a normalised Gaussian vector for d ≥ 4 (Muller 1959). Radii: r u^{1/d}.

use super::cuboid::{Cuboid, lerp};
use super::facet::{Contact, Facet, Meeting};
use crate::error::{DomainError, Result, require_finite};
use crate::part::Piece;
use crate::rng::gaussian_pair;
use std::f64::consts::TAU;

/// A ball: an interval for d = 1, a disc for d = 2.
#[derive(Debug, Clone, PartialEq)]
pub struct Ball {
    center: Vec<f64>,
    radius: f64,
}

impl Ball {
    /// The ball of radius > 0 around `center`.
    pub fn new(center: &[f64], radius: f64) -> Result<Self> {
        if center.is_empty() {
            return Err(DomainError::NoDimensions { what: "a ball" });
        }
        require_finite("the centre of a ball", center)?;
        require_finite("the radius of a ball", &[radius])?;
        if radius <= 0.0 {
            return Err(DomainError::BadRadius { radius });
        }
        let ball = Self { center: center.to_vec(), radius };
        let (low, high) = ball.rounded_corners();
        require_finite("the box around a ball", &[low, high].concat())?;
        Ok(ball)
    }

    /// Number of coordinates d.
    pub fn dim(&self) -> usize {
        self.center.len()
    }

    /// The centre.
    pub fn center(&self) -> &[f64] {
        &self.center
    }

    /// The radius.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Volume V_d r^d, where V_d = V_{d−2} · 2π/d, V_0 = 1 and V_1 = 2.
    pub fn measure(&self) -> f64 {
        let d = self.dim();
        let start = if d.is_multiple_of(2) { 1.0 } else { 2.0 };
        let unit = (1..=d).filter(|k| k % 2 == d % 2 && *k > 1).fold(start, |volume, k| volume * TAU / k as f64);
        unit * self.radius.powi(d as i32)
    }

    /// Area of the surface: the derivative of the volume by the radius.
    pub fn surface(&self) -> f64 {
        self.measure() * self.dim() as f64 / self.radius
    }

    pub(super) fn bounding_box(&self) -> Cuboid {
        let shifted = |by: f64| self.center.iter().map(|c| c + by).collect::<Vec<_>>();
        Cuboid::new(&shifted(-self.radius), &shifted(self.radius)).unwrap_or_else(|_| self.rounded_box())
    }

    /// A radius lost to rounding beside a huge centre still gets a box, of the neighbouring numbers.
    fn rounded_box(&self) -> Cuboid {
        let (low, high) = self.rounded_corners();
        Cuboid::new(&low, &high)
            .expect("next_down of a number is below next_up of it, and both were checked to be finite")
    }

    fn rounded_corners(&self) -> (Vec<f64>, Vec<f64>) {
        let low = self.center.iter().map(|c| (c - self.radius).next_down());
        let high = self.center.iter().map(|c| (c + self.radius).next_up());
        (low.collect(), high.collect())
    }

    fn distance_to_center(&self, point: &[f64]) -> f64 {
        point.iter().zip(&self.center).map(|(x, c)| (x - c).powi(2)).sum::<f64>().sqrt()
    }

    pub(super) fn signed_distance(&self, point: &[f64]) -> f64 {
        self.distance_to_center(point) - self.radius
    }

    pub(super) fn contact(&self, point: &[f64]) -> Contact {
        let distance = self.distance_to_center(point);
        let normal = if distance > 0.0 {
            point.iter().zip(&self.center).map(|(x, c)| (x - c) / distance).collect()
        } else {
            first_axis(self.dim())
        };
        Contact { facets: vec![Facet { piece: Piece::Sphere, normal }], meeting: Meeting::BehindAll }
    }

    pub(super) fn sphere_parameters(&self) -> usize {
        match self.dim() {
            d @ 1..=3 => (d - 1).max(1),
            d => d.next_multiple_of(2),
        }
    }

    pub(super) fn interior_parameters(&self) -> usize {
        if self.dim() == 1 { 1 } else { self.sphere_parameters() + 1 }
    }

    pub(super) fn place_on_sphere(&self, unit: &[f64]) -> Vec<f64> {
        let direction = self.direction(unit);
        self.center.iter().zip(direction).map(|(c, e)| c + self.radius * e).collect()
    }

    /// The last number of `unit` sets the radius.
    pub(super) fn place_inside(&self, unit: &[f64]) -> Vec<f64> {
        if self.dim() == 1 {
            return vec![lerp(self.center[0] - self.radius, self.center[0] + self.radius, unit[0])];
        }
        let (around, outwards) = unit.split_at(unit.len() - 1);
        let radius = self.radius * outwards[0].powf(1.0 / self.dim() as f64);
        self.center.iter().zip(self.direction(around)).map(|(c, e)| c + radius * e).collect()
    }

    /// A unit vector, uniform on the sphere when `unit` is uniform in the cube.
    fn direction(&self, unit: &[f64]) -> Vec<f64> {
        match self.dim() {
            1 => vec![if unit[0] < 0.5 { -1.0 } else { 1.0 }],
            2 => {
                let (sin, cos) = (TAU * unit[0]).sin_cos();
                vec![cos, sin]
            }
            3 => {
                let height = 1.0 - 2.0 * unit[1];
                let (sin, cos) = (TAU * unit[0]).sin_cos();
                let width = (1.0 - height * height).max(0.0).sqrt();
                vec![width * cos, width * sin, height]
            }
            d => {
                // Stay below 1: its logarithm's partner 1 − u must not vanish.
                let below_one = |u: f64| u.min(1.0 - f64::EPSILON);
                let mut gauss: Vec<f64> =
                    unit.chunks_exact(2).flat_map(|uv| gaussian_pair(below_one(uv[0]), uv[1])).take(d).collect();
                let length = gauss.iter().map(|g| g * g).sum::<f64>().sqrt();
                if length == 0.0 {
                    return first_axis(d);
                }
                gauss.iter_mut().for_each(|g| *g /= length);
                gauss
            }
        }
    }
}

fn first_axis(dim: usize) -> Vec<f64> {
    let mut axis = vec![0.0; dim];
    axis[0] = 1.0;
    axis
}
