//! Reference solutions beside values that other programs found: how far each is off, and how far it says it is.
//!
//! The values are in `references/checks.csv`, with what their last digit leaves open; those of a problem whose tables must be given are in
//! `references/blocks.csv`. Every reference is computed once, or taken from where it is kept.

use crate::error::StudyError;
use ropinn::problem::{Choices, Problem};
use ropinn_plot::{Column, Table};
use ropinn_runs::references::References;
use ropinn_runs::watch::Remark;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

/// Values that are known elsewhere.
const CHECKS: &str = include_str!("references/checks.csv");
/// Those of problems whose tables are somebody else's.
const WITH_TABLES: &str = include_str!("references/blocks.csv");

/// A value at a place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// The problem, perhaps with a variant behind a colon.
    pub problem: String,
    /// Where.
    pub point: Vec<f64>,
    /// Of which unknown.
    pub unknown: String,
    /// What others found.
    pub value: f64,
    /// What their digits leave open.
    pub tolerance: f64,
}

/// A check and what our own reference has there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// The check.
    #[serde(flatten)]
    pub check: Check,
    /// Ours.
    pub found: f64,
    /// Whether they agree, as far as the digits of one and the estimated error of the other allow.
    pub agrees: bool,
}

/// One reference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The problem.
    pub problem: String,
    /// How it is solved.
    pub method: &'static str,
    /// The estimated error.
    pub error: Option<f64>,
    /// Seconds it took now; none if it was kept.
    pub seconds: Option<f64>,
    /// Its checks.
    pub checks: Vec<Outcome>,
}

/// What is looked at.
#[derive(Clone, Debug, Default)]
pub struct Study {
    /// Only these problems; all if there are none.
    pub problems: Vec<String>,
    /// Tables of others, by name.
    pub tables: Vec<(String, PathBuf)>,
    /// Whether what is kept is computed again.
    pub again: bool,
}

/// The checks of a file.
pub fn parse(text: &str) -> Vec<Check> {
    let line = |line: &str| -> Option<Check> {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let [problem, point, unknown, value, tolerance] = cells[..] else { return None };
        let point = point.split(' ').map(str::parse).collect::<Result<Vec<f64>, _>>().ok()?;
        let (problem, unknown) = (problem.to_owned(), unknown.to_owned());
        Some(Check { problem, point, unknown, value: value.parse().ok()?, tolerance: tolerance.parse().ok()? })
    };
    text.lines().filter(|text| !text.starts_with('#')).filter_map(line).collect()
}

impl Study {
    /// Computes what is missing and compares; `tell` hears of what takes its time.
    pub fn run(&self, references: &References, tell: &mut dyn FnMut(&Remark)) -> Result<Vec<Row>, StudyError> {
        let mut checks = parse(CHECKS);
        if !self.tables.is_empty() {
            checks.extend(parse(WITH_TABLES));
        }
        let mut names: Vec<String> = tasks();
        let further = checks.iter().map(|check| check.problem.clone());
        further.for_each(|name| {
            if !names.contains(&name) {
                names.push(name)
            }
        });
        let wanted = |name: &String| self.problems.is_empty() || self.problems.iter().any(|own| own == name);
        names.retain(wanted);
        if let Some(stray) = self.problems.iter().find(|name| !names.contains(name)) {
            // Whatever is wrong with the name is said by whoever opens it.
            Problem::open(stray)?;
            names.push(stray.clone());
        }
        names.iter().map(|name| self.row(name, &checks, references, tell)).collect()
    }

    fn row(
        &self,
        name: &str,
        checks: &[Check],
        references: &References,
        tell: &mut dyn FnMut(&Remark),
    ) -> Result<Row, StudyError> {
        let has_tables = parse(WITH_TABLES).iter().any(|check| check.problem == name);
        let tables = if has_tables { self.tables.clone() } else { Vec::new() };
        let problem = Problem::open_with(name, &Choices { tables, ..Choices::default() })?;
        let own: Vec<&Check> = checks.iter().filter(|check| check.problem == name).collect();
        let measured = problem.evaluation_places()?;
        // In one go, so that one solution serves both.
        let mut points = measured.clone();
        points.extend(own.iter().flat_map(|check| &check.point));
        if self.again {
            references.forget(&problem, &points);
        }
        let waits = references.path(&problem, &points).is_none_or(|path| !path.exists());
        if let Some(work) = problem.reference_work().filter(|_| waits) {
            let (problem, kept) = (problem.name.clone(), references.folder().map(Into::into));
            tell(&Remark::Reference { problem, method: work.method, seconds: work.seconds, kept });
        }
        let began = Instant::now();
        let found = references.values(&problem, &points)?;
        let seconds = began.elapsed().as_secs_f64();
        if let Some((_, false)) = &found {
            // The solution is at hand: what runs need of it is kept too.
            references.prepare(&problem)?;
        }
        let (unknowns, axes) = (problem.unknown_names(), problem.coordinate_names().len().max(1));
        let first = measured.len() / axes;
        let (values, error) = found.as_ref().map_or((&[][..], None), |(found, _)| (&found.values[..], found.error));
        let size = values.iter().filter(|value| value.is_finite()).fold(0.0, |size: f64, value| size.max(value.abs()));
        let outcome = |(k, check): (usize, &&Check)| {
            let column = unknowns.iter().position(|unknown| *unknown == check.unknown).unwrap_or_default();
            let value = values.get((first + k) * unknowns.len() + column).copied().unwrap_or(f64::NAN);
            let allowed = check.tolerance.max(error.unwrap_or(0.0) * size);
            Outcome { check: (*check).clone(), found: value, agrees: (value - check.value).abs() <= allowed }
        };
        Ok(Row {
            problem: name.to_owned(),
            method: problem.reference_method().unwrap_or("none"),
            error,
            seconds: found.as_ref().filter(|(_, kept)| !kept).map(|_| seconds),
            checks: own.iter().enumerate().map(outcome).collect(),
        })
    }
}

/// The tasks of the benchmark, in its order.
fn tasks() -> Vec<String> {
    let all = Problem::builtin_names();
    let from = all.iter().position(|name| *name == "burgers-1d").unwrap_or_default();
    let to = all.iter().position(|name| *name == "heat-nd").unwrap_or_default();
    all[from..=to].iter().filter(|name| **name != "ks-periodic").map(|name| (*name).to_owned()).collect()
}

/// The table of all references.
pub fn table(rows: &[Row]) -> Result<String, StudyError> {
    let mut table = Table::new([
        Column::left("problem"),
        Column::left("method"),
        Column::right("estimated error"),
        Column::right("seconds"),
        Column::right("checks"),
        Column::right("largest difference"),
    ]);
    for row in rows {
        let agreeing = row.checks.iter().filter(|outcome| outcome.agrees).count();
        let worst = row.checks.iter().map(|outcome| (outcome.found - outcome.check.value).abs()).fold(0.0, f64::max);
        let shown = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.1e}"));
        let (error, worst) = (shown(row.error), shown(Some(worst).filter(|_| !row.checks.is_empty())));
        let seconds = row.seconds.map_or("kept".to_owned(), |seconds| format!("{seconds:.1}"));
        let checks =
            if row.checks.is_empty() { "–".to_owned() } else { format!("{agreeing} of {}", row.checks.len()) };
        table.push([&row.problem, row.method, &error, &seconds, &checks, &worst])?;
    }
    Ok(table.to_text())
}

/// Every check that does not agree.
pub fn disagreements(rows: &[Row]) -> String {
    let outcomes = rows.iter().flat_map(|row| &row.checks).filter(|outcome| !outcome.agrees);
    let line = |Outcome { check, found, .. }: &Outcome| {
        let place: Vec<String> = check.point.iter().map(f64::to_string).collect();
        format!("{}: {} at ({}) is {found:.6}, not {}\n", check.problem, check.unknown, place.join(", "), check.value)
    };
    outcomes.map(line).collect()
}
