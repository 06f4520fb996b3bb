//! Numbers in named columns: inline rows or a text file with commas, semicolons, tabs or spaces between its values.
//!
//! The first line of a file names the columns; empty lines and lines that start with `#` are skipped.

use ropinn_files::{FileError, Reason, read_text};
use std::path::Path;

use super::error::ProblemError;

/// The largest data file that is read.
pub const MAX_DATA_BYTES: u64 = 256 << 20;

/// What to do with a cell that is NaN.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MissingValues {
    /// Refuse the file.
    Refuse,
    /// Leave its row out: solvers write NaN outside their domain.
    SkipRow,
}

/// A matrix with named columns.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Columns {
    pub names: Vec<String>,
    /// Row after row.
    pub values: Vec<f64>,
    /// Name for messages.
    pub origin: String,
    /// Line that names the columns.
    header_line: usize,
}

impl Columns {
    pub fn inline(names: Vec<String>, values: Vec<f64>, origin: &str) -> Self {
        Columns { names, values, origin: origin.to_owned(), header_line: 1 }
    }

    pub fn parse(text: &str, origin: &str, missing: MissingValues) -> Result<Self, ProblemError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = text.lines().enumerate().filter(|(_, line)| {
            let line = line.trim_start();
            !line.is_empty() && !line.starts_with('#')
        });
        let no_rows = || ProblemError::NoRows { path: origin.to_owned() };
        let (header_at, header) = lines.next().ok_or_else(no_rows)?;
        let names: Vec<String> = cells(header).map(|name| name.trim_matches('"').to_owned()).collect();
        let mut columns = Columns::inline(names, Vec::new(), origin);
        columns.header_line = header_at + 1;
        for (index, line) in lines {
            columns.push_row(line, index + 1, missing)?;
        }
        if columns.values.is_empty() {
            return Err(no_rows());
        }
        Ok(columns)
    }

    fn push_row(&mut self, text: &str, line: usize, missing: MissingValues) -> Result<(), ProblemError> {
        let start = self.values.len();
        let mut found = 0;
        let mut has_nan = false;
        for cell in cells(text) {
            let value: Option<f64> = cell.parse().ok();
            has_nan |= value.is_some_and(f64::is_nan);
            let skipped = missing == MissingValues::SkipRow && value.is_some_and(f64::is_nan);
            match value.filter(|value| value.is_finite() || skipped) {
                Some(value) => self.values.push(value),
                None => {
                    return Err(ProblemError::BadCell {
                        path: self.origin.clone(),
                        line,
                        column: self.names.get(found).cloned().unwrap_or_else(|| (found + 1).to_string()),
                        cell: cell.chars().take(40).collect(),
                    });
                }
            }
            found += 1;
        }
        if found != self.names.len() {
            let (path, expected) = (self.origin.clone(), self.names.len());
            return Err(ProblemError::RowLength { path, line, expected, found });
        }
        if has_nan {
            self.values.truncate(start);
        }
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.values.len() / self.names.len().max(1)
    }

    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.names.len().max(1))
    }

    /// The index of a column.
    pub fn index(&self, column: &str) -> Result<usize, ProblemError> {
        self.names.iter().position(|name| name == column).ok_or_else(|| ProblemError::NoColumn {
            path: self.origin.clone(),
            line: self.header_line,
            column: column.to_owned(),
            columns: self.names.join(", "),
        })
    }

    /// The given columns side by side, row after row.
    pub fn select(&self, columns: &[usize]) -> Vec<f64> {
        self.rows().flat_map(|row| columns.iter().map(|&k| row[k])).collect()
    }
}

fn cells(line: &str) -> impl Iterator<Item = &str> {
    // Commas, semicolons and tabs separate cells one by one; runs of blanks count once.
    let exact = line.contains([',', ';', '\t']);
    let separates = move |c: char| if exact { matches!(c, ',' | ';' | '\t') } else { c.is_whitespace() };
    line.trim().split(separates).map(str::trim).filter(move |cell| exact || !cell.is_empty())
}

/// The text of a regular file, unless it is larger than `limit`.
pub(super) fn read_limited(path: &Path, limit: u64) -> Result<String, ProblemError> {
    read_text(path, limit).map_err(|FileError { reason, .. }| {
        let path = path.display().to_string();
        match reason {
            Reason::TooLarge { limit, .. } => ProblemError::TooLarge { path, limit },
            reason => ProblemError::Unreadable { path, reason: reason.to_string() },
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Columns, ProblemError> {
        Columns::parse(text, "data.csv", MissingValues::Refuse)
    }

    #[test]
    fn separators_comments_and_quoted_names() {
        let expected = [1.0, 2.5, -3e-2, 4.0];
        for text in
            ["x,t\n1,2.5\n-3e-2, 4\n", "# made by hand\n\"x\";\"t\"\r\n1;2.5\r\n-3e-2;4", "x  t\n 1   2.5\n\n-.03 4 \n"]
        {
            let columns = parse(text).unwrap();
            assert_eq!(
                (columns.names.as_slice(), columns.values.as_slice()),
                (&["x".to_owned(), "t".to_owned()][..], &expected[..])
            );
        }
    }

    #[test]
    fn bad_rows_are_named_by_line() {
        let message = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(message("x,u\n1,2\n1,two\n"), "`data.csv` line 3, column `u`: `two` is not a finite number");
        assert_eq!(message("x,u\n1,NaN\n"), "`data.csv` line 2, column `u`: `NaN` is not a finite number");
        assert_eq!(message("x,u\n\n1\n"), "`data.csv` line 3: 1 values for 2 columns");
        assert_eq!(
            message("x,u\n"),
            "`data.csv` has no rows of numbers; its first line names the columns, the others hold the values"
        );
    }

    #[test]
    fn rows_with_nan_are_left_out_on_request() {
        let columns = Columns::parse("x,u\n1,2\n3,NaN\n5,6\n", "data.csv", MissingValues::SkipRow).unwrap();
        assert_eq!(columns.values, [1.0, 2.0, 5.0, 6.0]);
    }
}
