//! An event file that grows while a run trains, beside whoever watches it.

use super::record::Events;
use super::{MARK, tag};
use ropinn::checkpoint::CheckpointError;
use ropinn::config::Phase;
use ropinn::polish::Tried;
use ropinn::record::{Entry, Row, RowNames};
use ropinn::train::{Observer, Start, TrainOutcome};
use ropinn_runs::watch::{Remark, Watch};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How often events reach the disk.
const FLUSH_EVERY: Duration = Duration::from_secs(1);

/// Passes on what is told, and writes every step as an event.
pub struct Live<'a> {
    watch: Box<dyn Watch + 'a>,
    path: PathBuf,
    events: Option<Events<BufWriter<File>>>,
    flushed: Instant,
    /// Columns of a row.
    tags: Vec<Option<String>>,
    names: RowNames,
}

impl<'a> Live<'a> {
    /// Begins an event file in a folder, which is made unless it is there.
    pub fn new(folder: &Path, watch: Box<dyn Watch + 'a>) -> io::Result<Self> {
        let now = wall_time();
        // Sittings of a run have files of their own; TensorBoard puts them together by their steps.
        let path = folder.join(format!("{MARK}.{:010}.{}.ropinn", now as u64, std::process::id()));
        std::fs::create_dir_all(folder)?;
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        let events = Some(Events::begin(BufWriter::new(file), now)?);
        Ok(Self { watch, path, events, flushed: Instant::now(), tags: Vec::new(), names: RowNames::default() })
    }

    fn write(&mut self, row: &Row) -> io::Result<()> {
        let Some(events) = &mut self.events else { return Ok(()) };
        let numbers = self.names.numbers(row).into_iter().map(|value| value.unwrap_or(f64::NAN));
        let values = self.tags.iter().zip(numbers).filter_map(|(tag, value)| Some((tag.as_deref()?, value)));
        events.write(wall_time(), row.iteration, values)?;
        if self.flushed.elapsed() >= FLUSH_EVERY {
            self.flushed = Instant::now();
            events.flush()?;
        }
        Ok(())
    }

    /// What cannot be written is no reason to stop a run: it is said once.
    fn noted(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.events = None;
            self.watch.on_remark(&Remark::NoEvents { path: self.path.clone(), reason: error.to_string() });
        }
    }
}

fn wall_time() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

impl Observer for Live<'_> {
    fn on_start(&mut self, start: &Start<'_>) {
        self.names = start.names.clone();
        self.tags = self.names.columns().iter().map(|column| tag(column)).collect();
        self.watch.on_start(start);
    }

    fn on_phase(&mut self, number: usize, phase: &Phase) {
        self.watch.on_phase(number, phase);
    }

    fn on_choice(&mut self, choice: &str) {
        self.watch.on_choice(choice);
    }

    fn on_step(&mut self, row: &Row) {
        let written = self.write(row);
        self.noted(written);
        self.watch.on_step(row);
    }

    fn on_decision(&mut self, entry: &Entry) {
        self.watch.on_decision(entry);
    }

    fn on_tried(&mut self, tried: &Tried) {
        self.watch.on_tried(tried);
    }

    fn on_plan(&mut self, steps: u64) {
        self.watch.on_plan(steps);
    }

    fn on_checkpoint(&mut self, written: Result<&Path, &CheckpointError>) {
        self.watch.on_checkpoint(written);
    }

    fn on_finish(&mut self, outcome: &TrainOutcome) {
        let flushed = self.events.as_mut().map_or(Ok(()), Events::flush);
        self.noted(flushed);
        self.watch.on_finish(outcome);
    }
}

impl Watch for Live<'_> {
    fn on_remark(&mut self, remark: &Remark) {
        self.watch.on_remark(remark);
    }
}
