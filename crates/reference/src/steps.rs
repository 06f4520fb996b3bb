//! How evolutions get from instant to instant: equal steps between two of them, none longer than the mean step asked for.

use crate::SolveError;

/// Steps between two instants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Leg {
    pub start: f64,
    pub steps: usize,
    pub length: f64,
}

/// The legs from a start to each instant in turn, of about `steps` steps in all; the first has none if its instant is the start.
pub(crate) fn legs(start: f64, instants: &[f64], steps: usize) -> Result<Vec<Leg>, SolveError> {
    let &end = instants.last().ok_or(SolveError::Instants { start, at: start })?;
    if steps == 0 {
        return Err(SolveError::Resolution { key: "steps", value: "0".into(), expected: "at least 1".into() });
    }
    let usual = (end - start) / steps as f64;
    let mut legs: Vec<Leg> = Vec::with_capacity(instants.len());
    let mut from = start;
    for (k, &at) in instants.iter().enumerate() {
        if !at.is_finite() || at < from || (k > 0 && at == from) {
            return Err(SolveError::Instants { start, at });
        }
        let count = if at == from { 0 } else { (((at - from) / usual - 1e-6).ceil() as usize).max(1) };
        let length = (at - from) / count.max(1) as f64;
        // Lengths that differ by rounding are the same, so that what was factored for one serves the next.
        let same = legs.iter().map(|leg| leg.length).find(|old| (old - length).abs() < 1e-9 * length);
        legs.push(Leg { start: from, steps: count, length: same.unwrap_or(length) });
        from = at;
    }
    Ok(legs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legs_end_at_instants() {
        let legs = legs(0.0, &[0.0, 0.1, 0.2, 0.5], 10).unwrap();
        assert_eq!(legs.iter().map(|leg| leg.steps).collect::<Vec<_>>(), [0, 2, 2, 6]);
        assert!(legs[1].length == legs[2].length && legs[1].length == legs[3].length, "{legs:?}");
        let refused = super::legs(0.0, &[0.2, 0.1], 10).unwrap_err().to_string();
        assert_eq!(refused, "instants of the reference must increase from 0, and 0.1 does not");
    }
}
