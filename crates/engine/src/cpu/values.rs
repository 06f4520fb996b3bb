//! Residual values, and per-sample gradient rows one tile at a time.

use super::{Cpu, own_workspace, schedule::tile_split};
use crate::backend::{RowTile, SetId};
use crate::exec::{GradSink, Tile};
use rayon::prelude::*;
use ropinn_linalg::Numbers;

/// Memory of the rows of one tile, made at first use.
pub(super) struct RowMemory<T> {
    /// Of each term.
    tiles: Vec<Option<Tile<T>>>,
    rows: Vec<T>,
    /// Residuals and rows in f64.
    wide: Vec<f64>,
}

impl<T> Default for RowMemory<T> {
    fn default() -> Self {
        Self { tiles: Vec::new(), rows: Vec::new(), wide: Vec::new() }
    }
}

impl<T: Numbers> Cpu<T> {
    /// Residuals of a set, sample by sample.
    pub(super) fn values(&self, set: SetId, out: &mut Vec<f64>) {
        let Self { programs, threads, sets, parameters, workspaces, .. } = self;
        let set = &sets[set.index()];
        let program = &programs[set.term];
        let outputs = program.outputs();
        out.resize(set.samples * outputs, 0.0);
        let (tile_samples, lanes) = tile_split(set.samples, program.tile_samples());
        threads.run(|| {
            out.par_chunks_mut(tile_samples * outputs).enumerate().with_max_len(1).for_each(|(tile_number, out)| {
                let mut workspace = own_workspace(workspaces);
                let tile = &mut workspace.tiles[set.term];
                let (first, valid) = (tile_number * tile_samples, out.len() / outputs);
                tile.load(program, (&set.points, &set.data), first, valid, lanes);
                tile.forward(program, program.plan(false), parameters);
                for k in 0..outputs {
                    for (i, r) in tile.residual(program, k)[..valid].iter().enumerate() {
                        out[i * outputs + k] = r.to_f64();
                    }
                }
            });
        });
    }

    /// Residuals and gradient rows of a set, tile by tile.
    pub(super) fn visit_rows(&mut self, set: SetId, visit: &mut dyn FnMut(RowTile<'_>)) {
        let Self { programs, sets, parameters, rows: RowMemory { tiles, rows, wide }, .. } = self;
        let set = &sets[set.index()];
        let program = &programs[set.term];
        let plan = program.plan(true);
        let (tile_samples, lanes) = tile_split(set.samples, program.tile_samples());
        tiles.resize_with(programs.len(), || None);
        let tile = tiles[set.term].get_or_insert_with(|| Tile::new(program, plan, program.tile_samples(), true));
        rows.resize(parameters.theta.len() * lanes, T::ZERO);
        wide.resize((parameters.theta.len() + 1) * lanes, 0.0);
        for first in (0..set.samples).step_by(tile_samples) {
            let samples = tile_samples.min(set.samples - first);
            tile.load(program, (&set.points, &set.data), first, samples, lanes);
            tile.forward(program, plan, parameters);
            for output in 0..program.outputs() {
                tile.clear_seeds();
                tile.seed(program, output).fill(T::ONE);
                rows.fill(T::ZERO);
                tile.backward(program, plan, parameters, &mut GradSink::Rows { rows, samples: lanes, first: 0 });
                let numbers = tile.residual(program, output).iter().chain(&*rows);
                wide.iter_mut().zip(numbers).for_each(|(wide, number)| *wide = number.to_f64());
                let (residuals, rows) = wide.split_at(lanes);
                visit(RowTile { first, samples, stride: lanes, output, residuals: &residuals[..samples], rows });
            }
        }
    }
}
