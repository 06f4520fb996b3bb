//! A search: one run, or one for each seed, for each value of a setting, and a table of what came of them.

use crate::cells::Cells;
use crate::error::RunError;
use crate::folder::{RunLine, Saved, names};
use crate::plan::{Options, Plan, run_name};
use crate::seeds::{self, repeated};
use crate::statistics::{Statistics, solved as solved_below};
use crate::target::Target;
use ropinn_engine::Threads;
use ropinn_plot::{Column, Table, scientific, sig};
use serde::{Serialize, Serializer};
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
struct OfValue {
    value: String,
    success: Option<f64>,
    /// One for each seed.
    lines: Vec<RunLine>,
}

/// A run of a search, for programs.
#[derive(Serialize)]
struct Found<'a> {
    value: &'a str,
    #[serde(flatten)]
    run: &'a RunLine,
}

/// The tables of a search.
#[derive(Serialize)]
pub struct Findings<'a> {
    key: &'a str,
    #[serde(serialize_with = "one_by_one")]
    runs: Vec<OfValue>,
    #[serde(skip)]
    is_experiment: bool,
    #[serde(skip)]
    home: &'a Path,
}

/// All runs in one list, each with its value.
fn one_by_one<S: Serializer>(values: &[OfValue], serializer: S) -> Result<S::Ok, S::Error> {
    let runs = values.iter().flat_map(|of| of.lines.iter().map(|run| Found { value: &of.value, run }));
    serializer.collect_seq(runs)
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
            plan.solver(plan.seeds[0], threads)?;
            let name = run_name(&plan.problem.name, plan.config());
            let over = if plan.is_experiment { format!("-{}", seeds::name(&plan.seeds)) } else { String::new() };
            let usual = || Path::new("runs").join(format!("{name}-search-{key}{over}"));
            let safe = |c: char| if c.is_alphanumeric() || "-_.=+".contains(c) { c } else { '-' };
            plan.out = home.get_or_insert_with(usual).join(setting.chars().map(safe).collect::<String>());
            plans.push((value.to_owned(), plan));
        }
        Ok(Self { key: key.to_owned(), home: home.unwrap_or_default(), plans })
    }

    /// Says which runs there will be, once the folder is ours.
    pub fn announce(&self) -> Result<(), RunError> {
        let runs = self.plans.iter().flat_map(|(value, plan)| {
            let own = plan.out.file_name().unwrap_or_default().to_string_lossy().into_owned();
            plan.seeds.iter().map(move |seed| {
                let folder = if plan.is_experiment { format!("{own}/{}{seed}", names::SEED) } else { own.clone() };
                (value.clone(), Cells::seed(*seed), folder)
            })
        });
        Cells::of(&self.key, runs).write(&self.home)
    }

    /// Where the folders of the runs are.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Writes the tables of the runs done so far: those of each value, in the order of the plans.
    pub fn save(&self, saved: &[Vec<Saved>]) -> Result<Findings<'_>, RunError> {
        let values = self.plans.iter().zip(saved).map(|((value, plan), saved)| {
            let lines = saved.iter().map(|saved| saved.result.line()).collect();
            OfValue { value: value.clone(), success: plan.success, lines }
        });
        let is_experiment = self.plans.iter().any(|(_, plan)| plan.is_experiment);
        let findings = Findings { key: &self.key, runs: values.collect(), is_experiment, home: &self.home };
        let texts = [findings.runs(f64::to_string)?.to_csv(), findings.table()?.to_markdown()];
        for (name, text) in TABLES.into_iter().zip(texts) {
            let path = self.home.join(name);
            ropinn_files::write(&path, text.as_bytes()).map_err(|error| RunError::not_saved(&path, &error))?;
        }
        Ok(findings)
    }
}

impl OfValue {
    /// What the value is judged by: the median error over its seeds.
    fn error(&self) -> f64 {
        let errors = Statistics::of(self.lines.iter().filter_map(|run| run.rmse));
        errors.map(|errors| errors.median).filter(|median| median.is_finite()).unwrap_or(f64::INFINITY)
    }
}

impl Findings<'_> {
    /// For a terminal.
    pub fn to_text(&self) -> Result<String, RunError> {
        Ok(format!("\n{}\nfolder: {}\n", self.table()?.to_text(), self.home.display()))
    }

    /// A line for each value: its run, or the statistics of its seeds.
    fn table(&self) -> Result<Table, RunError> {
        let number = |value: &f64| sig(*value, 3);
        if self.is_experiment { self.statistics(number) } else { Ok(self.runs(number)?.without(&["seed"])) }
    }

    /// `best` for the value of the smallest error.
    fn mark(&self, of: &OfValue) -> String {
        let best = self.runs.iter().map(OfValue::error).fold(f64::INFINITY, f64::min);
        if best.is_finite() && of.error() == best { "best" } else { "" }.to_owned()
    }

    /// A line for each run.
    fn runs(&self, number: impl Fn(&f64) -> String) -> Result<Table, RunError> {
        let numbers = [self.key, "seed", "rmse", "rmae", "unweighted loss", "seconds"].map(Column::right);
        let mut table = Table::new(numbers.into_iter().chain([Column::left("best"), Column::left("stop reason")]));
        let optional = |value: &Option<f64>| value.as_ref().map_or_else(String::new, &number);
        for (of, run) in self.runs.iter().flat_map(|of| of.lines.iter().map(move |run| (of, run))) {
            table.push([
                of.value.clone(),
                run.seed.to_string(),
                optional(&run.rmse),
                optional(&run.rmae),
                scientific(run.unweighted_loss.unwrap_or(f64::NAN), 3),
                format!("{:.1}", run.seconds),
                self.mark(of),
                run.stop_reason.clone(),
            ])?;
        }
        Ok(table)
    }

    fn statistics(&self, number: impl Fn(&f64) -> String) -> Result<Table, RunError> {
        let names = [self.key, "seeds", "solved", "median rMSE", "best", "worst", "median unweighted loss", "median s"];
        let mut table = Table::new(names.map(Column::right).into_iter().chain([Column::left("")]));
        for of in &self.runs {
            let errors = Statistics::of(of.lines.iter().filter_map(|run| run.rmse));
            let of_errors =
                |pick: fn(&Statistics) -> f64| errors.as_ref().map_or_else(String::new, |all| number(&pick(all)));
            let median = |pick: fn(&RunLine) -> f64| {
                Statistics::of(of.lines.iter().map(pick)).map_or(f64::NAN, |all| all.median)
            };
            let solved = of.success.filter(|_| errors.is_some());
            let solved = solved.map(|threshold| solved_below(of.lines.iter().map(|run| run.rmse), threshold));
            table.push([
                of.value.clone(),
                of.lines.len().to_string(),
                solved.map_or_else(String::new, |count| count.to_string()),
                of_errors(|all| all.median),
                of_errors(|all| all.best),
                of_errors(|all| all.worst),
                scientific(median(|run| run.unweighted_loss.unwrap_or(f64::NAN)), 3),
                format!("{:.1}", median(|run| run.seconds)),
                self.mark(of),
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
