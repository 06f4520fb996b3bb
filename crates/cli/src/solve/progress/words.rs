//! Words on standard error: one moving line on a terminal; elsewhere lines for the first step, the last, and in between at a
//! readable pace.

use super::status::{Status, duration};
use super::trouble;
use crate::output::{columns, fitted, remark};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ropinn::checkpoint::CheckpointError;
use ropinn::config::{Phase, StrategyKind};
use ropinn::polish::Tried;
use ropinn::record::{Entry, Row};
use ropinn::train::{Observer, Start, TrainOutcome};
use ropinn_runs::watch::{Remark, Watch};
use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant};

/// Times per second the moving line is drawn at most.
const DRAWS: u8 = 5;
/// Parts of the bar; it shows the share that is done, be it of the steps or of the time.
const BAR: f64 = 1000.0;
/// A line of a log is due after this long, …
const INTERVAL: Duration = Duration::from_secs(5);
/// … or after this share of the steps, unless the last one is very recent.
const SHARE: u64 = 50;
const SHORTEST: Duration = Duration::from_millis(500);

/// Columns of the bar and the space behind it.
const BAR_COLUMNS: usize = 17;
/// A terminal of fewer columns has no room for a bar, nor for the time that is left.
const NARROW: usize = 60;

/// A moving line with a bar for shares between 0 and 1000, if standard error is a terminal and there is room for it.
pub fn new_bar() -> Option<ProgressBar> {
    std::io::stderr().is_terminal().then(|| {
        let template = if columns() < NARROW { "{msg}" } else { "{bar:16} {msg}" };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(Some(BAR as u64), ProgressDrawTarget::stderr_with_hz(DRAWS));
        bar.set_style(style.progress_chars("━╸ "));
        bar
    })
}

/// Shows a line beside the bar: as much as fits of the whole, or of what is most important.
pub fn show(bar: &ProgressBar, whole: &str, important: &str) {
    let columns = columns();
    let text = if columns < NARROW { fitted(important, columns) } else { fitted(whole, columns - BAR_COLUMNS) };
    bar.set_message(text);
}

/// Watches one run.
#[derive(Default)]
pub struct Words {
    status: Status,
    bar: Option<ProgressBar>,
    last: Option<(Instant, u64)>,
    /// Whether there is a strategy that decides.
    decides: bool,
}

impl Words {
    /// A line that stays, above the one that moves.
    fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| remark(text)),
            None => remark(text),
        }
    }

    fn is_due(&self, row: &Row) -> bool {
        let Some((time, iteration)) = self.last else { return true };
        let (waited, steps) = (time.elapsed(), row.iteration - iteration);
        let share = (self.status.steps_planned() / SHARE).max(1);
        row.iteration == self.status.steps_planned() || waited >= INTERVAL || (steps >= share && waited >= SHORTEST)
    }
}

/// What is about to be trained.
fn headline(start: &Start<'_>) -> String {
    let (case, config) = (start.case, start.case.config());
    let (width, depth) = config.model.width_and_depth();
    let phases = match config.strategy.kind {
        StrategyKind::Auto => "strategy auto".to_owned(),
        StrategyKind::Plain => config.phases.to_string(),
    };
    format!(
        "{}: {} {width} × {depth}, {} parameters, {}, {}, seed {}, {}, {} threads",
        case.problem().name,
        config.model.kind(),
        start.parameters,
        config.objective.kind,
        phases,
        config.seed,
        config.precision,
        case.threads().count()
    )
}

impl Observer for Words {
    fn on_start(&mut self, start: &Start<'_>) {
        remark(&headline(start));
        if start.steps_done > 0 {
            remark(&format!("goes on after step {} of {}", start.steps_done, start.steps_planned));
        }
        let decides = start.case.config().strategy.kind == StrategyKind::Auto;
        *self = Self { status: Status::new(start), bar: new_bar(), last: None, decides };
    }

    fn on_phase(&mut self, number: usize, phase: &Phase) {
        if number > 1 {
            self.say(&format!("phase {number}: {} {}", phase.name(), phase.iterations));
        }
    }

    fn on_choice(&mut self, choice: &str) {
        self.say(choice);
    }

    fn on_step(&mut self, row: &Row) {
        self.status.note(row);
        let (steps, state) = (self.status.steps(row), self.status.describe(row));
        let line = format!("{steps} {} left, {state}", duration(self.status.left(row)));
        if let Some(bar) = &self.bar {
            show(bar, &line, &format!("{steps} {state}"));
            bar.set_position((BAR * self.status.share(row)) as u64);
        } else if self.is_due(row) {
            remark(&line);
            self.last = Some((Instant::now(), row.iteration));
        }
    }

    fn on_decision(&mut self, entry: &Entry) {
        let what = if self.decides { "strategy" } else { "end" };
        self.say(&format!("{what}, step {}: {}", entry.iteration, entry.words));
    }

    fn on_tried(&mut self, tried: &Tried) {
        let line = format!(
            "polish: {} functions, relative residual {:.1e}",
            tried.features.count + tried.features.hidden,
            tried.relative
        );
        match &self.bar {
            Some(bar) => show(bar, &line, &line),
            None if self.last.is_none_or(|(time, _)| time.elapsed() >= INTERVAL) => {
                remark(&line);
                self.last = Some((Instant::now(), self.last.map_or(0, |(_, iteration)| iteration)));
            }
            None => {}
        }
    }

    fn on_plan(&mut self, steps: u64) {
        self.status.plan(steps);
    }

    fn on_checkpoint(&mut self, written: Result<&Path, &CheckpointError>) {
        trouble(written).iter().for_each(|text| self.say(text));
    }

    fn on_finish(&mut self, outcome: &TrainOutcome) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
        remark(&outcome.stop_reason.to_string());
    }
}

impl Watch for Words {
    fn on_remark(&mut self, about: &Remark) {
        self.say(&about.to_string());
    }
}
