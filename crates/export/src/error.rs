//! Everything that can go wrong with an export.

use crate::format::Format;
use ropinn_runs::RunError;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What an export refuses, or why it failed.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages name every field")]
pub enum ExportError {
    /// A name that says no format.
    #[error("`{}` does not end in .vti, .vtu, .pvd, .onnx, .npz or .csv; name the format", .0.display())]
    WhichFormat(PathBuf),
    /// An option that this format does not know.
    #[error("{option} has no effect on {format} files; drop it")]
    NoEffect { option: &'static str, format: Format },
    /// A file in the way.
    #[error("`{}` exists already", .0.display())]
    Exists(PathBuf),
    /// A text that is no grid.
    #[error("`{0}` is no grid; write the number of nodes along each coordinate, at least 2 each, e.g. 101x101")]
    BadGrid(String),
    /// A grid in other coordinates.
    #[error(
        "the grid {grid} has {} numbers, and `{problem}` has the coordinates {}; write one number for each", grid.matches('x').count() + 1,
        coordinates.join(", ")
    )]
    OtherGrid { grid: String, problem: String, coordinates: Vec<String> },
    /// More nodes than anybody looks at.
    #[error("the grid {grid} has more than {most} nodes; choose a coarser one")]
    TooManyNodes { grid: String, most: usize },
    /// More numbers than memory holds.
    #[error(
        "the grid {grid} with {fields} fields takes {} MB of memory, and {} MB are free; choose a coarser one", needed >> 20, free >> 20
    )]
    Memory { grid: String, fields: usize, needed: u64, free: u64 },
    /// More coordinates than a format has.
    #[error(
        "a VTK file has three coordinates beside time at most, and `{problem}` has {axes}; export it as NPZ or CSV"
    )]
    TooManyAxes { problem: String, axes: usize },
    /// An ending that does not suit the solution.
    #[error("`{}` cannot hold {what}; {advice}", path.display())]
    WrongEnding { path: PathBuf, what: &'static str, advice: &'static str },
    /// Nothing of the domain lies on the grid.
    #[error("no cell of the grid {0} lies in the domain; choose a finer one")]
    NothingInside(String),
    /// A part of the network that ONNX has no operators for.
    #[error("the network cannot be written as ONNX: {0}")]
    NotInOnnx(String),
    /// A run without a history.
    #[error("`{}` has no metrics.csv, so there is no history to write", .0.display())]
    NoHistory(PathBuf),
    /// A file that could not be written.
    #[error("cannot write `{}`: {reason}", path.display())]
    NotSaved { path: PathBuf, reason: String },
    /// What a run refuses.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl ExportError {
    /// Whether the request was refused and nothing was done: asked differently, it can work.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Run(error) => error.is_refusal(),
            Self::NotSaved { .. } => false,
            _ => true,
        }
    }

    pub(crate) fn not_saved(path: &Path, error: &std::io::Error) -> Self {
        Self::NotSaved { path: path.to_owned(), reason: error.to_string() }
    }
}
