//! `ropinn reference`: the solution a problem is compared with, computed, kept, exported and compared with others.

use crate::chosen::Chosen;
use crate::failure::Failure;
use crate::output::{self, remark};
use clap::Args;
use ropinn::problem::{PointOverrides, Problem, Spread};
use ropinn_runs::RunError;
use ropinn_runs::export;
use ropinn_runs::reference_file::Comparison;
use ropinn_runs::references::References;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Compute the reference solution of a problem, say how accurate it is, and export it or compare it with a file.
///
/// One that takes minutes is kept (in the folder ROPINN_CACHE, or ropinn in the cache folder of the system) and used by every run of the
/// problem. Its error is estimated from two resolutions; one that is not accurate by that estimate is refused.
#[derive(Debug, Args)]
#[command(after_help = crate::EXIT_CODES)]
pub struct Reference {
    /// A built-in problem or a problem file.
    problem: String,
    #[command(flatten)]
    chosen: Chosen,
    /// Points, such as grid:65x65x11 [default: those at which errors are measured].
    #[arg(long, value_name = "SPREAD")]
    points: Option<String>,
    /// Compute it again, even if it is kept.
    #[arg(long)]
    again: bool,
    /// Write points and values as arrays for NumPy.
    #[arg(long, value_name = "FILE")]
    npz: Option<PathBuf>,
    /// Write points and values for ParaView, up to three coordinates.
    #[arg(long, value_name = "FILE")]
    vtk: Option<PathBuf>,
    /// Compare with values in a file: remarks behind %, the coordinates in space, then a column for each unknown at each instant.
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Told {
    problem: String,
    method: &'static str,
    points: usize,
    /// The estimated error.
    error: Option<f64>,
    /// Largest and smallest value of each unknown.
    ranges: Vec<(String, [f64; 2])>,
    /// Whether it was kept since an earlier day.
    kept: bool,
    seconds: f64,
    file: Option<PathBuf>,
}

impl Reference {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let mut problem = Problem::open_with(&self.problem, &self.chosen.choices()?)?;
        if let Some(points) = &self.points {
            let evaluation: Spread = points.parse()?;
            problem =
                problem.with_points(&PointOverrides { evaluation: Some(evaluation), ..PointOverrides::default() });
        }
        if !problem.has_reference() {
            return Err(RunError::NoReference(problem.name.clone()).into());
        }
        let references = References::usual();
        if let Some(file) = &self.against {
            return self.compare(&problem, &references, file);
        }
        let places = problem.evaluation_places()?;
        if self.again {
            references.forget(&problem, &places);
        }
        references.damage(&problem, &places).iter().for_each(|damage| remark(&damage.to_string()));
        references.pending(&problem)?.iter().for_each(|pending| remark(&pending.to_string()));
        let began = Instant::now();
        let kept = references.values(&problem, &places)?.is_some_and(|(_, kept)| kept);
        let seconds = began.elapsed().as_secs_f64();
        let set = problem.evaluation()?;
        let values = set.reference.clone().unwrap_or_default();
        if let Some(path) = &self.npz {
            export::npz(path, &problem, &set)?;
        }
        if let Some(path) = &self.vtk {
            export::vtk(path, &problem, &set)?;
        }
        let unknowns = problem.unknown_names();
        let range = |k: usize| {
            let own = values.iter().skip(k).step_by(unknowns.len()).filter(|value| value.is_finite());
            own.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(*value), high.max(*value)])
        };
        let file = problem.reference_work().and_then(|_| references.path(&problem, &places));
        let told = Told {
            problem: problem.name.clone(),
            method: problem.reference_method().unwrap_or_default(),
            points: set.len(),
            error: problem.reference_error()?,
            ranges: unknowns.iter().enumerate().map(|(k, name)| (name.clone(), range(k))).collect(),
            kept,
            seconds,
            file: file.filter(|path| path.exists()),
        };
        match self.json {
            true => output::print_json(&told)?,
            false => output::print(&told.to_text())?,
        }
        Ok(ExitCode::SUCCESS)
    }

    fn compare(&self, problem: &Problem, references: &References, file: &std::path::Path) -> Result<ExitCode, Failure> {
        let comparison = Comparison::new(problem, references, file, &mut |pending| remark(&pending.to_string()))?;
        match self.json {
            true => output::print_json(&comparison)?,
            false => output::print(&comparison.to_text())?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Told {
    fn to_text(&self) -> String {
        let mut text = format!("{}: {} at {} points\n", self.problem, self.method, self.points);
        let mut line = |name: &str, value: String| text += &format!("  {name:<16} {value}\n");
        line("estimated error", self.error.map_or("none".to_owned(), |error| format!("{error:.1e}")));
        for (name, [low, high]) in &self.ranges {
            let known = low <= high;
            line(name, if known { format!("{low:.6} to {high:.6}") } else { "no reference".to_owned() });
        }
        line("time", format!("{:.1} s{}", self.seconds, if self.kept { " (kept since earlier)" } else { "" }));
        if let Some(file) = &self.file {
            line("kept in", file.display().to_string());
        }
        text
    }
}
