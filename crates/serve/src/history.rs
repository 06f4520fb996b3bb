//! The course of a run, thinned as it is read, whatever its length. A file that grows is read on from where it was; one that was
//! replaced is read anew.

use crate::place::is_own_file;
use ropinn_files::open_regular;
use ropinn_runs::thinned::{Course, Thinned};
use serde::Serialize;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The most groups.
const MOST: usize = 400;
/// Bytes read at once, and the longest line.
const PIECE: usize = 1 << 20;
/// Bytes at the end of a file that are looked through for a last value.
const TAIL: u64 = 1 << 16;

/// The course of a run as far as it was read.
#[derive(Debug)]
pub struct History {
    path: PathBuf,
    columns: Vec<String>,
    rows: Thinned,
    /// Lines that make no sense.
    bad: u64,
    /// Bytes read, those of an unfinished line included.
    offset: u64,
    rest: Vec<u8>,
    file: Option<u64>,
}

/// What a page gets.
#[derive(Debug, Serialize)]
pub struct Told<'a> {
    columns: &'a [String],
    /// Lines that cannot be read.
    bad: u64,
    #[serde(flatten)]
    course: Course,
}

impl History {
    /// Nothing read yet.
    pub fn new(path: PathBuf) -> Self {
        Self { path, columns: Vec::new(), rows: Thinned::new(MOST), bad: 0, offset: 0, rest: Vec::new(), file: None }
    }

    /// Reads what was added since the last time.
    pub fn update(&mut self) -> Result<(), String> {
        if !is_own_file(&self.path) {
            *self = Self::new(std::mem::take(&mut self.path));
            return Ok(());
        }
        let (mut file, size) = open_regular(&self.path).map_err(|error| error.reason.to_string())?;
        let identity = file.metadata().ok().and_then(|data| identity(&data));
        if size < self.offset || identity != self.file {
            *self = Self::new(std::mem::take(&mut self.path));
            self.file = identity;
        }
        file.seek(SeekFrom::Start(self.offset)).map_err(|error| error.to_string())?;
        let mut piece = vec![0; PIECE];
        loop {
            let count = file.read(&mut piece).map_err(|error| error.to_string())?;
            if count == 0 {
                return Ok(());
            }
            self.offset += count as u64;
            self.take(&piece[..count])?;
        }
    }

    fn take(&mut self, piece: &[u8]) -> Result<(), String> {
        let mut rest = std::mem::take(&mut self.rest);
        rest.extend_from_slice(piece);
        let mut lines = rest.split(|byte| *byte == b'\n').peekable();
        while let Some(line) = lines.next() {
            if lines.peek().is_none() {
                self.rest = line.to_vec();
                break;
            }
            self.line(line);
        }
        if self.rest.len() > PIECE {
            *self = Self::new(std::mem::take(&mut self.path));
            return Err("a line does not end".to_owned());
        }
        Ok(())
    }

    fn line(&mut self, line: &[u8]) {
        if self.columns.is_empty() {
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line);
            let head = reader.records().next().and_then(Result::ok);
            self.columns = head.map_or_else(Vec::new, |head| head.iter().map(str::to_owned).collect());
            return;
        }
        let number = |cell: &str| cell.trim().parse().unwrap_or(f64::NAN);
        let row: Vec<f64> =
            std::str::from_utf8(line).map_or_else(|_| Vec::new(), |line| line.split(',').map(number).collect());
        // Every row has the number of its step.
        if row.len() != self.columns.len() || !row[0].is_finite() {
            self.bad += 1;
            return;
        }
        self.rows.push(row);
    }

    /// What a page gets.
    pub fn told(&self) -> Told<'_> {
        Told { columns: &self.columns, bad: self.bad, course: self.rows.course() }
    }
}

/// Tells a file from another of the same name, where the system can.
#[cfg(unix)]
fn identity(data: &std::fs::Metadata) -> Option<u64> {
    Some(std::os::unix::fs::MetadataExt::ino(data))
}

#[cfg(not(unix))]
fn identity(data: &std::fs::Metadata) -> Option<u64> {
    data.created().ok()?.duration_since(std::time::UNIX_EPOCH).ok().map(|age| age.as_secs())
}

/// The last value of a column, from the end of the file alone.
pub fn last_value(path: &Path, column: &str) -> Option<f64> {
    if !is_own_file(path) {
        return None;
    }
    let (mut file, size) = open_regular(path).ok()?;
    let mut head = vec![0; TAIL.min(size) as usize];
    file.read_exact(&mut head).ok()?;
    let head = String::from_utf8_lossy(&head[..head.iter().position(|byte| *byte == b'\n')?]).into_owned();
    let place = csv::ReaderBuilder::new().has_headers(false).from_reader(head.as_bytes()).records().next()?.ok()?;
    let place = place.iter().position(|name| name == column)?;
    file.seek(SeekFrom::Start(size.saturating_sub(TAIL))).ok()?;
    let mut tail = Vec::new();
    file.take(TAIL).read_to_end(&mut tail).ok()?;
    let tail = String::from_utf8_lossy(&tail).into_owned();
    let whole = tail.rsplit_once('\n')?.0;
    whole.rsplit('\n').find_map(|line| line.split(',').nth(place)?.parse::<f64>().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn written(text: &str) -> (tempfile::TempDir, PathBuf) {
        let here = tempfile::tempdir().expect("a folder");
        let path = here.path().join("metrics.csv");
        fs::write(&path, text).expect("writable");
        (here, path)
    }

    #[test]
    fn a_file_that_grows_is_read_on_and_one_that_was_replaced_anew() {
        let (_here, path) = written("iteration,\"term a, b\"\n1,2\n2,");
        let mut history = History::new(path.clone());
        history.update().expect("readable");
        let seen = |history: &History| (history.told().course.rows, history.told().course.last);
        assert_eq!((seen(&history).0, &history.columns[1][..]), (1, "term a, b"));
        let mut file = fs::OpenOptions::new().append(true).open(&path).expect("there");
        std::io::Write::write_all(&mut file, b"3\nnonsense\n3,4\n").expect("writable");
        history.update().expect("readable");
        assert_eq!((seen(&history), history.bad), ((3, vec![Some(3.0), Some(4.0)]), 1));
        fs::write(&path, "iteration,loss\n7,8\n").expect("writable");
        history.update().expect("readable");
        assert_eq!(seen(&history), (1, vec![Some(7.0), Some(8.0)]));
        fs::remove_file(&path).expect("removable");
        history.update().expect("nothing");
        assert_eq!(seen(&history).0, 0);
    }

    #[test]
    fn the_last_value_is_found_at_the_end() {
        let (_here, path) = written("iteration,rmse\n1,0.5\n2,\n3,0.2");
        assert_eq!(last_value(&path, "rmse"), Some(0.5), "the last line may be half a line");
        assert_eq!((last_value(&path, "none"), last_value(Path::new("none"), "rmse")), (None, None));
    }
}
