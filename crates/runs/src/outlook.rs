//! How far a run is and how long it will take, at the pace so far.

use ropinn::record::Row;
use ropinn::train::Start;
use std::time::{Duration, Instant};

/// What is planned, and when it began.
#[derive(Clone, Debug, Default)]
pub struct Outlook {
    steps_before: u64,
    steps_planned: u64,
    /// Longest time of training; 0 for none.
    max_seconds: f64,
    started: Option<Instant>,
}

impl Outlook {
    /// The beginning of a run.
    pub fn new(start: &Start<'_>) -> Self {
        let max_seconds = start.case.config().stop.max_seconds;
        let (steps_before, steps_planned) = (start.steps_done, start.steps_planned);
        Self { steps_before, steps_planned, max_seconds, started: Some(Instant::now()) }
    }

    /// Takes note of another number of steps.
    pub fn plan(&mut self, steps: u64) {
        self.steps_planned = steps;
    }

    /// Steps of the whole run.
    pub fn steps_planned(&self) -> u64 {
        self.steps_planned
    }

    /// Time until the steps are done at the pace so far, or until the time is up.
    pub fn left(&self, row: &Row) -> Duration {
        let steps = self.left_for_steps(row);
        if self.max_seconds > 0.0 { steps.min(self.left_for_time(row)) } else { steps }
    }

    /// Share of the run that is done, between 0 and 1.
    pub fn share(&self, row: &Row) -> f64 {
        let steps = row.iteration as f64 / self.steps_planned.max(1) as f64;
        let time = if self.max_seconds > 0.0 { row.seconds / self.max_seconds } else { 0.0 };
        steps.max(time).min(1.0)
    }

    /// Whether the time will be up before the steps are done.
    pub fn ends_by_time(&self, row: &Row) -> bool {
        self.max_seconds > 0.0 && self.left_for_time(row) < self.left_for_steps(row)
    }

    fn left_for_time(&self, row: &Row) -> Duration {
        seconds((self.max_seconds - row.seconds).max(0.0))
    }

    fn left_for_steps(&self, row: &Row) -> Duration {
        let elapsed = self.started.map_or(Duration::ZERO, |started| started.elapsed());
        let done = row.iteration.saturating_sub(self.steps_before).max(1);
        let remaining = self.steps_planned.saturating_sub(row.iteration);
        seconds(elapsed.as_secs_f64() / done as f64 * remaining as f64)
    }
}

/// A time that may be longer than any clock counts.
fn seconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value).unwrap_or(Duration::MAX)
}
