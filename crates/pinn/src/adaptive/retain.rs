//! Which points R3 keeps.

use super::AdaptiveError;

/// For each point whether |r| exceeds the mean of |r|. Points that are all alike are none of them above it.
pub fn above_mean(residuals: &[f64]) -> Result<Vec<bool>, AdaptiveError> {
    if let Some(index) = residuals.iter().position(|r| !r.is_finite()) {
        return Err(AdaptiveError::NonFinite { index, value: residuals[index] });
    }
    let Some(first) = residuals.first().map(|r| r.abs()) else {
        return Ok(Vec::new());
    };
    // |r| > mean |r| compared by differences to one of them, so that equal residuals do not differ by rounding.
    let excess = |r: &f64| r.abs() - first;
    let mean = residuals.iter().map(excess).sum::<f64>() / residuals.len() as f64;
    Ok(residuals.iter().map(|r| excess(r) > mean).collect())
}
