//! The loss around trained weights (Figure 6): curvature by exact Hessian products, the surface along its two largest
//! directions, and the error map.
//!
//! A survey is taken in double precision of the canonical loss, whatever the run was trained on. It is saved row by row beside
//! the runs, so that a large one goes on where it was.

mod pictures;

use super::figures::Drawing;
use super::outcome::RowOutcome;
use super::queue::Worker;
use super::scale::Scale;
use super::sweep::Sweep;
use crate::error::StudyError;
use ropinn::landscape::{CanonicalLoss, EigenPair, Hessian, PowerIteration, Surface, SurfaceGrid};
use ropinn_engine::{Precision, Threads};
use ropinn_files::read_text;
use ropinn_plot::{Column, Table, scientific};
use ropinn_runs::RunError;
use ropinn_runs::folder::FinishedRun;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Where surveys are kept.
const FOLDER: &str = "landscape";
const MAX_BYTES: u64 = 256 << 20;
/// Between saves of a survey under way.
const SAVE_EVERY: Duration = Duration::from_secs(10);

/// What is known of the loss around the weights of one run.
#[derive(Serialize, Deserialize)]
struct Survey {
    /// The run.
    run: String,
    /// Its method in words.
    method: String,
    pairs: Vec<EigenPair>,
    surface: Surface,
}

/// Files and pictures of all surveys that are complete.
pub struct Summary {
    /// Surfaces, contours and error maps.
    pub drawings: Vec<Drawing>,
    /// Curvature of each run.
    pub table: Option<Table>,
}

fn grid(scale: Scale) -> SurfaceGrid {
    let places = match scale {
        Scale::Paper => 101,
        Scale::Small => 41,
        Scale::Smoke => 7,
    };
    SurfaceGrid { places, ..SurfaceGrid::default() }
}

/// The first finished run of a row that still has its weights.
fn surveyed(row: &RowOutcome) -> Option<&FinishedRun> {
    row.runs.first().filter(|run| run.has_weights())
}

fn path(sweep: &Sweep, row: &RowOutcome, run: &FinishedRun) -> PathBuf {
    let name = row.row.cells[row.shown].folder(run.result.seed);
    sweep.folder().path().join(FOLDER).join(format!("{name}.json"))
}

/// A survey on disk; one that cannot be read is taken again.
fn load(path: &Path) -> Option<Survey> {
    serde_json::from_str(&read_text(path, MAX_BYTES).ok()?).ok()
}

/// Takes whatever surveys are missing, until somebody asks to stop.
pub fn survey(worker: &Worker<'_>, rows: &[RowOutcome]) -> Result<(), StudyError> {
    let Worker { sweep, share, watch, stop } = *worker;
    let threads = Threads::new(share.jobs * share.threads)?;
    for row in rows {
        let Some(run) = surveyed(row) else { continue };
        let path = path(sweep, row, run);
        let begun = load(&path);
        if begun.as_ref().is_some_and(|survey| survey.surface.is_complete()) {
            continue;
        }
        let folder = sweep.folder().path().join(FOLDER);
        std::fs::create_dir_all(&folder).map_err(|error| RunError::not_saved(&folder, &error))?;
        let (case, theta) = run.trained(&threads)?;
        let mut loss = CanonicalLoss::new(&case, Precision::F64).map_err(RunError::run)?;
        let mut survey = match begun {
            Some(survey) => survey,
            None => {
                let run = row.row.cells[row.shown].folder(run.result.seed);
                watch.on_progress(&format!("{run}: largest curvatures"));
                let mut hessian = Hessian::new(&case, &theta, Precision::F64).map_err(RunError::run)?;
                let pairs = hessian.largest(2, &PowerIteration::default()).map_err(RunError::run)?;
                let surface = Surface::new(&mut loss, &theta, grid(sweep.scale())).map_err(RunError::run)?;
                Survey { run, method: row.row.method.clone(), pairs, surface }
            }
        };
        survey.take(&mut loss, &theta, &path, worker)?;
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(())
}

impl Survey {
    /// Goes on to its end, or until `stop` is set.
    fn take(
        &mut self,
        loss: &mut CanonicalLoss,
        theta: &[f64],
        path: &Path,
        worker: &Worker<'_>,
    ) -> Result<(), StudyError> {
        self.save(path)?;
        let mut saved = Instant::now();
        while !self.surface.is_complete() && !worker.stop.load(Ordering::Relaxed) {
            let directions = [&self.pairs[0].vector[..], &self.pairs[1].vector[..]];
            self.surface.add_row(loss, theta, directions).map_err(RunError::run)?;
            if saved.elapsed() >= SAVE_EVERY {
                self.save(path)?;
                saved = Instant::now();
                let (done, all) = (self.surface.rows_done(), self.surface.alphas.len());
                worker.watch.on_progress(&format!("{}: row {done} of {all} of its surface", self.run));
            }
        }
        if self.surface.is_complete() {
            // The directions were for the rows to come.
            self.pairs.iter_mut().for_each(|pair| pair.vector.clear());
        }
        self.save(path)
    }

    fn save(&self, path: &Path) -> Result<(), StudyError> {
        let text = serde_json::to_string(self).map_err(|error| RunError::Print(error.into()))?;
        Ok(ropinn_files::write(path, text.as_bytes()).map_err(|error| RunError::not_saved(path, &error))?)
    }
}

/// What the surveys show.
pub fn summary(sweep: &Sweep, rows: &[RowOutcome]) -> Result<Summary, StudyError> {
    let mut done: Vec<(&RowOutcome, &FinishedRun, Survey)> = Vec::new();
    for row in rows {
        let Some(run) = row.runs.first() else { continue };
        if let Some(survey) = load(&path(sweep, row, run)).filter(|survey| survey.surface.is_complete()) {
            done.push((row, run, survey));
        }
    }
    if done.is_empty() {
        return Ok(Summary { drawings: Vec::new(), table: None });
    }
    let numbers = ["loss", "λ₁", "λ₂", "products", "mean rise", "largest rise on the rim"].map(Column::right);
    let mut table = Table::new([Column::left("run"), Column::left("method")].into_iter().chain(numbers));
    for (_, _, survey) in &done {
        let values: Vec<f64> = survey.pairs.iter().map(|pair| pair.value).collect();
        let sharpness = survey.surface.sharpness(&values);
        let products: usize = survey.pairs.iter().map(|pair| pair.iterations).sum();
        let settled = survey.pairs.iter().all(|pair| pair.converged);
        let value = |k: usize| survey.pairs.get(k).map_or_else(String::new, |pair| scientific(pair.value, 3));
        table.push([
            survey.run.clone(),
            survey.method.clone(),
            scientific(survey.surface.centre, 3),
            value(0),
            value(1),
            if settled { products.to_string() } else { format!("{products}, not settled") },
            scientific(sharpness.mean_rise, 3),
            scientific(sharpness.rim_rise, 3),
        ])?;
    }
    let surfaces: Vec<(&str, &Surface)> =
        done.iter().map(|(_, _, survey)| (survey.method.as_str(), &survey.surface)).collect();
    let mut drawings = pictures::surfaces(&surfaces, sweep.scale());
    drawings
        .extend(pictures::errors(&done.iter().map(|(row, run, _)| (*row, *run)).collect::<Vec<_>>(), sweep.scale())?);
    Ok(Summary { drawings, table: Some(table) })
}
