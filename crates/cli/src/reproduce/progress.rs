//! What a sweep says while it works: runs done, time left for all of them, the state of those under way.

use crate::output::{self, Voice};
use crate::solve::{duration, new_bar, show};
use indicatif::ProgressBar;
use ropinn::checkpoint::CheckpointError;
use ropinn::record::Row;
use ropinn::train::{Observer, Start};
use ropinn_plot::sig;
use ropinn_runs::folder::RunResult;
use ropinn_runs::watch::{Remark, Watch};
use ropinn_study::reproduce::{Experiment, RunEnd, Scale, SweepWatch};
use serde::Serialize;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Between lines of a log.
const INTERVAL: Duration = Duration::from_secs(30);
/// Parts of the bar.
const BAR: f64 = 1000.0;

/// Progress of a whole sweep; runs at work share it.
pub struct Progress {
    voice: Voice,
    state: Mutex<State>,
}

struct State {
    bar: Option<ProgressBar>,
    began: Instant,
    spoke: Instant,
    /// Work of each run in any unit, and the share of it that is done.
    runs: Vec<(f64, f64)>,
    /// Work done before this sitting.
    earlier: f64,
    finished: usize,
    under_way: Vec<(usize, String)>,
}

impl State {
    fn new(bar: Option<ProgressBar>, work: Vec<f64>) -> Self {
        let (now, runs) = (Instant::now(), work.into_iter().map(|work| (work, 0.0)).collect());
        Self { bar, began: now, spoke: now, runs, earlier: 0.0, finished: 0, under_way: Vec::new() }
    }

    fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| output::remark(text)),
            None => output::remark(text),
        }
    }

    /// Work done, and all of it.
    fn work(&self) -> (f64, f64) {
        self.runs.iter().fold((0.0, 0.0), |(done, all), (work, share)| (done + work * share, all + work))
    }

    /// At the pace of this sitting.
    fn left(&self) -> Option<Duration> {
        let (done, total) = self.work();
        let pace = (done - self.earlier) / self.began.elapsed().as_secs_f64();
        Duration::try_from_secs_f64((total - done) / pace).ok()
    }

    fn describe(&self) -> String {
        let left = self.left().map_or_else(String::new, |left| format!(", {} left", duration(left)));
        let now: Vec<&str> = self.under_way.iter().map(|(_, text)| text.as_str()).collect();
        format!("{} of {} runs{left}; {}", self.finished, self.runs.len(), now.join("; "))
    }
}

#[derive(Serialize)]
struct RunEvent<'a> {
    event: &'static str,
    run: &'a str,
    finished: usize,
    of: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(flatten)]
    result: Option<&'a RunResult>,
}

impl Progress {
    /// Of a sweep that has not begun.
    pub fn new(voice: Voice) -> Self {
        Self { voice, state: Mutex::new(State::new(None, Vec::new())) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, number: usize, share: f64, text: String) {
        let mut state = self.state();
        state.runs[number].1 = share;
        match state.under_way.iter_mut().find(|(other, _)| *other == number) {
            Some((_, old)) => *old = text,
            None => state.under_way.push((number, text)),
        }
        if let Some(bar) = &state.bar {
            let (done, all) = state.work();
            bar.set_position((BAR * done / all.max(f64::MIN_POSITIVE)) as u64);
            let line = state.describe();
            show(bar, &line, &line);
        } else if self.voice == Voice::Words && state.spoke.elapsed() >= INTERVAL {
            state.spoke = Instant::now();
            output::remark(&state.describe());
        }
    }
}

impl SweepWatch for Progress {
    fn on_begin(&self, experiment: Experiment, scale: Scale, work: Vec<f64>) {
        let speaks = self.voice == Voice::Words;
        if speaks {
            output::remark(&format!("{}: {} runs to do, {}", experiment.id(), work.len(), scale.words()));
        }
        let bar = if speaks { new_bar() } else { None };
        *self.state() = State::new(bar, work);
    }

    fn run(&self, number: usize) -> Box<dyn Watch + '_> {
        Box::new(RunWatch { progress: self, number, planned: 1, name: String::new() })
    }

    fn on_run_end(&self, number: usize, name: &str, end: &RunEnd<'_>) {
        let mut state = self.state();
        state.under_way.retain(|(other, _)| *other != number);
        let (words, result, error) = match end {
            RunEnd::Left => return,
            RunEnd::Failed(error) => (format!("failed: {error}"), None, Some(error.to_string())),
            RunEnd::Finished(result) => {
                let rmse = result.rmse.map_or_else(|| "not finite".to_owned(), |rmse| sig(rmse, 3));
                (format!("rMSE {rmse}, {:.1} s, {}", result.seconds, result.stop_reason), Some(*result), None)
            }
        };
        state.runs[number].1 = 1.0;
        state.finished += 1;
        let (finished, of) = (state.finished, state.runs.len());
        match self.voice {
            Voice::Silence => {}
            Voice::Json => {
                let event = RunEvent { event: "run", run: name, finished, of, error, result };
                // Nobody listens any more: the work goes on.
                let _ = output::print_json_line(&event);
            }
            Voice::Words => {
                let left = state.left().filter(|_| finished < of);
                let left = left.map_or_else(String::new, |left| format!("; {} left", duration(left)));
                state.say(&format!("[{finished}/{of}] {name}: {words}{left}"));
            }
        }
    }

    fn on_end(&self) {
        self.state().bar.take().iter().for_each(ProgressBar::finish_and_clear);
    }

    fn on_progress(&self, words: &str) {
        if self.voice == Voice::Words {
            output::remark(words);
        }
    }

    fn on_remark(&self, words: &str) {
        self.state().say(words);
    }
}

/// Tells the sweep about one of its runs.
struct RunWatch<'a> {
    progress: &'a Progress,
    number: usize,
    planned: u64,
    name: String,
}

impl Observer for RunWatch<'_> {
    fn on_start(&mut self, start: &Start<'_>) {
        let config = start.case.config();
        self.planned = start.steps_planned.max(1);
        self.name =
            format!("{} {} {} s{}", start.case.problem().name, config.model.kind(), config.objective.kind, config.seed);
        let share = start.steps_done as f64 / self.planned as f64;
        let mut state = self.progress.state();
        let work = state.runs[self.number].0;
        state.earlier += work * share;
        state.runs[self.number].1 = share;
    }

    fn on_step(&mut self, row: &Row) {
        let share = row.iteration as f64 / self.planned as f64;
        let text = format!("{} {}/{}", self.name, row.iteration, self.planned);
        self.progress.note(self.number, share.min(1.0), text);
    }

    fn on_checkpoint(&mut self, written: Result<&Path, &CheckpointError>) {
        if let Err(error) = written {
            self.progress.on_remark(&format!("warning: {error}"));
        }
    }
}

impl Watch for RunWatch<'_> {
    fn on_remark(&mut self, remark: &Remark) {
        self.progress.on_remark(&remark.to_string());
    }
}
