//! `--search`: one run for each value of a setting, and a table of what came of them.

use super::plan::Plan;
use super::{Solve, exit_code, run_name};
use crate::failure::Failure;
use crate::interrupt;
use crate::run_folder::{RunFolder, write_whole};
use ropinn::case::Case;
use ropinn::train::TrainOutcome;
use ropinn_engine::Threads;
use ropinn_plot::{Column, Table, scientific, sig};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;

/// The table, beside the folders of the runs.
const TABLES: [&str; 2] = ["search.csv", "search.md"];

/// What one value led to.
#[derive(Serialize)]
struct Found {
    value: String,
    rmse: Option<f64>,
    rmae: Option<f64>,
    loss: f64,
    seconds: f64,
    stop_reason: String,
}

#[derive(Serialize)]
struct SearchEvent<'a> {
    event: &'static str,
    key: &'a str,
    runs: &'a [Found],
}

/// Reads `key=value,value,…`.
fn parse(text: &str) -> Result<(&str, Vec<&str>), Failure> {
    let bad = || Failure::BadSearch { text: text.to_owned() };
    let (key, values) = text.split_once('=').ok_or_else(bad)?;
    let values: Vec<&str> = values.split(',').map(str::trim).collect();
    if key.trim().is_empty() || values.iter().any(|value| value.is_empty()) {
        return Err(bad());
    }
    match values.iter().enumerate().find(|(i, value)| values[..*i].contains(value)) {
        Some((_, value)) => Err(Failure::RepeatedValue { value: (*value).to_owned(), text: text.to_owned() }),
        None => Ok((key.trim(), values)),
    }
}

/// Runs them all.
pub fn run(options: &Solve, text: &str, threads: &Threads) -> Result<ExitCode, Failure> {
    let (key, values) = parse(text)?;
    // Every run is planned and compiled before the first one starts: a bad value is refused in time.
    let mut plans = Vec::with_capacity(values.len());
    let mut home: Option<PathBuf> = options.out.clone();
    for value in &values {
        let setting = format!("{key}={value}");
        let mut variant = Solve { search: None, ..options.clone() };
        variant.set.push(setting.clone());
        let mut plan = Plan::new(&variant)?;
        plan.trainer(plan.seeds[0], threads)?;
        let case = Case::new(plan.config().clone(), &Threads::new(1)?)?;
        let home = home.get_or_insert_with(|| Path::new("runs").join(format!("{}-search-{key}", run_name(&case))));
        let safe = |c: char| if c.is_alphanumeric() || "-_.=+".contains(c) { c } else { '-' };
        plan.out = home.join(setting.chars().map(safe).collect::<String>());
        plans.push(plan);
    }
    let (home, stop) = (home.unwrap_or_default(), interrupt::listen(interrupt::AFTER_THIS_STEP));
    let (mut outcomes, mut found) = (Vec::new(), Vec::new());
    for (plan, value) in plans.iter().zip(values) {
        let folder = RunFolder::claim(&plan.out, options.overwrite)?;
        let outcome = options.run_one(plan.trainer(plan.seeds[0], threads)?, plan, &folder, &stop)?;
        found.push(Found::new(value, &outcome));
        outcomes.push(outcome);
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    let files = [table(key, &found, f64::to_string)?.to_csv(), table(key, &found, |x| sig(*x, 3))?.to_markdown()];
    for (name, text) in TABLES.into_iter().zip(files) {
        let path = home.join(name);
        write_whole(&path, text.as_bytes()).map_err(|error| Failure::not_saved(&path, &error))?;
    }
    let words = format!("\n{}\nfolder: {}\n", table(key, &found, |x| sig(*x, 3))?.to_text(), home.display());
    options.tell(|| words, &SearchEvent { event: "search", key, runs: &found })?;
    Ok(exit_code(&outcomes))
}

impl Found {
    fn new(value: &str, outcome: &TrainOutcome) -> Self {
        let results = &outcome.record.results;
        Self {
            value: value.to_owned(),
            rmse: results.rmse,
            rmae: results.rmae,
            loss: results.loss,
            seconds: results.seconds,
            stop_reason: outcome.stop_reason.to_string(),
        }
    }
}

fn table(key: &str, found: &[Found], number: impl Fn(&f64) -> String) -> Result<Table, Failure> {
    let numbers = [key, "rmse", "rmae", "loss", "seconds"].map(Column::right);
    let mut table = Table::new(numbers.into_iter().chain([Column::left("best"), Column::left("stop reason")]));
    let optional = |value: &Option<f64>| value.as_ref().map_or_else(String::new, &number);
    let error = |run: &Found| run.rmse.filter(|rmse| rmse.is_finite()).unwrap_or(f64::INFINITY);
    let best = found.iter().map(error).fold(f64::INFINITY, f64::min);
    for run in found {
        let is_best = best.is_finite() && error(run) == best;
        table.push([
            run.value.clone(),
            optional(&run.rmse),
            optional(&run.rmae),
            scientific(run.loss, 3),
            format!("{:.1}", run.seconds),
            if is_best { "best" } else { "" }.to_owned(),
            run.stop_reason.clone(),
        ])?;
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_key_and_its_values() {
        assert_eq!(
            parse("gradient.weight=1, 0.1,0.01").expect("a search"),
            ("gradient.weight", vec!["1", "0.1", "0.01"])
        );
        for text in ["gradient.weight", "=1,2", "r=", "r=1,,2"] {
            let wanted =
                format!("`{text}` is no search; write a setting and its values, e.g. gradient.weight=1,0.1,0.01");
            assert_eq!(parse(text).expect_err(text).to_string(), wanted);
        }
        assert_eq!(
            parse("r=1,2,1").expect_err("twice").to_string(),
            "value 1 is named twice in `r=1,2,1`; name it once"
        );
    }
}
