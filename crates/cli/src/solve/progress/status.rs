//! The state of a run in one line: loss by term, region size, error, time left.

use ropinn::record::Row;
use ropinn::train::Start;
use ropinn_plot::scientific;
use std::time::{Duration, Instant};

/// What is needed to put a row into words.
#[derive(Default)]
pub struct Status {
    terms: Vec<String>,
    steps_done: u64,
    steps_planned: u64,
    has_regions: bool,
    /// The error is measured now and then; in between the last one stands.
    rmse: Option<f64>,
    started: Option<Instant>,
}

impl Status {
    /// The beginning of a run.
    pub fn new(start: &Start<'_>) -> Self {
        Self {
            terms: start.terms.to_vec(),
            steps_done: start.steps_done,
            steps_planned: start.steps_planned,
            has_regions: start.case.config().objective.reach() > 0.0,
            rmse: None,
            started: Some(Instant::now()),
        }
    }

    /// Remembers what the next lines still show.
    pub fn note(&mut self, row: &Row) {
        self.rmse = row.rmse.or(self.rmse);
    }

    /// `loss 1.20e-3, rMSE 4.20e-2, R 1.0e-4 (residual 1.1e-3, initial 9.8e-5)`: what matters most comes first, since a
    /// narrow terminal cuts the end.
    pub fn describe(&self, row: &Row) -> String {
        let mut text = format!("loss {}", scientific(row.loss, 3));
        if let Some(rmse) = self.rmse {
            text += &format!(", rMSE {}", scientific(rmse, 3));
        }
        if self.has_regions {
            text += &format!(", R {}", scientific(row.region_size, 2));
        }
        let terms = self.terms.iter().zip(&row.terms).map(|(name, value)| format!("{name} {}", scientific(*value, 2)));
        text + &format!(" ({})", terms.collect::<Vec<_>>().join(", "))
    }

    /// Time the remaining steps take at the pace so far.
    pub fn left(&self, row: &Row) -> Duration {
        let elapsed = self.started.map_or(Duration::ZERO, |started| started.elapsed());
        let done = row.iteration.saturating_sub(self.steps_done).max(1);
        let remaining = self.steps_planned.saturating_sub(row.iteration);
        Duration::from_secs_f64(elapsed.as_secs_f64() / done as f64 * remaining as f64)
    }

    /// Steps of the whole run.
    pub fn steps_planned(&self) -> u64 {
        self.steps_planned
    }
}

/// `48 s`, `3 min 05 s`, `2 h 10 min`.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64().round() as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        let words = |seconds| duration(Duration::from_secs_f64(seconds));
        assert_eq!((words(0.2), words(59.4)), ("0 s".into(), "59 s".into()));
        assert_eq!((words(59.6), words(185.0)), ("1 min 00 s".into(), "3 min 05 s".into()));
        assert_eq!(words(7_834.0), "2 h 10 min");
    }
}
