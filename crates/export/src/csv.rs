//! A table: the coordinates of the nodes in the domain, then every quantity. Numbers read back exactly.

use crate::error::ExportError;
use crate::fields::{BATCH, Fields, problem};
use crate::grid::{Grid, Order};
use crate::{Exported, Request};
use ropinn_engine::Threads;
use ropinn_runs::folder::{FinishedRun, csv_lines};
use std::io;

/// Writes the table, a batch at a time.
pub fn write(run: &FinishedRun, request: &Request, threads: &Threads) -> Result<Exported, ExportError> {
    request.free(&request.out)?;
    let problem = problem(run)?;
    let (grid, geometry, axes) =
        (Grid::new(&problem, request.grid.as_ref())?, problem.geometry(), problem.coordinate_names().len());
    let mut fields = Fields::new(run, request, threads)?;
    let header = [problem.coordinate_names(), fields.names()].concat();
    let (mut failed, mut written) = (None, 0);
    let done = ropinn_files::write_with(&request.out, |out| {
        out.write_all(csv_lines([header]).as_bytes())?;
        for begin in (0..grid.len()).step_by(BATCH) {
            let nodes = grid.points(begin..grid.len().min(begin + BATCH), Order::FirstFastest);
            let inside = nodes.chunks_exact(axes).filter(|point| geometry.contains(point, 0.0));
            let points: Vec<f64> = inside.flatten().copied().collect();
            // What the network says no to is no matter of the disk.
            let values = fields.at(&points, axes).map_err(|error| {
                failed = Some(error);
                io::Error::other("no values")
            })?;
            let rows = points.chunks_exact(axes).zip(values.chunks_exact(fields.names().len()));
            let cells =
                |(point, values): (&[f64], &[f64])| point.iter().chain(values).map(f64::to_string).collect::<Vec<_>>();
            written += points.len() / axes;
            out.write_all(csv_lines(rows.map(cells)).as_bytes())?;
        }
        // Nothing is left behind of a table without lines.
        if written == 0 {
            failed = Some(ExportError::NothingInside(grid.text()));
            return Err(io::Error::other("no points"));
        }
        Ok(())
    });
    match (failed, done) {
        (Some(error), _) => Err(error),
        (None, Err(error)) => Err(ExportError::not_saved(&request.out, &error)),
        (None, Ok(())) => Ok(Exported { files: vec![request.out.clone()], remarks: fields.remarks }),
    }
}
