//! JSON events for programs, one object per line on standard output.

use super::trouble;
use crate::output::{print_json_line, remark};
use ropinn::checkpoint::CheckpointError;
use ropinn::config::Phase;
use ropinn::model::Features;
use ropinn::polish::Tried;
use ropinn::preset::Change;
use ropinn::record::{Entry, Row};
use ropinn::train::{Observer, Start};
use ropinn_runs::watch::{Remark, Watch};
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Writes events; when nobody reads them any more, the run is stopped and saved.
pub struct Events {
    stop: Arc<AtomicBool>,
}

/// What happens while a run trains; its end is told once it is saved.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Event<'a> {
    Start {
        problem: &'a str,
        model: &'static str,
        objective: &'static str,
        seed: u64,
        precision: String,
        parameters: usize,
        terms: &'a [String],
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        equations: &'a [String],
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        trained: &'a [String],
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        unknowns: &'a [String],
        iterations: u64,
        /// Steps of earlier sittings.
        iterations_done: u64,
        threads: usize,
    },
    Preset {
        #[serde(flatten)]
        change: &'a Change,
    },
    Phase {
        number: usize,
        optimizer: &'static str,
        iterations: u64,
    },
    Choice {
        choice: &'a str,
    },
    Decision {
        #[serde(flatten)]
        entry: &'a Entry,
    },
    /// A space of features that polish has tried.
    Tried {
        features: &'a Features,
        relative: Option<f64>,
    },
    Step {
        #[serde(flatten)]
        row: &'a Row,
    },
}

impl Events {
    /// Events that set `stop` once they cannot be written.
    pub fn new(stop: Arc<AtomicBool>) -> Self {
        Self { stop }
    }

    fn tell(&self, event: &Event<'_>) {
        if print_json_line(event).is_err() {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

impl Observer for Events {
    fn on_start(&mut self, start: &Start<'_>) {
        let config = start.case.config();
        self.tell(&Event::Start {
            problem: &start.case.problem().name,
            model: config.model.kind().name(),
            objective: config.objective.kind.name(),
            seed: config.seed,
            precision: config.precision.to_string(),
            parameters: start.parameters,
            terms: &start.names.terms,
            equations: &start.names.equations,
            trained: &start.names.trained,
            unknowns: &start.names.unknowns,
            iterations: start.steps_planned,
            iterations_done: start.steps_done,
            threads: start.case.threads().count(),
        });
    }

    fn on_phase(&mut self, number: usize, phase: &Phase) {
        self.tell(&Event::Phase { number, optimizer: phase.name(), iterations: phase.iterations });
    }

    fn on_choice(&mut self, choice: &str) {
        self.tell(&Event::Choice { choice });
    }

    fn on_decision(&mut self, entry: &Entry) {
        self.tell(&Event::Decision { entry });
    }

    fn on_tried(&mut self, tried: &Tried) {
        let relative = Some(tried.relative).filter(|relative| relative.is_finite());
        self.tell(&Event::Tried { features: &tried.features, relative });
    }

    fn on_step(&mut self, row: &Row) {
        self.tell(&Event::Step { row });
    }

    fn on_checkpoint(&mut self, written: Result<&Path, &CheckpointError>) {
        trouble(written).iter().for_each(|text| remark(text));
    }
}

impl Watch for Events {
    fn on_remark(&mut self, about: &Remark) {
        match about {
            Remark::Preset(change) => self.tell(&Event::Preset { change }),
            trouble => remark(&trouble.to_string()),
        }
    }
}
