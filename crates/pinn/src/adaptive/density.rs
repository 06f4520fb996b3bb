//! The density of candidates by their residuals, and draws from it.

use super::AdaptiveError;
use crate::setting::{InvalidSetting, require};
use ropinn_domain::Stream;

/// Whose settings they are.
pub(super) const OF: &str = "adaptive sampling";

/// One number per point from values laid out `[point][column]`: Σ |r_c| over the first `equations` columns c.
pub fn magnitudes(values: &[f64], columns: usize, equations: usize) -> Vec<f64> {
    values.chunks_exact(columns).map(|point| point[..equations].iter().map(|r| r.abs()).sum()).collect()
}

/// Sizes of residuals, those of the largest `share` reduced to the largest of the others.
///
/// ```
/// use ropinn::adaptive::clipped;
/// assert_eq!(clipped(&[1.0, -9.0, 2.0, 3.0], 0.25), [1.0, 3.0, 2.0, 3.0]);
/// ```
pub fn clipped(residuals: &[f64], share: f64) -> Vec<f64> {
    let mut sizes: Vec<f64> = residuals.iter().map(|r| r.abs()).collect();
    let over = (share * sizes.len() as f64) as usize;
    if over == 0 || sizes.iter().any(|size| size.is_nan()) {
        return sizes;
    }
    let mut sorted = sizes.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let most = sorted[sorted.len() - 1 - over];
    sizes.iter_mut().for_each(|size| *size = size.min(most));
    sizes
}

/// |r_i|^k / mean |r|^k + c for each residual: how likely a candidate is, up to a common factor.
///
/// Residuals that are all zero have no shape to follow: the density is then uniform.
///
/// ```
/// use ropinn::adaptive::density;
/// assert_eq!(density(&[1.0, -3.0], 1.0, 1.0)?, [1.5, 2.5]);
/// # Ok::<(), ropinn::adaptive::AdaptiveError>(())
/// ```
pub fn density(residuals: &[f64], k: f64, c: f64) -> Result<Vec<f64>, AdaptiveError> {
    check_density(k, c)?;
    if let Some(index) = residuals.iter().position(|r| !r.is_finite()) {
        return Err(AdaptiveError::NonFinite { index, value: residuals[index] });
    }
    let largest = residuals.iter().fold(0.0f64, |largest, r| largest.max(r.abs()));
    if largest == 0.0 {
        return Ok(vec![1.0 + c; residuals.len()]);
    }
    // The density does not depend on the scale of the residuals; relative ones cannot overflow when raised to k.
    let powers: Vec<f64> = residuals.iter().map(|r| (r.abs() / largest).powf(k)).collect();
    let mean = powers.iter().sum::<f64>() / powers.len() as f64;
    Ok(powers.into_iter().map(|power| power / mean + c).collect())
}

/// `count` different indices: each next one is drawn from those left with probability in proportion to its weight.
///
/// The first arrivals of exponential clocks with these rates are such a draw (Efraimidis & Spirakis 2006, Algorithm A),
/// one random number per candidate. Candidates of weight zero are taken only when no others are left, evenly.
pub fn draw_without_replacement(
    weights: &[f64],
    count: usize,
    stream: &mut Stream,
) -> Result<Vec<usize>, AdaptiveError> {
    if count > weights.len() {
        return Err(AdaptiveError::TooFewCandidates { wanted: count, found: weights.len() });
    }
    let arrival = |(index, &weight): (usize, &f64)| {
        let wait = -(1.0 - stream.uniform()).ln();
        if weight > 0.0 { (false, wait / weight, index) } else { (true, wait, index) }
    };
    let mut arrivals: Vec<(bool, f64, usize)> = weights.iter().enumerate().map(arrival).collect();
    arrivals.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    Ok(arrivals.into_iter().take(count).map(|(_, _, index)| index).collect())
}

/// Refuses exponents and offsets no density has.
pub(super) fn check_density(k: f64, c: f64) -> Result<(), InvalidSetting> {
    require(OF, "k", k, "finite and at least 0", k >= 0.0)?;
    require(OF, "c", c, "finite and at least 0", c >= 0.0)
}
