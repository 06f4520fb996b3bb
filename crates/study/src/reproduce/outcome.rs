//! What came of the rows of a table: the runs that are done, the errors over seeds, the published numbers beside them.

use super::cell::RunId;
use super::experiment::{Experiment, Row};
use super::published::{self, Published};
use super::sweep::{RunState, Sweep};
use crate::error::StudyError;
use ropinn_runs::folder::{FinishedRun, RunResult};
use ropinn_runs::statistics::Statistics;

/// A row with the runs of its best cell.
pub struct RowOutcome {
    /// The row.
    pub row: Row,
    /// Which of its cells is shown: the one with the lowest median error.
    pub shown: usize,
    /// Cells of the row that have runs.
    pub cells_run: usize,
    /// Finished runs of the shown cell, in the order of the seeds.
    pub runs: Vec<FinishedRun>,
    /// Seeds of the shown cell that ended with an error, and why.
    pub failed: Vec<(u64, String)>,
}

impl RowOutcome {
    /// Collects what a sweep has of a row.
    pub fn of(sweep: &Sweep, row: Row) -> Result<Self, StudyError> {
        let mut best: Option<(f64, Self)> = None;
        let mut cells_run = 0;
        for (shown, &cell) in row.cells.iter().enumerate() {
            let mut found = Self { row: row.clone(), shown, cells_run: 0, runs: Vec::new(), failed: Vec::new() };
            for &seed in &row.seeds {
                match sweep.state(&RunId { cell, seed })? {
                    RunState::Finished(run) => found.runs.push(*run),
                    RunState::Failed(reason) => found.failed.push((seed, reason)),
                    RunState::Open => {}
                }
            }
            cells_run += usize::from(!found.runs.is_empty());
            let error = found.rmse().map_or(f64::INFINITY, |rmse| rmse.median);
            let is_better = best.as_ref().is_none_or(|(other, kept)| {
                error < *other || (kept.runs.is_empty() && kept.failed.is_empty() && !found.failed.is_empty())
            });
            if is_better {
                best = Some((error, found));
            }
        }
        let (_, best) = best.expect("a row has a cell");
        Ok(Self { cells_run, ..best })
    }

    /// The method in words, with the weight that was best if there was a choice.
    pub fn method(&self) -> String {
        match self.row.cells.len() {
            1 => self.row.method.clone(),
            _ if self.runs.is_empty() => self.row.method.clone(),
            cells => {
                let title = self.row.cells[self.shown].method.title();
                if self.cells_run == cells { title } else { format!("{title} ({} of {cells} tried)", self.cells_run) }
            }
        }
    }

    /// Errors over seeds; a run without one counts as the worst.
    pub fn rmse(&self) -> Option<Statistics> {
        self.statistics(|result| result.rmse)
    }

    /// Any number of the results over seeds; one that is not finite counts as the worst.
    pub fn statistics(&self, number: impl Fn(&RunResult) -> Option<f64>) -> Option<Statistics> {
        Statistics::of(self.runs.iter().map(|run| number(&run.result).unwrap_or(f64::NAN)))
    }

    /// Seconds for 100 outer steps.
    pub fn seconds_per_100_steps(&self) -> Option<f64> {
        let seconds = |result: &RunResult| Some(100.0 * result.seconds / result.iterations.max(1) as f64);
        self.statistics(seconds).map(|seconds| seconds.median)
    }

    /// Mean region size over the last tenth of training.
    pub fn last_region(&self) -> Option<f64> {
        let of_run = |run: &FinishedRun| {
            let sizes = run.metrics().ok()?.over_iterations("region_size");
            let last = &sizes[sizes.len() - (sizes.len() / 10).max(1).min(sizes.len())..];
            let sum: f64 = last.iter().map(|(_, size)| size).sum();
            (sum > 0.0).then(|| sum / last.len() as f64)
        };
        Statistics::of(self.runs.iter().filter_map(of_run)).map(|sizes| sizes.median)
    }

    /// A number of the paper for this row.
    pub fn published(&self, experiment: Experiment, metric: &str) -> Option<Published> {
        published::find(experiment, self.row.problem().name(), self.row.model().name(), &self.row.published, metric)
    }

    /// `3`, `1 of 3`, `not yet run`, with what failed.
    pub fn state(&self) -> String {
        let (done, wanted) = (self.runs.len(), self.row.seeds.len());
        let failed = if self.failed.is_empty() { String::new() } else { format!(", {} failed", self.failed.len()) };
        match done {
            0 if self.failed.is_empty() => "not yet run".to_owned(),
            _ if done == wanted => done.to_string(),
            _ => format!("{done} of {wanted}{failed}"),
        }
    }
}

/// Every entry once, in the order of first appearance.
pub fn distinct<T: PartialEq>(entries: impl IntoIterator<Item = T>) -> Vec<T> {
    entries.into_iter().fold(Vec::new(), |mut found, entry| {
        if !found.contains(&entry) {
            found.push(entry);
        }
        found
    })
}

/// Rows with the improvement over points of the same problem and model.
pub fn promotion(row: &RowOutcome, all: &[RowOutcome]) -> Option<f64> {
    let is_point = |other: &&RowOutcome| {
        other.row.problem() == row.row.problem() && other.row.model() == row.row.model() && other.row.is_point()
    };
    let point = all.iter().find(is_point)?.rmse()?.median;
    let own = row.rmse()?.median;
    let promotion = 100.0 * (1.0 - own / point);
    (!row.row.is_point() && promotion.is_finite()).then_some(promotion)
}
