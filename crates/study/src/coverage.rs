//! Do intervals hold the truth as often as they say? Inverse problems whose answers are known, with other noise in every draw.
//!
//! An interval of 95 % holds the truth in 95 of 100 draws. How far the share of n draws is from that by chance is
//! ±1.96 √(0.95 · 0.05/n): 3 % for 200.

use crate::earlier;
use crate::error::StudyError;
use crate::watch::StudyWatch;
use ropinn::problem::Problem;
use ropinn::record::{Reading, Trained, hardware};
use ropinn_engine::Threads;
use ropinn_plot::{Column, Table, sig};
use ropinn_runs::folder::{RunFolder, RunResult};
use ropinn_runs::plan::{Existing, Options, Plan};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// What messages call the study.
const STUDY: &str = "study of coverage";
/// Marks the folder of the study, and holds everything.
const MARK: &str = "coverage.json";
const ROWS: &str = "coverage.csv";

/// What is solved, and where it goes.
#[derive(Clone, Debug)]
pub struct CoverageStudy {
    /// Problems: built-in names or files, perhaps with a variant, that say the truth of the numbers they seek.
    pub problems: Vec<String>,
    /// Seeds: noise is drawn from them.
    pub draws: Vec<u64>,
    /// Folder of the runs and tables.
    pub out: PathBuf,
    /// The command that repeats it.
    pub command: String,
}

/// A number in a draw.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// The problem.
    pub problem: String,
    /// The seed.
    pub draw: u64,
    /// Its name.
    pub number: String,
    /// What it is.
    pub truth: f64,
    /// What was found.
    pub found: Trained,
    /// The readings.
    pub readings: Vec<Reading>,
    /// Duration of the run.
    pub seconds: f64,
}

impl Found {
    fn holds(&self) -> Option<bool> {
        Some(self.found.low? <= self.truth && self.truth <= self.found.high?)
    }
}

/// The whole study.
#[derive(Clone, Debug, Serialize)]
pub struct Findings {
    /// The command that made it.
    pub command: String,
    /// This machine.
    pub hardware: String,
    /// How many runs there are in all.
    pub wanted: usize,
    /// How many are done.
    pub done: usize,
    /// Every number of every draw.
    pub found: Vec<Found>,
}

impl CoverageStudy {
    /// Does what is missing, until `stop` is set, and sums up what is there.
    pub fn run(
        &self,
        threads: &Threads,
        watch: &mut dyn StudyWatch,
        stop: &AtomicBool,
    ) -> Result<Findings, StudyError> {
        for name in &self.problems {
            let problem = Problem::open(name)?;
            if !problem.trainables().iter().any(|number| number.truth.is_some()) {
                return Err(StudyError::NoTruth(name.clone()));
            }
        }
        earlier::check_folder(&self.out, MARK, STUDY)?;
        let folder = RunFolder::open(&self.out)?;
        let mut findings = Findings {
            command: self.command.clone(),
            hardware: hardware(),
            wanted: self.problems.len() * self.draws.len(),
            done: 0,
            found: Vec::new(),
        };
        findings.save(&folder)?;
        let runs = self.problems.iter().flat_map(|problem| self.draws.iter().map(move |draw| (problem, *draw)));
        for (number, (problem, draw)) in runs.enumerate() {
            let out = self.out.join(problem.replace(['/', ':', '\\'], "-")).join(format!("draw-{draw}"));
            let plan = Plan::new(&Options {
                target: problem.clone(),
                seed: Some(draw),
                out: Some(out.clone()),
                ..Options::default()
            })?;
            let config = plan.case(draw, threads)?.config().clone();
            if let Some(run) = earlier::finished(&out, &config, STUDY)? {
                watch.on_round(number + 1, findings.wanted, Some(&out));
                findings.add(problem, draw, &run.result)?;
                continue;
            }
            if stop.load(Ordering::Relaxed) {
                continue;
            }
            watch.on_round(number + 1, findings.wanted, None);
            let saved = plan.begin(Existing::Resume, threads)?.run(draw, &mut *watch.run(), stop)?;
            watch.on_saved(problem, &saved);
            if !saved.result.interrupted {
                findings.add(problem, draw, &saved.result)?;
            }
            findings.save(&folder)?;
        }
        findings.save(&folder)?;
        Ok(findings)
    }
}

impl Findings {
    fn add(&mut self, problem: &str, draw: u64, result: &RunResult) -> Result<(), StudyError> {
        let own = Problem::open(problem)?;
        self.done += 1;
        for number in own.trainables() {
            if let (Some(truth), Some(found)) = (number.truth, result.trained.get(&number.name)) {
                self.found.push(Found {
                    problem: problem.to_owned(),
                    draw,
                    number: number.name.clone(),
                    truth,
                    found: found.clone(),
                    readings: result.readings.clone(),
                    seconds: result.seconds,
                });
            }
        }
        Ok(())
    }

    /// Whether every run is there.
    pub fn is_complete(&self) -> bool {
        self.done == self.wanted
    }

    /// A line for each number: how often its interval holds the truth, how often there is none, what it is off by, and what the noise was
    /// estimated to be.
    pub fn table(&self) -> Result<Table, StudyError> {
        let head =
            ["truth", "draws", "intervals", "hold it", "mean error", "spread", "standard error", "noise", "from", "to"];
        let left = ["problem", "number"].map(Column::left);
        let mut table = Table::new(left.into_iter().chain(head.map(Column::right)));
        let mut names: Vec<(&str, &str)> =
            self.found.iter().map(|found| (found.problem.as_str(), found.number.as_str())).collect();
        names.sort_unstable();
        names.dedup();
        for (problem, number) in names {
            let own: Vec<&Found> = self
                .found
                .iter()
                .filter(|found| (found.problem.as_str(), found.number.as_str()) == (problem, number))
                .collect();
            let held: Vec<bool> = own.iter().filter_map(|found| found.holds()).collect();
            let share = held.iter().filter(|holds| **holds).count() as f64 / held.len().max(1) as f64;
            let off: Vec<f64> = own.iter().map(|found| found.found.value - found.truth).collect();
            let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
            let centre = mean(&off);
            let spread = mean(&off.iter().map(|off| (off - centre).powi(2)).collect::<Vec<_>>()).sqrt();
            let errors: Vec<f64> = own.iter().filter_map(|found| found.found.standard_error).collect();
            let mut noises: Vec<f64> =
                own.iter().flat_map(|found| found.readings.first()).map(|own| own.noise).collect();
            noises.sort_unstable_by(f64::total_cmp);
            let number_or_none = |value: f64| if value.is_finite() { sig(value, 3) } else { "–".to_owned() };
            table.push([
                problem.to_owned(),
                number.to_owned(),
                sig(own[0].truth, 3),
                own.len().to_string(),
                held.len().to_string(),
                if held.is_empty() { "–".to_owned() } else { format!("{:.1} %", 100.0 * share) },
                sig(centre, 2),
                sig(spread, 3),
                if errors.is_empty() { "–".to_owned() } else { sig(mean(&errors), 3) },
                number_or_none(if noises.is_empty() { f64::NAN } else { noises[noises.len() / 2] }),
                number_or_none(noises.first().copied().unwrap_or(f64::NAN)),
                number_or_none(noises.last().copied().unwrap_or(f64::NAN)),
            ])?;
        }
        Ok(table)
    }

    /// The table, and what is missing.
    pub fn to_text(&self) -> Result<String, StudyError> {
        let mut text = format!("\n{}", self.table()?.to_text());
        if !self.is_complete() {
            text += &format!("\nIncomplete: {} of {} runs are there.\n", self.done, self.wanted);
        }
        Ok(text)
    }

    fn save(&self, folder: &RunFolder) -> Result<(), StudyError> {
        let left = ["problem", "number"].map(Column::left);
        let head = ["draw", "truth", "value", "standard error", "low", "high", "noise", "s"].map(Column::right);
        let mut table = Table::new(left.into_iter().chain(head).chain([Column::left("holds"), Column::left("remark")]));
        for found in &self.found {
            let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
            table.push([
                found.problem.clone(),
                found.number.clone(),
                found.draw.to_string(),
                found.truth.to_string(),
                found.found.value.to_string(),
                number(found.found.standard_error),
                number(found.found.low),
                number(found.found.high),
                number(found.readings.first().map(|own| own.noise)),
                format!("{:.1}", found.seconds),
                found.holds().map_or("", |holds| if holds { "yes" } else { "no" }).to_owned(),
                found.found.remark.clone().unwrap_or_default(),
            ])?;
        }
        folder.write(ROWS, table.to_csv().as_bytes())?;
        Ok(folder.write_json(MARK, self)?)
    }
}
