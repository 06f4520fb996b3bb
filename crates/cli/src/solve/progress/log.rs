//! Plain lines for files and pipes: the first step, the last, and in between at a readable pace.

use super::status::{Status, duration};
use crate::output::remark;
use ropinn::config::Phase;
use ropinn::record::Row;
use ropinn::train::{Observer, Start, TrainOutcome};
use std::time::{Duration, Instant};

/// A line is due after this long, …
const INTERVAL: Duration = Duration::from_secs(5);
/// … or after this share of the steps, unless the last one is very recent.
const SHARE: u64 = 50;
const SHORTEST: Duration = Duration::from_millis(500);

/// Writes lines to standard error.
#[derive(Default)]
pub struct Log {
    status: Status,
    last: Option<(Instant, u64)>,
}

impl Log {
    fn is_due(&self, row: &Row) -> bool {
        let Some((time, iteration)) = self.last else { return true };
        let (waited, steps) = (time.elapsed(), row.iteration - iteration);
        let share = (self.status.steps_planned() / SHARE).max(1);
        row.iteration == self.status.steps_planned() || waited >= INTERVAL || (steps >= share && waited >= SHORTEST)
    }
}

impl Observer for Log {
    fn on_start(&mut self, start: &Start<'_>) {
        *self = Self { status: Status::new(start), last: None };
        remark(&super::terminal::headline(start));
    }

    fn on_phase(&mut self, number: usize, phase: &Phase) {
        if number > 1 {
            remark(&format!("phase {number}: {} {}", phase.name(), phase.iterations));
        }
    }

    fn on_choice(&mut self, choice: &str) {
        remark(choice);
    }

    fn on_step(&mut self, row: &Row) {
        self.status.note(row);
        if !self.is_due(row) {
            return;
        }
        self.last = Some((Instant::now(), row.iteration));
        let left = duration(self.status.left(row));
        remark(&format!("{} {left} left, {}", self.status.steps(row), self.status.describe(row)));
    }

    fn on_finish(&mut self, outcome: &TrainOutcome) {
        remark(&outcome.stop_reason.to_string());
    }
}
