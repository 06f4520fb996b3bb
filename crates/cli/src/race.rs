//! `ropinn race`: which optimiser gets to which error in which time, measured by one command.

use crate::failure::Failure;
use crate::interrupt;
use crate::options::{self, Choice, OBJECTIVES, one_of};
use crate::output;
use crate::output::{Event, Voice};
use crate::speaker::Speaker;
use clap::Args;
use ropinn::config::{ObjectiveKind, OptimizerKind};
use ropinn_runs::seeds;
use ropinn_study::race;
use std::path::PathBuf;
use std::process::ExitCode;

/// Said at the first Ctrl-C.
const AFTER_THIS_RUN: &str = "stopping after this run; once more quits at once, and the command goes on when repeated";

/// Measure how fast optimisers reach which error.
///
/// Every optimiser trains every problem on every objective from every seed for the same time, with the same network, points and
/// precision (those of `solve` with its defaults, changed by --model and --set). The folder holds race.md (the standings), race.csv (all
/// measurements), race.json, a picture per problem, and the runs themselves in <problem>/<optimizer>-<objective>/seed-<n>.
/// Repeating the command keeps the runs that are finished. Ctrl-C finishes the run and writes the tables.
#[derive(Debug, Args)]
pub struct Race {
    /// Built-in problems or problem files; they need a reference solution.
    #[arg(required = true, value_name = "PROBLEM")]
    problems: Vec<String>,
    /// Optimisers, separated by commas.
    #[arg(long, value_parser = one_of(OPTIMIZERS), value_delimiter = ',', default_value = "adam,lbfgs,ssbroyden,gauss-newton")]
    optimizers: Vec<OptimizerKind>,
    /// Objectives, separated by commas.
    #[arg(long, value_parser = one_of(OBJECTIVES), value_delimiter = ',', default_value = "point,region")]
    objectives: Vec<ObjectiveKind>,
    /// Model of all runs: pinn, qres, fls, pinnsformer, pinnsformer-encoder, kan, features [default: that of `solve`].
    #[arg(long)]
    model: Option<String>,
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

/// Who can race.
const OPTIMIZERS: &[Choice<OptimizerKind>] = &[
    ("adam", OptimizerKind::Adam, "Adam"),
    ("lbfgs|l-bfgs", OptimizerKind::Lbfgs, "Limited-memory BFGS"),
    ("ssbfgs", OptimizerKind::SsBfgs, "Self-scaled BFGS"),
    ("ssbroyden", OptimizerKind::SsBroyden, "Self-scaled Broyden"),
    ("gauss-newton|gn", OptimizerKind::GaussNewton, "Levenberg–Marquardt"),
    ("polish", OptimizerKind::Polish, "A hundred Gauss–Newton steps, then a correction, which the time does not limit"),
];

impl Race {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let threads = options::threads(self.threads)?;
        let race = race::Race {
            problems: self.problems.clone(),
            optimizers: self.optimizers.clone(),
            objectives: self.objectives.clone(),
            model: self.model.as_deref().map(str::parse).transpose()?,
            seconds: self.seconds,
            seeds: seeds::parse(&self.seeds)?,
            set: self.set.clone(),
            out: self.out.clone(),
            overwrite: self.overwrite,
            command: output::command_line(),
        };
        let voice = if self.json { Voice::Json } else { Voice::Words };
        let stop = interrupt::listen(AFTER_THIS_RUN);
        let mut speaker = Speaker::new(voice, &stop);
        let (standings, is_complete) = race.run(&threads, &mut speaker, &stop)?;
        speaker.end()?;
        let text = standings.to_text(&self.out)?;
        voice.tell(|| text, &Event { event: "race", folder: Some(&self.out), content: &standings })?;
        Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(interrupt::EXIT_CODE) })
    }
}
