//! What is written while a run trains: metrics line by line, fields now and then, and words about what happens.

use super::live::Live;
use super::snapshots::Snapshots;
use super::{RunFolder, names};
use crate::error::RunError;
use crate::watch::Watch;
use ropinn::case::Case;
use ropinn::checkpoint::CheckpointError;
use ropinn::config::Phase;
use ropinn::polish::Tried;
use ropinn::record::{Entry, Row, RowNames};
use ropinn::strategy::{Solved, Solver};
use ropinn::train::{Observer, Start, TrainOutcome};
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// How often lines of metrics.csv reach the disk while a run trains.
const FLUSH_EVERY: Duration = Duration::from_secs(1);

/// Passes on what is told and writes metrics as they come; the final file replaces them.
struct Watcher<'a> {
    watch: &'a mut dyn Watch,
    metrics: Option<BufWriter<File>>,
    flushed: Instant,
    /// What rows have numbers for.
    names: RowNames,
    /// Rows of earlier sittings.
    earlier: Vec<Row>,
    live: &'a Live,
    snapshots: Snapshots,
    /// Steps done, and seconds of training.
    when: (u64, f64),
}

impl RunFolder {
    /// Begins the run in the folder and trains it to its end, or until `stop` is set. `weights` are those it was given.
    pub fn train(
        &self,
        solver: &mut Solver,
        weights: Option<&[u8]>,
        watch: &mut dyn Watch,
        stop: &AtomicBool,
    ) -> Result<Solved, RunError> {
        self.begin(solver.case(), weights)?;
        self.lock.trouble.iter().for_each(|trouble| watch.on_remark(trouble));
        let earlier = solver.rows();
        let live = Live::new(self.path());
        // The other end goes with this block, whatever ends it.
        let (alive, ended) = channel();
        std::thread::scope(|scope| {
            let live = &live;
            scope.spawn(move || live.beat(&ended, stop));
            let _alive = alive;
            solver.run(&mut self.watched_by(watch, live, earlier), stop).map_err(RunError::run)
        })
    }

    /// A watcher that also keeps metrics.csv up to date. The file is begun anew with the rows of earlier sittings: whatever
    /// a killed process left of it, half a line or rows beyond its last checkpoint, is gone.
    fn watched_by<'a>(&self, watch: &'a mut dyn Watch, live: &'a Live, earlier: Vec<Row>) -> Watcher<'a> {
        let path = self.path().join(names::METRICS);
        // Never through a link that somebody put there.
        let _ = fs::remove_file(&path);
        let metrics = OpenOptions::new().write(true).create_new(true).open(path).ok().map(BufWriter::new);
        let (flushed, names, snapshots) = (Instant::now(), RowNames::default(), Snapshots::new(self.path()));
        Watcher { watch, metrics, flushed, names, earlier, live, snapshots, when: (0, 0.0) }
    }
}

impl Watcher<'_> {
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

impl Observer for Watcher<'_> {
    fn on_start(&mut self, start: &Start<'_>) {
        self.names = start.names.clone();
        self.write(&self.names.csv_header());
        for row in std::mem::take(&mut self.earlier) {
            self.write(&self.names.csv(&row));
        }
        self.live.start(start);
        self.watch.on_start(start);
    }

    fn on_phase(&mut self, number: usize, phase: &Phase) {
        self.live.say(&format!("phase {number}: {} {}", phase.name(), phase.iterations));
        self.watch.on_phase(number, phase);
    }

    fn on_choice(&mut self, choice: &str) {
        self.live.say(choice);
        self.watch.on_choice(choice);
    }

    fn on_step(&mut self, row: &Row) {
        self.write(&self.names.csv(row));
        self.live.step(row);
        self.when = (row.iteration, row.seconds);
        self.watch.on_step(row);
    }

    fn on_parameters(&mut self, case: &Case, theta: &[f64]) {
        self.snapshots.offer(case, theta, self.when);
        self.watch.on_parameters(case, theta);
    }

    fn on_decision(&mut self, entry: &Entry) {
        self.live.say(&format!("step {}: {}", entry.iteration, entry.words));
        self.watch.on_decision(entry);
    }

    fn on_tried(&mut self, tried: &Tried) {
        let count = tried.features.count + tried.features.hidden;
        self.live.say(&format!("polish: {count} functions, relative residual {:.1e}", tried.relative));
        self.watch.on_tried(tried);
    }

    fn on_plan(&mut self, steps: u64) {
        self.live.plan(steps);
        self.watch.on_plan(steps);
    }

    fn on_checkpoint(&mut self, written: Result<&Path, &CheckpointError>) {
        written.err().iter().for_each(|error| self.live.say(&format!("warning: {error}")));
        self.watch.on_checkpoint(written);
    }

    fn on_finish(&mut self, outcome: &TrainOutcome) {
        self.live.say(&outcome.stop_reason.to_string());
        self.watch.on_finish(outcome);
    }
}
