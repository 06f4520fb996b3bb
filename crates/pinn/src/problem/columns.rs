//! Numbers in named columns: inline rows or a text file with commas, semicolons, tabs or spaces between its values.
//!
//! The first line of a file names the columns; empty lines and lines that start with `#` are skipped. Columns of words are
//! kept out of the way: a cell that is not a number matters only in a column somebody asks for.

use ropinn_expr::nearest;
use ropinn_files::{FileError, Reason, read_text};
use std::path::Path;

use super::error::ProblemError;

/// The largest data file that is read.
pub const MAX_DATA_BYTES: u64 = 256 << 20;

/// What to do with a cell that is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MissingValues {
    /// Refuse the file.
    Refuse,
    /// Leave its row out: solvers write NaN outside their domain.
    SkipRow,
    /// Leave the cell out, and those that are empty or say `NA`: sensors fail.
    SkipCell,
}

impl MissingValues {
    /// Whether a cell has no value, rather than a wrong one.
    fn skips(self, cell: &str) -> bool {
        match self {
            Self::Refuse => false,
            Self::SkipRow => cell.parse().is_ok_and(f64::is_nan),
            Self::SkipCell => {
                cell.is_empty() || matches!(cell, "NA" | "na" | "null") || cell.parse().is_ok_and(f64::is_nan)
            }
        }
    }
}

/// Values that a file of readings lacks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{origin}: {missing} of {rows} values of `{column}` are missing and left out")]
pub struct MissingReadings {
    /// The file.
    pub origin: String,
    /// The column.
    pub column: String,
    /// How many there are not.
    pub missing: usize,
    /// How many rows there are.
    pub rows: usize,
}

/// What a file calls the quantities of a problem, where it has other names.
pub(super) type Renamed = Vec<(String, String)>;

/// The name of a quantity in a file.
pub(super) fn name_in_file<'a>(renamed: &'a Renamed, own: &'a str) -> &'a str {
    renamed.iter().find(|(name, _)| name == own).map_or(own, |(_, column)| column)
}

/// Refuses names for what is not among the quantities a file is asked for.
pub(super) fn check_renamed<'a>(
    renamed: &Renamed,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), ProblemError> {
    match renamed.iter().find(|(name, _)| known.clone().all(|known| known != name)) {
        None => Ok(()),
        Some((stray, _)) => Err(ProblemError::UnknownKey {
            key: stray.clone(),
            section: "`columns`".to_owned(),
            suggestion: nearest(stray, known.clone()).map(str::to_owned),
            known: known.collect::<Vec<_>>().join(", "),
        }),
    }
}

/// A matrix with named columns.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Columns {
    pub names: Vec<String>,
    /// Row after row; NaN where a cell is not a number.
    values: Vec<f64>,
    /// Name for messages.
    pub origin: String,
    /// Line that names the columns.
    header_line: usize,
    /// Line of each row; rows that are in no file count from 1.
    lines: Vec<usize>,
    /// Whether rows have lines.
    is_file: bool,
    /// For each column whether it has numbers, and the first cell that is none.
    cells: Vec<(bool, Option<(usize, String)>)>,
}

impl Columns {
    pub fn inline(names: Vec<String>, values: Vec<f64>, origin: &str) -> Self {
        let cells = vec![(true, None); names.len()];
        let lines = (1..=values.len() / names.len().max(1)).collect();
        Columns { names, values, origin: origin.to_owned(), header_line: 1, lines, is_file: false, cells }
    }

    pub fn parse(text: &str, origin: &str, missing: MissingValues) -> Result<Self, ProblemError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = text.lines().enumerate().filter(|(_, line)| {
            let line = line.trim_start();
            !line.is_empty() && !line.starts_with('#')
        });
        let no_rows = || ProblemError::NoRows { path: origin.to_owned() };
        let (header_at, header) = lines.next().ok_or_else(no_rows)?;
        let names = cells(header).into_iter().map(str::to_owned).collect();
        let mut columns = Columns::inline(names, Vec::new(), origin);
        columns.cells.iter_mut().for_each(|(has_numbers, _)| *has_numbers = false);
        (columns.header_line, columns.is_file) = (header_at + 1, true);
        for (index, line) in lines {
            columns.push_row(line, index + 1, missing)?;
        }
        if columns.values.is_empty() {
            return Err(no_rows());
        }
        Ok(columns)
    }

    fn push_row(&mut self, text: &str, line: usize, missing: MissingValues) -> Result<(), ProblemError> {
        let row = cells(text);
        if row.len() != self.names.len() {
            let (path, expected, found) = (self.origin.clone(), self.names.len(), row.len());
            return Err(ProblemError::RowLength { path, line, expected, found });
        }
        for (cell, (has_numbers, first_other)) in row.into_iter().zip(&mut self.cells) {
            let value: f64 = cell.parse().unwrap_or(f64::INFINITY);
            let skipped = missing.skips(cell);
            // An empty column holds no numbers, one of NaN does.
            *has_numbers |= value.is_finite() || skipped && value.is_nan();
            if !value.is_finite() && !skipped && first_other.is_none() {
                *first_other = Some((line, cell.chars().take(40).collect()));
            }
            self.values.push(if value.is_finite() { value } else { f64::NAN });
        }
        self.lines.push(line);
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.values.len() / self.names.len().max(1)
    }

    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.names.len().max(1))
    }

    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.names.len()..][..self.names.len()]
    }

    /// Where a row is, in words.
    pub fn place_of(&self, row: usize) -> String {
        let line = self.lines.get(row).copied().unwrap_or(row + 1);
        if self.is_file { format!("`{}` line {line}", self.origin) } else { format!("{} row {line}", self.origin) }
    }

    /// The index of a column of numbers without gaps.
    pub fn whole(&self, column: &str) -> Result<usize, ProblemError> {
        let found = self.index(column)?;
        match (0..self.len()).find(|&row| self.row(row)[found].is_nan()) {
            None => Ok(found),
            Some(row) => Err(ProblemError::NoPlace { place: self.place_of(row), column: column.to_owned() }),
        }
    }

    /// Whether a column holds words: not one of its cells is a number.
    pub fn is_text(&self, column: usize) -> bool {
        !self.cells[column].0
    }

    /// The index of a column of numbers.
    pub fn index(&self, column: &str) -> Result<usize, ProblemError> {
        let found = self.names.iter().position(|name| name == column).ok_or_else(|| ProblemError::NoColumn {
            path: self.origin.clone(),
            line: self.header_line,
            column: column.to_owned(),
            columns: self.names.join(", "),
        })?;
        match &self.cells[found].1 {
            None => Ok(found),
            Some((line, cell)) => Err(ProblemError::BadCell {
                path: self.origin.clone(),
                line: *line,
                column: column.to_owned(),
                cell: cell.clone(),
            }),
        }
    }

    /// The given columns side by side, row after row, without the rows in which one of them is missing.
    pub fn select(&self, columns: &[usize]) -> Vec<f64> {
        let whole = self.rows().filter(|row| columns.iter().all(|&k| !row[k].is_nan()));
        whole.flat_map(|row| columns.iter().map(|&k| row[k])).collect()
    }
}

/// The cells of a line. Commas, semicolons and tabs separate cells one by one; runs of blanks count once. What stands
/// between double quotes is not cut.
fn cells(line: &str) -> Vec<&str> {
    let mut quoted = false;
    let mut outside = |c: char| {
        quoted ^= c == '"';
        !quoted
    };
    let separators: Vec<(usize, char)> = line
        .char_indices()
        .filter(|&(_, c)| outside(c) && (matches!(c, ',' | ';' | '\t') || c.is_whitespace()))
        .collect();
    let exact = separators.iter().any(|(_, c)| matches!(c, ',' | ';' | '\t'));
    let cuts = separators.iter().filter(|(_, c)| !exact || matches!(c, ',' | ';' | '\t'));
    let mut start = 0;
    let mut found = Vec::new();
    for (end, next) in cuts.map(|&(at, c)| (at, at + c.len_utf8())).chain([(line.len(), line.len())]) {
        let cell = line[start..end].trim();
        if exact || !cell.is_empty() {
            found.push(cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"')).unwrap_or(cell));
        }
        start = next;
    }
    found
}

/// The text of a regular file, unless it is larger than `limit`.
pub(super) fn read_limited(path: &Path, limit: u64) -> Result<String, ProblemError> {
    read_text(path, limit).map_err(|error| unreadable(path, error))
}

/// The same for bytes.
pub(super) fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, ProblemError> {
    ropinn_files::read(path, limit).map_err(|error| unreadable(path, error))
}

fn unreadable(path: &Path, FileError { reason, .. }: FileError) -> ProblemError {
    let path = path.display().to_string();
    match reason {
        Reason::TooLarge { limit, .. } => ProblemError::TooLarge { path, limit },
        reason => ProblemError::Unreadable { path, reason: reason.to_string() },
    }
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
                (columns.names.as_slice(), columns.select(&[0, 1]).as_slice()),
                (&["x".to_owned(), "t".to_owned()][..], &expected[..])
            );
        }
    }

    #[test]
    fn bad_rows_are_named_by_line() {
        let message = |text: &str| parse(text).and_then(|columns| columns.index("u")).unwrap_err().to_string();
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
        assert_eq!(columns.select(&[0, 1]), [1.0, 2.0, 5.0, 6.0]);
        // Only in the columns that are asked for.
        assert_eq!(columns.select(&[0]), [1.0, 3.0, 5.0]);
    }

    #[test]
    fn columns_of_words_are_in_nobodys_way() {
        let columns = parse("place,x,u,remark\n\"Oslo, NO\",1,2,\nKiruna,3,4,\"windy; cold\"\n").unwrap();
        assert_eq!(columns.names, ["place", "x", "u", "remark"]);
        assert_eq!(columns.select(&[columns.index("x").unwrap(), columns.index("u").unwrap()]), [1.0, 2.0, 3.0, 4.0]);
        assert!(columns.is_text(0) && !columns.is_text(1) && columns.is_text(3));
        let error = columns.index("place").unwrap_err().to_string();
        assert_eq!(error, "`data.csv` line 2, column `place`: `Oslo, NO` is not a finite number");
    }
}
