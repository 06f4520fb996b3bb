//! A problem of the gallery and its runs: those that are there, and how the others are done.

use super::Gallery;
use super::entries::Entry;
use super::standing::{Attempt, Standing};
use crate::earlier;
use crate::error::StudyError;
use crate::watch::StudyWatch;
use ropinn_engine::Threads;
use ropinn_runs::folder::{FinishedRun, names};
use ropinn_runs::plan::{Existing, Options, Plan};
use std::sync::atomic::{AtomicBool, Ordering};

/// What messages call the study.
pub const STUDY: &str = "gallery";

/// A problem and its runs.
pub struct Room {
    /// Which problem.
    pub entry: Entry,
    /// What `ropinn solve` would do with it, for all seeds.
    pub plan: Plan,
    /// The runs that are done, in the order of the seeds.
    pub finished: Vec<FinishedRun>,
}

impl Room {
    /// Plans the runs of a problem.
    pub fn new(gallery: &Gallery, entry: Entry) -> Result<Self, StudyError> {
        let plan = Plan::new(&entry.solve.options(Options {
            target: entry.problem.to_owned(),
            seeds: Some(gallery.seeds.clone()),
            out: Some(gallery.out.join(entry.problem)),
            ..gallery.options.clone()
        })?)?;
        Ok(Self { entry, plan, finished: Vec::new() })
    }

    /// Takes the run of a seed if it is done.
    fn take(&mut self, seed: u64, threads: &Threads) -> Result<(), StudyError> {
        let path = self.plan.out.join(format!("{}{seed}", names::SEED));
        self.finished.extend(earlier::finished(&path, self.plan.case(seed, threads)?.config(), STUDY)?);
        let place = |run: &FinishedRun| self.plan.seeds.iter().position(|&seed| seed == run.config.seed);
        self.finished.sort_by_key(place);
        Ok(())
    }

    /// Takes all runs that are done.
    pub fn look_around(&mut self, threads: &Threads) -> Result<(), StudyError> {
        self.plan.seeds.clone().into_iter().try_for_each(|seed| self.take(seed, threads))
    }

    /// The run of a seed, if it is done.
    pub fn run(&self, seed: u64) -> Option<&FinishedRun> {
        self.finished.iter().find(|run| run.config.seed == seed)
    }

    /// Does the runs that are not done, until `stop` is set; then the run under way is left where it is, to go on from there.
    pub fn fill(
        &mut self,
        (before, of): (usize, usize),
        threads: &Threads,
        watch: &mut dyn StudyWatch,
        stop: &AtomicBool,
    ) -> Result<(), StudyError> {
        for (at, seed) in self.plan.seeds.clone().into_iter().enumerate() {
            if let Some(run) = self.run(seed) {
                watch.on_round(before + at + 1, of, Some(&run.path));
            } else if stop.load(Ordering::Relaxed) {
                break;
            } else {
                watch.on_round(before + at + 1, of, None);
                let mut runs = self.plan.begin(Existing::Resume, threads)?;
                let saved = runs.run(seed, &mut *watch.run(), stop)?;
                watch.on_saved(self.entry.problem, &saved);
                self.take(seed, threads)?;
            }
        }
        Ok(())
    }

    /// Where the problem stands.
    pub fn standing(&self) -> Standing {
        let attempts = self.finished.iter().map(|run| Attempt::new(self.entry.wanted, &run.result));
        Standing::new(&self.entry, &self.plan.seeds, attempts.collect())
    }
}
