//! `ropinn race`: which optimiser gets to which error in which time, measured by one command.
//!
//! Runs come one after another, since they share the machine, and each leaves the folder that `solve` would. What is already
//! there is kept, so a race goes on where it was interrupted.

mod course;
mod entrant;
mod folder;
mod picture;
mod plan;
mod standings;
mod tables;

use crate::failure::Failure;
use crate::interrupt;
use crate::options::{self, ObjectiveName};
use crate::output;
use crate::run_folder::{FinishedRun, RunFolder};
use crate::solve::{Progress, Voice};
use clap::Args;
use course::Course;
use entrant::{Entrant, OptimizerName};
use plan::{Contest, Plan};
use ropinn::case::Case;
use ropinn::config::RunConfig;
use ropinn::train::Trainer;
use ropinn_engine::Threads;
use standings::{Finish, Standings};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Said at the first Ctrl-C.
const AFTER_THIS_RUN: &str = "stopping after this run; once more quits at once, and the command goes on when repeated";

/// Measure how fast optimisers reach which error.
///
/// Every optimiser trains every problem on every objective from every seed for the same time, with the same network, points and
/// precision (those of `solve` with its defaults, changed by --set). The folder holds race.md (the standings), race.csv (all
/// measurements), race.json, a picture per problem, and the runs themselves in <problem>/<optimizer>-<objective>/seed-<n>.
/// Repeating the command keeps the runs that are finished. Ctrl-C finishes the run and writes the tables.
#[derive(Debug, Args)]
pub struct Race {
    /// Built-in problems or problem files; they need a reference solution.
    #[arg(required = true, value_name = "PROBLEM")]
    problems: Vec<String>,
    /// Optimisers, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "adam,lbfgs,ssbroyden,gauss-newton")]
    optimizers: Vec<OptimizerName>,
    /// Objectives, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "point,region")]
    objectives: Vec<ObjectiveName>,
    /// Time of each run; measuring errors does not count.
    #[arg(long, default_value_t = 60.0, allow_negative_numbers = true)]
    seconds: f64,
    /// Seeds: a range such as 0..2 (both ends included) or a list such as 0,3,7.
    #[arg(long, default_value = "0..2")]
    seeds: String,
    /// Any setting of config.toml for all runs that have it, such as model.width=20; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Threads [default: one per core].
    #[arg(long)]
    threads: Option<usize>,
    /// Folder of the race.
    #[arg(long, value_name = "DIR", default_value = "race")]
    out: PathBuf,
    /// Do runs again that are finished.
    #[arg(long)]
    overwrite: bool,
    /// Print events as JSON, one object per line.
    #[arg(long)]
    json: bool,
}

/// One run of the race.
struct Round<'a> {
    contest: &'a Contest,
    entrant: Entrant,
    config: RunConfig,
    path: PathBuf,
}

impl Race {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let threads = options::threads(self.threads)?;
        let plan = Plan::new(self, &threads)?;
        folder::check(&self.out)?;
        let mut finished: Vec<Vec<Finish>> = Vec::new();
        for contest in &plan.contests {
            finished.push(self.finished_before(&plan, contest, &threads)?);
        }
        let folder = RunFolder::open(&self.out)?;
        for (contest, finished) in plan.contests.iter().zip(&finished) {
            self.clear_unfinished(&plan, contest, finished)?;
        }
        let stop = interrupt::listen(AFTER_THIS_RUN);
        let sum_up = |finished: &[Vec<Finish>]| {
            let standings = Standings::new(&plan, self.seconds, threads.count(), finished);
            standings.save(&folder, &plan, finished).map(|()| standings)
        };
        // The tables mark the folder as that of a race from the beginning, and are never older than the last problem.
        sum_up(&finished)?;
        let mut number = 0;
        for (k, contest) in plan.contests.iter().enumerate() {
            let raced = self.run_contest(&plan, contest, &mut finished[k], &mut number, &threads, &stop);
            sum_up(&finished)?;
            raced?;
        }
        let standings = sum_up(&finished)?;
        let told = match self.voice() {
            Voice::Json => output::print_json_line(&standings.event(&folder)),
            _ => output::print(&format!("{}\nfolder: {}\n", tables::text(&standings)?, folder.path().display())),
        };
        match told {
            // Everything is saved; that nobody listens any more is no failure.
            Ok(()) | Err(Failure::OutputClosed) => {}
            Err(failure) => return Err(failure),
        }
        let is_complete = finished.iter().map(Vec::len).sum::<usize>() == plan.runs();
        Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(interrupt::EXIT_CODE) })
    }

    /// The runs on one problem that an earlier command has finished.
    fn finished_before(&self, plan: &Plan, contest: &Contest, threads: &Threads) -> Result<Vec<Finish>, Failure> {
        let mut finished = Vec::new();
        for round in self.rounds(plan, contest).filter(|_| !self.overwrite) {
            if let Some(run) = folder::finished(&round.path, &round.config, threads.count())? {
                finished.push(round.finish(run)?);
            }
        }
        Ok(finished)
    }

    /// Removes what is left of runs that will be done again, so that an interrupted race does not mix old and new ones.
    fn clear_unfinished(&self, plan: &Plan, contest: &Contest, finished: &[Finish]) -> Result<(), Failure> {
        let is_kept = |round: &Round<'_>| finished.iter().any(|finish| finish.run.path == round.path);
        for round in self.rounds(plan, contest).filter(|round| round.path.exists() && !is_kept(round)) {
            RunFolder::claim(&round.path, true)?;
        }
        Ok(())
    }

    /// The runs on one problem that are still to be done, until somebody asks to stop.
    fn run_contest(
        &self,
        plan: &Plan,
        contest: &Contest,
        finished: &mut Vec<Finish>,
        number: &mut usize,
        threads: &Threads,
        stop: &Arc<AtomicBool>,
    ) -> Result<(), Failure> {
        for (at, round) in self.rounds(plan, contest).enumerate() {
            *number += 1;
            let headline = format!("run {number} of {}", plan.runs());
            if finished.get(at).is_some_and(|finish| finish.run.path == round.path) {
                self.remark(&format!("{headline}: {} is finished", round.path.display()));
                continue;
            }
            if stop.load(Ordering::Relaxed) {
                break;
            }
            // What is finished stands in the order of the rounds, and so it remains.
            self.remark(&headline);
            finished.insert(at, self.run_round(round, threads, stop)?);
        }
        Ok(())
    }

    fn run_round(&self, round: Round<'_>, threads: &Threads, stop: &Arc<AtomicBool>) -> Result<Finish, Failure> {
        let mut trainer = Trainer::new(Case::new(round.config.clone(), threads)?)?;
        let folder = RunFolder::claim(&round.path, true)?;
        folder.begin(trainer.case(), None)?;
        let mut watcher = folder.watched_by(Progress::new(self.voice(), stop), Vec::new());
        // A run that was cut short says nothing about time, so `stop` is for the race, not for the run.
        let outcome = trainer.run(&mut watcher, &AtomicBool::new(false)).map_err(Failure::run)?;
        let saved = folder.finish(trainer.case(), &outcome)?;
        let told = match self.voice() {
            Voice::Json => output::print_json_line(&saved.event()),
            _ => output::print(&format!("{}, {}, {}", round.contest.problem, round.entrant.label(), saved.to_line())),
        };
        match told {
            Ok(()) => {}
            Err(Failure::OutputClosed) => stop.store(true, Ordering::Relaxed),
            Err(failure) => return Err(failure),
        }
        let run = FinishedRun::load(&round.path)?;
        round.finish(run)
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

    fn remark(&self, text: &str) {
        if self.voice() == Voice::Words {
            output::remark(text);
        }
    }

    fn voice(&self) -> Voice {
        if self.json { Voice::Json } else { Voice::Words }
    }
}

impl Round<'_> {
    fn finish(self, run: FinishedRun) -> Result<Finish, Failure> {
        Ok(Finish { entrant: self.entrant, course: Course::of(&run)?, run })
    }
}
