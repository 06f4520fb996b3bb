//! An experiment over seeds: outcomes of PINNs are often bimodal, so one run says little.

use crate::error::RunError;
use crate::folder::{RunFolder, RunLine, RunResult, Saved, names};
use crate::statistics::{Statistics, solved};
use ropinn_plot::{Column, Table, scientific, sig};
use serde::Serialize;

/// Numbers of all runs and what they have in common.
#[derive(Serialize)]
pub struct Summary {
    problem: String,
    model: String,
    objective: String,
    runs: Vec<SeedResult>,
    success_threshold: Option<f64>,
    solved: Option<usize>,
    success_rate: Option<f64>,
    rmse: Option<Statistics>,
    rmae: Option<Statistics>,
    trained_loss: Option<Statistics>,
    unweighted_loss: Option<Statistics>,
    seconds: Option<Statistics>,
}

#[derive(Serialize)]
struct SeedResult {
    #[serde(flatten)]
    run: RunLine,
    solved: Option<bool>,
}

impl Summary {
    /// Sums up runs that differ in their seeds; those with an error below `success` count as solved.
    pub fn new(saved: &[Saved], success: Option<f64>) -> Self {
        let lines = || saved.iter().map(|run| run.result.line());
        let threshold = success.filter(|_| lines().any(|run| run.rmse.is_some()));
        let count = threshold.map(|threshold| solved(lines().map(|run| run.rmse), threshold));
        let is_solved = |run: &RunLine| Some(run.rmse? < success?);
        let first = saved.first().map(|run| &run.result);
        let name = |of: fn(&RunResult) -> &String| first.map(of).cloned().unwrap_or_default();
        Self {
            problem: name(|run| &run.problem),
            model: name(|run| &run.model),
            objective: name(|run| &run.objective),
            success_threshold: threshold,
            solved: count,
            success_rate: count.map(|count| count as f64 / saved.len() as f64),
            rmse: Statistics::of(lines().filter_map(|run| run.rmse)),
            rmae: Statistics::of(lines().filter_map(|run| run.rmae)),
            trained_loss: Statistics::of(lines().map(|run| run.trained_loss.unwrap_or(f64::NAN))),
            unweighted_loss: Statistics::of(lines().map(|run| run.unweighted_loss.unwrap_or(f64::NAN))),
            seconds: Statistics::of(lines().map(|run| run.seconds)),
            runs: lines().map(|run| SeedResult { solved: is_solved(&run), run }).collect(),
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
        let numbers =
            ["seed", "rmse", "rmae", "trained loss", "unweighted loss", "iterations", "evaluations", "seconds"]
                .map(Column::right);
        let words = ["solved", "stop reason"].map(Column::left);
        let mut table = Table::new(numbers.into_iter().chain(words));
        let optional = |value: &Option<f64>| value.as_ref().map_or_else(String::new, &number);
        for SeedResult { run, solved } in &self.runs {
            table.push([
                run.seed.to_string(),
                optional(&run.rmse),
                optional(&run.rmae),
                scientific(run.trained_loss.unwrap_or(f64::NAN), 3),
                scientific(run.unweighted_loss.unwrap_or(f64::NAN), 3),
                run.iterations.to_string(),
                run.evaluations.to_string(),
                format!("{:.1}", run.seconds),
                solved.map_or("", |solved| if solved { "yes" } else { "no" }).to_owned(),
                run.stop_reason.clone(),
            ])?;
        }
        Ok(table)
    }

    fn statistics_table(&self) -> Result<Table, RunError> {
        let columns = ["median", "mean ± std", "best", "worst"].map(Column::right);
        let mut table = Table::new([Column::left("over all seeds")].into_iter().chain(columns));
        let rows = [
            ("rMSE", self.rmse),
            ("rMAE", self.rmae),
            ("trained loss", self.trained_loss),
            ("unweighted loss at fixed points", self.unweighted_loss),
            ("seconds", self.seconds),
        ];
        for (name, statistics) in rows {
            let Some(statistics) = statistics else { continue };
            table.push([name.to_owned()].into_iter().chain(statistics.cells()))?;
        }
        Ok(table)
    }
}
