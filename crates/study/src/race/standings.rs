//! What a race found: the numbers of every entrant, and the files that show them.

use super::Race;
use super::course::{Course, Finish, median_time_below};
use super::entrant::Entrant;
use super::plan::Contest;
use ropinn::record::hardware;
use ropinn_runs::folder::RunLine;
use ropinn_runs::statistics::Statistics;
use serde::Serialize;

/// Errors whose first passing is timed.
pub const THRESHOLDS: [f64; 4] = [1e-2, 1e-3, 1e-4, 1e-5];

/// The whole race.
#[derive(Serialize)]
pub struct Standings {
    /// The command that made it.
    pub command: String,
    /// Time of each run.
    pub seconds: f64,
    /// The seeds of every entrant.
    pub seeds: Vec<u64>,
    /// Threads of each run.
    pub threads: usize,
    /// The machine.
    pub hardware: String,
    /// Version of this program.
    pub version: &'static str,
    /// One table each.
    pub problems: Vec<Ranking>,
}

/// The entrants on one problem, in the order of the command line.
#[derive(Serialize)]
pub struct Ranking {
    /// Name of the problem.
    pub problem: String,
    /// The network, in words.
    pub network: String,
    /// One row each.
    pub entrants: Vec<Standing>,
}

/// One entrant.
#[derive(Serialize)]
pub struct Standing {
    /// The optimiser.
    pub optimizer: &'static str,
    /// The objective.
    pub objective: &'static str,
    /// Median error on the way; null if it was not measured by then.
    pub on_the_way: Vec<ErrorAt>,
    /// The error when the time was up; steps that end later do not count.
    pub rmse: Option<Statistics>,
    /// Median time to each threshold; null if half of the runs did not get there.
    pub time_to: Vec<TimeTo>,
    /// Outer steps.
    pub iterations: Option<Statistics>,
    /// Evaluations of loss and gradient.
    pub evaluations: Option<Statistics>,
    /// The runs.
    pub runs: Vec<RunLine>,
}

/// An error at a time.
#[derive(Serialize)]
pub struct ErrorAt {
    /// The time.
    pub seconds: f64,
    /// Median over the runs.
    pub rmse: Option<f64>,
}

/// A time for an error.
#[derive(Serialize)]
pub struct TimeTo {
    /// The error.
    pub rmse: f64,
    /// Median over the runs.
    pub seconds: Option<f64>,
}

impl Standings {
    /// Sums up what has been run.
    pub(super) fn new(race: &Race, contests: &[Contest], threads: usize) -> Self {
        Self {
            command: race.command.clone(),
            seconds: race.seconds,
            seeds: race.seeds.clone(),
            threads,
            hardware: hardware(),
            version: env!("CARGO_PKG_VERSION"),
            problems: contests.iter().map(|contest| Ranking::new(contest, race.seconds)).collect(),
        }
    }
}

impl Ranking {
    fn new(contest: &Contest, seconds: f64) -> Self {
        let entrants = contest.entrants.iter().map(|(entrant, _)| {
            let own = contest.finished.iter().filter(|finish| finish.entrant == *entrant);
            Standing::new(*entrant, seconds, &own.collect::<Vec<_>>())
        });
        Self { problem: contest.problem.name.clone(), network: contest.network.clone(), entrants: entrants.collect() }
    }
}

impl Standing {
    fn new(entrant: Entrant, seconds: f64, finished: &[&Finish]) -> Self {
        let courses: Vec<Course> = finished.iter().map(|finish| finish.course.within(seconds)).collect();
        // A run without an error counts as one that is wrong altogether.
        let at = |time: f64| Statistics::of(courses.iter().map(|course| course.at(time).unwrap_or(f64::INFINITY)));
        let median_at = |time: f64| at(time).map(|errors| errors.median).filter(|median| median.is_finite());
        let results = || finished.iter().map(|finish| &finish.run.result);
        Self {
            optimizer: entrant.optimizer.name(),
            objective: entrant.objective.name(),
            on_the_way: marks(seconds).into_iter().map(|t| ErrorAt { seconds: t, rmse: median_at(t) }).collect(),
            rmse: at(seconds),
            time_to: THRESHOLDS.map(|rmse| TimeTo { rmse, seconds: median_time_below(&courses, rmse) }).into(),
            iterations: Statistics::of(results().map(|result| result.iterations as f64)),
            evaluations: Statistics::of(results().map(|result| result.evaluations as f64)),
            runs: finished.iter().map(|finish| finish.run.result.line()).collect(),
        }
    }
}

/// Times before the end at which errors are told: ten seconds, if that is early, and half of the time.
pub fn marks(seconds: f64) -> Vec<f64> {
    const EARLY: f64 = 10.0;
    let half = 0.5 * seconds;
    if EARLY < half { vec![EARLY, half] } else { vec![half] }
}
