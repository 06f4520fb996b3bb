//! `ropinn reproduce`: every table and figure of the three-benchmark study, side by side with the paper.
//!
//! Experiments are lists of cells (problem × model × method × seeds); a cell's runs live in one folder that all experiments
//! share, so what one has trained the next one shows. Running, reading and drawing are separate: tables can be made of
//! whatever is there.

mod benchmark;
mod cell;
mod cost;
mod experiment;
mod figures;
mod landscape;
mod list;
mod method;
mod outcome;
mod progress;
mod published;
mod queue;
mod report;
mod scale;
mod sweep;
mod tables;

use crate::failure::Failure;
use crate::interrupt;
use crate::options::{self, check_count};
use crate::output;
use crate::solve::{Voice, seeds};
use benchmark::{BaseModel, Benchmark};
use cell::{Depths, RunId};
use clap::Args;
use experiment::{Experiment, Row, Wanted, runs_of};
use outcome::RowOutcome;
use progress::Progress;
use queue::Share;
use report::Report;
use ropinn::config::ObjectiveKind;
use scale::Scale;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use sweep::{RunState, Sweep};

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
    #[arg(long, value_enum, default_value_t = Scale::Small)]
    scale: Scale,
    /// Only these problems, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PROBLEMS")]
    problems: Vec<Benchmark>,
    /// Only these models, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "MODELS")]
    models: Vec<BaseModel>,
    /// Only rows with these objectives, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "OBJECTIVES")]
    objectives: Vec<options::ObjectiveName>,
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

/// What the experiments of one command share.
struct Work<'a> {
    sweep: &'a Sweep,
    wanted: &'a Wanted,
    share: Share,
    stop: &'a AtomicBool,
}

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

#[derive(Serialize)]
struct Event<'a> {
    event: &'static str,
    id: &'a str,
    scale: &'a str,
    folder: String,
    file: String,
    complete: bool,
}

impl Reproduce {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        let threads = options::threads(self.threads)?;
        if self.list {
            list::print(&threads, self.json)?;
            return Ok(ExitCode::SUCCESS);
        }
        check_count("--jobs", Some(self.jobs), threads.count())?;
        let experiments = self.chosen()?;
        let depths = if self.as_published { Depths::AsPublished } else { Depths::Equal };
        let seeds = self.seeds.as_deref().map(seeds::parse).transpose()?;
        let wanted = Wanted { scale: self.scale, depths, seeds };
        for &experiment in &experiments {
            if self.rows(experiment, &wanted).is_empty() {
                return Err(Failure::NothingWanted { experiment: experiment.id() });
            }
        }
        let out = self.out.clone().unwrap_or_else(|| Path::new("reproduce").join(self.scale.name()));
        let sweep = Sweep::open(&out, self.scale)?;
        if self.retry {
            sweep.forgive()?;
        }
        let stop = interrupt::listen(AFTER_THESE_STEPS);
        let share = Share { jobs: self.jobs, threads: (threads.count() / self.jobs).max(1) };
        let mut complete = true;
        for &experiment in &experiments {
            let work = Work { sweep: &sweep, wanted: &wanted, share, stop: &stop };
            let report = self.reproduce(experiment, &work)?;
            complete &= report.is_complete();
            let file = out.join(format!("{}.html", report::file_name(experiment, &wanted)));
            let told = match self.voice() {
                Voice::Json => output::print_json_line(&Event {
                    event: "experiment",
                    id: experiment.id(),
                    scale: self.scale.name(),
                    folder: out.display().to_string(),
                    file: file.display().to_string(),
                    complete: report.is_complete(),
                }),
                _ => output::print(&format!("{}\npage: {}\n", report.text(), file.display())),
            };
            match told {
                // Everything is saved; that nobody listens any more is no failure.
                Ok(()) | Err(Failure::OutputClosed) => {}
                Err(failure) => return Err(failure),
            }
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

    /// Does what is open of an experiment, and writes its files whatever happens.
    fn reproduce(&self, experiment: Experiment, work: &Work<'_>) -> Result<Report, Failure> {
        let Work { sweep, wanted, share, stop } = *work;
        let worked = if self.report { Ok(()) } else { self.train(experiment, work) };
        let outcomes = self.rows(experiment, wanted).into_iter().map(|row| RowOutcome::of(sweep, row));
        let outcomes = outcomes.collect::<Result<Vec<_>, _>>()?;
        if experiment == Experiment::Landscape && !self.report && worked.is_ok() {
            landscape::survey(sweep, &outcomes, share.jobs * share.threads, self.voice(), stop)?;
        }
        let report = report::write(sweep, experiment, wanted, outcomes)?;
        worked.map(|()| report)
    }

    fn train(&self, experiment: Experiment, work: &Work<'_>) -> Result<(), Failure> {
        let runs = open_runs(work.sweep, &self.rows(experiment, work.wanted))?;
        if runs.is_empty() {
            return Ok(());
        }
        let costs = cost::work(&runs, self.scale)?;
        if self.voice() == Voice::Words {
            output::remark(&format!("{}: {} runs to do, {}", experiment.id(), runs.len(), self.scale.words()));
        }
        queue::work(work.sweep, &runs, work.share, &Progress::new(self.voice(), costs), work.stop)
    }

    /// The rows that the filters leave.
    fn rows(&self, experiment: Experiment, wanted: &Wanted) -> Vec<Row> {
        let objectives: Vec<ObjectiveKind> = self.objectives.iter().map(|&name| name.into()).collect();
        let mut rows = experiment.rows(wanted);
        rows.retain(|row| {
            (self.problems.is_empty() || self.problems.contains(&row.problem()))
                && (self.models.is_empty() || self.models.contains(&row.model()))
                && (objectives.is_empty() || objectives.contains(&row.cells[0].method.objective()))
        });
        rows
    }

    fn voice(&self) -> Voice {
        if self.json { Voice::Json } else { Voice::Words }
    }
}

/// Runs still to be done.
fn open_runs(sweep: &Sweep, rows: &[Row]) -> Result<Vec<RunId>, Failure> {
    let mut open = Vec::new();
    for run in runs_of(rows) {
        if matches!(sweep.state(&run)?, RunState::Open) {
            open.push(run);
        }
    }
    Ok(open)
}
