//! From options to the runs of a race: every problem × optimiser × objective × seed.

use super::Race;
use super::course::Finish;
use super::entrant::Entrant;
use crate::error::StudyError;
use ropinn::case::Case;
use ropinn::config::{ConfigError, RunConfig};
use ropinn::preset::Change;
use ropinn::problem::Problem;
use ropinn::train::Trainer;
use ropinn_engine::Threads;
use ropinn_runs::cells::Cells;
use ropinn_runs::folder::names;
use ropinn_runs::plan::file_name;
use ropinn_runs::seeds::repeated;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A problem and who races on it.
pub struct Contest {
    /// The problem.
    pub problem: Arc<Problem>,
    /// What the preset has changed of it.
    pub changes: Vec<Change>,
    /// The network, in words.
    pub network: String,
    /// Everybody with a complete configuration, but for the seed.
    pub entrants: Vec<(Entrant, RunConfig)>,
    /// The runs that are done, in the order of the rounds.
    pub finished: Vec<Finish>,
}

impl Contest {
    /// Its folder and, with an ending, its picture.
    pub fn file_name(&self) -> String {
        file_name(&self.problem.name)
    }

    /// All runs, in order.
    pub fn rounds(&self, race: &Race) -> Vec<Round> {
        let home = race.out.join(self.file_name());
        let round = |entrant: Entrant, config: &RunConfig, seed: u64| Round {
            entrant,
            config: RunConfig { seed, ..config.clone() },
            path: home.join(entrant.label()).join(format!("{}{seed}", names::SEED)),
        };
        let rounds =
            self.entrants.iter().flat_map(|(entrant, config)| race.seeds.iter().map(move |&s| (entrant, config, s)));
        rounds.map(|(entrant, config, seed)| round(*entrant, config, seed)).collect()
    }

    /// Whether a run is finished.
    pub fn has(&self, round: &Round) -> bool {
        self.finished.iter().any(|finish| finish.run.path == round.path)
    }
}

/// All runs of a race, as others see them fill up.
pub fn cells(race: &Race, contests: &[Contest]) -> Cells {
    let below = |path: &Path| path.strip_prefix(&race.out).unwrap_or(path).to_string_lossy().into_owned();
    let of = |contest: &Contest| {
        let row = |round: &Round| format!("{}, {}", contest.problem.name, round.entrant.label());
        let cell = |round: Round| (row(&round), Cells::seed(round.config.seed), below(&round.path));
        contest.rounds(race).into_iter().map(cell).collect::<Vec<_>>()
    };
    Cells::of("", contests.iter().flat_map(of))
}

/// One run of a race.
pub struct Round {
    /// Who runs.
    pub entrant: Entrant,
    /// The whole configuration.
    pub config: RunConfig,
    /// Its folder.
    pub path: PathBuf,
}

/// Puts problems, entrants and settings together. Every configuration is compiled once, so that whatever is wrong with one
/// of them is said before the first run starts.
pub fn contests(race: &Race, threads: &Threads) -> Result<Vec<Contest>, StudyError> {
    if !(race.seconds > 0.0 && race.seconds.is_finite()) {
        return Err(StudyError::BadSeconds(race.seconds));
    }
    let entrants = entrants(race)?;
    let mut contests: Vec<Contest> = Vec::new();
    for text in &race.problems {
        let contest = contest(race, text, &entrants, race.seeds[0], threads)?;
        if contests.iter().any(|other| other.file_name() == contest.file_name()) {
            return Err(StudyError::Repeated("problem", contest.problem.name.clone()));
        }
        contests.push(contest);
    }
    Ok(contests)
}

fn entrants(race: &Race) -> Result<Vec<Entrant>, StudyError> {
    if let Some(optimizer) = repeated(&race.optimizers) {
        return Err(StudyError::Repeated("optimiser", optimizer.name().to_owned()));
    }
    if let Some(objective) = repeated(&race.objectives) {
        return Err(StudyError::Repeated("objective", objective.name().to_owned()));
    }
    let of = |&optimizer| race.objectives.iter().map(move |&objective| Entrant { optimizer, objective });
    Ok(race.optimizers.iter().flat_map(of).collect())
}

fn contest(race: &Race, text: &str, entrants: &[Entrant], seed: u64, threads: &Threads) -> Result<Contest, StudyError> {
    let problem = Arc::new(Problem::open(text)?);
    let plain = |entrant: &Entrant| {
        let mut config = entrant.config(problem.builtin_name(), race.model, race.seconds);
        config.problem.name = text.to_owned();
        config.seed = seed;
        (*entrant, config)
    };
    let preset = entrants[0].config(problem.builtin_name(), race.model, race.seconds).points;
    let mut configured = with_settings(entrants.iter().map(plain).collect(), &race.set)?;
    let mut network = String::new();
    for (entrant, config) in &mut configured {
        check_still_a_race(*entrant, config, race.seconds, seed)?;
        let case = Case::with_problem(config.clone(), problem.clone(), threads)?;
        if !case.problem().has_reference() {
            return Err(StudyError::NothingToRaceFor(problem.name.clone()));
        }
        *config = case.config().clone();
        let (width, depth) = config.model.width_and_depth();
        let (kind, precision) = (config.model.kind(), config.precision);
        network = format!("{kind} {width} × {depth}, {} parameters, {precision}", case.parameters());
        Trainer::new(case)?;
    }
    let changes = Change::all(&preset, &configured[0].1.points, &problem);
    Ok(Contest { problem, changes, network, entrants: configured, finished: Vec::new() })
}

/// Applies `--set`. A setting that only some entrants have, such as those of one optimiser or of the regions, is for them;
/// one that nobody has is refused.
fn with_settings(
    mut entrants: Vec<(Entrant, RunConfig)>,
    set: &[String],
) -> Result<Vec<(Entrant, RunConfig)>, StudyError> {
    let mut used = vec![false; set.len()];
    let mut refusals: Vec<Option<ConfigError>> = vec![None; set.len()];
    for (_, config) in &mut entrants {
        let mut own: Vec<&str> = Vec::new();
        for (k, text) in set.iter().enumerate() {
            own.push(text);
            match config.clone().set_all(&own) {
                Err(error @ (ConfigError::UnknownKey { .. } | ConfigError::NoEffect { .. })) => {
                    own.pop();
                    refusals[k].get_or_insert(error);
                }
                // Whatever else is wrong is judged with all settings in place.
                _ => used[k] = true,
            }
        }
        config.set_all(&own)?;
    }
    let nobody = used.iter().zip(refusals).find_map(|(used, refusal)| refusal.filter(|_| !used));
    nobody.map_or(Ok(entrants), |refusal| Err(refusal.into()))
}

/// Only what the table says may differ between runs.
fn check_still_a_race(entrant: Entrant, config: &RunConfig, seconds: f64, seed: u64) -> Result<(), StudyError> {
    let optimizer: Vec<&str> = config.phases.0.iter().map(|phase| phase.name()).collect();
    let kept = [
        (optimizer == entrant.phases(), "phases"),
        (config.objective.kind == entrant.objective, "objective.kind"),
        (config.stop.max_seconds == seconds, "stop.max_seconds"),
        (config.seed == seed, "seed"),
    ];
    match kept.into_iter().find(|(holds, _)| !holds) {
        Some((_, setting)) => Err(StudyError::SetByTheRace(setting)),
        None => Ok(()),
    }
}
