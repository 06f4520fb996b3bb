//! Which optimiser gets to which error in which time.
//!
//! Runs come one after another, since they share the machine, and each leaves the folder that a single run would. What is
//! already there is kept, so a race goes on where it was interrupted.

mod course;
mod entrant;
mod folder;
mod picture;
mod plan;
mod standings;
mod tables;

pub use entrant::{Entrant, RaceOptimizer};
pub use standings::Standings;

use crate::error::StudyError;
use course::Course;
use plan::{Contest, Plan};
use ropinn::case::Case;
use ropinn::config::{ObjectiveKind, RunConfig};
use ropinn::train::Trainer;
use ropinn_engine::Threads;
use ropinn_runs::folder::{FinishedRun, RunFolder, Saved};
use ropinn_runs::watch::{Remark, Watch};
use standings::Finish;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Who races on what for how long.
#[derive(Clone, Debug)]
pub struct Race {
    /// Built-in problems or problem files; they need a reference solution.
    pub problems: Vec<String>,
    /// Optimisers.
    pub optimizers: Vec<RaceOptimizer>,
    /// Objectives.
    pub objectives: Vec<ObjectiveKind>,
    /// Time of each run in seconds; measuring errors does not count.
    pub seconds: f64,
    /// Seeds of every entrant.
    pub seeds: Vec<u64>,
    /// Settings of config.toml for all runs that have them, as `key=value`.
    pub set: Vec<String>,
    /// Folder of the race.
    pub out: PathBuf,
    /// Whether runs are done again that are finished.
    pub overwrite: bool,
    /// The command that repeats the race, for its tables.
    pub command: String,
}

/// Is told how a race goes.
pub trait RaceWatch {
    /// The next run, or one that was finished before.
    fn on_round(&mut self, number: usize, of: usize, finished: Option<&Path>);

    /// Watches the run under way.
    fn run(&mut self) -> Box<dyn Watch + '_>;

    /// A run is done.
    fn on_saved(&mut self, problem: &str, entrant: Entrant, saved: &Saved);

    /// Something worth knowing about the race itself.
    fn on_remark(&mut self, remark: &Remark);
}

/// One run of the race.
struct Round<'a> {
    contest: &'a Contest,
    entrant: Entrant,
    config: RunConfig,
    path: PathBuf,
}

impl Race {
    /// Races until everybody has run, or `stop` is set: then after the run under way, since one that was cut short says
    /// nothing about time. Tells the standings and whether they are complete.
    pub fn run(
        &self,
        threads: &Threads,
        watch: &mut dyn RaceWatch,
        stop: &AtomicBool,
    ) -> Result<(Standings, bool), StudyError> {
        let plan = Plan::new(self, threads)?;
        folder::check(&self.out)?;
        let mut finished: Vec<Vec<Finish>> = Vec::new();
        for contest in &plan.contests {
            finished.push(self.finished_before(&plan, contest, threads)?);
        }
        let folder = RunFolder::open(&self.out)?;
        for (contest, finished) in plan.contests.iter().zip(&finished) {
            self.clear_unfinished(&plan, contest, finished)?;
        }
        let sum_up = |finished: &[Vec<Finish>], watch: &mut dyn RaceWatch| {
            let standings = Standings::new(self, &plan, threads.count(), finished);
            standings.save(&folder, &plan, finished, watch).map(|()| standings)
        };
        // The tables mark the folder as that of a race from the beginning, and are never older than the last problem.
        let mut standings = sum_up(&finished, watch)?;
        let mut number = 0;
        for (k, contest) in plan.contests.iter().enumerate() {
            let raced = self.run_contest(&plan, contest, &mut finished[k], &mut number, threads, watch, stop);
            standings = sum_up(&finished, watch)?;
            raced?;
        }
        let is_complete = finished.iter().map(Vec::len).sum::<usize>() == plan.runs();
        Ok((standings, is_complete))
    }

    /// The runs on one problem that an earlier command has finished.
    fn finished_before(&self, plan: &Plan, contest: &Contest, threads: &Threads) -> Result<Vec<Finish>, StudyError> {
        let mut finished = Vec::new();
        for round in self.rounds(plan, contest).filter(|_| !self.overwrite) {
            if let Some(run) = folder::finished(&round.path, &round.config, threads.count())? {
                finished.push(round.finish(run)?);
            }
        }
        Ok(finished)
    }

    /// Removes what is left of runs that will be done again, so that an interrupted race does not mix old and new ones.
    fn clear_unfinished(&self, plan: &Plan, contest: &Contest, finished: &[Finish]) -> Result<(), StudyError> {
        let is_kept = |round: &Round<'_>| finished.iter().any(|finish| finish.run.path == round.path);
        for round in self.rounds(plan, contest).filter(|round| round.path.exists() && !is_kept(round)) {
            RunFolder::claim(&round.path, true)?;
        }
        Ok(())
    }

    /// The runs on one problem that are still to be done, until somebody asks to stop.
    #[allow(clippy::too_many_arguments)]
    fn run_contest(
        &self,
        plan: &Plan,
        contest: &Contest,
        finished: &mut Vec<Finish>,
        number: &mut usize,
        threads: &Threads,
        watch: &mut dyn RaceWatch,
        stop: &AtomicBool,
    ) -> Result<(), StudyError> {
        for (at, round) in self.rounds(plan, contest).enumerate() {
            *number += 1;
            if finished.get(at).is_some_and(|finish| finish.run.path == round.path) {
                watch.on_round(*number, plan.runs(), Some(&round.path));
                continue;
            }
            if stop.load(Ordering::Relaxed) {
                break;
            }
            watch.on_round(*number, plan.runs(), None);
            // What is finished stands in the order of the rounds, and so it remains.
            finished.insert(at, round.run(threads, watch)?);
        }
        Ok(())
    }

    /// All runs on one problem.
    fn rounds<'a>(&'a self, plan: &'a Plan, contest: &'a Contest) -> impl Iterator<Item = Round<'a>> {
        contest.entrants.iter().flat_map(move |(entrant, config)| {
            plan.seeds.iter().map(move |&seed| Round {
                contest,
                entrant: *entrant,
                config: RunConfig { seed, ..config.clone() },
                path: contest.run_path(&self.out, *entrant, seed),
            })
        })
    }
}

impl Round<'_> {
    fn run(self, threads: &Threads, watch: &mut dyn RaceWatch) -> Result<Finish, StudyError> {
        let mut trainer =
            Trainer::new(Case::with_problem(self.config.clone(), self.contest.problem.clone(), threads)?)?;
        let folder = RunFolder::claim(&self.path, true)?;
        let mut own = watch.run();
        self.contest.changes.iter().for_each(|change| own.on_remark(&Remark::Preset(change.clone())));
        let outcome = folder.train(&mut trainer, None, &mut *own, &AtomicBool::new(false))?;
        let saved = folder.finish(trainer.case(), outcome, &mut *own)?;
        drop(own);
        watch.on_saved(&self.contest.problem.name, self.entrant, &saved);
        let run = FinishedRun::load(&self.path)?;
        self.finish(run)
    }

    fn finish(self, run: FinishedRun) -> Result<Finish, StudyError> {
        Ok(Finish { entrant: self.entrant, course: Course::of(&run)?, run })
    }
}
