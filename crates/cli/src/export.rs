//! `ropinn export`: a finished run as files of other programs.

use crate::failure::Failure;
use crate::options;
use crate::output;
use clap::{ArgGroup, Args};
use ropinn_export::{Counts, Format, Request, export};
use ropinn_runs::folder::FinishedRun;
use std::path::PathBuf;
use std::process::ExitCode;

/// Write a run for other programs: ParaView (VTK), onnxruntime (ONNX), NumPy, tables, TensorBoard.
///
/// The ending of the file says the format, unless an option does: .vti, .vtu and .pvd (a series in time) are VTK, and .onnx, .npz and .csv
/// are what they are called. VTK, NPZ and CSV files have the unknowns on a grid, the residuals of the equations and the estimated error.
#[derive(Debug, Args)]
#[command(after_help = crate::EXIT_CODES, group(ArgGroup::new("format").args(["vtk", "onnx", "npz", "csv", "tensorboard"])))]
pub struct Export {
    /// Folder of the run.
    run: PathBuf,
    /// The file to write; with --tensorboard, the folder of the event file.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Grids for ParaView: an image for a box, cells for other domains, a series of them for an evolution.
    #[arg(long)]
    vtk: bool,
    /// The network: coordinates in, unknowns out.
    #[arg(long)]
    onnx: bool,
    /// Arrays for NumPy.
    #[arg(long)]
    npz: bool,
    /// A table.
    #[arg(long)]
    csv: bool,
    /// The history of training as an event file.
    #[arg(long)]
    tensorboard: bool,
    /// Nodes along each coordinate, such as 101x101 [default: by the number of coordinates].
    #[arg(long, value_name = "COUNTS")]
    grid: Option<String>,
    /// What to write beside the unknowns, separated by commas, such as u_x,u_xx: any expressions of them.
    #[arg(long, value_name = "LIST")]
    derivatives: Option<String>,
    /// Leave out the estimated error, which takes some seconds to make.
    #[arg(long)]
    no_estimate: bool,
    /// Double precision at both ends of an ONNX model.
    #[arg(long)]
    double: bool,
    /// Replace what is there.
    #[arg(long)]
    overwrite: bool,
    /// Threads; results do not depend on them [default: one per core].
    #[arg(long)]
    threads: Option<usize>,
}

impl Export {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let threads = options::threads(self.threads)?;
        let request = Request {
            out: self.out.clone(),
            format: self.format(),
            overwrite: self.overwrite,
            grid: self.grid.as_deref().map(str::parse::<Counts>).transpose().map_err(Failure::Export)?,
            derivatives: self.derivatives.clone(),
            estimate: !self.no_estimate,
            double: self.double,
        };
        let exported = export(&FinishedRun::load(&self.run)?, &request, &threads).map_err(Failure::Export)?;
        exported.remarks.iter().for_each(|remark| output::remark(remark));
        let more = match exported.files.len() {
            0 | 1 => String::new(),
            count => format!(" and {} files in its folder", count - 1),
        };
        let first = exported.files.first().map_or_else(String::new, |path| path.display().to_string());
        output::print(&format!("{first}{more}\n"))?;
        Ok(ExitCode::SUCCESS)
    }

    fn format(&self) -> Option<Format> {
        let asked = [
            (self.vtk, Format::Vtk),
            (self.onnx, Format::Onnx),
            (self.npz, Format::Npz),
            (self.csv, Format::Csv),
            (self.tensorboard, Format::Tensorboard),
        ];
        asked.into_iter().find(|(asked, _)| *asked).map(|(_, format)| format)
    }
}
