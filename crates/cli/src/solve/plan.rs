//! From the command line to complete configurations: what is run, from which weights, and where it is saved.

use super::{Solve, run_name, seeds};
use crate::failure::Failure;
use crate::launch::{self, StartingWeights};
use crate::options::check_count;
use crate::run_folder::RunFolder;
use crate::target::Target;
use ropinn::case::Case;
use ropinn::config::{Phases, RunConfig};
use ropinn::model::ModelKind;
use ropinn::preset::Preset;
use ropinn::train::Trainer;
use ropinn_engine::Threads;
use std::path::{Path, PathBuf};

/// Everything a command will do.
pub struct Plan {
    /// The configuration, but for the seed.
    config: RunConfig,
    /// Name of the problem.
    pub problem: String,
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

impl Plan {
    /// Puts target, preset and options together.
    pub fn new(options: &Solve) -> Result<Self, Failure> {
        check_count("--width", options.width, usize::MAX)?;
        check_count("--depth", options.depth, usize::MAX)?;
        let target = Target::find(&options.target)?;
        let mut config = configuration(options, &target)?;
        let seeds = match &options.seeds {
            Some(text) => seeds::parse(text)?,
            None => vec![options.seed.unwrap_or(config.seed)],
        };
        config.seed = seeds[0];
        config.validate()?;
        let path = options.init_from.clone().or_else(|| target.initial_weights());
        let weights = path.map(|path| StartingWeights::read(&path)).transpose()?;
        // One thread is enough to ask for names.
        let case = Case::new(config.clone(), &Threads::new(1)?)?;
        let is_experiment = options.seeds.is_some();
        let name = if is_experiment { seeds::name(&seeds) } else { format!("s{}", seeds[0]) };
        let usual = || Path::new("runs").join(format!("{}-{name}", run_name(&case)));
        let out = options.out.clone().or_else(|| target.folder_of_rerun()).unwrap_or_else(usual);
        let success = match options.success {
            Some(value) if !(value > 0.0 && value.is_finite()) => return Err(Failure::BadThreshold { value }),
            Some(value) => Some(value),
            None => case.problem().success_threshold(),
        };
        let problem = case.problem().name.clone();
        Ok(Self { config, problem, seeds, is_experiment, success, weights, out })
    }

    /// The configuration, but for the seed.
    pub fn config(&self) -> &RunConfig {
        &self.config
    }

    /// The run of one seed, where its folder says it was.
    pub fn continued(&self, seed: u64, folder: &RunFolder, threads: &Threads) -> Result<Trainer, Failure> {
        launch::continued(RunConfig { seed, ..self.config.clone() }, self.weights.as_ref(), folder, threads)
    }

    /// The run of one seed, ready to start.
    pub fn trainer(&self, seed: u64, threads: &Threads) -> Result<Trainer, Failure> {
        launch::fresh(RunConfig { seed, ..self.config.clone() }, self.weights.as_ref(), threads)
    }
}

/// The preset or the earlier configuration, with the options on top.
fn configuration(options: &Solve, target: &Target) -> Result<RunConfig, Failure> {
    let kind = options.model.as_deref().map(str::parse::<ModelKind>).transpose()?;
    let mut config = match target {
        Target::Run { path, .. } if options.preset.is_some() => {
            return Err(Failure::PresetWithConfig { path: path.clone() });
        }
        Target::Run { config, .. } => (**config).clone(),
        Target::Problem { name, problem } => {
            let preset = options.preset.map_or_else(Default::default, Into::into);
            let objective = options.objective.map_or_else(Default::default, Into::into);
            let kind = kind.unwrap_or_else(|| Preset::default_model(preset, problem));
            let mut config = Preset::config(preset, problem, kind, objective);
            config.problem.name.clone_from(name);
            config
        }
    };
    if let Some(kind) = kind.filter(|kind| *kind != config.model.kind() && matches!(target, Target::Run { .. })) {
        config.set(&format!("model={kind}"))?;
    }
    if let Some(objective) = options.objective {
        config.objective.kind = objective.into();
    }
    if let Some(weighting) = options.weighting {
        config.weighting.kind = weighting.into();
    }
    if let Some(sampling) = options.sampling {
        config.sampling.kind = sampling.into();
    }
    if let Some(precision) = options.precision {
        config.precision = precision.into();
    }
    config.model.resize(options.width, options.depth);
    if let Some(text) = &options.optimizer {
        config.phases = text.parse::<Phases>()?;
    }
    if let Some(iterations) = options.iterations {
        set_iterations(&mut config.phases, iterations)?;
    }
    if let Some(seconds) = options.max_seconds {
        config.stop.max_seconds = seconds;
    }
    if let Some(error) = options.target_error {
        config.stop.target_error = error;
    }
    config.set_all(&options.set)?;
    Ok(config)
}

fn set_iterations(phases: &mut Phases, iterations: u64) -> Result<(), Failure> {
    check_count("--iterations", Some(usize::try_from(iterations).unwrap_or(usize::MAX)), usize::MAX)?;
    let text = phases.to_string();
    match &mut phases.0[..] {
        [only] => only.set_iterations(iterations),
        _ => return Err(Failure::WhichPhase { iterations, phases: text }),
    }
    Ok(())
}
