//! An experiment over seeds: outcomes of PINNs are often bimodal, so one run says little.

use crate::error::RunError;
use crate::folder::{RunFolder, names};
use crate::statistics::{Statistics, solved};
use ropinn::config::RunConfig;
use ropinn::train::TrainOutcome;
use ropinn_plot::{Column, Table, scientific, sig};
use serde::Serialize;

/// Numbers of all runs and what they have in common.
#[derive(Serialize)]
pub struct Summary {
    problem: String,
    model: &'static str,
    objective: &'static str,
    runs: Vec<SeedResult>,
    success_threshold: Option<f64>,
    solved: Option<usize>,
    success_rate: Option<f64>,
    rmse: Option<Statistics>,
    rmae: Option<Statistics>,
    loss: Option<Statistics>,
    seconds: Option<Statistics>,
}

#[derive(Serialize)]
struct SeedResult {
    seed: u64,
    rmse: Option<f64>,
    rmae: Option<f64>,
    loss: f64,
    iterations: u64,
    evaluations: u64,
    seconds: f64,
    stop_reason: String,
    solved: Option<bool>,
}

/// The last event of an experiment.
#[derive(Serialize)]
pub struct SummaryEvent<'a> {
    event: &'static str,
    #[serde(flatten)]
    summary: &'a Summary,
}

impl Summary {
    /// Sums up what has been run.
    pub fn new(problem: &str, config: &RunConfig, success: Option<f64>, outcomes: &[TrainOutcome]) -> Self {
        let runs: Vec<SeedResult> = outcomes.iter().map(|outcome| SeedResult::new(outcome, success)).collect();
        let has_errors = runs.iter().any(|run| run.rmse.is_some());
        let threshold = success.filter(|_| has_errors);
        let count = threshold.map(|threshold| solved(runs.iter().map(|run| run.rmse), threshold));
        Self {
            problem: problem.to_owned(),
            model: config.model.kind().name(),
            objective: config.objective.kind.name(),
            success_threshold: threshold,
            solved: count,
            success_rate: count.map(|count| count as f64 / runs.len() as f64),
            rmse: Statistics::of(runs.iter().filter_map(|run| run.rmse)),
            rmae: Statistics::of(runs.iter().filter_map(|run| run.rmae)),
            loss: Statistics::of(runs.iter().map(|run| run.loss)),
            seconds: Statistics::of(runs.iter().map(|run| run.seconds)),
            runs,
        }
    }

    /// Writes it as JSON, CSV and Markdown.
    pub fn save(&self, folder: &RunFolder) -> Result<(), RunError> {
        let [json, csv, markdown] = names::SUMMARIES;
        folder.write_json(json, self)?;
        folder.write(csv, self.runs_table(f64::to_string)?.to_csv().as_bytes())?;
        let (runs, statistics) = (self.runs_table(|value| sig(*value, 3))?, self.statistics_table()?);
        let text =
            format!("# {}\n\n{}\n\n{}\n{}", self.title(), self.success(), statistics.to_markdown(), runs.to_markdown());
        folder.write(markdown, text.as_bytes())
    }

    /// For a terminal.
    pub fn to_text(&self, folder: &RunFolder) -> Result<String, RunError> {
        let (runs, statistics) = (self.runs_table(|value| sig(*value, 3))?, self.statistics_table()?);
        Ok(format!(
            "\n{}\n\n{}\n{}\n{}\nfolder: {}\n",
            self.title(),
            runs.to_text(),
            statistics.to_text(),
            self.success(),
            folder.path().display()
        ))
    }

    /// For programs.
    pub fn event(&self) -> SummaryEvent<'_> {
        SummaryEvent { event: "summary", summary: self }
    }

    fn title(&self) -> String {
        format!("{}, {}, {}: {} seeds", self.problem, self.model, self.objective, self.runs.len())
    }

    fn success(&self) -> String {
        match (self.solved, self.success_threshold) {
            (Some(solved), Some(threshold)) => {
                let all = self.runs.len();
                let percent = 100.0 * solved as f64 / all as f64;
                format!("{solved} of {all} seeds solved ({percent:.0} %): rMSE below {threshold}")
            }
            _ => "no success rate: the problem has no reference solution or no threshold (--success)".to_owned(),
        }
    }

    fn runs_table(&self, number: impl Fn(&f64) -> String) -> Result<Table, RunError> {
        let numbers = ["seed", "rmse", "rmae", "loss", "iterations", "evaluations", "seconds"].map(Column::right);
        let words = ["solved", "stop reason"].map(Column::left);
        let mut table = Table::new(numbers.into_iter().chain(words));
        let optional = |value: &Option<f64>| value.as_ref().map_or_else(String::new, &number);
        for run in &self.runs {
            table.push([
                run.seed.to_string(),
                optional(&run.rmse),
                optional(&run.rmae),
                scientific(run.loss, 3),
                run.iterations.to_string(),
                run.evaluations.to_string(),
                format!("{:.1}", run.seconds),
                run.solved.map_or("", |solved| if solved { "yes" } else { "no" }).to_owned(),
                run.stop_reason.clone(),
            ])?;
        }
        Ok(table)
    }

    fn statistics_table(&self) -> Result<Table, RunError> {
        let columns = ["median", "mean ± std", "best", "worst"].map(Column::right);
        let mut table = Table::new([Column::left("over all seeds")].into_iter().chain(columns));
        let rows = [("rMSE", self.rmse), ("rMAE", self.rmae), ("loss", self.loss), ("seconds", self.seconds)];
        for (name, statistics) in rows {
            let Some(statistics) = statistics else { continue };
            table.push([name.to_owned()].into_iter().chain(statistics.cells()))?;
        }
        Ok(table)
    }
}

impl SeedResult {
    fn new(outcome: &TrainOutcome, threshold: Option<f64>) -> Self {
        let results = &outcome.record.results;
        Self {
            seed: outcome.record.config.seed,
            rmse: results.rmse,
            rmae: results.rmae,
            loss: results.loss,
            iterations: results.iterations,
            evaluations: results.evaluations,
            seconds: results.seconds,
            stop_reason: outcome.stop_reason.to_string(),
            solved: threshold.and_then(|threshold| results.rmse.map(|rmse| rmse < threshold)),
        }
    }
}
