//! What is written at every point: the unknowns, derivatives that are asked for, residuals of the equations, estimated errors.

use crate::Request;
use crate::error::ExportError;
use ropinn::problem::Problem;
use ropinn::record::StopReason;
use ropinn::trust::{ErrorMap, assess};
use ropinn_engine::Threads;
use ropinn_runs::RunError;
use ropinn_runs::folder::{FinishedRun, problem_for_predictions};
use ropinn_runs::predict::RunPredictor;
use std::sync::atomic::AtomicBool;

/// Points that are looked at together.
pub const BATCH: usize = 1 << 16;

/// Quantities with names, at any points.
pub struct Fields {
    names: Vec<String>,
    values: RunPredictor,
    residuals: RunPredictor,
    estimate: Option<(ErrorMap, Vec<String>)>,
    /// Worth knowing.
    pub remarks: Vec<String>,
}

impl Fields {
    /// Makes what is asked for ready.
    pub fn new(run: &FinishedRun, request: &Request, threads: &Threads) -> Result<Self, ExportError> {
        let unknowns = problem(run)?.unknown_names().to_vec();
        let wanted = unknowns.iter().chain(&request.derivatives).cloned().collect::<Vec<_>>().join(",");
        let values = RunPredictor::new(run, Some(&wanted), threads)?;
        let residuals = RunPredictor::residuals(run, threads)?;
        let mut remarks = Vec::new();
        let estimate = match (request.estimate, &run.result.estimated_error) {
            (true, Some(_)) => {
                let found = estimate(run, threads)?;
                if found.is_none() {
                    let why = "the estimated error of this run is one number without a map, so it is not in the file";
                    remarks.push(why.to_owned());
                }
                found
            }
            _ => None,
        };
        let mut names = values.wanted().to_vec();
        names.extend(residuals.wanted().iter().map(|name| format!("residual_{name}")));
        names.extend(estimate.iter().flat_map(|_| unknowns.iter().map(|name| format!("error_{name}"))));
        Ok(Self { names, values, residuals, estimate: estimate.map(|map| (map, unknowns)), remarks })
    }

    /// Names of the quantities, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The quantities at some points, `[point][quantity]`, as many at a time as [`BATCH`] says.
    pub fn at(&mut self, points: &[f64], axes: usize) -> Result<Vec<f64>, ExportError> {
        let mut all = Vec::with_capacity(points.len() / axes * self.names.len());
        for batch in points.chunks(BATCH * axes) {
            let mut parts = vec![(self.values.wanted().len(), self.values.predict(batch)?)];
            parts.push((self.residuals.wanted().len(), self.residuals.predict(batch)?));
            if let Some((map, unknowns)) = &self.estimate {
                parts.push((unknowns.len(), map.at(unknowns, batch).map_err(RunError::run)?));
            }
            for point in 0..batch.len() / axes {
                parts.iter().for_each(|(width, values)| all.extend(&values[point * width..(point + 1) * width]));
            }
        }
        Ok(all)
    }
}

/// What a run solves, without its data.
pub fn problem(run: &FinishedRun) -> Result<Problem, ExportError> {
    Ok(problem_for_predictions(&run.solution, &run.path)?)
}

/// The map of the estimated error, made again as at the end of the run; none where it is no more than a number, or rests on
/// a solution that was not kept.
fn estimate(run: &FinishedRun, threads: &Threads) -> Result<Option<ErrorMap>, ExportError> {
    let by_correction = run.result.estimated_error.as_ref().is_some_and(|error| error.equations.is_some());
    if !by_correction {
        return Ok(None);
    }
    let (case, theta) = run.trained(threads)?;
    // The reason to stop is for the verdict, which is known.
    let reason = StopReason::Budget { iterations: run.result.iterations };
    let found = assess(&case, &theta, None, &reason, &AtomicBool::new(false)).map_err(RunError::run)?;
    Ok(found.map)
}
