//! The state of a run in one line: loss by term, region size, error, time left.

use ropinn::record::{Row, RowNames};
use ropinn::train::Start;
use ropinn_plot::{scientific, sig};
use std::time::{Duration, Instant};

/// What is needed to put a row into words.
#[derive(Default)]
pub struct Status {
    names: RowNames,
    steps_done: u64,
    steps_planned: u64,
    /// Longest time of training; 0 for none.
    max_seconds: f64,
    has_regions: bool,
    /// The error is measured now and then; in between the last one stands, with the step it was measured after.
    rmse: Option<(f64, u64)>,
    started: Option<Instant>,
}

impl Status {
    /// The beginning of a run.
    pub fn new(start: &Start<'_>) -> Self {
        Self {
            names: start.names.clone(),
            steps_done: start.steps_done,
            steps_planned: start.steps_planned,
            max_seconds: start.case.config().stop.max_seconds,
            has_regions: start.case.config().objective.reach() > 0.0,
            rmse: None,
            started: Some(Instant::now()),
        }
    }

    /// Remembers what the next lines still show.
    pub fn note(&mut self, row: &Row) {
        self.rmse = row.rmse.map(|rmse| (rmse, row.iteration)).or(self.rmse);
    }

    /// `trained loss 1.20e-3, rMSE 4.20e-2, R 1.0e-4 (residual 1.1e-3, initial 9.8e-5)`: what matters most comes first, since
    /// a narrow terminal cuts the end. Trained numbers follow the error; what equations add to the residual stands in
    /// brackets behind it, and the error of each unknown, where it was just measured, behind that of all.
    pub fn describe(&self, row: &Row) -> String {
        let each = |names: &[String], values: &[f64], digits: usize| {
            let each = names.iter().zip(values).map(|(name, value)| format!("{name} {}", scientific(*value, digits)));
            each.collect::<Vec<_>>()
        };
        let bracketed = |values: Vec<String>| match values.is_empty() {
            true => String::new(),
            false => format!(" [{}]", values.join(", ")),
        };
        let mut text = format!("trained loss {}", scientific(row.loss, 3));
        if let Some((rmse, step)) = self.rmse {
            let unknowns = each(&self.names.unknowns, &row.rmse_by_unknown, 2);
            text += &format!(", rMSE {}{}", scientific(rmse, 3), bracketed(unknowns));
            if step != row.iteration {
                text += &format!(" at step {step}");
            }
        }
        for (name, value) in self.names.trained.iter().zip(&row.trained) {
            text += &format!(", {name} {}", sig(*value, 5));
        }
        if self.has_regions {
            text += &format!(", R {}", scientific(row.region_size, 2));
        }
        let mut terms = each(&self.names.terms, &row.parts, 2);
        let equations = bracketed(each(&self.names.equations, &row.equations, 2));
        terms.iter_mut().take(1).for_each(|residual| residual.push_str(&equations));
        text + &format!(" ({})", terms.join(", "))
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

    /// `120/500`, or only `120` where the time will be up first.
    pub fn steps(&self, row: &Row) -> String {
        if self.max_seconds > 0.0 && self.left_for_time(row) < self.left_for_steps(row) {
            return row.iteration.to_string();
        }
        format!("{}/{}", row.iteration, self.steps_planned)
    }

    fn left_for_time(&self, row: &Row) -> Duration {
        seconds((self.max_seconds - row.seconds).max(0.0))
    }

    fn left_for_steps(&self, row: &Row) -> Duration {
        let elapsed = self.started.map_or(Duration::ZERO, |started| started.elapsed());
        let done = row.iteration.saturating_sub(self.steps_done).max(1);
        let remaining = self.steps_planned.saturating_sub(row.iteration);
        seconds(elapsed.as_secs_f64() / done as f64 * remaining as f64)
    }

    /// Takes note of another number of steps.
    pub fn plan(&mut self, steps: u64) {
        self.steps_planned = steps;
    }

    /// Steps of the whole run.
    pub fn steps_planned(&self) -> u64 {
        self.steps_planned
    }
}

/// A time that may be longer than any clock counts.
fn seconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value).unwrap_or(Duration::MAX)
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
    fn stale_errors_say_how_old_they_are() {
        let mut status = Status::default();
        let mut row = Row { iteration: 10, rmse: Some(0.25), ..Row::default() };
        status.note(&row);
        assert!(status.describe(&row).contains(", rMSE 2.50e-1 ("), "{}", status.describe(&row));
        (row.iteration, row.rmse) = (11, None);
        status.note(&row);
        assert!(status.describe(&row).contains(", rMSE 2.50e-1 at step 10 ("), "{}", status.describe(&row));
    }

    #[test]
    fn durations_read_well() {
        let words = |seconds| duration(Duration::from_secs_f64(seconds));
        assert_eq!((words(0.2), words(59.4)), ("0 s".into(), "59 s".into()));
        assert_eq!((words(59.6), words(185.0)), ("1 min 00 s".into(), "3 min 05 s".into()));
        assert_eq!(words(7_834.0), "2 h 10 min");
    }
}
