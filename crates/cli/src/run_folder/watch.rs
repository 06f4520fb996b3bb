//! What is written while a run trains: metrics line by line, and words about what happens.

use super::{RunFolder, names};
use ropinn::checkpoint::CheckpointError;
use ropinn::config::Phase;
use ropinn::record::Row;
use ropinn::train::{Observer, Start, TrainOutcome};
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// How often lines of metrics.csv reach the disk while a run trains.
const FLUSH_EVERY: Duration = Duration::from_secs(1);

/// Shows progress and writes metrics as they come; the final file replaces them.
pub struct Watcher<P> {
    progress: P,
    metrics: Option<BufWriter<File>>,
    flushed: Instant,
    /// Rows of earlier sittings.
    earlier: Vec<Row>,
}

impl RunFolder {
    /// A watcher that also keeps metrics.csv up to date. The file is begun anew with the rows of earlier sittings: whatever
    /// a killed process left of it, half a line or rows beyond its last checkpoint, is gone.
    pub fn watched_by<P: Observer>(&self, progress: P, earlier: Vec<Row>) -> Watcher<P> {
        let path = self.path().join(names::METRICS);
        // Never through a link that somebody put there.
        let _ = fs::remove_file(&path);
        let metrics = OpenOptions::new().write(true).create_new(true).open(path).ok().map(BufWriter::new);
        Watcher { progress, metrics, flushed: Instant::now(), earlier }
    }
}

impl<P> Watcher<P> {
    /// A line that cannot be written now is a matter for the end of the run, which writes the whole file.
    fn write(&mut self, line: &str) {
        let Some(metrics) = &mut self.metrics else { return };
        let mut done = metrics.write_all(line.as_bytes());
        if self.flushed.elapsed() >= FLUSH_EVERY {
            done = done.and_then(|()| metrics.flush());
            self.flushed = Instant::now();
        }
        if done.is_err() {
            self.metrics = None;
        }
    }
}

impl<P: Observer> Observer for Watcher<P> {
    fn on_start(&mut self, start: &Start<'_>) {
        self.write(&Row::csv_header(start.parts));
        for row in std::mem::take(&mut self.earlier) {
            self.write(&row.csv());
        }
        self.progress.on_start(start);
    }

    fn on_phase(&mut self, number: usize, phase: &Phase) {
        self.progress.on_phase(number, phase);
    }

    fn on_choice(&mut self, choice: &str) {
        self.progress.on_choice(choice);
    }

    fn on_step(&mut self, row: &Row) {
        self.write(&row.csv());
        self.progress.on_step(row);
    }

    fn on_checkpoint(&mut self, written: Result<&Path, &CheckpointError>) {
        self.progress.on_checkpoint(written);
    }

    fn on_finish(&mut self, outcome: &TrainOutcome) {
        self.progress.on_finish(outcome);
    }
}
