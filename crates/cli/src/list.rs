//! `ropinn list` and `ropinn show`: the problems that come with the program.

use crate::failure::Failure;
use crate::output;
use clap::Args;
use ropinn::problem::Problem;
use ropinn_plot::{Column, Table};
use ropinn_runs::RunError;
use ropinn_runs::references::References;
use serde::Serialize;
use std::process::ExitCode;

/// List the built-in problems, or what combines with what.
#[derive(Debug, Args)]
pub struct List {
    /// Print which objectives, weightings, samplings, models and optimisers go together, as Markdown.
    #[arg(long, conflicts_with = "json")]
    combinations: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Print a problem's file, to be edited and solved: `ropinn show reaction > mine.toml`.
#[derive(Debug, Args)]
pub struct Show {
    /// Name of a built-in problem, or a problem file.
    problem: String,
}

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    title: String,
    coordinates: Vec<String>,
    unknowns: Vec<String>,
    equations: Vec<String>,
    has_reference: bool,
    /// How it comes about.
    reference: Option<&'static str>,
    /// How far it is off by its own estimate: as it was last computed here, or what its file says.
    reference_error: Option<f64>,
    variants: Vec<String>,
    success_threshold: Option<f64>,
}

impl Entry {
    fn new(name: &'static str) -> Result<Self, RunError> {
        let problem = Problem::builtin(name)?;
        Ok(Self {
            name,
            title: problem.title.clone(),
            coordinates: problem.coordinate_names().to_vec(),
            unknowns: problem.unknown_names().to_vec(),
            equations: problem.equations().map(|(name, _)| name.to_owned()).collect(),
            has_reference: problem.has_reference(),
            reference: problem.reference_method(),
            reference_error: References::usual().error_of(&problem).or(problem.expected_reference_error()),
            variants: problem.variants().to_vec(),
            success_threshold: problem.success_threshold(),
        })
    }
}

impl List {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        if self.combinations {
            output::print(&ropinn::config::combinations_table())?;
            return Ok(ExitCode::SUCCESS);
        }
        let entries = Problem::builtin_names().into_iter().map(Entry::new).collect::<Result<Vec<_>, _>>()?;
        if self.json {
            output::print_json(&entries)?;
        } else {
            output::print(&table(&entries)?)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn table(entries: &[Entry]) -> Result<String, RunError> {
    let mut table = Table::new(["problem", "title", "solves for", "reference"].map(Column::left));
    for entry in entries {
        let (unknowns, coordinates) = (entry.unknowns.join(", "), entry.coordinates.join(", "));
        let several = entry.unknowns.len() > 1;
        let solves_for =
            if several { format!("({unknowns})({coordinates})") } else { format!("{unknowns}({coordinates})") };
        let error = entry.reference_error.map_or(String::new(), |error| format!(", {error:.0e}"));
        let reference = format!("{}{error}", entry.reference.unwrap_or("none"));
        table.push([entry.name, &entry.title, &solves_for, &reference])?;
    }
    let variants: String = entries
        .iter()
        .flat_map(|entry| entry.variants.iter().map(move |variant| format!("  {}:{variant}\n", entry.name)))
        .collect();
    let errors = "Behind the way a reference comes about is its estimated error, where it has one.";
    Ok(format!("{}\n{errors}\nVariants:\n{variants}", table.to_text()))
}

impl Show {
    /// Runs the command.
    pub fn run(&self) -> Result<ExitCode, Failure> {
        output::print(Problem::open(&self.problem)?.source_text())?;
        Ok(ExitCode::SUCCESS)
    }
}
