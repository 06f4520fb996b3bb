//! What every solver hands back: values of the unknowns wherever they are asked for, and how far they are off.

use crate::SolveError;
use rayon::prelude::*;

/// A coefficient, source, first or boundary value at a point; time, if any, comes last.
pub type Function<'a> = &'a (dyn Fn(&[f64]) -> f64 + Sync);

/// The largest difference of two resolutions with which something can be compared.
const TOLERATED: f64 = 0.05;
/// Places along each coordinate at which two resolutions are compared, by the number of coordinates in space.
const COMPARED: [usize; 4] = [0, 400, 60, 24];

/// Values of some unknowns at points of space, and of time if they change.
pub trait Field: Send + Sync {
    /// Numbers a value has.
    fn unknowns(&self) -> usize;
    /// The instants at which values are known; none if nothing changes.
    fn instants(&self) -> &[f64];
    /// Smallest box around the domain: its low and its high corner.
    fn bounds(&self) -> (Vec<f64>, Vec<f64>);
    /// Values at a place in space at an instant (by its number); `None` outside the domain.
    fn value(&self, place: &[f64], instant: usize) -> Option<Vec<f64>>;
}

/// A solution that has been compared with one of lower resolution.
pub struct Reference {
    field: Box<dyn Field>,
    error: f64,
}

impl Reference {
    /// Compares two resolutions on a grid over the domain, at all instants; points that one of them does not know are left out.
    fn compared(fine: Box<dyn Field>, coarse: &dyn Field) -> Self {
        let (low, high) = fine.bounds();
        let along = COMPARED[low.len().min(3)];
        let count = along.pow(low.len() as u32);
        let place = |k: usize| -> Vec<f64> {
            let step = |axis: usize| (k / along.pow(axis as u32) % along) as f64 + 0.5;
            (0..low.len()).map(|axis| low[axis] + (high[axis] - low[axis]) * step(axis) / along as f64).collect()
        };
        let instants = 0..fine.instants().len().max(1);
        let pair = |(place, instant): (&[f64], usize)| -> [f64; 2] {
            let (Some(a), Some(b)) = (fine.value(place, instant), coarse.value(place, instant)) else {
                return [0.0, 0.0];
            };
            let apart = a.iter().zip(&b).map(|(a, b)| (a - b).powi(2)).sum();
            [apart, a.iter().map(|a| a * a).sum()]
        };
        let sums = |k: usize| {
            let place = place(k);
            instants.clone().map(|instant| pair((&place, instant))).fold([0.0; 2], |[a, b], [c, d]| [a + c, b + d])
        };
        // Gathered before they are added up, so that the sum does not depend on the number of threads.
        let all: Vec<[f64; 2]> = (0..count).into_par_iter().map(sums).collect();
        let [apart, size] = all.into_iter().fold([0.0; 2], |[a, b], [c, d]| [a + c, b + d]);
        let error = if apart == 0.0 { 0.0 } else { (apart / size).sqrt() };
        Self { field: fine, error }
    }

    /// The same, and refuses what is not accurate.
    pub(crate) fn accurate(fine: Box<dyn Field>, coarse: &dyn Field) -> Result<Self, SolveError> {
        let reference = Self::compared(fine, coarse);
        match reference.error < TOLERATED {
            true => Ok(reference),
            false => Err(SolveError::Inaccurate { error: reference.error }),
        }
    }

    /// How far the lower resolution is off, relative to the size of the solution (root mean squares over the domain, all
    /// unknowns and instants): a bound for the error of this one as long as the method converges.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The solution itself.
    pub fn field(&self) -> &dyn Field {
        &*self.field
    }

    /// Values `[point][unknown]` at points `[point][coordinate]`, time last; NaN outside the domain and between instants.
    pub fn values(&self, points: &[f64]) -> Vec<f64> {
        let (space, unknowns) = (self.field.bounds().0.len(), self.field.unknowns());
        let instants = self.field.instants();
        let width = space + usize::from(!instants.is_empty());
        let value = |point: &[f64]| {
            let instant = match point.get(space) {
                Some(time) => instants.iter().position(|instant| (instant - time).abs() <= 1e-9 * (1.0 + time.abs())),
                None => Some(0),
            };
            let known = instant.and_then(|instant| self.field.value(&point[..space], instant));
            known.unwrap_or_else(|| vec![f64::NAN; unknowns])
        };
        points.par_chunks_exact(width).flat_map_iter(value).collect()
    }
}
