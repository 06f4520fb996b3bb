//! `ropinn predict`: values and derivatives of a trained solution at points of one's own.

use crate::failure::Failure;
use crate::options;
use crate::output;
use clap::Args;
use ropinn_runs::folder::FinishedRun;
use ropinn_runs::predict::RunPredictor;
use ropinn_runs::{PointReader, RunError};
use std::path::PathBuf;
use std::process::ExitCode;

/// Predict values and derivatives of a trained solution at points of a CSV file.
#[derive(Debug, Args)]
pub struct Predict {
    /// Folder of the run.
    run: PathBuf,
    /// CSV file of the points, `-` for standard input: its first line names the coordinates; all columns are kept.
    #[arg(long, value_name = "FILE")]
    points: String,
    /// What to predict, separated by commas: unknowns, derivatives, expressions of them [default: all unknowns].
    #[arg(long, value_name = "LIST")]
    want: Option<String>,
    /// File of the predictions [default: standard output].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file, if there is one.
    #[arg(long, requires = "out")]
    overwrite: bool,
    /// Threads; results do not depend on them [default: one per core].
    #[arg(long)]
    threads: Option<usize>,
}

impl Predict {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let threads = options::threads(self.threads)?;
        if let Some(path) = self.out.as_ref().filter(|path| path.exists() && !self.overwrite) {
            return Err(Failure::FileExists(path.clone()));
        }
        let mut predictor = RunPredictor::new(&FinishedRun::load(&self.run)?, self.want.as_deref(), &threads)?;
        let mut reader = PointReader::open(&self.points, predictor.coordinates())?;
        let mut text = predictor.csv_header(reader.head());
        let (mut outside, mut count) = (0, 0);
        while let Some(batch) = reader.next_batch()? {
            text += &predictor.csv(&batch)?;
            outside += predictor.outside(&batch.points);
            count += batch.points.len() / predictor.coordinates().len();
            if self.out.is_none() {
                output::print(&std::mem::take(&mut text))?;
            }
        }
        if let Some(path) = &self.out {
            ropinn_files::write(path, text.as_bytes()).map_err(|error| RunError::unwritable(path, &error))?;
        }
        if outside > 0 {
            let lie = if outside == 1 { "lies" } else { "lie" };
            output::remark(&format!(
                "warning: {outside} of {count} points {lie} outside the domain or in a hole, where the network was not trained"
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}
