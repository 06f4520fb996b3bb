//! Points from a CSV file, batch by batch: memory does not grow with the file.

use crate::error::RunError;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::rc::Rc;

/// Points held at a time, …
const BATCH: usize = 1 << 16;

/// … and bytes of their lines: 32 MiB, but for the last line.
const BATCH_BYTES: usize = 32 << 20;

/// The longest line that is read, quoted line breaks included: 1 MiB. A line is held in memory as a whole.
const MAX_LINE_BYTES: usize = 1 << 20;

/// Fails once more bytes have passed than a line may have since somebody last set the count to zero.
struct Limited<R> {
    source: R,
    passed: Rc<Cell<usize>>,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.passed.set(self.passed.get() + count);
        if self.passed.get() > MAX_LINE_BYTES + READ_AHEAD {
            return Err(io::Error::other(format!("a line has more than {MAX_LINE_BYTES} bytes")));
        }
        Ok(count)
    }
}

/// What the reader may fetch beyond the line it is at.
const READ_AHEAD: usize = 1 << 13;

/// Some lines of the file.
pub struct Batch {
    /// `[point][coordinate]`.
    pub points: Vec<f64>,
    /// All cells of each line, as they are.
    pub(crate) lines: Vec<csv::StringRecord>,
}

/// Reads the columns of the coordinates, and keeps the others.
pub struct PointReader {
    name: String,
    reader: csv::Reader<Limited<Box<dyn Read>>>,
    passed: Rc<Cell<usize>>,
    head: Vec<String>,
    columns: Vec<(String, usize)>,
    found_any: bool,
}

impl PointReader {
    /// Opens a file, or standard input for `-`, and finds the coordinates in its first line.
    pub fn open(name: &str, coordinates: &[String]) -> Result<Self, RunError> {
        let source: Box<dyn Read> = match name {
            "-" => Box::new(std::io::stdin()),
            // What the shell has opened for us, as in `--points <(…)`, has a writer; other pipes may wait for ever.
            path if path.starts_with("/dev/fd/") || path == "/dev/stdin" => {
                Box::new(File::open(path).map_err(|error| RunError::unreadable(Path::new(path), &error))?)
            }
            path => Box::new(ropinn_files::open_regular(Path::new(path))?.0),
        };
        Self::new(name, source, coordinates)
    }

    fn new(name: &str, source: Box<dyn Read>, coordinates: &[String]) -> Result<Self, RunError> {
        let passed = Rc::new(Cell::new(0));
        let source = Limited { source, passed: passed.clone() };
        let mut builder = csv::ReaderBuilder::new();
        builder.buffer_capacity(READ_AHEAD).trim(csv::Trim::All).comment(Some(b'#'));
        let mut reader = builder.from_reader(source);
        let headers = reader.headers().map_err(|error| bad_line(name, &error, 1))?.clone();
        let find = |coordinate: &String| {
            let missing = || RunError::NoColumn {
                file: name.to_owned(),
                column: coordinate.clone(),
                needed: coordinates.join(", "),
                found: shortened(&headers.iter().collect::<Vec<_>>().join(",")),
            };
            let index = headers.iter().position(|header| header == coordinate).ok_or_else(missing)?;
            Ok((coordinate.clone(), index))
        };
        let columns = coordinates.iter().map(find).collect::<Result<_, RunError>>()?;
        let head = headers.iter().map(str::to_owned).collect();
        Ok(Self { name: name.to_owned(), reader, passed, head, columns, found_any: false })
    }

    /// The names of all columns, in the order of the file.
    pub fn head(&self) -> &[String] {
        &self.head
    }

    /// The next points; `None` at the end.
    pub fn next_batch(&mut self) -> Result<Option<Batch>, RunError> {
        let (mut points, mut lines, mut bytes) = (Vec::new(), Vec::new(), 0);
        while lines.len() < BATCH && bytes < BATCH_BYTES {
            let mut record = csv::StringRecord::new();
            self.passed.set(0);
            let line = self.reader.position().line();
            if !self.reader.read_record(&mut record).map_err(|error| bad_line(&self.name, &error, line))? {
                break;
            }
            for (coordinate, index) in &self.columns {
                let cell = record.get(*index).unwrap_or_default();
                let value = cell.parse::<f64>().ok().filter(|value| value.is_finite());
                points.push(value.ok_or_else(|| {
                    let line = record.position().map_or(0, csv::Position::line);
                    let reason = format!("`{}` in column `{coordinate}` is not a finite number", shortened(cell));
                    RunError::BadLine(self.name.clone(), line, reason)
                })?);
            }
            bytes += record.as_slice().len() + size_of::<usize>() * record.len();
            lines.push(record);
        }
        match (points.is_empty(), self.found_any) {
            (true, false) => Err(RunError::NoPoints(self.name.clone())),
            (true, true) => Ok(None),
            _ => {
                self.found_any = true;
                Ok(Some(Batch { points, lines }))
            }
        }
    }
}

/// A text short enough for a message.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 200;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What is wrong with a line; `reached` is its number unless the error knows better.
fn bad_line(file: &str, error: &csv::Error, reached: u64) -> RunError {
    let line = error.position().map_or(reached, csv::Position::line);
    let reason = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} values, but the first line names {expected_len} columns")
        }
        csv::ErrorKind::Utf8 { .. } => "it is not UTF-8 text".to_owned(),
        csv::ErrorKind::Io(error) => error.to_string(),
        _ => error.to_string(),
    };
    RunError::BadLine(file.to_owned(), line, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coordinates() -> Vec<String> {
        vec!["x".to_owned(), "t".to_owned()]
    }

    /// All points, or the first complaint.
    fn read(source: impl Read + 'static) -> Result<Vec<f64>, String> {
        let mut reader =
            PointReader::new("points.csv", Box::new(source), &coordinates()).map_err(|error| error.to_string())?;
        let mut all = Vec::new();
        while let Some(batch) = reader.next_batch().map_err(|error| error.to_string())? {
            assert_eq!(batch.points.len(), 2 * batch.lines.len());
            all.extend(batch.points);
        }
        Ok(all)
    }

    #[test]
    fn lines_of_any_length_take_bounded_memory() {
        // A gigabyte each: without a limit these would be held in memory as a whole.
        let endless = |byte: u8| io::repeat(byte).take(1 << 30);
        let long = "a line has more than 1048576 bytes";
        assert_eq!(read(endless(b'1')), Err(format!("`points.csv` line 1: {long}")));
        assert_eq!(read(endless(b',')), Err(format!("`points.csv` line 1: {long}")));
        let quoted = io::Cursor::new("x,t\n1,2\n\"").chain(endless(b'\n'));
        assert_eq!(read(quoted), Err(format!("`points.csv` line 3: {long}")));
        let many = io::Cursor::new("x,t\n".to_owned() + &"0.5,0.25\n".repeat(300_000));
        assert_eq!(read(many).map(|points| points.len()), Ok(600_000), "files may be as long as they like");
        let wide = format!("x,t,{}\n1,2,{}\n", "a,".repeat(100_000), ",".repeat(100_000));
        assert_eq!(read(io::Cursor::new(wide)), Ok(vec![1.0, 2.0]));
    }

    /// SplitMix64.
    fn below(state: &mut u64, n: usize) -> usize {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }

    #[test]
    fn mutated_files_are_read_or_refused() {
        let seconds =
            std::env::var("ROPINN_FUZZ_SECONDS").ok().and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
        let began = std::time::Instant::now();
        let sound: &[u8] = b"# points\nx, t ,w\n1,2.5,3\n\"-1e-3\",0.1,\"a \"\"b\"\"\"\n\n4,5,6\n";
        let pieces: [&[u8]; 10] =
            [b"\"", b",", b"\n", b"\r\n", b"NaN", b"1e999", b"\xff", b"\0", b"x", b"\xef\xbb\xbf"];
        let (mut state, mut understood, mut cases) = (6, 0, 0);
        while cases < 5_000 || began.elapsed().as_secs_f64() < seconds {
            cases += 1;
            let mut bytes = sound.to_vec();
            for _ in 0..1 + below(&mut state, 4) {
                let at = below(&mut state, bytes.len() + 1);
                match below(&mut state, 3) {
                    0 => bytes.truncate(at),
                    1 => {
                        let piece = pieces[below(&mut state, pieces.len())];
                        bytes.splice(at..at, piece.iter().copied());
                    }
                    _ if at < bytes.len() => bytes[at] = below(&mut state, 256) as u8,
                    _ => {}
                }
            }
            if let Ok(points) = read(io::Cursor::new(bytes)) {
                understood += 1;
                assert!(points.len() % 2 == 0 && points.iter().all(|value| value.is_finite()));
            }
        }
        assert!(understood > 100, "{understood} of {cases}");
    }
}
