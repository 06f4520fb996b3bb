//! `ropinn solve`: train a network on a problem and leave a folder behind.

mod plan;
mod progress;
mod search;
pub mod seeds;
mod summary;

use crate::failure::Failure;
use crate::interrupt;
use crate::options::{self, ObjectiveName, PrecisionName, PresetName, SamplingName, WeightingName};
use crate::output;
use crate::run_folder::RunFolder;
use clap::Args;
use plan::Plan;
pub use progress::{Progress, duration};
use ropinn::case::Case;
use ropinn::config::WeightingKind;
use ropinn::train::{StopReason, TrainOutcome, Trainer};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Train a network on a problem.
///
/// The result is a folder: config.toml (run it again for the same bits), metrics.csv, model.safetensors, result.json,
/// prediction.csv and prediction.npy (the same table) on the evaluation points, pictures as PNG and SVG, and checkpoints/ to go on
/// from. Ctrl-C finishes the step, saves and reports.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = crate::EXIT_CODES)]
pub struct Solve {
    /// A built-in problem, a problem file, or the folder or config.toml of an earlier run.
    pub target: String,
    /// Model: pinn, qres, fls, pinnsformer, pinnsformer-encoder, kan [default: the preset's choice].
    #[arg(long)]
    pub model: Option<String>,
    /// What is minimised [default: region].
    #[arg(long, value_enum)]
    pub objective: Option<ObjectiveName>,
    /// How the terms of the loss are weighted [default: fixed].
    #[arg(long, value_enum)]
    pub weighting: Option<WeightingName>,
    /// How the points of the equations are chosen [default: fixed].
    #[arg(long, value_enum)]
    pub sampling: Option<SamplingName>,
    /// Optimiser phases, such as `gauss-newton 300`, `adam 2000 lr=1e-3` or `adam 2000 then lbfgs 1000`; also ssbfgs, ssbroyden.
    #[arg(long)]
    pub optimizer: Option<String>,
    /// Outer steps of the only optimiser phase.
    #[arg(long)]
    pub iterations: Option<u64>,
    /// Seed of starting weights, random points and regions [default: 0].
    #[arg(long, conflicts_with = "seeds")]
    pub seed: Option<u64>,
    /// Several seeds, one run each: a range such as 0..9 (both ends included) or a list such as 0,3,7.
    #[arg(long)]
    pub seeds: Option<String>,
    /// Relative error (rMSE) below which a seed counts as solved [default: the problem's own].
    #[arg(long, requires = "seeds", allow_negative_numbers = true)]
    pub success: Option<f64>,
    /// Ready-made settings [default: default].
    #[arg(long, value_enum)]
    pub preset: Option<PresetName>,
    /// Units per hidden layer (the embedding of a PINNsFormer).
    #[arg(long)]
    pub width: Option<usize>,
    /// Hidden layers.
    #[arg(long)]
    pub depth: Option<usize>,
    /// Numbers to compute with [default: the preset's choice].
    #[arg(long, value_enum)]
    pub precision: Option<PrecisionName>,
    /// Any setting of config.toml, such as region.r=1e-5; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// One run for each value of a setting and a table of their errors, e.g. gradient.weight=1,0.1,0.01.
    #[arg(long, value_name = "KEY=VALUES", conflicts_with_all = ["seeds", "resume"])]
    pub search: Option<String>,
    /// Start from these weights (safetensors, names as in PyTorch).
    #[arg(long, value_name = "FILE")]
    pub init_from: Option<PathBuf>,
    /// Threads; results do not depend on them [default: one per core].
    #[arg(long)]
    pub threads: Option<usize>,
    /// Folder of the run [default: runs/<problem>-<model>-<objective>-s<seed>, with weighting and sampling if they are not fixed].
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Replace the run in the folder, if there is one.
    #[arg(long)]
    pub overwrite: bool,
    /// Go on with the run in the folder, if there is one, to the same bits as without the break.
    #[arg(long, conflicts_with = "overwrite")]
    pub resume: bool,
    /// Longest training time in seconds, earlier sittings included; 0 for no limit [default: 0].
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub max_seconds: Option<f64>,
    /// Stop once the relative error (rMSE) is this small; 0 for never [default: 0].
    #[arg(long, value_name = "ERROR", allow_negative_numbers = true)]
    pub target_error: Option<f64>,
    /// Say nothing but errors.
    #[arg(long, conflicts_with = "json")]
    pub quiet: bool,
    /// Print events as JSON, one object per line.
    #[arg(long)]
    pub json: bool,
}

impl Solve {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let threads = options::threads(self.threads)?;
        if let Some(text) = &self.search {
            return search::run(self, text, &threads);
        }
        let plan = Plan::new(self)?;
        let begun = if self.resume { RunFolder::reopen(&plan.out)? } else { None };
        let (mut first, folder) = match begun {
            Some(folder) => (None, folder),
            None => {
                // The first run is compiled before anything is written: it refuses whatever is wrong with the input.
                let first = plan.trainer(plan.seeds[0], &threads)?;
                (Some(first), RunFolder::claim(&plan.out, self.overwrite)?)
            }
        };
        let stop = interrupt::listen(interrupt::AFTER_THIS_STEP);
        let mut outcomes = Vec::new();
        for &seed in &plan.seeds {
            let folder = if plan.is_experiment { folder.seed(seed)? } else { folder.clone() };
            let trainer = match first.take() {
                Some(trainer) => trainer.with_checkpoints(folder.checkpoints()),
                None => plan.continued(seed, &folder, &threads)?,
            };
            outcomes.push(self.run_one(trainer, &plan, &folder, &stop)?);
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        if plan.is_experiment {
            let summary = summary::Summary::new(&plan, &outcomes);
            summary.save(&folder)?;
            let text = summary.to_text(&folder)?;
            self.tell(|| text, &summary.event())?;
        }
        Ok(exit_code(&outcomes))
    }

    fn run_one(
        &self,
        mut trainer: Trainer,
        plan: &Plan,
        folder: &RunFolder,
        stop: &Arc<AtomicBool>,
    ) -> Result<TrainOutcome, Failure> {
        folder.begin(trainer.case(), plan.weights.as_ref().map(|weights| &weights.bytes[..]))?;
        let earlier = trainer.progress().rows.clone();
        let mut watcher = folder.watched_by(Progress::new(self.voice(), stop), earlier);
        let outcome = trainer.run(&mut watcher, stop).map_err(Failure::run)?;
        let unsaved = |cause| Failure::Unsaved { run: folder.path().to_owned(), cause: Box::new(cause) };
        let saved = folder.finish(trainer.case(), &outcome).map_err(unsaved)?;
        self.tell(|| if plan.is_experiment { saved.to_line() } else { saved.to_text() }, &saved.event())?;
        Ok(outcome)
    }

    /// Says something in the chosen voice. That nobody listens is no reason to fail once the run is saved.
    fn tell(&self, words: impl FnOnce() -> String, event: &impl Serialize) -> Result<(), Failure> {
        let told = match self.voice() {
            Voice::Words => output::print(&words()),
            Voice::Json => output::print_json_line(event),
            Voice::Silence => Ok(()),
        };
        match told {
            Err(Failure::OutputClosed) => Ok(()),
            told => told,
        }
    }

    fn voice(&self) -> Voice {
        match (self.quiet, self.json) {
            (true, _) => Voice::Silence,
            (_, true) => Voice::Json,
            _ => Voice::Words,
        }
    }
}

/// How a run speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// For people.
    Words,
    /// For programs.
    Json,
    /// Not at all.
    Silence,
}

/// 130 if somebody stopped it, 1 if numbers ran away, else 0.
fn exit_code(outcomes: &[TrainOutcome]) -> ExitCode {
    let any = |test: fn(&StopReason) -> bool| outcomes.iter().any(|outcome| test(&outcome.stop_reason));
    if any(|reason| matches!(reason, StopReason::Interrupted { .. })) {
        ExitCode::from(interrupt::EXIT_CODE)
    } else if any(StopReason::is_failure) {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    }
}

/// `<problem>-<model>-<objective>`, and weighting and sampling unless they are fixed, from the configuration, so that it
/// cannot lie.
fn run_name(case: &Case) -> String {
    let config = case.config();
    let mut name = format!("{}-{}-{}", file_name(&case.problem().name), config.model.kind(), config.objective.kind);
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
