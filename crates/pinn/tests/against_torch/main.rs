//! Whole cases against PyTorch: what a problem, a model, its points and an optimiser come to together.

mod losses;
mod trajectory;

use serde::de::DeserializeOwned;
use std::path::PathBuf;

type Fallible<T = ()> = Result<T, Box<dyn std::error::Error>>;

fn golden(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests/golden", name].iter().collect()
}

fn read<T: DeserializeOwned>(name: &str) -> Fallible<T> {
    Ok(serde_json::from_str(&std::fs::read_to_string(golden(name))?)?)
}
