//! Points from a CSV file, batch by batch: memory does not grow with the file.

use crate::failure::Failure;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Points held at a time.
const BATCH: usize = 1 << 16;

/// Reads the columns of the coordinates.
pub struct PointReader {
    name: String,
    reader: csv::Reader<Box<dyn Read>>,
    columns: Vec<(String, usize)>,
    found_any: bool,
}

impl PointReader {
    /// Opens a file, or standard input for `-`, and finds the coordinates in its first line.
    pub fn open(name: &str, coordinates: &[String]) -> Result<Self, Failure> {
        let source: Box<dyn Read> = match name {
            "-" => Box::new(std::io::stdin()),
            path => Box::new(File::open(path).map_err(|error| Failure::unreadable(Path::new(path), &error))?),
        };
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_reader(source);
        let headers = reader.headers().map_err(|error| bad_line(name, &error))?.clone();
        let find = |coordinate: &String| {
            let missing = || Failure::NoColumn {
                file: name.to_owned(),
                column: coordinate.clone(),
                needed: coordinates.join(", "),
                found: headers.iter().collect::<Vec<_>>().join(","),
            };
            let index = headers.iter().position(|header| header == coordinate).ok_or_else(missing)?;
            Ok((coordinate.clone(), index))
        };
        let columns = coordinates.iter().map(find).collect::<Result<_, Failure>>()?;
        Ok(Self { name: name.to_owned(), reader, columns, found_any: false })
    }

    /// The next points, `[point][coordinate]`; `None` at the end.
    pub fn next_batch(&mut self) -> Result<Option<Vec<f64>>, Failure> {
        let mut points = Vec::new();
        let mut record = csv::StringRecord::new();
        for _ in 0..BATCH {
            if !self.reader.read_record(&mut record).map_err(|error| bad_line(&self.name, &error))? {
                break;
            }
            for (coordinate, index) in &self.columns {
                let cell = record.get(*index).unwrap_or_default();
                let value = cell.parse::<f64>().ok().filter(|value| value.is_finite());
                points.push(value.ok_or_else(|| Failure::BadLine {
                    file: self.name.clone(),
                    line: record.position().map_or(0, csv::Position::line),
                    reason: format!("`{cell}` in column `{coordinate}` is not a finite number"),
                })?);
            }
        }
        match (points.is_empty(), self.found_any) {
            (true, false) => Err(Failure::NoPoints { file: self.name.clone() }),
            (true, true) => Ok(None),
            _ => {
                self.found_any = true;
                Ok(Some(points))
            }
        }
    }
}

fn bad_line(file: &str, error: &csv::Error) -> Failure {
    let line = error.position().map_or(1, csv::Position::line);
    let reason = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} values, but the first line names {expected_len} columns")
        }
        csv::ErrorKind::Utf8 { .. } => "it is not UTF-8 text".to_owned(),
        csv::ErrorKind::Io(error) => error.to_string(),
        _ => error.to_string(),
    };
    Failure::BadLine { file: file.to_owned(), line, reason }
}
