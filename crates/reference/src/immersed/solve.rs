//! Conjugate gradients (Hestenes & Stiefel 1952) for the scaled equations, on two grids.

use super::basis::{DEGREE, LOCAL, at};
use super::problem::{Ball, Immersed};
use super::schwarz::Scaling;
use super::system::System;
use crate::solution::Field;
use crate::{Reference, SolveError};
use rayon::prelude::*;

/// The residual, in the norm of the scaled equations and relative to its first value, that ends the iteration.
const SETTLED: f64 = 1e-8;
const MOST_STEPS: usize = 6000;
const MOST_CELLS: usize = 96;
/// Numbers that are added up by one task.
const TASK: usize = 1 << 16;

/// Solves it on cells × cells × cells, a multiple of 8, and on three quarters as many along each axis.
pub fn solve(problem: &Immersed, cells: usize) -> Result<Reference, SolveError> {
    if !cells.is_multiple_of(8) || !(8..=MOST_CELLS).contains(&cells) {
        let expected = format!("a multiple of 8, up to {MOST_CELLS}");
        return Err(SolveError::Resolution { key: "cells", value: cells.to_string(), expected });
    }
    let coarse = run(problem, cells / 4 * 3)?;
    Reference::accurate(Box::new(run(problem, cells)?), &coarse)
}

fn run(problem: &Immersed, cells: usize) -> Result<CellField, SolveError> {
    let side = problem.check()?;
    let system = System::new(problem, cells, side)?;
    let values = conjugate_gradients(&system)?;
    let nodes = system.nodes;
    Ok(CellField { low: problem.low, side, cells, nodes, balls: problem.balls.clone(), values })
}

/// Σ ab, in the same order for any number of threads.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let part = |(a, b): (&[f64], &[f64])| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let parts: Vec<f64> = a.par_chunks(TASK).zip(b.par_chunks(TASK)).map(part).collect();
    parts.into_iter().sum()
}

fn conjugate_gradients(system: &System) -> Result<Vec<f64>, SolveError> {
    let scaling = Scaling::new(system)?;
    let count = system.right.len();
    let (mut u, mut residual) = (vec![0.0; count], system.right.clone());
    let (mut scaled, mut product) = (vec![0.0; count], vec![0.0; count]);
    scaling.times(system, &residual, &mut scaled);
    let mut direction = scaled.clone();
    let mut size = dot(&residual, &scaled);
    let first = size;
    let mut steps = 0;
    while steps < MOST_STEPS && size.sqrt() > SETTLED * first.sqrt() {
        system.times(&direction, &mut product);
        let step = size / dot(&direction, &product);
        let along = |(((u, r), d), p): (((&mut f64, &mut f64), &f64), &f64)| {
            *u += step * d;
            *r -= step * p;
        };
        u.par_iter_mut().zip(&mut residual).zip(&direction).zip(&product).with_min_len(TASK).for_each(along);
        scaling.times(system, &residual, &mut scaled);
        let next = dot(&residual, &scaled);
        let turn = next / size;
        let steer = |(d, s): (&mut f64, &f64)| *d = s + turn * *d;
        direction.par_iter_mut().zip(&scaled).with_min_len(TASK).for_each(steer);
        (size, steps) = (next, steps + 1);
    }
    match size.sqrt() <= SETTLED * first.sqrt() {
        true => Ok(u),
        false => Err(SolveError::Unsettled {
            what: "the method of conjugate gradients",
            steps,
            change: (size / first).sqrt(),
            advice: "give the equation a decay, or change the number of cells so that balls cut them otherwise",
        }),
    }
}

/// u at the nodes of all cells.
struct CellField {
    low: [f64; 3],
    side: f64,
    cells: usize,
    nodes: usize,
    balls: Vec<Ball>,
    values: Vec<f64>,
}

impl Field for CellField {
    fn unknowns(&self) -> usize {
        1
    }

    fn instants(&self) -> &[f64] {
        &[]
    }

    fn bounds(&self) -> (Vec<f64>, Vec<f64>) {
        (self.low.to_vec(), self.low.map(|x| x + self.side).to_vec())
    }

    fn value(&self, place: &[f64], _: usize) -> Option<Vec<f64>> {
        let at_cells = [0, 1, 2].map(|axis| (place[axis] - self.low[axis]) / self.side * self.cells as f64);
        let within = |x: &f64| (-1e-9..=self.cells as f64 + 1e-9).contains(x);
        if !at_cells.iter().all(within) || self.balls.iter().any(|ball| ball.contains(place)) {
            return None;
        }
        let cell = at_cells.map(|x| (x.max(0.0) as usize).min(self.cells - 1));
        let functions = at([0, 1, 2].map(|axis| at_cells[axis] - cell[axis] as f64));
        let first = [0, 1, 2].map(|axis| DEGREE * cell[axis]);
        let value = |k: usize| {
            let along = DEGREE + 1;
            let [i, j, l] = [k % along + first[0], k / along % along + first[1], k / (along * along) + first[2]];
            functions[0][k] * self.values[i + self.nodes * (j + self.nodes * l)]
        };
        Some(vec![(0..LOCAL).map(value).sum()])
    }
}
