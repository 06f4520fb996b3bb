//! The table of an experiment, ours beside the paper's, for reading; and all numbers of all runs, for scripts.

use super::experiment::Experiment;
use super::outcome::{RowOutcome, distinct, promotion};
use super::published::Published;
use crate::error::StudyError;
use ropinn_plot::{Column, Table, mean_std, scientific, sig};

const NONE: &str = "–";

/// What a column shows of a row.
type CellText<'a> = dyn Fn(&RowOutcome) -> Option<String> + 'a;

/// A column: its name and what it shows of a row; one that shows nothing anywhere is left out.
struct Show<'a> {
    column: Column,
    cell: Box<CellText<'a>>,
}

fn right<'a>(name: &str, cell: impl Fn(&RowOutcome) -> Option<String> + 'a) -> Show<'a> {
    Show { column: Column::right(name), cell: Box::new(cell) }
}

fn left<'a>(name: &str, cell: impl Fn(&RowOutcome) -> Option<String> + 'a) -> Show<'a> {
    Show { column: Column::left(name), cell: Box::new(cell) }
}

fn printed(number: Option<Published>) -> Option<String> {
    let number = number?;
    Some(if number.note.is_empty() { number.text.to_owned() } else { format!("{}*", number.text) })
}

/// Three digits, or that there is none.
fn number(value: f64) -> String {
    if value.is_finite() { sig(value, 3) } else { "not finite".to_owned() }
}

/// Columns that a terminal has no room for.
pub const DETAILS: [&str; 8] =
    ["of each seed", "rMAE", "paper rMAE", "loss", "paper loss", "steps", "evaluations", "paper s/100"];

/// The table for reading.
pub fn table(experiment: Experiment, rows: &[RowOutcome]) -> Result<Table, StudyError> {
    let paper = |metric: &'static str| move |row: &RowOutcome| printed(row.published(experiment, metric));
    let ratio = |row: &RowOutcome| {
        let published = row.published(experiment, "rmse")?.value?;
        row.rmse().map(|rmse| rmse.median / published).filter(|ratio| ratio.is_finite()).map(|ratio| sig(ratio, 3))
    };
    let with_times = experiment == Experiment::Combine;
    let with_regions = matches!(experiment, Experiment::RegionSize | Experiment::Samples | Experiment::T0);
    let with_spread = matches!(experiment, Experiment::Std);
    let time_ratio = |row: &RowOutcome| {
        let point = rows.iter().find(|other| other.row.problem() == row.row.problem() && other.row.is_point());
        Some(sig(row.seconds_per_100_steps()? / point?.seconds_per_100_steps()?, 3))
    };
    let mut shows = vec![
        left("problem", |row| Some(row.row.problem().name().to_owned())),
        left("model", |row| Some(row.row.cells[row.shown].model_title())),
        left("method", |row| Some(row.method())),
        left("seeds", |row| Some(row.state())),
        right("rMSE", |row| row.rmse().map(|rmse| number(rmse.median))),
        left("of each seed", |row| {
            let each =
                |run: &ropinn_runs::folder::FinishedRun| run.result.rmse.map_or("–".to_owned(), |rmse| sig(rmse, 3));
            (row.runs.len() > 1).then(|| row.runs.iter().map(each).collect::<Vec<_>>().join(", "))
        }),
    ];
    if with_spread {
        shows.push(right("mean ± std", |row| row.rmse().map(|rmse| mean_std(rmse.mean, rmse.std, 3))));
    }
    shows.push(right("paper", paper("rmse")));
    if with_spread {
        shows.push(right("paper std", paper("rmse_std")));
    }
    shows.push(right("ours/paper", ratio));
    shows.push(right("better than point", |row| {
        promotion(row, rows).map(|percent| format!("{} %", percent.round() as i64))
    }));
    shows.push(right("paper: better", |row| {
        Some(format!("{} %", printed(row.published(experiment, "rmse_promotion"))?))
    }));
    if with_regions {
        shows.push(right("last R", |row| row.last_region().map(|size| scientific(size, 2))));
    }
    if !with_times {
        shows.push(right("rMAE", |row| row.statistics(|r| r.rmae).map(|rmae| number(rmae.median))));
        shows.push(right("paper rMAE", paper("rmae")));
        shows.push(right("loss", |row| {
            row.statistics(|r| Some(r.unweighted_loss)).map(|loss| scientific(loss.median, 2))
        }));
        shows.push(right("paper loss", paper("loss")));
    }
    let middle = |row: &RowOutcome, of: fn(&ropinn_runs::folder::RunResult) -> f64| {
        let digits =
            |value: f64| if value.fract() == 0.0 || value >= 10.0 { format!("{value:.0}") } else { sig(value, 2) };
        row.statistics(|result| Some(of(result))).map(|values| digits(values.median))
    };
    shows.push(right("steps", move |row| middle(row, |result| result.iterations as f64)));
    shows.push(right("evaluations", move |row| middle(row, |result| result.evaluations as f64)));
    shows.push(right("seconds", move |row| middle(row, |result| result.seconds)));
    if with_times {
        shows.push(right("s/100 steps", |row| row.seconds_per_100_steps().map(|seconds| sig(seconds, 3))));
        shows.push(right("of point", time_ratio));
        shows.push(right("paper s/100", paper("seconds_per_100_steps")));
        shows.push(right("paper of point", |row| {
            let seconds = row.published(experiment, "seconds_per_100_steps")?.value?;
            let point = rows.iter().find(|other| other.row.is_point())?;
            Some(sig(seconds / point.published(experiment, "seconds_per_100_steps")?.value?, 3))
        }));
    }
    let cells: Vec<Vec<Option<String>>> =
        rows.iter().map(|row| shows.iter().map(|show| (show.cell)(row)).collect()).collect();
    let used: Vec<bool> = (0..shows.len()).map(|k| cells.iter().any(|row| row[k].is_some())).collect();
    let kept = shows.into_iter().zip(&used).filter(|(_, used)| **used).map(|(show, _)| show.column);
    let mut table = Table::new(kept);
    for row in cells {
        let texts = row.into_iter().zip(&used).filter(|(_, used)| **used);
        table.push(texts.map(|(cell, _)| cell.unwrap_or_else(|| NONE.to_owned())))?;
    }
    Ok(table)
}

/// Every run of every row, unrounded.
pub fn runs(rows: &[RowOutcome]) -> Result<Table, StudyError> {
    let words = ["run", "problem", "model", "method"].map(Column::left);
    let numbers =
        ["seed", "rmse", "rmae", "loss", "iterations", "evaluations", "seconds", "threads"].map(Column::right);
    let mut table = Table::new(words.into_iter().chain(numbers).chain([Column::left("stop reason")]));
    let optional = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    for row in rows {
        let cell = &row.row.cells[row.shown];
        for run in &row.runs {
            let r = &run.result;
            table.push([
                cell.folder(r.seed),
                cell.problem.name().to_owned(),
                cell.model.name().to_owned(),
                cell.method.slug(),
                r.seed.to_string(),
                optional(r.rmse),
                optional(r.rmae),
                optional(r.line().unweighted_loss),
                r.iterations.to_string(),
                r.evaluations.to_string(),
                r.seconds.to_string(),
                r.threads.to_string(),
                r.stop_reason.clone(),
            ])?;
        }
        for (seed, reason) in &row.failed {
            let empty = || String::new();
            let names = [cell.folder(*seed), cell.problem.name().to_owned(), cell.model.name().to_owned()];
            let rest =
                [cell.method.slug(), seed.to_string(), empty(), empty(), empty(), empty(), empty(), empty(), empty()];
            table.push(names.into_iter().chain(rest).chain([format!("failed: {reason}")]))?;
        }
    }
    Ok(table)
}

/// What is odd about the published numbers in a table, each once.
pub fn notes(experiment: Experiment, rows: &[RowOutcome]) -> Vec<String> {
    let metrics = ["rmse", "rmae", "loss", "seconds_per_100_steps"];
    let numbers = rows.iter().flat_map(|row| metrics.map(|metric| (metric, row.published(experiment, metric))));
    let odd = numbers.filter_map(|(metric, number)| Some((metric, number?.note)).filter(|(_, note)| !note.is_empty()));
    distinct(odd.map(|(metric, note)| format!("* {}: {note}", metric.replace('_', " "))))
}
