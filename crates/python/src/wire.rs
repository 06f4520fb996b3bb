//! From the thread that trains to the one that called: what happened, in words and numbers without a tie to the run.
//!
//! Training lives on threads of a pool, which Python knows nothing of; whatever is Python's is done on the calling thread.

use ropinn::checkpoint::CheckpointError;
use ropinn::config::StrategyKind;
use ropinn::polish::Tried;
use ropinn::record::{Entry, Row, RowNames};
use ropinn::train::{Observer, Start, TrainOutcome};
use ropinn_runs::watch::{Remark, Watch};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

/// Progress is told this often.
const PACE: Duration = Duration::from_millis(200);

/// What happened.
pub enum Told {
    /// A run starts.
    Start(Beginning),
    /// An outer step is done. `asks` if training waits for an answer.
    Step { row: Box<Row>, names: Arc<RowNames>, asks: bool },
    /// So many steps are planned now.
    Plan(u64),
    /// Something was decided, in words.
    Decision(String),
    /// Something worth knowing: whether it is a warning, and its words.
    Remark(bool, String),
    /// Run `number` of `of` is next.
    Round(usize, usize),
    /// The run has ended, and why.
    Finish(String),
}

/// What is about to be trained.
pub struct Beginning {
    pub problem: String,
    pub model: String,
    pub width: usize,
    pub depth: usize,
    pub parameters: usize,
    pub objective: &'static str,
    pub optimizer: String,
    pub seed: u64,
    pub precision: String,
    pub threads: usize,
    pub steps_done: u64,
    pub steps_planned: u64,
    pub max_seconds: f64,
}

/// Watches a run and tells of it.
pub struct Wire {
    to: Sender<Told>,
    answers: Receiver<()>,
    /// Whether every logged step is told and waited for; else some are told, at a pace people can read.
    asks: bool,
    log_every: u64,
    names: Arc<RowNames>,
    told: Option<Instant>,
}

impl Wire {
    pub fn new(to: Sender<Told>, answers: Receiver<()>, asks: bool) -> Self {
        Self { to, answers, asks, log_every: 1, names: Arc::default(), told: None }
    }

    /// Whoever listened may be gone; training ends by its flag, not by that.
    pub fn tell(&self, told: Told) {
        let _ = self.to.send(told);
    }
}

impl Observer for Wire {
    fn on_start(&mut self, start: &Start<'_>) {
        let (case, config) = (start.case, start.case.config());
        let (width, depth) = config.model.width_and_depth();
        (self.names, self.log_every) = (Arc::new(start.names.clone()), config.log_every);
        self.tell(Told::Start(Beginning {
            problem: case.problem().name.clone(),
            model: config.model.kind().to_string(),
            width,
            depth,
            parameters: start.parameters,
            objective: config.objective.kind.name(),
            optimizer: match config.strategy.kind {
                StrategyKind::Auto => "strategy auto".to_owned(),
                StrategyKind::Plain => config.phases.to_string(),
            },
            seed: config.seed,
            precision: config.precision.to_string(),
            threads: case.threads().count(),
            steps_done: start.steps_done,
            steps_planned: start.steps_planned,
            max_seconds: config.stop.max_seconds,
        }));
    }

    fn on_step(&mut self, row: &Row) {
        let asks = self.asks && row.iteration.is_multiple_of(self.log_every);
        let is_due = self.told.is_none_or(|told| told.elapsed() >= PACE);
        if asks || is_due {
            self.told = Some(Instant::now());
            self.tell(Told::Step { row: Box::new(row.clone()), names: self.names.clone(), asks });
        }
        if asks {
            let _ = self.answers.recv();
        }
    }

    fn on_plan(&mut self, steps: u64) {
        self.tell(Told::Plan(steps));
    }

    fn on_decision(&mut self, entry: &Entry) {
        self.tell(Told::Decision(format!("strategy, step {}: {}", entry.iteration, entry.words)));
    }

    fn on_tried(&mut self, tried: &Tried) {
        let count = tried.features.count + tried.features.hidden;
        self.tell(Told::Decision(format!("polish: {count} functions, relative residual {:.1e}", tried.relative)));
    }

    fn on_checkpoint(&mut self, written: Result<&Path, &CheckpointError>) {
        if let Err(error) = written {
            self.tell(Told::Remark(true, error.to_string()));
        }
    }

    fn on_finish(&mut self, outcome: &TrainOutcome) {
        self.tell(Told::Finish(outcome.stop_reason.to_string()));
    }
}

impl Watch for Wire {
    fn on_remark(&mut self, remark: &Remark) {
        let words = remark.to_string();
        let warning = words.strip_prefix("warning: ");
        self.tell(Told::Remark(warning.is_some(), warning.unwrap_or(&words).to_owned()));
    }
}
