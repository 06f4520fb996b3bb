//! How many conditions a system of equations takes along each coordinate.
//!
//! Jacobi's bound: give each unknown an equation of its own that contains it, so that the sum of the orders with which the
//! unknowns occur in theirs is largest; that sum is the order of the system. For Stokes flow it is 4 in x, not the 5 of
//! u_xx, v_xx and p_x. Unknowns that find no equation are not determined by them.

use super::super::Problem;
use super::probe::{ends, evaluate, some_value};
use ropinn_domain::Side;
use ropinn_expr::MultiIndex;

/// Systems with more pairs of unknowns and equations are not looked at.
const MAX_PAIRS: usize = 4096;

/// The orders of a problem's equations.
pub(super) struct Orders {
    /// The highest derivative by unknown and coordinate; none for an unknown that does not occur.
    highest: Vec<Option<Vec<u32>>>,
    /// The order of the whole system by coordinate; none if it is not determined or too large to look at.
    pub system: Option<Vec<u32>>,
    /// How many unknowns find an equation of their own.
    pub determined: Option<usize>,
    /// Whether there are more equations than unknowns, so that some follow from others.
    pub redundant: bool,
}

impl Orders {
    pub fn of(problem: &Problem) -> Self {
        // Fields to be found have no equation of their own.
        let (axes, fields) = (problem.ranges.len(), problem.solved_unknowns());
        // By equation, unknown and coordinate.
        let table: Vec<Vec<Option<Vec<u32>>>> = problem
            .equations()
            .map(|(_, residual)| {
                let mut row: Vec<Option<Vec<u32>>> = vec![None; fields];
                for (field, alpha, _) in residual.unknowns().into_iter().filter(|(field, ..)| *field < fields) {
                    let orders = row[field].get_or_insert_with(|| vec![0; axes]);
                    orders.iter_mut().enumerate().for_each(|(k, own)| *own = (*own).max(u32::from(alpha.get(k))));
                }
                row
            })
            .collect();
        let highest = (0..fields).map(|field| {
            let own = table.iter().filter_map(|row| row[field].as_ref());
            own.cloned().reduce(|a, b| a.iter().zip(&b).map(|(a, b)| *a.max(b)).collect())
        });
        let along = |axis: usize| {
            let weights: Vec<Vec<Option<i64>>> = (0..fields)
                .map(|field| table.iter().map(|row| row[field].as_ref().map(|o| i64::from(o[axis]))).collect())
                .collect();
            assignment(&weights)
        };
        let found: Option<Vec<(usize, u32)>> =
            (fields * table.len() <= MAX_PAIRS).then(|| (0..axes).map(along).collect());
        let determined = found.as_ref().and_then(|found| found.first()).map(|(matched, _)| *matched);
        let system = found
            .filter(|_| determined == Some(fields))
            .map(|found| found.into_iter().map(|(_, order)| order).collect());
        Self { highest: highest.collect(), system, determined, redundant: table.len() > fields }
    }

    /// Whether an equation contains the unknown.
    pub fn involved(&self, field: usize) -> bool {
        self.highest[field].is_some()
    }

    /// The highest derivative of an unknown along a coordinate.
    pub fn highest(&self, field: usize, axis: usize) -> u32 {
        self.highest.get(field).and_then(Option::as_ref).map_or(0, |orders| orders[axis])
    }

    /// Of all unknowns together.
    pub fn sum(&self, axis: usize) -> u32 {
        (0..self.highest.len()).map(|field| self.highest(field, axis)).sum()
    }

    /// Whether anything is differentiated.
    pub fn differential(&self) -> bool {
        self.highest.iter().flatten().flatten().any(|&order| order > 0)
    }

    /// Conditions per end that an even order asks for whatever its sign: half of it, unknown by unknown.
    pub fn per_end(&self, axis: usize) -> u32 {
        let halves = (0..self.highest.len()).map(|field| self.highest(field, axis) / 2).sum::<u32>();
        halves.min(self.system.as_ref().map_or(0, |system| system[axis] / 2))
    }
}

/// How many rows find a column of their own, and the largest sum of the weights they can find. Each row is added along the
/// path that gains most, as in the Hungarian method.
fn assignment(weights: &[Vec<Option<i64>>]) -> (usize, u32) {
    let columns = weights.first().map_or(0, Vec::len);
    let mut row_of: Vec<Option<usize>> = vec![None; columns];
    for start in 0..weights.len() {
        // The gain of the best path from the new row to each column, and the column before it.
        let mut gain: Vec<Option<i64>> = weights[start].clone();
        let mut before: Vec<Option<usize>> = vec![None; columns];
        for _ in 0..columns {
            let mut changed = false;
            for from in 0..columns {
                let (Some(so_far), Some(row)) = (gain[from], row_of[from]) else { continue };
                let given_up = weights[row][from].unwrap_or(0);
                for to in (0..columns).filter(|&to| to != from) {
                    let Some(won) = weights[row][to] else { continue };
                    let total = so_far - given_up + won;
                    if gain[to].is_none_or(|known| known < total) {
                        (gain[to], before[to], changed) = (Some(total), Some(from), true);
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let free = (0..columns).filter(|&column| row_of[column].is_none() && gain[column].is_some());
        let Some(mut column) = free.max_by_key(|&column| gain[column]) else { continue };
        while let Some(previous) = before[column] {
            row_of[column] = row_of[previous];
            column = previous;
        }
        row_of[column] = Some(start);
    }
    let matched = row_of.iter().enumerate().filter_map(|(column, row)| weights[(*row)?][column]);
    (matched.clone().count(), u32::try_from(matched.sum::<i64>()).unwrap_or(0))
}

/// Whether the highest derivative along a coordinate drops out at one of its ends, as at the axis of polar coordinates: no
/// condition is needed there.
pub(super) fn degenerate(problem: &Problem, orders: &Orders, axis: usize, side: Side) -> bool {
    let points = (1..4).map(|k| {
        let inside = |(j, &(low, high)): (usize, &(f64, f64))| low + (high - low) * (0.17 * (k + j) as f64).fract();
        let mut point: Vec<f64> = problem.ranges.iter().enumerate().map(inside).collect();
        let (low, high) = ends(problem, axis);
        point[axis] = if side == Side::Low { low } else { high };
        point
    });
    let points: Vec<Vec<f64>> = points.collect();
    let drops_out = |field: usize| {
        let top = orders.highest(field, axis);
        let slope = |point: &Vec<f64>| {
            let shift = |by: f64| {
                move |alpha: MultiIndex, own: usize| {
                    if own == field && u32::from(alpha.get(axis)) == top { by } else { 0.0 }
                }
            };
            let residuals = problem.equations().map(|(_, residual)| {
                [0.0, 1.0].map(|by| {
                    let moved = shift(by);
                    evaluate(problem, residual, point, &|own, alpha, _| some_value(own, alpha) + moved(alpha, own))
                })
            });
            residuals.map(|[a, b]| (b - a).abs()).fold(0.0, |sum: f64, slope| sum + slope)
        };
        top > 0 && points.iter().all(|point| !(slope(point) > 1e-13 && slope(point).is_finite()))
    };
    (0..problem.solved_unknowns()).any(drops_out)
}
