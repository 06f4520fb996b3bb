//! Which optimiser gets to which error in which time.
//!
//! Runs come one after another, since they share the machine, and each leaves the folder that a single run would. What is
//! already there is kept, so a race goes on where it was interrupted.

mod course;
mod entrant;
mod picture;
mod plan;
mod standings;
mod tables;

pub use standings::Standings;

use crate::earlier;
use crate::error::StudyError;
use crate::watch::StudyWatch;
use course::Finish;
use plan::Contest;
use ropinn::case::Case;
use ropinn::config::{ObjectiveKind, OptimizerKind, RunConfig};
use ropinn::model::ModelKind;
use ropinn::strategy::Solver;
use ropinn_engine::Threads;
use ropinn_runs::folder::{FinishedRun, RunFolder, names};
use ropinn_runs::watch::Remark;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Who races on what for how long.
#[derive(Clone, Debug)]
pub struct Race {
    /// Built-in problems or problem files; they need a reference solution.
    pub problems: Vec<String>,
    /// Optimisers.
    pub optimizers: Vec<OptimizerKind>,
    /// Objectives.
    pub objectives: Vec<ObjectiveKind>,
    /// The network of all runs, unless that of `solve` with its defaults.
    pub model: Option<ModelKind>,
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

impl Race {
    /// Races until everybody has run, or `stop` is set: then after the run under way, since one that was cut short says
    /// nothing about time. Tells the standings and whether they are complete.
    pub fn run(
        &self,
        threads: &Threads,
        watch: &mut dyn StudyWatch,
        stop: &AtomicBool,
    ) -> Result<(Standings, bool), StudyError> {
        let mut contests = plan::contests(self, threads)?;
        earlier::check_folder(&self.out, tables::TABLES[2], "race")?;
        for contest in contests.iter_mut().filter(|_| !self.overwrite) {
            for round in contest.rounds(self) {
                if let Some(run) = finished(&round.path, &round.config, threads.count())? {
                    contest.finished.push(Finish::new(round.entrant, run)?);
                }
            }
        }
        let folder = RunFolder::open(&self.out)?;
        // What is left of runs that will be done again goes, so that an interrupted race does not mix old and new ones.
        for contest in &contests {
            for round in contest.rounds(self).iter().filter(|round| round.path.exists() && !contest.has(round)) {
                RunFolder::claim(&round.path, true)?;
            }
        }
        let sum_up = |contests: &[Contest], watch: &mut dyn StudyWatch| {
            let standings = Standings::new(self, contests, threads.count());
            standings.save(&folder, contests, watch).map(|()| standings)
        };
        plan::cells(self, &contests).write(&self.out)?;
        // The tables mark the folder as that of a race from the beginning, and are never older than the last problem.
        let mut standings = sum_up(&contests, watch)?;
        let of = contests.iter().map(|contest| contest.rounds(self).len()).sum();
        for k in 0..contests.len() {
            let before = contests[..k].iter().map(|contest| contest.rounds(self).len()).sum();
            let raced = self.run_contest(&mut contests[k], (before, of), threads, watch, stop);
            standings = sum_up(&contests, watch)?;
            raced?;
        }
        let finished: usize = contests.iter().map(|contest| contest.finished.len()).sum();
        Ok((standings, finished == of))
    }

    /// The runs on one problem that are still to be done, until somebody asks to stop.
    fn run_contest(
        &self,
        contest: &mut Contest,
        (before, of): (usize, usize),
        threads: &Threads,
        watch: &mut dyn StudyWatch,
        stop: &AtomicBool,
    ) -> Result<(), StudyError> {
        for (at, round) in contest.rounds(self).into_iter().enumerate() {
            if contest.has(&round) {
                watch.on_round(before + at + 1, of, Some(&round.path));
            } else if stop.load(Ordering::Relaxed) {
                break;
            } else {
                watch.on_round(before + at + 1, of, None);
                let case = Case::with_problem(round.config, contest.problem.clone(), threads)?;
                let (mut solver, folder) = (Solver::new(case)?, RunFolder::claim(&round.path, true)?);
                let mut own = watch.run();
                contest.changes.iter().for_each(|change| own.on_remark(&Remark::Preset(change.clone())));
                let solved = folder.train(&mut solver, None, &mut *own, &AtomicBool::new(false))?;
                let saved = folder.finish(&solved.case, solved.outcome, &mut *own)?;
                drop(own);
                watch.on_saved(&format!("{}, {}", contest.problem.name, round.entrant.label()), &saved);
                // What is finished stands in the order of the rounds, and so it remains.
                contest.finished.insert(at, Finish::new(round.entrant, FinishedRun::load(&round.path)?)?);
            }
        }
        Ok(())
    }
}

/// The run in `path` if it is finished. One with other settings or threads belongs to another race.
fn finished(path: &Path, config: &RunConfig, threads: usize) -> Result<Option<FinishedRun>, StudyError> {
    if !path.join(names::RESULT).is_file() {
        return Ok(None);
    }
    let run = FinishedRun::load(path)?;
    let other = run.differs_from(config);
    let other = other.or_else(|| (run.result.threads != threads).then(|| "threads".to_owned()));
    match other {
        Some(setting) => Err(StudyError::OtherRace(path.to_owned(), setting)),
        None => Ok(Some(run)),
    }
}
