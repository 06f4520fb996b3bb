//! Intervals, rectangles and boxes: Π [low_k, high_k] in any dimension.

use super::facet::{Contact, Facet, Meeting};
use crate::error::{DomainError, Result, require_dim, require_finite};
use crate::part::{Face, Piece, Side};

/// A box aligned with the axes; an interval if it has one axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Cuboid {
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Cuboid {
    /// The box between two opposite corners, `low` < `high` on every axis.
    pub fn new(low: &[f64], high: &[f64]) -> Result<Self> {
        if low.is_empty() {
            return Err(DomainError::NoDimensions { what: "a cuboid" });
        }
        require_dim("the high corner of a cuboid", low.len(), high.len())?;
        require_finite("the low corner of a cuboid", low)?;
        require_finite("the high corner of a cuboid", high)?;
        if let Some(axis) = (0..low.len()).find(|&axis| low[axis] >= high[axis]) {
            return Err(DomainError::InvertedInterval { axis, low: low[axis], high: high[axis] });
        }
        Ok(Self { low: low.to_vec(), high: high.to_vec() })
    }

    /// Number of axes.
    pub fn dim(&self) -> usize {
        self.low.len()
    }

    /// The corner with the smallest coordinates.
    pub fn low(&self) -> &[f64] {
        &self.low
    }

    /// The corner with the largest coordinates.
    pub fn high(&self) -> &[f64] {
        &self.high
    }

    /// Length along one axis.
    pub fn side(&self, axis: usize) -> f64 {
        self.high[axis] - self.low[axis]
    }

    /// Length, area, volume, ….
    pub fn measure(&self) -> f64 {
        (0..self.dim()).map(|axis| self.side(axis)).product()
    }

    /// Distance between the opposite corners.
    pub fn diameter(&self) -> f64 {
        (0..self.dim()).map(|axis| self.side(axis).powi(2)).sum::<f64>().sqrt()
    }

    /// The coordinate at fraction `unit` of an axis; the ends are hit exactly.
    pub(super) fn at(&self, axis: usize, unit: f64) -> f64 {
        lerp(self.low[axis], self.high[axis], unit)
    }

    /// The image of a point of the unit cube.
    pub(super) fn place(&self, unit: &[f64]) -> Vec<f64> {
        unit.iter().enumerate().map(|(axis, &u)| self.at(axis, u)).collect()
    }

    pub(super) fn signed_distance(&self, point: &[f64]) -> f64 {
        let excess = |axis: usize| (self.low[axis] - point[axis]).max(point[axis] - self.high[axis]);
        let (mut outside, mut nearest) = (0.0, f64::NEG_INFINITY);
        for axis in 0..self.dim() {
            outside += excess(axis).max(0.0).powi(2);
            nearest = nearest.max(excess(axis));
        }
        if nearest > 0.0 { outside.sqrt() } else { nearest }
    }

    /// All faces: low and high end of the first axis, then of the second, ….
    pub fn faces(&self) -> impl Iterator<Item = Face> + use<> {
        (0..self.dim()).flat_map(|axis| [Face::low(axis), Face::high(axis)])
    }

    /// The fixed coordinate of a face.
    pub fn face_value(&self, face: Face) -> f64 {
        match face.side {
            Side::Low => self.low[face.axis],
            Side::High => self.high[face.axis],
        }
    }

    /// Area of a face; 1 for the ends of an interval.
    pub(super) fn face_measure(&self, face: Face) -> f64 {
        (0..self.dim()).filter(|&axis| axis != face.axis).map(|axis| self.side(axis)).product()
    }

    /// `unit` names the remaining coordinates, in order.
    pub(super) fn place_on_face(&self, face: Face, unit: &[f64]) -> Vec<f64> {
        let others = (0..self.dim()).filter(|&axis| axis != face.axis);
        let mut point = vec![self.face_value(face); self.dim()];
        others.zip(unit).for_each(|(axis, &u)| point[axis] = self.at(axis, u));
        point
    }

    pub(super) fn contact(&self, point: &[f64], tolerance: f64) -> Contact {
        let touching = self.faces().filter(|face| (point[face.axis] - self.face_value(*face)).abs() <= tolerance);
        let facets = touching.map(|face| {
            let mut normal = vec![0.0; self.dim()];
            normal[face.axis] = face.sign();
            Facet { piece: Piece::Face(face), normal }
        });
        Contact { facets: facets.collect(), meeting: Meeting::BehindAll }
    }

    /// The smallest box around two boxes.
    pub(super) fn hull(&self, other: &Cuboid) -> Cuboid {
        Cuboid { low: pick(&self.low, &other.low, f64::min), high: pick(&self.high, &other.high, f64::max) }
    }

    /// The common part of two boxes.
    pub(super) fn overlap(&self, other: &Cuboid) -> Result<Cuboid> {
        let (low, high) = (pick(&self.low, &other.low, f64::max), pick(&self.high, &other.high, f64::min));
        match (0..low.len()).find(|&axis| low[axis] >= high[axis]) {
            Some(axis) => Err(DomainError::NoOverlap { axis, end: high[axis], start: low[axis] }),
            None => Ok(Cuboid { low, high }),
        }
    }

    /// The box with one more axis.
    pub(super) fn extended(mut self, low: f64, high: f64) -> Cuboid {
        self.low.push(low);
        self.high.push(high);
        self
    }
}

/// The smaller or larger of two corners, axis by axis.
fn pick(a: &[f64], b: &[f64], which: fn(f64, f64) -> f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| which(*a, *b)).collect()
}

/// The number at fraction `unit` between two ends, never beyond them.
pub(super) fn lerp(low: f64, high: f64, unit: f64) -> f64 {
    ((1.0 - unit) * low + unit * high).clamp(low, high)
}
