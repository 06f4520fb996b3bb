//! `ropinn solve`: train a network on a problem and leave a folder behind.

mod progress;

use crate::chosen::Chosen;
use crate::failure::Failure;
use crate::interrupt;
use crate::options::{
    self, OBJECTIVES, PRECISIONS, PRESETS, SAMPLINGS, STRATEGIES, VERDICTS, WEIGHTINGS, check_count, one_of,
};
use crate::output::{Event, Voice, remark};
use crate::serve;
use clap::Args;
pub use progress::{duration, new_bar, show, watch};
use ropinn::config::{ObjectiveKind, SamplingKind, StrategyKind, WeightingKind};
use ropinn::preset::Preset;
use ropinn::record::{StopReason, Trust};
use ropinn_engine::{Precision, Threads};
use ropinn_export::tensorboard::Live;
use ropinn_runs::folder::Saved;
use ropinn_runs::plan::{Existing, Options, Plan, Runs};
use ropinn_runs::search::Search;
use ropinn_runs::seeds;
use ropinn_runs::watch::Watch;
use ropinn_serve::Server;
use std::path::{Path, PathBuf};
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
    #[command(flatten)]
    pub chosen: Chosen,
    /// Model: pinn, qres, fls, pinnsformer, pinnsformer-encoder, kan, features [default: the preset's choice].
    #[arg(long)]
    pub model: Option<String>,
    /// What is minimised [default: region].
    #[arg(long, value_parser = one_of(OBJECTIVES))]
    pub objective: Option<ObjectiveKind>,
    /// How the terms of the loss are weighted [default: fixed].
    #[arg(long, value_parser = one_of(WEIGHTINGS))]
    pub weighting: Option<WeightingKind>,
    /// How the points of the equations are chosen [default: fixed].
    #[arg(long, value_parser = one_of(SAMPLINGS))]
    pub sampling: Option<SamplingKind>,
    /// Who decides how the run goes on [default: auto, unless model, objective or optimiser are given].
    #[arg(long, value_parser = one_of(STRATEGIES))]
    pub strategy: Option<StrategyKind>,
    /// Optimiser phases, such as `gauss-newton 300`, `adam 2000 lr=1e-3` or `adam 2000 then lbfgs 1000`; also ssbfgs, ssbroyden.
    /// `then polish` corrects the solution at the end, by least squares.
    #[arg(long)]
    pub optimizer: Option<String>,
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
    #[arg(long, value_parser = one_of(PRESETS))]
    pub preset: Option<Preset>,
    /// Units per hidden layer (the embedding of a PINNsFormer).
    #[arg(long)]
    pub width: Option<usize>,
    /// Hidden layers.
    #[arg(long)]
    pub depth: Option<usize>,
    /// Numbers to compute with [default: the preset's choice].
    #[arg(long, value_parser = one_of(PRECISIONS))]
    pub precision: Option<Precision>,
    /// One run for each value of a setting (with --seeds, for each value and seed) and a table of their errors, e.g.
    /// gradient.weight=1,0.1,0.01.
    #[arg(long, value_name = "KEY=VALUES")]
    pub search: Option<String>,
    /// Start from these weights (safetensors, names as in PyTorch).
    #[arg(long, value_name = "FILE")]
    pub init_from: Option<PathBuf>,
    /// Folder of the run [default: runs/<problem>-<model>-<objective>-s<seed>, with weighting and sampling if they are not fixed].
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Replace the run in the folder, if there is one.
    #[arg(long)]
    pub overwrite: bool,
    /// Go on with the run in the folder, if there is one, to the same bits as without the break.
    #[arg(long, conflicts_with = "overwrite")]
    pub resume: bool,
    /// Write every step as an event for TensorBoard, as it comes; runs of several seeds or values have folders of their own in it.
    #[arg(long, value_name = "FOLDER")]
    pub tensorboard: Option<PathBuf>,
    /// Refuse a problem that looks ill posed instead of solving it with a warning.
    #[arg(long)]
    pub strict: bool,
    /// Show the run on a web page of this machine while it trains; its address is printed first.
    #[arg(long)]
    pub live: bool,
    #[command(flatten)]
    pub sitting: Sitting,
}

/// What may change from one sitting of a run to the next.
#[derive(Clone, Debug, Default, Args)]
pub struct Sitting {
    /// Outer steps of the only optimiser phase, those already done included.
    #[arg(long)]
    iterations: Option<u64>,
    /// Any setting of config.toml, such as region.r=1e-5; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Longest training time in seconds, earlier sittings included; 0 for no limit [default: 0].
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    max_seconds: Option<f64>,
    /// Stop once the relative error (rMSE) is this small; 0 for never [default: 0].
    #[arg(long, value_name = "ERROR", allow_negative_numbers = true)]
    target_error: Option<f64>,
    /// Threads; results do not depend on them [default: one per core].
    #[arg(long)]
    threads: Option<usize>,
    /// End with exit code 3 unless the verdict is at least this good; everything is saved all the same.
    #[arg(long, value_name = "VERDICT", value_parser = one_of(VERDICTS))]
    require: Option<Trust>,
    /// Say nothing but errors.
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
    /// Print events as JSON, one object per line.
    #[arg(long)]
    json: bool,
}

impl Solve {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let threads = options::threads(self.sitting.threads)?;
        let options = self.options()?;
        if let Some(text) = &self.search {
            return self.search(&Search::new(&options, text, &threads)?, &threads);
        }
        let plan = Plan::new(&options)?;
        self.check_events()?;
        plan.remarks()?.iter().for_each(|about| remark(&about.to_string()));
        let runs = plan.begin(self.existing(), &threads)?;
        let _page = self.page(&plan.out)?;
        let stop = interrupt::listen(interrupt::AFTER_THIS_STEP);
        Ok(exit_code(&self.train(&plan, runs, &stop)?, self.sitting.require))
    }

    /// One run, or one for each seed and what they have in common.
    fn train(&self, plan: &Plan, mut runs: Runs<'_>, stop: &Arc<AtomicBool>) -> Result<Vec<Saved>, Failure> {
        let mut saved = Vec::new();
        for &seed in &plan.seeds {
            let run = runs.run(seed, &mut *self.watch(plan, seed, stop)?, stop)?;
            let words = || if plan.is_experiment { run.to_line() } else { run.to_text() + &more_time(&run) };
            self.voice().tell(words, &finish(&run))?;
            saved.push(run);
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        if plan.is_experiment {
            let summary = runs.summary(&saved)?;
            let text = summary.to_text(&runs.folder)? + &more_time_for_all(&saved);
            self.voice().tell(|| text, &Event { event: "summary", folder: None, content: &summary })?;
        }
        Ok(saved)
    }

    /// Refuses a folder for events that takes none, before anything is trained.
    fn check_events(&self) -> Result<(), Failure> {
        let Some(folder) = &self.tensorboard else { return Ok(()) };
        std::fs::create_dir_all(folder).map_err(|error| Failure::NoEvents(folder.clone(), error.to_string()))
    }

    /// Who watches the run of a seed.
    fn watch(&self, plan: &Plan, seed: u64, stop: &Arc<AtomicBool>) -> Result<Box<dyn Watch>, Failure> {
        let told = watch(self.voice(), stop);
        let Some(folder) = &self.tensorboard else { return Ok(told) };
        let mut folder = folder.clone();
        // Several runs in one folder would be one run to TensorBoard.
        if self.search.is_some() {
            folder.extend(plan.out.file_name());
        }
        if plan.is_experiment {
            folder.push(format!("seed-{seed}"));
        }
        let live = Live::new(&folder, told);
        Ok(Box::new(live.map_err(|error| Failure::NoEvents(folder, error.to_string()))?))
    }

    /// One run for each value of a setting, or one for each value and seed.
    fn search(&self, search: &Search, threads: &Threads) -> Result<ExitCode, Failure> {
        self.check_events()?;
        let stop = interrupt::listen(interrupt::AFTER_THIS_STEP);
        let (mut saved, mut page) = (Vec::new(), None);
        for (_, plan) in &search.plans {
            let runs = plan.begin(self.existing(), threads)?;
            search.announce()?;
            if page.is_none() {
                page = self.page(search.home())?;
            }
            saved.push(self.train(plan, runs, &stop)?);
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        let findings = search.save(&saved)?;
        let text = findings.to_text()?;
        self.voice().tell(|| text, &Event { event: "search", folder: None, content: &findings })?;
        Ok(exit_code(saved.iter().flatten(), self.sitting.require))
    }

    /// The page of what is trained in a folder, if it is wanted.
    fn page(&self, folder: &Path) -> Result<Option<Server>, Failure> {
        self.live.then(|| serve::live(folder)).transpose()
    }

    fn options(&self) -> Result<Options, Failure> {
        options::check_sizes(self.width, self.depth)?;
        let iterations = self.sitting.iterations.map(|count| usize::try_from(count).unwrap_or(usize::MAX));
        check_count("--iterations", iterations, usize::MAX)?;
        Ok(Options {
            target: self.target.clone(),
            choices: self.chosen.choices()?,
            model: self.model.as_deref().map(str::parse).transpose()?,
            objective: self.objective,
            weighting: self.weighting,
            sampling: self.sampling,
            strategy: self.strategy,
            phases: self.optimizer.as_deref().map(str::parse).transpose()?,
            iterations: self.sitting.iterations,
            seed: self.seed,
            seeds: self.seeds.as_deref().map(seeds::parse).transpose()?,
            success: self.success,
            preset: self.preset,
            width: self.width,
            depth: self.depth,
            precision: self.precision,
            set: self.sitting.set.clone(),
            init_from: self.init_from.clone(),
            out: self.out.clone(),
            max_seconds: self.sitting.max_seconds,
            target_error: self.sitting.target_error,
            strict: self.strict,
        })
    }

    fn existing(&self) -> Existing {
        match (self.overwrite, self.resume) {
            (true, _) => Existing::Replace,
            (_, true) => Existing::Resume,
            _ => Existing::Refuse,
        }
    }

    fn voice(&self) -> Voice {
        match (self.sitting.quiet, self.sitting.json) {
            (true, _) => Voice::Silence,
            (_, true) => Voice::Json,
            _ => Voice::Words,
        }
    }
}

/// The last event of a run.
pub fn finish(run: &Saved) -> Event<'_, Saved> {
    Event { event: "finish", folder: Some(&run.folder), content: run }
}

/// How to give a run more time, if it had too little.
fn more_time(run: &Saved) -> String {
    let Some(seconds) = longer(run) else { return String::new() };
    format!("  {:<15} ropinn resume {} --max-seconds {seconds}\n", "more time", run.folder.display())
}

/// The same for runs that belong together, which go on together.
fn more_time_for_all(saved: &[Saved]) -> String {
    let Some(seconds) = saved.iter().filter_map(longer).reduce(f64::max) else { return String::new() };
    format!("more time: the same command with --resume --max-seconds {seconds}\n")
}

/// Twice the time a run had, if that is why it ended; the time counts all sittings.
fn longer(run: &Saved) -> Option<f64> {
    match run.outcome.stop_reason {
        StopReason::TimeLimit { seconds } => Some(2.0 * seconds),
        _ => None,
    }
}

/// 130 if somebody stopped it, 1 if numbers ran away, 3 if a verdict is worse than required, else 0.
fn exit_code<'a>(saved: impl IntoIterator<Item = &'a Saved>, required: Option<Trust>) -> ExitCode {
    let saved: Vec<&Saved> = saved.into_iter().collect();
    let reasons: Vec<&StopReason> = saved.iter().map(|run| &run.outcome.stop_reason).collect();
    let any = |test: fn(&StopReason) -> bool| reasons.iter().any(|reason| test(reason));
    if any(|reason| matches!(reason, StopReason::Interrupted { .. })) {
        ExitCode::from(interrupt::EXIT_CODE)
    } else if any(StopReason::is_failure) {
        ExitCode::from(1)
    } else if required.is_some_and(|least| saved.iter().any(|run| run.trust().is_none_or(|own| own > least))) {
        ExitCode::from(3)
    } else {
        ExitCode::SUCCESS
    }
}
