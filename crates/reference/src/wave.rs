//! Waves in a rectangle with mirrors for sides: u_tt = cΔu, or u_tt = ∇·(c∇u), at rest at t = 0.
//!
//! Differences in space are of fourth order for the first form (of second order where c jumps), of second order for the other, whose c is
//! taken halfway between nodes; steps in time are leapfrog's (Störmer 1907, Verlet 1967), of second order and a small part of what
//! is stable.

use crate::grid::{Beyond, GridField};
use crate::steps::legs;
use crate::{Function, Reference, SolveError};
use rayon::prelude::*;

/// √c Δt in cells; above ½ waves of the grid's own length are unstable.
const COURANT: f64 = 0.25;
const MOST_CELLS: usize = 4096;

/// Where c stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// u_tt = cΔu.
    Plain,
    /// u_tt = ∇·(c∇u).
    Divergence,
}

/// A wave in a square.
#[derive(Clone)]
pub struct Wave<'a> {
    /// Its low corner.
    pub low: [f64; 2],
    /// Its high corner; sides are equal.
    pub high: [f64; 2],
    /// c > 0, the square of the speed.
    pub c: Function<'a>,
    /// Where it stands.
    pub form: Form,
    /// u at t = 0.
    pub initial: Function<'a>,
}

/// Solves it with a number of cells along each side, and with half of them.
pub fn solve(wave: &Wave, instants: &[f64], cells: usize) -> Result<Reference, SolveError> {
    if cells % 2 == 1 || !(16..=MOST_CELLS).contains(&cells) {
        let expected = format!("even, from 16 to {MOST_CELLS}");
        return Err(SolveError::Resolution { key: "cells", value: cells.to_string(), expected });
    }
    let sides = [0, 1].map(|axis| wave.high[axis] - wave.low[axis]);
    if sides[0].is_nan() || sides[0] <= 0.0 || (sides[0] - sides[1]).abs() > 1e-9 * sides[0] {
        return Err(SolveError::Domain { reason: "waves are solved in a square".into() });
    }
    let coarse = run(wave, instants, cells / 2)?;
    Reference::accurate(Box::new(run(wave, instants, cells)?), &coarse)
}

/// c/h² at nodes, or between a node and the next along x and along y.
enum Medium {
    Plain(Vec<f64>),
    Divergence(Vec<f64>, Vec<f64>),
}

fn run(wave: &Wave, instants: &[f64], cells: usize) -> Result<GridField, SolveError> {
    let nodes = cells + 1;
    let h = (wave.high[0] - wave.low[0]) / cells as f64;
    let table = |shift: [f64; 2], function: Function, what: &'static str| -> Result<Vec<f64>, SolveError> {
        let value = |k: usize| {
            let at = |axis: usize, j: usize| (wave.low[axis] + h * (j as f64 + shift[axis])).min(wave.high[axis]);
            let place = [at(0, k % nodes), at(1, k / nodes)];
            let value = function(&place);
            let not_finite = || SolveError::NotFinite { what, place: format!("{place:?}") };
            if value.is_finite() { Ok(value) } else { Err(not_finite()) }
        };
        (0..nodes * nodes).into_par_iter().map(value).collect()
    };
    let scaled = |mut c: Vec<f64>| {
        c.iter_mut().for_each(|c| *c /= h * h);
        c
    };
    let at_nodes = table([0.0; 2], wave.c, "c")?;
    let fastest = at_nodes.iter().copied().fold(0.0, f64::max).sqrt();
    let medium = match wave.form {
        Form::Plain => Medium::Plain(scaled(at_nodes)),
        Form::Divergence => {
            let (x, y) = (table([0.5, 0.0], wave.c, "c")?, table([0.0, 0.5], wave.c, "c")?);
            Medium::Divergence(scaled(x), scaled(y))
        }
    };
    let mut u = table([0.0; 2], wave.initial, "a first value")?;
    let (mut rate, mut force) = (vec![0.0; nodes * nodes], vec![0.0; nodes * nodes]);
    accelerate(&medium, &u, &mut force, nodes);
    let end = instants.last().copied().unwrap_or(0.0);
    let mut frames = Vec::new();
    for leg in legs(0.0, instants, (end * fastest / (COURANT * h)).ceil().max(1.0) as usize)? {
        for _ in 0..leg.steps {
            let half = 0.5 * leg.length;
            u.par_iter_mut().zip(rate.par_iter_mut()).zip(&force).with_min_len(nodes).for_each(|((u, rate), force)| {
                *rate += half * force;
                *u += leg.length * *rate;
            });
            accelerate(&medium, &u, &mut force, nodes);
            rate.par_iter_mut().zip(&force).with_min_len(nodes).for_each(|(rate, force)| *rate += half * force);
        }
        if !u.iter().all(|value| value.is_finite()) {
            return Err(SolveError::Unbounded { at: leg.start, steps: leg.steps });
        }
        frames.push(vec![u.clone()]);
    }
    let (low, high) = (wave.low, wave.high);
    Ok(GridField { low, high, cells, beyond: Beyond::Mirror, instants: instants.to_vec(), frames })
}

fn accelerate(medium: &Medium, u: &[f64], force: &mut [f64], nodes: usize) {
    let last = nodes - 1;
    let mirror = |k: isize| if k < 0 { -k } else { k.min(2 * last as isize - k) } as usize;
    force.par_chunks_exact_mut(nodes).enumerate().for_each(|(j, force)| {
        let row = |shift: isize| &u[mirror(j as isize + shift) * nodes..][..nodes];
        let (below, here, above) = (row(-1), row(0), row(1));
        match medium {
            Medium::Plain(c) => {
                let (far_below, far_above) = (row(-2), row(2));
                let along = |i: usize| {
                    let at = |shift: isize| here[mirror(i as isize + shift)];
                    16.0 * (at(1) + at(-1)) - at(2) - at(-2) - 30.0 * here[i]
                };
                let across = |i: usize| 16.0 * (above[i] + below[i]) - far_above[i] - far_below[i] - 30.0 * here[i];
                let c = &c[j * nodes..][..nodes];
                for i in [0, 1, last - 1, last] {
                    force[i] = c[i] / 12.0 * (along(i) + across(i));
                }
                for (k, five) in here.windows(5).enumerate() {
                    let along = 16.0 * (five[3] + five[1]) - five[4] - five[0] - 30.0 * five[2];
                    force[k + 2] = c[k + 2] / 12.0 * (along + across(k + 2));
                }
            }
            Medium::Divergence(x, y) => {
                let (x, y) = (&x[j * nodes..][..nodes], &y[j * nodes..][..nodes]);
                // At a mirror c is reflected too.
                let y_below = if j == 0 { y } else { &medium_row(medium, j - 1, nodes)[..] };
                let y_above = if j == last { y_below } else { y };
                for i in 0..nodes {
                    let left = if i == 0 { x[0] } else { x[i - 1] };
                    let right = if i == last { left } else { x[i] };
                    let (before, after) = (here[mirror(i as isize - 1)], here[mirror(i as isize + 1)]);
                    force[i] = right * (after - here[i]) - left * (here[i] - before)
                        + y_above[i] * (above[i] - here[i])
                        - y_below[i] * (here[i] - below[i]);
                }
            }
        }
    });
}

/// c between a row of nodes and the next.
fn medium_row(medium: &Medium, j: usize, nodes: usize) -> &[f64] {
    match medium {
        Medium::Plain(c) | Medium::Divergence(_, c) => &c[j * nodes..][..nodes],
    }
}
