//! `ropinn reproduce`: every table and figure of the three-benchmark study, side by side with the paper.

mod progress;

use crate::failure::Failure;
use crate::interrupt;
use crate::options::{self, Choice, OBJECTIVES, check_count, one_of};
use crate::output;
use crate::output::{Event, Voice};
use crate::solve::duration;
use clap::Args;
use progress::Progress;
use ropinn::config::ObjectiveKind;
use ropinn::model::ModelKind;
use ropinn_engine::Threads;
use ropinn_plot::{Column, Table};
use ropinn_runs::{RunError, seeds};
use ropinn_study::reproduce::{self, Benchmark, Depths, Estimate, Experiment, Scale, Share};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Said at the first Ctrl-C.
const AFTER_THESE_STEPS: &str =
    "stopping after the steps under way; once more quits at once, and the command goes on when repeated";

/// Repeat the experiments of the RoPINN paper on its three benchmarks, next to the published numbers.
///
/// Runs are queued in <out>/runs and shared between experiments; tables (Markdown, CSV, HTML) and figures are written to <out> as
/// runs finish. Repeating the command goes on where it stopped: finished runs are kept, begun ones continue to the same bits,
/// those that failed are skipped. The scale is part of every table: only `paper` is the paper's setting.
#[derive(Debug, Args)]
#[command(after_help = crate::EXIT_CODES)]
pub struct Reproduce {
    /// Experiments, or `all`; `--list` shows them.
    #[arg(value_name = "ID", value_parser = parse_ids)]
    experiments: Vec<Ids>,
    /// Show all experiments with their cost on this machine.
    #[arg(long, conflicts_with_all = ["experiments", "report"])]
    list: bool,
    /// How large everything is.
    #[arg(long, value_parser = one_of(SCALES), default_value = "small")]
    scale: Scale,
    /// Only these problems, separated by commas.
    #[arg(long, value_parser = one_of(BENCHMARKS), value_delimiter = ',', value_name = "PROBLEMS")]
    problems: Vec<Benchmark>,
    /// Only these models, separated by commas.
    #[arg(long, value_parser = one_of(MODELS), value_delimiter = ',', value_name = "MODELS")]
    models: Vec<ModelKind>,
    /// Only rows with these objectives, separated by commas.
    #[arg(long, value_parser = one_of(OBJECTIVES), value_delimiter = ',', value_name = "OBJECTIVES")]
    objectives: Vec<ObjectiveKind>,
    /// Seeds of every row: a range such as 0..2 (both ends included) or a list [default: three; below the scale of the paper one
    /// for everything but points and regions as published].
    #[arg(long)]
    seeds: Option<String>,
    /// Give QRes two blocks with regions and four without, as the published scripts do.
    #[arg(long)]
    as_published: bool,
    /// Runs at the same time; they share the cores.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Threads of all runs together [default: one per core].
    #[arg(long)]
    threads: Option<usize>,
    /// Folder of the sweep [default: reproduce/<scale>].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Train nothing: write tables and figures of what is there.
    #[arg(long)]
    report: bool,
    /// Try runs again that failed.
    #[arg(long)]
    retry: bool,
    /// Print JSON: the list, or events, one object per line.
    #[arg(long)]
    json: bool,
}

const SCALES: &[Choice<Scale>] = &[
    ("paper", Scale::Paper, "Exactly the published sizes: width 512, 1000 outer steps"),
    ("small", Scale::Small, "Width 64, 1000 outer steps"),
    ("smoke", Scale::Smoke, "A few steps of tiny networks: shows that everything runs, and nothing else"),
];

const BENCHMARKS: &[Choice<Benchmark>] = &[
    ("reaction", Benchmark::Reaction, "1-D reaction, ρ = 5"),
    ("wave", Benchmark::Wave, "1-D wave, β = 3"),
    ("convection", Benchmark::Convection, "Convection, β = 50"),
];

const MODELS: &[Choice<ModelKind>] = &[
    ("pinn", ModelKind::Pinn, "Fully connected"),
    ("qres", ModelKind::Qres, "Quadratic residual"),
    ("fls", ModelKind::Fls, "First layer sine"),
    (
        "pinnsformer",
        ModelKind::Pinnsformer,
        "Transformer over pseudo-sequences; its encoder alone on `wave`, as published",
    ),
    ("kan", ModelKind::Kan, "Kolmogorov–Arnold"),
];

/// One experiment or all.
#[derive(Clone, Debug)]
struct Ids(Vec<Experiment>);

fn parse_ids(text: &str) -> Result<Ids, String> {
    if text == "all" {
        return Ok(Ids(Experiment::ALL.to_vec()));
    }
    let known = Experiment::ALL.map(Experiment::id).join(", ");
    let found = Experiment::ALL.into_iter().find(|experiment| experiment.id() == text);
    found.map(|experiment| Ids(vec![experiment])).ok_or_else(|| format!("choose one of {known}, or all"))
}

impl Reproduce {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let threads = options::threads(self.threads)?;
        if self.list {
            return list(&threads, self.json);
        }
        check_count("--jobs", Some(self.jobs), threads.count())?;
        let reproduce = reproduce::Reproduce {
            experiments: self.chosen()?,
            scale: self.scale,
            problems: self.problems.clone(),
            models: self.models.clone(),
            objectives: self.objectives.clone(),
            seeds: self.seeds.as_deref().map(seeds::parse).transpose()?,
            depths: if self.as_published { Depths::AsPublished } else { Depths::Equal },
            share: Share { jobs: self.jobs, threads: (threads.count() / self.jobs).max(1) },
            out: self.out.clone().unwrap_or_else(|| Path::new("reproduce").join(self.scale.name())),
            retry: self.retry,
            command: output::command_line(),
        };
        let sweep = reproduce.open()?;
        let stop = interrupt::listen(AFTER_THESE_STEPS);
        let voice = if self.json { Voice::Json } else { Voice::Words };
        let progress = Progress::new(voice);
        let mut complete = true;
        for &experiment in &reproduce.experiments {
            let report = match self.report {
                true => sweep.report(experiment, &progress)?,
                false => sweep.run(experiment, &progress, &stop)?,
            };
            complete &= report.complete;
            let words = || format!("{}\npage: {}\n", report.text, report.file.display());
            voice.tell(words, &Event { event: "experiment", folder: Some(&reproduce.out), content: &report })?;
            if stop.load(Ordering::Relaxed) {
                return Ok(ExitCode::from(interrupt::EXIT_CODE));
            }
        }
        if !complete && !self.report {
            output::remark("some runs failed; failed.csv in the folder says why, --retry tries them again");
            return Ok(ExitCode::from(1));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn chosen(&self) -> Result<Vec<Experiment>, Failure> {
        let mut chosen: Vec<Experiment> = Vec::new();
        for experiment in self.experiments.iter().flat_map(|ids| &ids.0) {
            if !chosen.contains(experiment) {
                chosen.push(*experiment);
            }
        }
        if chosen.is_empty() { Err(Failure::NoExperiment) } else { Ok(chosen) }
    }
}

/// Prints all experiments with their cost.
fn list(threads: &Threads, json: bool) -> Result<ExitCode, Failure> {
    let estimates = reproduce::estimates(threads)?;
    if json {
        output::print_json(&estimates)?;
        return Ok(ExitCode::SUCCESS);
    }
    let threads = threads.count();
    output::print(&format!(
        "{}\nTimes are upper estimates for {threads} threads from rates measured just now; experiments share runs, and runs that \
         converge stop early.\n",
        table(&estimates)?.to_text()
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn table(estimates: &[Estimate]) -> Result<Table, RunError> {
    let scales = Scale::ALL.map(|scale| Column::right(scale.name()));
    let mut table = Table::new([Column::left("id")].into_iter().chain(scales).chain([Column::left("what")]));
    for entry in estimates {
        let times = Scale::ALL.map(|scale| duration(Duration::from_secs_f64(entry.seconds[scale.name()])));
        table.push([entry.id.to_owned()].into_iter().chain(times).chain([entry.title.to_owned()]))?;
    }
    Ok(table)
}
