//! Every table and figure of the three-benchmark study, side by side with the paper.
//!
//! Experiments are lists of cells (problem × model × method × seeds); a cell's runs live in one folder that all experiments
//! share, so what one has trained the next one shows. Running, reading and drawing are separate: tables can be made of
//! whatever is there.

mod benchmark;
mod cell;
mod cost;
mod experiment;
mod figures;
mod landscape;
mod method;
mod outcome;
mod published;
mod queue;
mod report;
mod scale;
mod sweep;
mod tables;
mod watch;

pub use benchmark::{Benchmark, MODELS, title};
pub use cell::Depths;
pub use cost::{Estimate, estimates};
pub use experiment::Experiment;
pub use queue::Share;
pub use report::Report;
pub use scale::Scale;
pub use watch::{RunEnd, SweepWatch};

use crate::error::StudyError;
use experiment::{Row, Wanted, runs_of};
use outcome::RowOutcome;
use queue::Worker;
use ropinn::config::ObjectiveKind;
use ropinn::model::ModelKind;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use sweep::{RunState, Sweep};

/// What is reproduced, and where.
#[derive(Clone, Debug)]
pub struct Reproduce {
    /// Experiments in the order they are done.
    pub experiments: Vec<Experiment>,
    /// How large everything is.
    pub scale: Scale,
    /// Only these problems; all if empty.
    pub problems: Vec<Benchmark>,
    /// Only these models; all if empty.
    pub models: Vec<ModelKind>,
    /// Only rows with these objectives; all if empty.
    pub objectives: Vec<ObjectiveKind>,
    /// Seeds of every row, if not the scale's own.
    pub seeds: Option<Vec<u64>>,
    /// Depths of QRes.
    pub depths: Depths,
    /// How the machine is shared.
    pub share: Share,
    /// Folder of the sweep.
    pub out: PathBuf,
    /// Whether runs that failed are tried again.
    pub retry: bool,
    /// The command that repeats it, for its pages.
    pub command: String,
}

/// A sweep that is open: its experiments are done one by one.
pub struct Reproduction<'a> {
    options: &'a Reproduce,
    wanted: Wanted,
    sweep: Sweep,
}

impl Reproduce {
    /// Opens the sweep, unless some experiment has nothing to show.
    pub fn open(&self) -> Result<Reproduction<'_>, StudyError> {
        let wanted = Wanted { scale: self.scale, depths: self.depths, seeds: self.seeds.clone() };
        for &experiment in &self.experiments {
            if self.rows(experiment, &wanted).is_empty() {
                return Err(StudyError::NothingWanted(experiment.id()));
            }
        }
        let sweep = Sweep::open(&self.out, self.scale)?;
        if self.retry {
            sweep.forgive()?;
        }
        Ok(Reproduction { options: self, wanted, sweep })
    }

    /// The rows that the filters leave.
    fn rows(&self, experiment: Experiment, wanted: &Wanted) -> Vec<Row> {
        let mut rows = experiment.rows(wanted);
        rows.retain(|row| {
            (self.problems.is_empty() || self.problems.contains(&row.problem()))
                && (self.models.is_empty() || self.models.contains(&row.model()))
                && (self.objectives.is_empty() || self.objectives.contains(&row.cells[0].method.objective()))
        });
        rows
    }
}

impl Reproduction<'_> {
    /// Does what is open of an experiment, until `stop` is set, and writes its files whatever happens.
    pub fn run(&self, experiment: Experiment, watch: &dyn SweepWatch, stop: &AtomicBool) -> Result<Report, StudyError> {
        let worker = Worker { sweep: &self.sweep, share: self.options.share, watch, stop };
        let worked = self.train(experiment, &worker);
        if experiment == Experiment::Landscape && worked.is_ok() {
            landscape::survey(&worker, &self.outcomes(experiment)?)?;
        }
        let report = self.report(experiment, watch)?;
        worked.map(|()| report)
    }

    /// Writes the files of an experiment from what is there.
    pub fn report(&self, experiment: Experiment, watch: &dyn SweepWatch) -> Result<Report, StudyError> {
        let rows = self.outcomes(experiment)?;
        report::write(&self.sweep, experiment, &self.wanted, rows, &self.options.command, watch)
    }

    fn outcomes(&self, experiment: Experiment) -> Result<Vec<RowOutcome>, StudyError> {
        let rows = self.options.rows(experiment, &self.wanted).into_iter();
        rows.map(|row| RowOutcome::of(&self.sweep, row)).collect()
    }

    fn train(&self, experiment: Experiment, worker: &Worker<'_>) -> Result<(), StudyError> {
        let mut runs = Vec::new();
        let all = runs_of(&self.options.rows(experiment, &self.wanted));
        self.sweep.announce(&all)?;
        for run in all {
            if matches!(self.sweep.state(&run)?, RunState::Open) {
                runs.push(run);
            }
        }
        if runs.is_empty() {
            return Ok(());
        }
        worker.watch.on_begin(experiment, self.options.scale, cost::work(&runs, self.options.scale)?);
        let worked = worker.work(&runs);
        worker.watch.on_end();
        worked
    }
}
