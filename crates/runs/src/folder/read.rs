//! Reads the folder of a finished run. Files may come from anywhere: sizes are checked first, nothing is trusted.

use super::inputs::{problem_for_predictions, problem_of};
use super::solution::solution_of;
use super::{RunResult, names};
use crate::error::RunError;
use ropinn::case::Case;
use ropinn::config::{RunConfig, first_difference};
use ropinn::problem::Problem;
use ropinn::weights::read_weights;
use ropinn_engine::Threads;
use ropinn_files::read_text;
use std::path::{Path, PathBuf};

/// The largest file of a run that is read into memory, weights aside.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// Settings and results of a run.
pub struct FinishedRun {
    /// Its folder.
    pub path: PathBuf,
    /// Its configuration: what was asked for.
    pub config: RunConfig,
    /// That of the case its weights belong to, the same unless the run has ended with another model.
    pub solution: RunConfig,
    /// Its final numbers.
    pub result: RunResult,
}

impl FinishedRun {
    /// Reads a run's folder.
    pub fn load(path: &Path) -> Result<Self, RunError> {
        let not_a_run = |reason: String| RunError::NotARun(path.to_owned(), reason);
        for name in [names::CONFIG, names::RESULT] {
            if !path.join(name).is_file() {
                return Err(not_a_run(format!("it has no {name}")));
            }
        }
        let config = RunConfig::from_toml(&read_text(&path.join(names::CONFIG), MAX_FILE_BYTES)?)?;
        let result = serde_json::from_str(&read_text(&path.join(names::RESULT), MAX_FILE_BYTES)?)
            .map_err(|error| not_a_run(format!("{} cannot be read: {error}", names::RESULT)))?;
        let solution = solution_of(&config, path)?;
        Ok(Self { path: path.to_owned(), config, solution, result })
    }

    /// The problem and network of the run with its trained parameters.
    pub fn trained(&self, threads: &Threads) -> Result<(Case, Vec<f64>), RunError> {
        self.with_theta(problem_of(&self.solution, &self.path)?, threads)
    }

    /// The same for predictions, which need neither reference nor data.
    pub fn trained_for_predictions(&self, threads: &Threads) -> Result<(Case, Vec<f64>), RunError> {
        self.with_theta(problem_for_predictions(&self.solution, &self.path)?, threads)
    }

    fn with_theta(&self, problem: Problem, threads: &Threads) -> Result<(Case, Vec<f64>), RunError> {
        let case = Case::with_problem(self.solution.clone(), problem, threads)?;
        let theta = self.theta(&case)?;
        Ok((case, theta))
    }

    /// The trained parameters, for a case made of its solution's configuration and problem, such as one with a model of one's own.
    pub fn theta(&self, case: &Case) -> Result<Vec<f64>, RunError> {
        let tensors = read_weights(&self.path.join(names::WEIGHTS))?;
        if let Some(lost) = case.problem().trainables().iter().find(|own| tensors.trained(&own.name).is_none()) {
            let reason = format!("{} has no value of the trained scalar `{}`", names::WEIGHTS, lost.name);
            return Err(RunError::NotARun(self.path.clone(), reason));
        }
        Ok(case.theta_from(&tensors)?)
    }

    /// The first setting in which the run differs from `config`; the phases of training are one.
    pub fn differs_from(&self, config: &RunConfig) -> Option<String> {
        let (own, wanted) = (self.config.settings(), config.settings());
        let (path, ..) = first_difference(&own, &wanted)?;
        Some(path.split('.').take_while(|part| part.parse::<usize>().is_err()).collect::<Vec<_>>().join("."))
    }

    /// Whether the weights are there too.
    pub fn has_weights(&self) -> bool {
        self.path.join(names::WEIGHTS).is_file()
    }

    /// Whether the course of training is there too.
    pub fn has_metrics(&self) -> bool {
        self.path.join(names::METRICS).is_file()
    }

    /// The course of training.
    pub fn metrics(&self) -> Result<Metrics, RunError> {
        let path = self.path.join(names::METRICS);
        Metrics::parse(&read_text(&path, MAX_FILE_BYTES)?)
            .map_err(|error| RunError::Unreadable(path, error.to_string()))
    }

    /// The bytes of one of the run's pictures, if it has it.
    pub fn picture(&self, name: &str) -> Option<Vec<u8>> {
        ropinn_files::read(&self.path.join(name), MAX_FILE_BYTES).ok()
    }
}

/// Columns of `metrics.csv` by name; what was not measured is NaN.
pub struct Metrics {
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Metrics {
    fn parse(text: &str) -> Result<Self, csv::Error> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let names = reader.headers()?.iter().map(str::to_owned).collect();
        let numbers = |record: csv::StringRecord| record.iter().map(|cell| cell.parse().unwrap_or(f64::NAN)).collect();
        let rows = reader.records().map(|record| record.map(numbers)).collect::<Result<_, _>>()?;
        Ok(Self { names, rows })
    }

    /// A table without rows, from its first line.
    pub(crate) fn begun(header: &str) -> Option<Self> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(header.as_bytes());
        let names = reader.records().next()?.ok()?.iter().map(str::to_owned).collect();
        Some(Self { names, rows: Vec::new() })
    }

    /// Adds a line, unless it has not a cell for each column.
    pub(crate) fn push(&mut self, line: &str) -> bool {
        let row: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect();
        let fits = row.len() == self.names.len();
        self.rows.extend(fits.then_some(row));
        fits
    }

    /// Takes the last row away.
    pub(crate) fn forget_last(&mut self) {
        self.rows.pop();
    }

    /// Keeps every other row, from the first on, and the last.
    pub(crate) fn halve(&mut self) {
        let (mut k, last) = (0, self.rows.len());
        self.rows.retain(|_| {
            k += 1;
            k % 2 == 1 || k == last
        });
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none yet.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All columns with their names, in the order of the file.
    pub fn all(&self) -> impl Iterator<Item = (&str, Vec<f64>)> {
        let column = |k: usize| self.rows.iter().map(|row| row[k]).collect();
        self.names.iter().enumerate().map(move |(k, name)| (name.as_str(), column(k)))
    }

    /// Several columns side by side; `None` unless all of them are there.
    pub fn columns<const N: usize>(&self, names: [&str; N]) -> Option<Vec<[f64; N]>> {
        let find = |name: &str| self.names.iter().position(|own| own == name);
        // Runs of version 0.1 call the trained loss `loss`.
        let index = |name: &str| find(name).or_else(|| find("loss").filter(|_| name == "trained_loss"));
        let places = names.iter().map(|name| index(name)).collect::<Option<Vec<_>>>()?;
        Some(self.rows.iter().map(|row| std::array::from_fn(|k| row[places[k]])).collect())
    }

    /// Columns whose names begin with a word and a space, by the rest of their names.
    pub fn columns_of<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'a str> {
        self.names.iter().filter_map(move |name| name.strip_prefix(word)?.strip_prefix(' '))
    }

    /// A column against the iterations, where it has values.
    pub fn over_iterations(&self, column: &str) -> Vec<(f64, f64)> {
        let rows = self.columns(["iteration", column]).unwrap_or_default().into_iter();
        rows.map(|[x, y]| (x, y)).filter(|(_, y)| !y.is_nan()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_left_out() {
        let text = "iteration,loss,\"term a, b\",rmse\n1,2e-1,3,\n2,1e-1,4,0.5\n";
        let metrics = Metrics::parse(text).expect("well-formed");
        assert_eq!(metrics.over_iterations("trained_loss"), [(1.0, 0.2), (2.0, 0.1)]);
        assert_eq!(metrics.columns_of("term").collect::<Vec<_>>(), ["a, b"]);
        assert_eq!(metrics.over_iterations("term a, b"), [(1.0, 3.0), (2.0, 4.0)]);
        assert_eq!(metrics.over_iterations("rmse"), [(2.0, 0.5)]);
        assert!(metrics.over_iterations("none").is_empty());
        assert_eq!(metrics.columns(["loss", "iteration"]), Some(vec![[0.2, 1.0], [0.1, 2.0]]));
        assert_eq!(metrics.columns(["loss", "none"]), None);
        let all: Vec<(&str, Vec<f64>)> = metrics.all().take(2).collect();
        assert_eq!(all, [("iteration", vec![1.0, 2.0]), ("loss", vec![0.2, 0.1])]);
        assert!(Metrics::parse("a,b\n1\n").is_err());
    }
}
