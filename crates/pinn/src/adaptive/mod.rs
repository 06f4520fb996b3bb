//! Residual points that follow the residual: RAR-D, RAD and R3 as plain functions of points, residuals and a stream.
//!
//! RAR-D and RAD draw from a pool of candidates with density p(x) ∝ |r(x)|^k / mean |r|^k + c
//! (Wu et al., "A comprehensive study of non-adaptive and residual-based adaptive sampling for PINNs", 2023);
//! R3 keeps the points above the mean and lets go of the rest (Daw et al., "Mitigating propagation failures in PINNs
//! using retain-resample-release sampling", 2023, Algorithm 1). Who evaluates residuals, and when, is not decided here.

mod density;
mod error;
mod retain;
mod settings;

pub use density::{clipped, density, draw_without_replacement, magnitudes};
pub use error::AdaptiveError;
pub use retain::above_mean;
pub use settings::{R3, Rad, RarD};

use ropinn_domain::{Points, Stream};

impl RarD {
    /// The current points followed by `count` candidates, drawn without replacement by the density of their residuals.
    pub fn refine(
        &self,
        current: &Points,
        pool: &Points,
        residuals: &[f64],
        stream: &mut Stream,
    ) -> Result<Points, AdaptiveError> {
        let mut points = current.clone();
        points.append(&drawn(pool, residuals, (self.k, self.c), self.count, stream)?)?;
        Ok(points)
    }
}

impl Rad {
    /// As many candidates as there are current points, drawn without replacement by the density of their residuals.
    pub fn resample(
        &self,
        current: &Points,
        pool: &Points,
        residuals: &[f64],
        stream: &mut Stream,
    ) -> Result<Points, AdaptiveError> {
        let mut points = Points::new(current.dim())?;
        let residuals = clipped(residuals, self.clip);
        points.append(&drawn(pool, &residuals, (self.k, self.c), current.len(), stream)?)?;
        Ok(points)
    }
}

impl R3 {
    /// The current points with every one whose residual is not above the mean replaced by the next fresh point.
    ///
    /// `residuals` belong to the current points. Points that stay keep their place in the list; fresh ones are used in
    /// order, so uniform ones in any number at least that of the points replaced make the result uniform there.
    pub fn renew(&self, current: &Points, residuals: &[f64], fresh: &Points) -> Result<Points, AdaptiveError> {
        matching(current, residuals)?;
        let kept = above_mean(residuals)?;
        let released = kept.iter().filter(|kept| !**kept).count();
        if fresh.len() < released {
            return Err(AdaptiveError::TooFewCandidates { wanted: released, found: fresh.len() });
        }
        let (mut points, mut next) = (Points::new(current.dim())?, fresh.iter());
        for (row, kept) in current.iter().zip(kept) {
            let row = if kept { Some(row) } else { next.next() };
            points.push(row.expect("counted above"))?;
        }
        Ok(points)
    }
}

fn drawn(
    pool: &Points,
    residuals: &[f64],
    (k, c): (f64, f64),
    count: usize,
    stream: &mut Stream,
) -> Result<Points, AdaptiveError> {
    matching(pool, residuals)?;
    Ok(pool.select(&draw_without_replacement(&density(residuals, k, c)?, count, stream)?))
}

fn matching(points: &Points, residuals: &[f64]) -> Result<(), AdaptiveError> {
    if points.len() == residuals.len() {
        return Ok(());
    }
    Err(AdaptiveError::ResidualCount { points: points.len(), residuals: residuals.len() })
}
