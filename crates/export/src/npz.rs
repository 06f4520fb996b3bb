//! Arrays for NumPy: one of nodes for each coordinate, and one for each quantity over all of them, `u[i, j]` at `x[i]`, `t[j]`. Nodes
//! outside the domain have NaN.

use crate::error::ExportError;
use crate::fields::{BATCH, Fields, problem};
use crate::grid::{Grid, Order};
use crate::{Exported, Request};
use ropinn_engine::Threads;
use ropinn_runs::arrays::{npy, npz};
use ropinn_runs::folder::FinishedRun;

/// The most bytes that sizes in a ZIP archive can tell.
const MOST_BYTES: usize = u32::MAX as usize;

/// Writes the arrays.
pub fn write(run: &FinishedRun, request: &Request, threads: &Threads) -> Result<Exported, ExportError> {
    request.free(&request.out)?;
    let problem = problem(run)?;
    let grid = Grid::new(&problem, request.grid.as_ref())?;
    let (geometry, axes) = (problem.geometry(), problem.coordinate_names().len());
    let mut fields = Fields::new(run, request, threads)?;
    let width = fields.names().len();
    grid.check_memory(grid.len(), width)?;
    let most = MOST_BYTES / size_of::<f64>() / (width + 1);
    if grid.len() > most {
        return Err(ExportError::TooManyNodes { grid: grid.text(), most });
    }
    let mut columns = vec![Vec::with_capacity(grid.len()); width];
    for begin in (0..grid.len()).step_by(BATCH) {
        let points = grid.points(begin..grid.len().min(begin + BATCH), Order::LastFastest);
        let values = fields.at(&points, axes)?;
        for (point, values) in points.chunks_exact(axes).zip(values.chunks_exact(width)) {
            let inside = geometry.contains(point, 0.0);
            columns
                .iter_mut()
                .zip(values)
                .for_each(|(column, value)| column.push(if inside { *value } else { f64::NAN }));
        }
    }
    let nodes = problem.coordinate_names().iter().zip(&grid.nodes);
    let mut arrays: Vec<_> = nodes.map(|(name, nodes)| (name.clone(), npy(&[nodes.len()], nodes))).collect();
    arrays.extend(fields.names().iter().zip(&columns).map(|(name, values)| (name.clone(), npy(grid.counts(), values))));
    ropinn_files::write(&request.out, &npz(&arrays)).map_err(|error| ExportError::not_saved(&request.out, &error))?;
    Ok(Exported { files: vec![request.out.clone()], remarks: fields.remarks })
}
