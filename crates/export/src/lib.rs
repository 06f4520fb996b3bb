//! Runs as files of other programs: [`export`] writes a finished run for ParaView (VTK), for whatever runs networks (ONNX), for
//! NumPy, as CSV, or its history for TensorBoard. One module for each format; what they share is where the solution is looked at
//! (`grid`), what is asked there (`fields`) and how messages of protocol buffers are written (`protobuf`).
//!
//! Sizes are checked before memory is taken, and files are whole or not there. Nothing here prints: what is worth knowing comes
//! back in [`Exported`].
#![forbid(unsafe_code)]

mod csv;
mod error;
mod fields;
mod format;
mod grid;
mod npz;
mod onnx;
mod protobuf;
pub mod tensorboard;
mod vtk;

pub use error::ExportError;
pub use format::Format;
pub use grid::Counts;

use ropinn_engine::Threads;
use ropinn_runs::folder::FinishedRun;
use std::path::{Path, PathBuf};

/// What to write, and where.
#[derive(Clone, Debug)]
pub struct Request {
    /// The file; the folder of an event file.
    pub out: PathBuf,
    /// What to write; the ending of the file says it unless given.
    pub format: Option<Format>,
    /// Whether files that are there are replaced.
    pub overwrite: bool,
    /// Nodes along each coordinate.
    pub grid: Option<Counts>,
    /// What to write beside the unknowns, separated by commas: derivatives, or any expressions of them.
    pub derivatives: Option<String>,
    /// Whether the estimated error is made again and written, if the run has one.
    pub estimate: bool,
    /// Whether an ONNX model takes and gives double precision.
    pub double: bool,
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exported {
    /// The files; the one to open first.
    pub files: Vec<PathBuf>,
    /// Worth knowing, but no reason to fail.
    pub remarks: Vec<String>,
}

/// Writes a run.
pub fn export(run: &FinishedRun, request: &Request, threads: &Threads) -> Result<Exported, ExportError> {
    let format = request.format.or_else(|| Format::of(&request.out));
    let format = format.ok_or_else(|| ExportError::WhichFormat(request.out.clone()))?;
    request.check_options(format)?;
    match format {
        Format::Vtk => vtk::write(run, request, threads),
        Format::Onnx => onnx::write(run, request, threads),
        Format::Npz => npz::write(run, request, threads),
        Format::Csv => csv::write(run, request, threads),
        Format::Tensorboard => tensorboard::write(run, request),
    }
}

impl Request {
    /// Refuses options that would be ignored.
    fn check_options(&self, format: Format) -> Result<(), ExportError> {
        let samples = matches!(format, Format::Vtk | Format::Npz | Format::Csv);
        let ignored = [
            (self.double && format != Format::Onnx, "double precision"),
            (self.grid.is_some() && !samples, "a grid"),
            (self.derivatives.is_some() && !samples, "a list of derivatives"),
        ];
        let first = ignored.into_iter().find(|(is_ignored, _)| *is_ignored);
        first.map_or(Ok(()), |(_, option)| Err(ExportError::NoEffect { option, format }))
    }

    /// Refuses to write over what is there, unless it was asked for.
    fn free(&self, path: &Path) -> Result<(), ExportError> {
        if path.exists() && !self.overwrite { Err(ExportError::Exists(path.to_owned())) } else { Ok(()) }
    }
}
