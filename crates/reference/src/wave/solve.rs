//! A wave by cubic polynomials, and by quadratic ones in the same cells.

use super::element::{Medium, Places, ROWS};
use super::field::CellField;
use super::problem::Wave;
use crate::steps::legs;
use crate::{Reference, SolveError};
use rayon::prelude::*;

/// The part of the longest stable step that is taken: an accurate one, and safe from an eigenvalue that was found too small.
const PART: f64 = 0.5;
const MOST_CELLS: usize = 1024;

/// Solves it in cells × cells.
///
/// ```
/// use ropinn_reference::wave::{Form, Wave, solve};
/// let turn = std::f64::consts::PI;
/// let first = |x: &[f64]| (turn * x[0]).cos();
/// let wave = Wave { low: [0.0; 2], high: [1.0; 2], c: &|_| 4.0, form: Form::Plain, initial: &first };
/// let solution = solve(&wave, &[0.5], 16)?;
/// assert!((solution.values(&[0.0, 0.3, 0.5])[0] + 1.0).abs() < 1e-3);
/// # Ok::<(), ropinn_reference::SolveError>(())
/// ```
pub fn solve(wave: &Wave, instants: &[f64], cells: usize) -> Result<Reference, SolveError> {
    if !(2..=MOST_CELLS).contains(&cells) {
        let expected = format!("from 2 to {MOST_CELLS}");
        return Err(SolveError::Resolution { key: "cells", value: cells.to_string(), expected });
    }
    let sides = [0, 1].map(|axis| wave.high[axis] - wave.low[axis]);
    if sides[0].is_nan() || sides[0] <= 0.0 || (sides[0] - sides[1]).abs() > 1e-9 * sides[0] {
        return Err(SolveError::Domain { reason: "waves are solved in a square".into() });
    }
    let coarse = run(wave, instants, Medium::new(wave, Places::quadratic(), cells)?)?;
    let fine = run(wave, instants, Medium::new(wave, Places::cubic(), cells)?)?;
    Reference::accurate(Box::new(fine), &coarse)
}

fn run<const N: usize>(wave: &Wave, instants: &[f64], medium: Medium<N>) -> Result<CellField<N>, SolveError> {
    let (nodes, side) = (medium.nodes, wave.high[0] - wave.low[0]);
    let first = |k: usize| {
        let at = |axis: usize, k: usize| {
            let place = (k / (N - 1)) as f64 + medium.places.at[k % (N - 1)];
            wave.low[axis] + side * place / medium.cells as f64
        };
        let place = [at(0, k % nodes), at(1, k / nodes)];
        let value = (wave.initial)(&place);
        let not_finite = || SolveError::NotFinite { what: "a first value", place: format!("{place:?}") };
        if value.is_finite() { Ok(value) } else { Err(not_finite()) }
    };
    let mut u = (0..nodes * nodes).map(first).collect::<Result<Vec<f64>, _>>()?;
    let (mut rate, mut force) = (vec![0.0; u.len()], vec![0.0; u.len()]);
    medium.accelerate(&u, &mut force);
    let longest = PART * 2.0 / medium.stiffest().sqrt();
    let end = instants.last().copied().unwrap_or(0.0);
    let mut frames = Vec::new();
    for leg in legs(0.0, instants, (end / longest).ceil().max(1.0) as usize)? {
        for _ in 0..leg.steps {
            let half = 0.5 * leg.length;
            let pairs = u.par_iter_mut().zip(&mut rate).zip(&force).with_min_len(ROWS * nodes);
            pairs.for_each(|((u, rate), force)| {
                *rate += half * force;
                *u += leg.length * *rate;
            });
            medium.accelerate(&u, &mut force);
            rate.par_iter_mut().zip(&force).with_min_len(ROWS * nodes).for_each(|(rate, force)| *rate += half * force);
        }
        if !u.iter().all(|value| value.is_finite()) {
            return Err(SolveError::Unbounded { at: leg.start, steps: leg.steps });
        }
        frames.push(u.clone());
    }
    let Medium { places, cells, .. } = medium;
    Ok(CellField { places, cells, low: wave.low, side, instants: instants.to_vec(), frames })
}
