//! Problem files: TOML in, a [`ProblemBuilder`] out.
//!
//! `document` reads typed values and remembers where they stand; `read` knows the sections; `conditions`, `fields`, `points`, `references`,
//! `shapes`, `tables` and `trainables` know theirs; `variants` puts those of a variant in their places. Nothing is looked up or checked here beyond keys and
//! types.

mod conditions;
mod document;
mod fields;
mod points;
mod read;
mod references;
mod shapes;
mod tables;
mod trainables;
mod variants;

use std::path::Path;

use super::Problem;
use super::builder::ProblemBuilder;
use super::columns::read_limited;
use super::error::ProblemError;
use super::inputs::Inputs;

/// The largest problem file that is read.
pub const MAX_PROBLEM_BYTES: u64 = 4 << 20;

impl Problem {
    /// Reads a problem from the text of a file. `origin` is its name in messages, and the folder from which the data
    /// files it names are found.
    pub fn from_toml(text: &str, origin: &Path) -> Result<Problem, ProblemError> {
        Self::from_toml_with(text, origin, Inputs::below(origin.parent().unwrap_or(Path::new(""))))
    }

    /// Reads a problem whose data files are elsewhere, such as those a run has kept.
    pub fn from_toml_with(text: &str, origin: &Path, inputs: Inputs) -> Result<Problem, ProblemError> {
        ProblemBuilder { inputs, ..builder(text, origin)? }.build()
    }

    /// Reads what predictions need: neither data nor the reference, nor their files. Other conditions may be built in.
    pub fn for_predictions(text: &str, origin: &Path, inputs: Inputs) -> Result<Problem, ProblemError> {
        let mut builder = builder(text, origin)?;
        builder.conditions.retain(|condition| !condition.is_data());
        ProblemBuilder { inputs, reference: None, ..builder }.build()
    }

    /// Reads a problem file.
    pub fn load(path: impl AsRef<Path>) -> Result<Problem, ProblemError> {
        let path = path.as_ref();
        Problem::from_toml(&read_limited(path, MAX_PROBLEM_BYTES)?, path)
    }
}

fn builder(text: &str, origin: &Path) -> Result<ProblemBuilder, ProblemError> {
    stated(text, origin, 0)
}

/// What a file says; so many lines in front of it are not its own.
pub(super) fn stated(text: &str, origin: &Path, added_lines: usize) -> Result<ProblemBuilder, ProblemError> {
    if text.len() as u64 > MAX_PROBLEM_BYTES {
        return Err(ProblemError::TooLarge { path: origin.display().to_string(), limit: MAX_PROBLEM_BYTES });
    }
    read::problem(text, origin, added_lines)
}
