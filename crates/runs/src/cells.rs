//! Runs that belong together, as the cells of a table: written before the first one begins, so that others see the table fill up.

use crate::error::RunError;
use crate::folder::names;
use ropinn_files::read_text;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The largest table that is read.
const MAX_BYTES: u64 = 8 << 20;

/// The table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cells {
    /// What the rows are values of.
    pub of_rows: String,
    /// What each row is called.
    pub rows: Vec<String>,
    /// What each column is called.
    pub columns: Vec<String>,
    /// The folder of each run below that of the table, `[row][column]`.
    pub folders: Vec<Vec<String>>,
}

impl Cells {
    /// One row of seeds.
    pub fn of_seeds(seeds: &[u64]) -> Self {
        let folders = seeds.iter().map(|seed| format!("{}{seed}", names::SEED)).collect();
        let columns = seeds.iter().map(|seed| format!("seed {seed}")).collect();
        Self { of_rows: String::new(), rows: vec![String::new()], columns, folders: vec![folders] }
    }

    /// Writes it into the folder that holds the runs.
    pub fn write(&self, home: &Path) -> Result<(), RunError> {
        let path = home.join(names::CELLS);
        let text = serde_json::to_vec(self).map_err(|error| RunError::Print(error.into()))?;
        ropinn_files::write(&path, &text).map_err(|error| RunError::unwritable(&path, &error))
    }

    /// Reads it again.
    pub fn read(home: &Path) -> Result<Self, RunError> {
        let path = home.join(names::CELLS);
        let read: Result<Self, _> = serde_json::from_str(&read_text(&path, MAX_BYTES)?);
        read.map_err(|error| RunError::Unreadable(path, error.to_string()))
    }
}
