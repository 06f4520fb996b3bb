//! From options to runs: what is trained, from which weights, where it is saved; and the training itself.

use crate::cells::Cells;
use crate::error::RunError;
use crate::folder::{RunFolder, Saved};
use crate::launch::{self, StartingWeights};
use crate::references::References;
use crate::seeds;
use crate::summary::Summary;
use crate::target::Target;
use crate::watch::{Remark, Watch};
use ropinn::case::Case;
use ropinn::config::{ObjectiveKind, Phases, PointsConfig, RunConfig, SamplingKind, StrategyKind, WeightingKind};
use ropinn::model::ModelKind;
use ropinn::preset::{Change, Preset};
use ropinn::problem::{Choices, MAX_POINTS, PointOverrides, Problem, Spread};
use ropinn::strategy::Solver;
use ropinn_engine::{Precision, Threads};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// More evaluation points than this are heard of before they are made, …
const MANY_POINTS: usize = 1_000_000;
/// … with the time they take, judged by a grid of about so many.
const PROBE: f64 = 40_000.0;

/// What to solve and how. Whatever is not given is the choice of the preset or of the earlier run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A built-in problem, a problem file, or the folder or config.toml of an earlier run.
    pub target: String,
    /// What is chosen of a problem.
    pub choices: Choices,
    /// The model.
    pub model: Option<ModelKind>,
    /// What is minimised.
    pub objective: Option<ObjectiveKind>,
    /// How the terms of the loss are weighted.
    pub weighting: Option<WeightingKind>,
    /// How the points of the equations are chosen.
    pub sampling: Option<SamplingKind>,
    /// Who decides how it goes on.
    pub strategy: Option<StrategyKind>,
    /// Optimiser phases.
    pub phases: Option<Phases>,
    /// Outer steps of the only optimiser phase.
    pub iterations: Option<u64>,
    /// The seed of a single run.
    pub seed: Option<u64>,
    /// Several seeds, one run each.
    pub seeds: Option<Vec<u64>>,
    /// Relative error (rMSE) below which a seed counts as solved.
    pub success: Option<f64>,
    /// Ready-made settings.
    pub preset: Option<Preset>,
    /// Units per hidden layer.
    pub width: Option<usize>,
    /// Hidden layers.
    pub depth: Option<usize>,
    /// Numbers to compute with.
    pub precision: Option<Precision>,
    /// Settings of config.toml as `key=value`.
    pub set: Vec<String>,
    /// Weights to start from.
    pub init_from: Option<PathBuf>,
    /// Folder of the run.
    pub out: Option<PathBuf>,
    /// Longest training time in seconds.
    pub max_seconds: Option<f64>,
    /// The run stops once the relative error (rMSE) is this small.
    pub target_error: Option<f64>,
    /// Whether a problem that looks ill posed is refused instead of solved with a warning.
    pub strict: bool,
}

/// Everything that will be done.
#[derive(Debug)]
pub struct Plan {
    /// The configuration, but for the seed.
    config: RunConfig,
    /// What is solved.
    pub problem: Arc<Problem>,
    /// What the preset has changed of it.
    pub changes: Vec<Change>,
    /// One run each.
    pub seeds: Vec<u64>,
    /// Whether the runs form an experiment over seeds, with a folder each and a summary.
    pub is_experiment: bool,
    /// Error below which a run counts as solved.
    pub success: Option<f64>,
    /// Weights to start from.
    pub weights: Option<StartingWeights>,
    /// Where the results go.
    pub out: PathBuf,
}

/// What becomes of a run that is in the folder already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and the plan is refused.
    Refuse,
    /// It is replaced.
    Replace,
    /// It goes on where it was.
    Resume,
}

/// The runs of a plan whose folder is ours.
pub struct Runs<'a> {
    plan: &'a Plan,
    /// The folder of the run, or of the experiment.
    pub folder: RunFolder,
    first: Option<Solver>,
    threads: Threads,
}

impl Plan {
    /// Puts target, preset and options together.
    pub fn new(options: &Options) -> Result<Self, RunError> {
        Self::of(options, &Target::find_with(&options.target, &options.choices)?)
    }

    /// The same for a target that is read already.
    pub fn of(options: &Options, target: &Target) -> Result<Self, RunError> {
        let (mut config, preset) = configuration(options, target)?;
        let problem = target.problem().clone();
        let doubts = if options.strict { problem.doubts() } else { Vec::new() };
        if !doubts.is_empty() {
            return Err(RunError::Doubtful(doubts));
        }
        let changes = Change::all(&preset, &config.points, &problem);
        let seeds = options.seeds.clone().unwrap_or_else(|| vec![options.seed.unwrap_or(config.seed)]);
        config.seed = seeds[0];
        config.validate()?;
        let path = options.init_from.clone().or_else(|| target.initial_weights());
        let weights = path.map(|path| StartingWeights::read(&path)).transpose()?;
        let is_experiment = options.seeds.is_some();
        let name = if is_experiment { seeds::name(&seeds) } else { format!("s{}", seeds[0]) };
        let usual = || Path::new("runs").join(format!("{}-{name}", run_name(&problem.name, &config)));
        let out = options.out.clone().or_else(|| target.folder_of_rerun()).unwrap_or_else(usual);
        let success = match options.success {
            Some(value) if !(value > 0.0 && value.is_finite()) => return Err(RunError::BadThreshold(value)),
            Some(value) => Some(value),
            None => problem.success_threshold(),
        };
        Ok(Self { config, problem, changes, seeds, is_experiment, success, weights, out })
    }

    /// The configuration, but for the seed.
    pub fn config(&self) -> &RunConfig {
        &self.config
    }

    /// Problem and network of one seed.
    pub fn case(&self, seed: u64, threads: &Threads) -> Result<Case, RunError> {
        Ok(Case::with_problem(RunConfig { seed, ..self.config.clone() }, self.problem.clone(), threads)?)
    }

    /// The run of one seed, ready to start.
    pub fn solver(&self, seed: u64, threads: &Threads) -> Result<Solver, RunError> {
        launch::fresh(self.case(seed, threads)?, self.weights.as_ref())
    }

    /// What is worth knowing before [`Self::begin`], which may take its time.
    pub fn remarks(&self) -> Result<Vec<Remark>, RunError> {
        let problem = Problem::clone(&self.problem).with_points(&self.config.points.overrides()?);
        if problem.reference_work().is_some() {
            return Ok(References::usual().pending(&problem)?.into_iter().collect());
        }
        let count = problem.evaluation_count();
        if count <= MANY_POINTS || count > MAX_POINTS {
            return Ok(Vec::new());
        }
        let axes = problem.coordinate_names().len();
        let side = PROBE.powf(1.0 / axes as f64).ceil() as usize;
        let evaluation = Some(Spread::grid(vec![side; axes]));
        let probe = problem.with_points(&PointOverrides { evaluation, ..PointOverrides::default() });
        // What is computed once is no matter of points.
        probe.reference_error()?;
        let began = Instant::now();
        let made = probe.evaluation()?.len().max(1);
        let seconds = began.elapsed().as_secs_f64() * count as f64 / made as f64;
        Ok(vec![Remark::ManyEvaluationPoints { count, seconds }])
    }

    /// Makes the folder ours. Whatever is wrong with the first run is refused before anything is written.
    pub fn begin(&self, existing: Existing, threads: &Threads) -> Result<Runs<'_>, RunError> {
        let begun = if existing == Existing::Resume { RunFolder::reopen(&self.out)? } else { None };
        let (first, folder) = match begun {
            Some(folder) => (None, folder),
            None => {
                let first = self.solver(self.seeds[0], threads)?;
                (Some(first), RunFolder::claim(&self.out, existing == Existing::Replace)?)
            }
        };
        if self.is_experiment {
            Cells::of_seeds(&self.seeds).write(folder.path())?;
        }
        Ok(Runs { plan: self, folder, first, threads: threads.clone() })
    }
}

impl Runs<'_> {
    /// Trains and saves the run of one seed, from the beginning or from where it was.
    pub fn run(&mut self, seed: u64, watch: &mut dyn Watch, stop: &AtomicBool) -> Result<Saved, RunError> {
        let weights = self.plan.weights.as_ref();
        let folder = if self.plan.is_experiment { self.folder.seed(seed)? } else { self.folder.clone() };
        let mut solver = match self.first.take().filter(|first| first.case().config().seed == seed) {
            Some(solver) => solver.with_checkpoints(folder.checkpoints()),
            None => launch::continued(self.plan.case(seed, &self.threads)?, weights, &folder, watch)?,
        };
        solver.case().problem().doubts().into_iter().for_each(|doubt| watch.on_remark(&Remark::Doubt(doubt)));
        let missing = solver.case().problem().missing_readings().to_vec();
        missing.into_iter().for_each(|gap| watch.on_remark(&Remark::MissingReadings(gap)));
        self.plan.changes.iter().for_each(|change| watch.on_remark(&Remark::Preset(change.clone())));
        let solved = folder.train(&mut solver, weights.map(|weights| &weights.bytes[..]), watch, stop)?;
        let unsaved = |cause| RunError::Unsaved(folder.path().to_owned(), Box::new(cause));
        folder.finish(&solved.case, solved.outcome, watch).map_err(unsaved)
    }

    /// Sums the runs of an experiment up, and saves that beside them.
    pub fn summary(&self, runs: &[Saved]) -> Result<Summary, RunError> {
        let summary = Summary::new(runs, self.plan.success);
        summary.save(&self.folder)?;
        Ok(summary)
    }
}

/// The preset or the earlier configuration, with the options on top; and the points that were the preset's choice.
fn configuration(options: &Options, target: &Target) -> Result<(RunConfig, PointsConfig), RunError> {
    let mut points = PointsConfig::default();
    let mut config = match target {
        Target::Run { path, .. } if options.preset.is_some() => {
            return Err(RunError::PresetWithConfig(path.clone()));
        }
        Target::Run { config, .. } => (**config).clone(),
        Target::Problem { name, problem } => {
            let preset = options.preset.unwrap_or_default();
            let builtin = problem.builtin_name();
            let kind = options.model.unwrap_or_else(|| preset.default_model(builtin));
            let mut config = preset.config(builtin, kind, options.objective.unwrap_or_default());
            points.clone_from(&config.points);
            config.problem.name.clone_from(name);
            config
        }
    };
    if let Some(kind) = options.model.filter(|kind| *kind != config.model.kind()) {
        config.set(&format!("model={kind}"))?;
    }
    set(&mut config.objective.kind, options.objective);
    set(&mut config.weighting.kind, options.weighting);
    set(&mut config.sampling.kind, options.sampling);
    set(&mut config.precision, options.precision);
    config.model.resize(options.width, options.depth);
    set(&mut config.phases, options.phases.clone());
    if let Some(iterations) = options.iterations {
        set_iterations(&mut config.phases, iterations)?;
    }
    set(&mut config.stop.max_seconds, options.max_seconds);
    set(&mut config.stop.target_error, options.target_error);
    config.set_all(&options.set)?;
    let said = options.set.iter().any(|set| set.trim_start().starts_with("strategy.kind"));
    if let Some(kind) = options.strategy.or_else(|| usual_strategy(&config, target).filter(|_| !said)) {
        config.strategy.kind = kind;
    }
    Ok((config, points))
}

/// Problems decide for themselves how they are solved, unless something else than usual is asked of model, objective or
/// optimiser: that is done as it is said.
fn usual_strategy(config: &RunConfig, target: &Target) -> Option<StrategyKind> {
    let Target::Problem { problem, .. } = target else { return None };
    let builtin = problem.builtin_name();
    let model = Preset::Default.default_model(builtin);
    let usual = Preset::Default.config(builtin, model, ObjectiveKind::default());
    let trained = |config: &RunConfig| RunConfig {
        model: config.model.clone(),
        objective: config.objective.clone(),
        weighting: config.weighting.clone(),
        sampling: config.sampling.clone(),
        weights: config.weights.clone(),
        phases: config.phases.clone(),
        pieces: config.pieces.clone(),
        precision: config.precision,
        init: config.init,
        ..RunConfig::default()
    };
    let free = trained(config) == trained(&usual) && config.why_not_auto().is_none();
    free.then_some(StrategyKind::Auto)
}

/// Puts a value where one is given.
fn set<T>(own: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *own = given;
    }
}

fn set_iterations(phases: &mut Phases, iterations: u64) -> Result<(), RunError> {
    let text = phases.to_string();
    match &mut phases.0[..] {
        [only] => only.iterations = iterations,
        _ => return Err(RunError::WhichPhase(iterations, text)),
    }
    Ok(())
}

/// `<problem>-<model>-<objective>`, and weighting and sampling unless they are fixed, from the configuration, so that it
/// cannot lie.
pub fn run_name(problem: &str, config: &RunConfig) -> String {
    let mut name = format!("{}-{}-{}", file_name(problem), config.model.kind(), config.objective.kind);
    for kind in [config.weighting.kind.name(), config.sampling.kind.name()] {
        if kind != WeightingKind::Fixed.name() {
            name = format!("{name}-{kind}");
        }
    }
    name
}

/// The name of a problem as part of a path.
pub fn file_name(problem: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    problem.chars().map(safe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_evaluation_grid_is_announced_with_an_estimate() {
        let remarks = |grid: &str| {
            let set = vec![format!("points.evaluation=grid:{grid}")];
            let options = Options { target: "wave".to_owned(), set, ..Options::default() };
            Plan::new(&options).expect("a plan").remarks().expect("remarks")
        };
        assert_eq!(remarks("101x101"), []);
        let [Remark::ManyEvaluationPoints { count: 49_000_000, seconds }] = remarks("7000x7000")[..] else {
            panic!("{:?}", remarks("7000x7000"))
        };
        assert!(seconds > 0.0 && seconds.is_finite());
        let words = remarks("7000x7000")[0].to_string();
        assert!(words.starts_with("errors are measured at 49000000 points: making them ready takes about "), "{words}");
    }
}
