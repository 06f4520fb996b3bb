//! One moving line on a terminal.

use super::status::{Status, duration};
use crate::output::remark;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ropinn::config::Phase;
use ropinn::record::Row;
use ropinn::train::{Observer, Start, TrainOutcome};

/// Times per second the line is drawn at most.
const DRAWS: u8 = 5;

/// Parts of the bar; it shows the share that is done, be it of the steps or of the time.
const BAR: u64 = 1000;

/// The line.
pub struct Bar {
    status: Status,
    bar: ProgressBar,
}

impl Default for Bar {
    fn default() -> Self {
        Self { status: Status::default(), bar: ProgressBar::hidden() }
    }
}

impl Bar {
    /// A line that stays, above the one that moves.
    pub fn interrupt(&self, text: &str) {
        self.bar.suspend(|| remark(text));
    }
}

/// What is about to be trained.
pub fn headline(start: &Start<'_>) -> String {
    let (case, config) = (start.case, start.case.config());
    let (width, depth) = config.model.width_and_depth();
    format!(
        "{}: {} {width} × {depth}, {} parameters, {}, {}, seed {}, {}, {} threads",
        case.problem().name,
        config.model.kind(),
        start.parameters,
        config.objective.kind,
        config.phases,
        config.seed,
        config.precision,
        case.threads().count()
    )
}

impl Observer for Bar {
    fn on_start(&mut self, start: &Start<'_>) {
        remark(&headline(start));
        let style = ProgressStyle::with_template("{bar:16} {prefix} {wide_msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(Some(BAR), ProgressDrawTarget::stderr_with_hz(DRAWS));
        bar.set_style(style.progress_chars("━╸ "));
        *self = Self { status: Status::new(start), bar };
    }

    fn on_phase(&mut self, number: usize, phase: &Phase) {
        if number > 1 {
            self.interrupt(&format!("phase {number}: {} {}", phase.name(), phase.iterations));
        }
    }

    fn on_choice(&mut self, choice: &str) {
        self.bar.suspend(|| remark(choice));
    }

    fn on_step(&mut self, row: &Row) {
        self.status.note(row);
        self.bar.set_prefix(format!("{} {} left,", self.status.steps(row), duration(self.status.left(row))));
        self.bar.set_message(self.status.describe(row));
        self.bar.set_position((BAR as f64 * self.status.share(row)) as u64);
    }

    fn on_finish(&mut self, outcome: &TrainOutcome) {
        self.bar.finish_and_clear();
        remark(&outcome.stop_reason.to_string());
    }
}
