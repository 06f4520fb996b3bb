//! The course of a run as it grows: `metrics.csv` read on from where it was last time.
//!
//! A run that goes on begins the file anew, and one that ends replaces it; both are noticed. However long it is, so many rows are kept, evenly,
//! and the last one.

use crate::error::RunError;
use crate::folder::{Metrics, names};
use ropinn_files::open_regular;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Rows that are kept, once there are twice as many.
const ROWS: usize = 1 << 15;
/// Bytes that are read at a time.
const PIECE: usize = 1 << 20;
/// The longest line: beyond, it is no table of ours.
const MAX_LINE: usize = 1 << 20;

/// Reads the metrics of a run again and again.
pub struct Follower {
    path: PathBuf,
    metrics: Option<Metrics>,
    /// Which file was read, and how far.
    file: Option<u64>,
    offset: u64,
    /// Bytes of a line that is not whole yet.
    rest: Vec<u8>,
    /// Rows so far, of which every so many is kept.
    count: usize,
    stride: usize,
    most: usize,
}

impl Follower {
    /// Follows the run in a folder, finished or not, begun or not.
    pub fn new(run: &Path) -> Result<Self, RunError> {
        if !run.join(names::CONFIG).is_file() {
            return Err(RunError::NotARunToFollow(run.to_owned(), format!("it has no {}", names::CONFIG)));
        }
        let path = run.join(names::METRICS);
        let (metrics, file, offset, rest) = (None, None, 0, Vec::new());
        Ok(Self { path, metrics, file, offset, rest, count: 0, stride: 1, most: ROWS })
    }

    /// The course so far; none before the first step.
    pub fn metrics(&self) -> Option<&Metrics> {
        self.metrics.as_ref()
    }

    /// Reads what is new. A file that is not there is one that will be.
    pub fn refresh(&mut self) -> Result<(), RunError> {
        match self.path.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            _ => {}
        }
        let (mut file, size) = open_regular(&self.path)?;
        let unreadable = |error: &std::io::Error| RunError::unreadable(&self.path, error);
        let identity = identity(&file);
        if size < self.offset || identity != self.file {
            (self.metrics, self.offset, self.count, self.stride) = (None, 0, 0, 1);
            self.rest.clear();
        }
        self.file = identity;
        file.seek(SeekFrom::Start(self.offset)).map_err(|error| unreadable(&error))?;
        let mut piece = vec![0; PIECE];
        loop {
            let count = file.read(&mut piece).map_err(|error| RunError::unreadable(&self.path, &error))?;
            if count == 0 {
                return Ok(());
            }
            self.offset += count as u64;
            self.take(&piece[..count])?;
        }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), RunError> {
        let damaged = |what: &str| RunError::Unreadable(self.path.clone(), what.to_owned());
        self.rest.extend(bytes);
        let Some(end) = self.rest.iter().rposition(|byte| *byte == b'\n') else {
            return if self.rest.len() > MAX_LINE { Err(damaged("a line has no end")) } else { Ok(()) };
        };
        let rest = self.rest.split_off(end + 1);
        let whole = std::mem::replace(&mut self.rest, rest);
        let text = std::str::from_utf8(&whole).map_err(|_| damaged("it is not UTF-8 text"))?;
        for line in text.lines() {
            match &mut self.metrics {
                None => {
                    self.metrics = Some(Metrics::begun(line).ok_or_else(|| damaged("its first line names no columns"))?)
                }
                Some(metrics) => {
                    // Kept are every so many and the last.
                    if self.count > 0 && !(self.count - 1).is_multiple_of(self.stride) {
                        metrics.forget_last();
                    }
                    if !metrics.push(line) {
                        return Err(damaged(&format!(
                            "row {} has not as many numbers as there are columns",
                            self.count + 1
                        )));
                    }
                    self.count += 1;
                    let is_due = (self.count - 1).is_multiple_of(self.stride);
                    if is_due && metrics.len() >= 2 * self.most {
                        metrics.halve();
                        self.stride *= 2;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Tells a file that has taken the place of another from one that has grown, where the system tells.
fn identity(file: &File) -> Option<u64> {
    #[cfg(unix)]
    return file.metadata().ok().map(|about| std::os::unix::fs::MetadataExt::ino(&about));
    #[cfg(not(unix))]
    return None;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, OpenOptions};
    use std::io::Write;

    #[test]
    fn a_growing_file_is_read_on_and_a_new_one_from_the_beginning() -> Result<(), Box<dyn std::error::Error>> {
        let here = tempfile::tempdir()?;
        let refused = Follower::new(here.path()).err().expect("no run").to_string();
        assert_eq!(refused, format!("`{}` is not the folder of a run: it has no config.toml", here.path().display()));
        fs::write(here.path().join(names::CONFIG), "")?;
        let mut follower = Follower::new(here.path())?;
        follower.refresh()?;
        assert!(follower.metrics().is_none());
        let path = here.path().join(names::METRICS);
        fs::write(&path, "iteration,\"term a, b\",rmse\n1,5e-1,\n2,2.5")?;
        follower.refresh()?;
        let rows = |follower: &Follower, column: &str| follower.metrics().expect("begun").over_iterations(column);
        assert_eq!(rows(&follower, "term a, b"), [(1.0, 0.5)]);
        OpenOptions::new().append(true).open(&path)?.write_all(b"e-1,3\n")?;
        follower.refresh()?;
        assert_eq!(
            (rows(&follower, "term a, b"), rows(&follower, "rmse")),
            (vec![(1.0, 0.5), (2.0, 0.25)], vec![(2.0, 3.0)])
        );
        // Another file of the same name, longer than what was read.
        fs::write(here.path().join("new"), "iteration,trained_loss\n1,7\n2,8\n3,9\n4,10\n5,11\n")?;
        fs::rename(here.path().join("new"), &path)?;
        follower.refresh()?;
        assert_eq!(rows(&follower, "trained_loss").len(), 5);
        OpenOptions::new().append(true).open(&path)?.write_all(b"6,1,2\n")?;
        let damaged = follower.refresh().expect_err("three numbers").to_string();
        assert!(damaged.ends_with("row 6 has not as many numbers as there are columns"), "{damaged}");
        Ok(())
    }

    #[test]
    fn long_runs_are_thinned_evenly_and_keep_their_last_row() -> Result<(), Box<dyn std::error::Error>> {
        let here = tempfile::tempdir()?;
        fs::write(here.path().join(names::CONFIG), "")?;
        let mut follower = Follower { most: 8, ..Follower::new(here.path())? };
        let path = here.path().join(names::METRICS);
        fs::write(&path, "iteration,trained_loss\n")?;
        for row in 1..=1003 {
            OpenOptions::new().append(true).open(&path)?.write_all(format!("{row},{row}\n").as_bytes())?;
            follower.refresh()?;
            let kept = follower.metrics().expect("begun").over_iterations("trained_loss");
            assert!(kept.len() <= 16, "{row}: {kept:?}");
            assert_eq!((kept[0].0, kept[kept.len() - 1].0), (1.0, f64::from(row)));
            let steps: Vec<f64> = kept[..kept.len() - 1].windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
            assert!(steps.iter().all(|step| *step == steps[0]), "{row}: {kept:?}");
        }
        Ok(())
    }
}
