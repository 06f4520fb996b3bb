//! Inverse problems: numbers and functions to be found, and the readings that tell them.

mod fields;
mod numbers;
mod problems;
mod readings;

use ropinn::case::Case;
use ropinn::config::RunConfig;
use ropinn::problem::Problem;
use ropinn::train::{TrainOutcome, Trainer};
use ropinn_engine::Threads;
use std::path::Path;

fn read(text: &str) -> Problem {
    Problem::from_toml(text, Path::new("p.toml")).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn refusal(text: &str) -> String {
    Problem::from_toml(text, Path::new("p.toml")).err().unwrap_or_else(|| panic!("accepted: {text}")).to_string()
}

/// A small network on the problem's own points, in double precision.
fn case(problem: Problem, overrides: &[&str]) -> Case {
    let mut config = RunConfig::default();
    let usual = ["model.width=10", "model.depth=2", "model.normalise=true", "precision=f64", "objective=point"];
    config.set_all(&usual).expect("valid");
    config.set_all(overrides).expect("valid");
    Case::with_problem(config, problem, &Threads::new(1).expect("threads")).expect("case")
}

fn train(case: Case) -> TrainOutcome {
    Trainer::new(case).expect("trainer").run(&mut (), &Default::default()).expect("run")
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}
