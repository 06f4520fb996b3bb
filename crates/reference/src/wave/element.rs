//! Cells of N × N nodes: M u_tt = −Ku with ∫ a∇u·∇v and a diagonal ∫ b uv, a = 1 and b = 1/c, or a = c and b = 1.

use super::problem::{Form, Wave};
use crate::SolveError;
use rayon::prelude::*;
use ropinn_vmath::dispatch;

/// How far from a side of a cell, in cells, c is asked for, so that it is that of the cell.
const INSIDE: f64 = 1e-7;

/// Rows of cells that are one task at least: two threads should seldom wait for each other.
pub(super) const ROWS: usize = 32;

/// Gauss and Lobatto's N places on [0, 1], their weights, and the slopes `[place][function]` of the polynomials through them.
pub(super) struct Places<const N: usize> {
    pub at: [f64; N],
    weights: [f64; N],
    slopes: [[f64; N]; N],
}

impl Places<3> {
    pub fn quadratic() -> Self {
        Self::through([0.0, 0.5, 1.0], [1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0])
    }
}

impl Places<4> {
    pub fn cubic() -> Self {
        let inner = 0.5 * (1.0 - 0.2_f64.sqrt());
        Self::through([0.0, inner, 1.0 - inner, 1.0], [1.0 / 12.0, 5.0 / 12.0, 5.0 / 12.0, 1.0 / 12.0])
    }
}

impl<const N: usize> Places<N> {
    fn through(at: [f64; N], weights: [f64; N]) -> Self {
        let mut slopes = [[0.0; N]; N];
        for (place, row) in at.iter().zip(&mut slopes) {
            for (k, slope) in row.iter_mut().enumerate() {
                // The product rule, factor by factor.
                let mut value = 1.0;
                for other in (0..N).filter(|other| *other != k) {
                    let scale = 1.0 / (at[k] - at[other]);
                    *slope = *slope * (place - at[other]) * scale + value * scale;
                    value *= (place - at[other]) * scale;
                }
            }
        }
        Self { at, weights, slopes }
    }

    /// The polynomials at a place.
    pub fn values(&self, s: f64) -> [f64; N] {
        std::array::from_fn(|k| {
            let others = (0..N).filter(|other| *other != k);
            others.map(|other| (s - self.at[other]) / (self.at[k] - self.at[other])).product()
        })
    }
}

pub(super) struct Medium<const N: usize> {
    pub places: Places<N>,
    pub cells: usize,
    /// Nodes along a side.
    pub nodes: usize,
    /// a times the weights, `[cell][y][x]`; empty if a = 1.
    spread: Vec<[[f64; N]; N]>,
    pub inverse_mass: Vec<f64>,
}

impl<const N: usize> Medium<N> {
    pub fn new(wave: &Wave, places: Places<N>, cells: usize) -> Result<Self, SolveError> {
        let nodes = (N - 1) * cells + 1;
        let h = (wave.high[0] - wave.low[0]) / cells as f64;
        let own = |cell: usize| -> Result<[[f64; N]; N], SolveError> {
            let mut c = [[0.0; N]; N];
            for (k, c) in c.as_flattened_mut().iter_mut().enumerate() {
                let inside = [places.at[k % N], places.at[k / N]].map(|s| s.clamp(INSIDE, 1.0 - INSIDE));
                let corner = [cell % cells, cell / cells];
                let place = [0, 1].map(|axis| wave.low[axis] + h * (corner[axis] as f64 + inside[axis]));
                *c = (wave.c)(&place);
                if !(c.is_finite() && *c > 0.0) {
                    return Err(SolveError::NotFinite { what: "c, or its reciprocal,", place: format!("{place:?}") });
                }
            }
            Ok(c)
        };
        let mut spread = (0..cells * cells).into_par_iter().map(own).collect::<Result<Vec<_>, _>>()?;
        let mut mass = vec![0.0; nodes * nodes];
        for (cell, c) in spread.iter_mut().enumerate() {
            let first = (N - 1) * (cell % cells + nodes * (cell / cells));
            for (k, c) in c.as_flattened_mut().iter_mut().enumerate() {
                let weight = places.weights[k % N] * places.weights[k / N];
                mass[first + k % N + nodes * (k / N)] +=
                    weight * h * h / if wave.form == Form::Plain { *c } else { 1.0 };
                *c = weight * if wave.form == Form::Plain { 1.0 } else { *c };
            }
        }
        let inverse_mass = mass.iter().map(|mass| mass.recip()).collect();
        if wave.form == Form::Plain {
            spread.truncate(1);
        }
        Ok(Self { places, cells, nodes, spread, inverse_mass })
    }

    /// −M⁻¹Ku. Rows of cells take turns, every other one at a time, so that sums do not depend on threads.
    pub fn accelerate(&self, u: &[f64], force: &mut [f64]) {
        force.fill(0.0);
        let rows = N - 1;
        for turn in 0..2 {
            let planes = &mut force[turn * rows * self.nodes..];
            planes.par_chunks_mut(2 * rows * self.nodes).enumerate().with_min_len(ROWS).for_each(|(pair, force)| {
                let row = 2 * pair + turn;
                if row < self.cells {
                    let u = &u[row * rows * self.nodes..][..N * self.nodes];
                    dispatch(
                        #[inline(always)]
                        || {
                            for column in 0..self.cells {
                                self.cell(row * self.cells + column, u, force, rows * column);
                            }
                        },
                    );
                }
            });
        }
        force.par_iter_mut().zip(&self.inverse_mass).with_min_len(ROWS * self.nodes).for_each(|(force, m)| *force *= m);
    }

    /// What a cell takes from its nodes, given rows of u and of the force and where it begins in them.
    #[inline(always)]
    fn cell(&self, cell: usize, u: &[f64], force: &mut [f64], first: usize) {
        let slopes = &self.places.slopes;
        let spread = &self.spread[if self.spread.len() == 1 { 0 } else { cell }];
        let mut own = [[0.0; N]; N];
        for (j, own) in own.iter_mut().enumerate() {
            own.copy_from_slice(&u[j * self.nodes + first..][..N]);
        }
        let (mut along, mut across) = ([[0.0; N]; N], [[0.0; N]; N]);
        for j in 0..N {
            for i in 0..N {
                let (mut x, mut y) = (0.0, 0.0);
                for k in 0..N {
                    x += slopes[i][k] * own[j][k];
                    y += slopes[j][k] * own[k][i];
                }
                (along[j][i], across[j][i]) = (spread[j][i] * x, spread[j][i] * y);
            }
        }
        for j in 0..N {
            let row = &mut force[j * self.nodes + first..][..N];
            for (i, force) in row.iter_mut().enumerate() {
                let mut sum = 0.0;
                for k in 0..N {
                    sum += slopes[k][i] * along[j][k] + slopes[k][j] * across[k][i];
                }
                *force -= sum;
            }
        }
    }

    /// The largest eigenvalue of M⁻¹K, a little too small: by the power method.
    pub fn stiffest(&self) -> f64 {
        let mut u: Vec<f64> = (0..self.nodes * self.nodes).map(|k| ((k * 7919) % 1013) as f64 / 1013.0 - 0.5).collect();
        let mut force = u.clone();
        let mut size = 1.0;
        for _ in 0..60 {
            self.accelerate(&u, &mut force);
            size = force.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
            u.iter_mut().zip(&force).for_each(|(u, force)| *u = force / size);
        }
        size
    }
}
