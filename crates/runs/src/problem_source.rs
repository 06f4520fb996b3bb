//! A problem named on the command line: one that is built in, or a file.

use crate::error::RunError;
use ropinn::problem::Problem;
use std::path::Path;

/// The problem that `text` names.
pub fn find(text: &str) -> Result<Problem, RunError> {
    Ok(if is_file(text) { Problem::load(Path::new(text))? } else { Problem::builtin(text)? })
}

/// Built-in names have neither separators nor endings, so whatever has one of them is meant as a file.
pub fn is_file(text: &str) -> bool {
    Problem::builtin_source(text).is_none() && (text.ends_with(".toml") || text.contains(['/', '\\']))
}
