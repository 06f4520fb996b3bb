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
    /// The table of runs that come as row, column and folder; rows and columns stand in the order they come in.
    pub fn of(of_rows: &str, runs: impl IntoIterator<Item = (String, String, String)>) -> Self {
        let mut cells = Self { of_rows: of_rows.to_owned(), ..Self::default() };
        let place = |names: &mut Vec<String>, name: String| {
            names.iter().position(|own| *own == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            })
        };
        for (row, column, folder) in runs {
            let (row, column) = (place(&mut cells.rows, row), place(&mut cells.columns, column));
            cells.folders.resize(cells.rows.len(), Vec::new());
            let own = &mut cells.folders[row];
            own.resize(own.len().max(column + 1), String::new());
            own[column] = folder;
        }
        cells
    }

    /// One row of seeds.
    pub fn of_seeds(seeds: &[u64]) -> Self {
        Self::of("", seeds.iter().map(|seed| (String::new(), Self::seed(*seed), format!("{}{seed}", names::SEED))))
    }

    /// What the column of a seed is called.
    pub fn seed(seed: u64) -> String {
        format!("seed {seed}")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_stand_in_the_order_they_come_in() {
        let run = |row: &str, column: &str| (row.to_owned(), column.to_owned(), format!("{row}/{column}"));
        let cells = Cells::of("r", [run("2", "a"), run("1", "b"), run("2", "b")]);
        assert_eq!(
            (&cells.rows[..], &cells.columns[..]),
            (&["2".to_owned(), "1".to_owned()][..], &["a".to_owned(), "b".to_owned()][..])
        );
        assert_eq!(cells.folders, [["2/a", "2/b"], ["", "1/b"]]);
        let here = tempfile::tempdir().expect("a folder");
        cells.write(here.path()).expect("writable");
        assert_eq!(Cells::read(here.path()).expect("readable"), cells);
    }
}
