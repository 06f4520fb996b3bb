//! The state of a run in one line: loss by term, region size, error, time left.

use ropinn::record::{Row, RowNames};
use ropinn::train::Start;
use ropinn_plot::{scientific, sig};
use ropinn_runs::outlook::Outlook;
use std::time::Duration;

/// What is needed to put a row into words.
#[derive(Default)]
pub struct Status {
    names: RowNames,
    outlook: Outlook,
    has_regions: bool,
    /// The error is measured now and then; in between the last one stands, with the step it was measured after.
    rmse: Option<(f64, u64)>,
}

impl Status {
    /// The beginning of a run.
    pub fn new(start: &Start<'_>) -> Self {
        Self {
            names: start.names.clone(),
            outlook: Outlook::new(start),
            has_regions: start.case.config().objective.reach() > 0.0,
            rmse: None,
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
        self.outlook.left(row)
    }

    /// Share of the run that is done, between 0 and 1.
    pub fn share(&self, row: &Row) -> f64 {
        self.outlook.share(row)
    }

    /// `120/500`, or only `120` where the time will be up first.
    pub fn steps(&self, row: &Row) -> String {
        match self.outlook.ends_by_time(row) {
            true => row.iteration.to_string(),
            false => format!("{}/{}", row.iteration, self.outlook.steps_planned()),
        }
    }

    /// Takes note of another number of steps.
    pub fn plan(&mut self, steps: u64) {
        self.outlook.plan(steps);
    }

    /// Steps of the whole run.
    pub fn steps_planned(&self) -> u64 {
        self.outlook.steps_planned()
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
