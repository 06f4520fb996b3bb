//! A search: one run for each value of a setting, and a table of what came of them.

use crate::error::RunError;
use crate::folder::{RunLine, Saved};
use crate::plan::{Options, Plan, run_name};
use crate::seeds::repeated;
use crate::target::Target;
use ropinn_engine::Threads;
use ropinn_plot::{Column, Table, scientific, sig};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The table, beside the folders of the runs.
const TABLES: [&str; 2] = ["search.csv", "search.md"];

/// The runs of a search.
#[derive(Debug)]
pub struct Search {
    key: String,
    /// Where the table goes.
    home: PathBuf,
    /// A plan for each value.
    pub plans: Vec<(String, Plan)>,
}

/// What one value led to.
#[derive(Serialize)]
struct Found {
    value: String,
    #[serde(flatten)]
    run: RunLine,
}

/// The table of a search.
#[derive(Serialize)]
pub struct Findings<'a> {
    key: &'a str,
    runs: Vec<Found>,
    #[serde(skip)]
    home: &'a Path,
}

/// Reads `key=value,value,…`.
fn parse(text: &str) -> Result<(&str, Vec<&str>), RunError> {
    let bad = || RunError::BadSearch(text.to_owned());
    let (key, values) = text.split_once('=').ok_or_else(bad)?;
    let values: Vec<&str> = values.split(',').map(str::trim).collect();
    if key.trim().is_empty() || values.iter().any(|value| value.is_empty()) {
        return Err(bad());
    }
    match repeated(&values) {
        Some(value) => Err(RunError::RepeatedValue((*value).to_owned(), text.to_owned())),
        None => Ok((key.trim(), values)),
    }
}

impl Search {
    /// Plans and compiles every run before the first one starts, so that a bad value is refused in time.
    pub fn new(options: &Options, text: &str, threads: &Threads) -> Result<Self, RunError> {
        let (key, values) = parse(text)?;
        let (target, mut home) = (Target::find(&options.target)?, options.out.clone());
        let mut plans = Vec::with_capacity(values.len());
        for value in values {
            let setting = format!("{key}={value}");
            let mut variant = options.clone();
            variant.set.push(setting.clone());
            let mut plan = Plan::of(&variant, &target)?;
            plan.trainer(plan.seeds[0], threads)?;
            let name = run_name(&plan.problem.name, plan.config());
            let usual = || Path::new("runs").join(format!("{name}-search-{key}"));
            let safe = |c: char| if c.is_alphanumeric() || "-_.=+".contains(c) { c } else { '-' };
            plan.out = home.get_or_insert_with(usual).join(setting.chars().map(safe).collect::<String>());
            plans.push((value.to_owned(), plan));
        }
        Ok(Self { key: key.to_owned(), home: home.unwrap_or_default(), plans })
    }

    /// Writes the table of the runs done so far.
    pub fn save(&self, saved: &[Saved]) -> Result<Findings<'_>, RunError> {
        let found =
            |((value, _), saved): (&(String, Plan), &Saved)| Found { value: value.clone(), run: saved.result.line() };
        let runs = self.plans.iter().zip(saved).map(found).collect();
        let findings = Findings { key: &self.key, runs, home: &self.home };
        let texts = [findings.table(f64::to_string)?.to_csv(), findings.table(|x| sig(*x, 3))?.to_markdown()];
        for (name, text) in TABLES.into_iter().zip(texts) {
            let path = self.home.join(name);
            ropinn_files::write(&path, text.as_bytes()).map_err(|error| RunError::not_saved(&path, &error))?;
        }
        Ok(findings)
    }
}

impl Findings<'_> {
    /// For a terminal.
    pub fn to_text(&self) -> Result<String, RunError> {
        Ok(format!("\n{}\nfolder: {}\n", self.table(|x| sig(*x, 3))?.to_text(), self.home.display()))
    }

    fn table(&self, number: impl Fn(&f64) -> String) -> Result<Table, RunError> {
        let numbers = [self.key, "rmse", "rmae", "unweighted loss", "seconds"].map(Column::right);
        let mut table = Table::new(numbers.into_iter().chain([Column::left("best"), Column::left("stop reason")]));
        let optional = |value: &Option<f64>| value.as_ref().map_or_else(String::new, &number);
        let error = |run: &RunLine| run.rmse.filter(|rmse| rmse.is_finite()).unwrap_or(f64::INFINITY);
        let best = self.runs.iter().map(|found| error(&found.run)).fold(f64::INFINITY, f64::min);
        for Found { value, run } in &self.runs {
            let is_best = best.is_finite() && error(run) == best;
            table.push([
                value.clone(),
                optional(&run.rmse),
                optional(&run.rmae),
                scientific(run.unweighted_loss.unwrap_or(f64::NAN), 3),
                format!("{:.1}", run.seconds),
                if is_best { "best" } else { "" }.to_owned(),
                run.stop_reason.clone(),
            ])?;
        }
        Ok(table)
    }
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
