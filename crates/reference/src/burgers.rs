//! Burgers' equations of two velocities in a periodic square: u_t + uu_x + vu_y = νΔu, v_t + uv_x + vv_y = νΔv.
//!
//! Slopes are differences of fifth order, biased against the wind: u∂f = u D₆f − |u| E₆f, where D₆ is the central difference of sixth order and
//! E₆ = δ⁶/60h; Δ is of sixth order. Steps are those of Shu & Osher (1988), of third order. Fronts are smooth, of width 4ν over their
//! jump, and must be seen by the grid: the equations have no conservation law that would place them otherwise.

use crate::grid::{Beyond, GridField};
use crate::steps::legs;
use crate::{Function, Reference, SolveError};
use rayon::prelude::*;
use ropinn_vmath::dispatch;

/// Nodes beyond each end of a row.
const HALO: usize = 3;
const MOST_NODES: usize = 4096;

/// Two velocities that carry themselves and each other.
#[derive(Clone)]
pub struct Burgers<'a> {
    /// The side of the square, whose low corner is the origin.
    pub period: f64,
    /// ν > 0.
    pub viscosity: f64,
    /// u and v at t = 0, functions of (x, y) with the period.
    pub initial: [Function<'a>; 2],
}

/// Solves them on nodes × nodes, a multiple of 4, and on three quarters as many along each side; steps are as long as they may be.
pub fn solve(burgers: &Burgers, instants: &[f64], nodes: usize) -> Result<Reference, SolveError> {
    if !nodes.is_multiple_of(4) || !(32..=MOST_NODES).contains(&nodes) {
        let expected = format!("a multiple of 4, from 32 to {MOST_NODES}");
        return Err(SolveError::Resolution { key: "nodes", value: nodes.to_string(), expected });
    }
    let coarse = run(burgers, instants, nodes / 4 * 3)?;
    Reference::accurate(Box::new(run(burgers, instants, nodes)?), &coarse)
}

/// One velocity, rows with their halos.
type Plane = Vec<f64>;

fn run(burgers: &Burgers, instants: &[f64], nodes: usize) -> Result<GridField, SolveError> {
    let (h, width) = (burgers.period / nodes as f64, nodes + 2 * HALO);
    let first = |initial: Function| -> Result<Plane, SolveError> {
        let value = |k: usize| {
            let column = (k % width + nodes - HALO) % nodes;
            let place = [h * column as f64, h * (k / width) as f64];
            let value = initial(&place);
            let not_finite = || SolveError::NotFinite { what: "a first value", place: format!("{place:?}") };
            if value.is_finite() { Ok(value) } else { Err(not_finite()) }
        };
        (0..width * nodes).into_par_iter().map(value).collect()
    };
    let [u, v] = burgers.initial.map(first);
    let mut now = [u?, v?];
    let mut stage = now.clone();
    let mut next = now.clone();
    let mut frames = Vec::new();
    let mut start = 0.0;
    for &instant in instants {
        // Values stay between those at the start of a leg, so its steps may be chosen there.
        let longest = longest_step(&now, burgers.viscosity, h);
        let steps = (((instant - start) / longest).ceil() as usize).max(1);
        for leg in legs(start, &[instant], steps)? {
            for _ in 0..leg.steps {
                let change = Change { nodes, h, viscosity: burgers.viscosity, length: leg.length };
                change.blend(&now, &now, (0.0, 1.0), &mut stage);
                change.blend(&now, &stage, (0.75, 0.25), &mut next);
                std::mem::swap(&mut stage, &mut next);
                change.blend(&now, &stage, (1.0 / 3.0, 2.0 / 3.0), &mut next);
                std::mem::swap(&mut now, &mut next);
            }
        }
        if !now.iter().flatten().all(|value| value.is_finite()) {
            return Err(SolveError::Unbounded { at: instant, steps });
        }
        let bare = |plane: &Plane| plane.chunks_exact(width).flat_map(|row| row[HALO..][..nodes].to_vec()).collect();
        frames.push(now.iter().map(bare).collect());
        start = instant;
    }
    let (low, high) = ([0.0; 2], [burgers.period; 2]);
    Ok(GridField { low, high, cells: nodes, beyond: Beyond::Repeat, instants: instants.to_vec(), frames })
}

/// What keeps waves and decays of the grid inside the region of stability, which reaches to 1.7 along the imaginary and 2.5 along the real axis.
fn longest_step(now: &[Plane; 2], viscosity: f64, h: f64) -> f64 {
    let speed = now[0].iter().zip(&now[1]).fold(0.0, |most: f64, (u, v)| most.max(u.abs() + v.abs()));
    let carried = 1.59 * speed / h;
    let damped = 12.1 * viscosity / (h * h) + 1.07 * speed / h;
    1.0 / (carried / 1.6).hypot(damped / 2.4)
}

/// A stage of a step on a grid.
struct Change {
    nodes: usize,
    h: f64,
    viscosity: f64,
    length: f64,
}

impl Change {
    /// to ← a·old + b·(from + Δt·rates of from).
    fn blend(&self, old: &[Plane; 2], from: &[Plane; 2], factors: (f64, f64), to: &mut [Plane; 2]) {
        let width = self.nodes + 2 * HALO;
        let [u, v] = to;
        let rows = u.par_chunks_exact_mut(width).zip(v.par_chunks_exact_mut(width)).enumerate();
        rows.with_min_len(64).for_each(|(j, (u, v))| {
            for (component, row) in [u, v].into_iter().enumerate() {
                dispatch(
                    #[inline(always)]
                    || self.blend_row(j, &old[component], from, component, factors, row),
                );
                for k in 0..HALO {
                    (row[k], row[HALO + self.nodes + k]) = (row[self.nodes + k], row[HALO + k]);
                }
            }
        });
    }

    #[inline(always)]
    fn blend_row(
        &self,
        j: usize,
        old: &Plane,
        from: &[Plane; 2],
        component: usize,
        (a, b): (f64, f64),
        to: &mut [f64],
    ) {
        let (n, width) = (self.nodes, self.nodes + 2 * HALO);
        let plane = &from[component];
        // All slices have the length of the row, so that its loop needs no bounds.
        let row = |shift: usize| &plane[(j + n + shift - HALO) % n * width..][HALO..][..n];
        let rows: [&[f64]; 7] = std::array::from_fn(row);
        let whole = &plane[j * width..][..width];
        let shifted: [&[f64]; 7] = std::array::from_fn(|shift| &whole[shift..][..n]);
        let wind = |axis: usize| &from[axis][j * width..][HALO..][..n];
        let (u, v, old, to) = (wind(0), wind(1), &old[j * width..][HALO..][..n], &mut to[HALO..][..n]);
        let (slope, spread) = (1.0 / (60.0 * self.h), self.viscosity / (180.0 * self.h * self.h));
        for i in 0..n {
            let along = stencil(shifted.map(|values| values[i]));
            let across = stencil(rows.map(|values| values[i]));
            let carried = u[i] * along[0] - u[i].abs() * along[1] + v[i] * across[0] - v[i].abs() * across[1];
            let rate = spread * (along[2] + across[2]) - slope * carried;
            to[i] = a * old[i] + b * (shifted[3][i] + self.length * rate);
        }
    }
}

/// 60h D₆, 60h E₆ and 180h² δ² of sixth order at the middle of seven nodes.
#[inline(always)]
fn stencil(f: [f64; 7]) -> [f64; 3] {
    let (near, middle, far) = (f[4] + f[2], f[5] + f[1], f[6] + f[0]);
    [
        45.0 * (f[4] - f[2]) - 9.0 * (f[5] - f[1]) + (f[6] - f[0]),
        far - 6.0 * middle + 15.0 * near - 20.0 * f[3],
        2.0 * far - 27.0 * middle + 270.0 * near - 490.0 * f[3],
    ]
}
