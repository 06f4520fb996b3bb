//! Work on a thread of its own while the calling one listens: to the work, and to signals.
//!
//! The interpreter is free for other threads all the while. Ctrl-C, or an exception of a callback, asks the work to stop
//! after the current step; it saves what it has, and only then the exception goes on to the caller, unchanged.

use crate::error::Refused;
use crate::wire::{Beginning, Told, Wire};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ropinn::record::{Row, RowNames};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How long a signal may wait to be heard.
const ATTENTION: Duration = Duration::from_millis(50);

/// Who is told what, if anybody.
pub struct Listeners {
    /// Gets a record for each logged step; `False` stops the run.
    pub callback: Option<Py<PyAny>>,
    /// Gets `(what, facts)` now and then.
    pub progress: Option<Py<PyAny>>,
    /// Gets the words of each warning.
    pub warn: Option<Py<PyAny>>,
}

struct Attendant<'a> {
    listeners: &'a Listeners,
    stop: &'a AtomicBool,
    raised: Option<PyErr>,
}

/// Does the work and tells what came of it, and the exception that is to be raised now that it has ended.
pub fn supervise<T: Send>(
    py: Python<'_>,
    listeners: &Listeners,
    work: impl FnOnce(&mut Wire, &AtomicBool) -> Result<T, Refused> + Send,
) -> Result<(T, Option<PyErr>), Refused> {
    let stop = AtomicBool::new(false);
    let asks = listeners.callback.is_some();
    let mut attendant = Attendant { listeners, stop: &stop, raised: None };
    let attended = &mut attendant;
    let done = py.detach(|| {
        std::thread::scope(|scope| {
            let (to, from) = channel();
            let (answers, answered) = channel();
            let flag = &stop;
            let thread = std::thread::Builder::new().name("ropinn-run".to_owned());
            let worker = thread.spawn_scoped(scope, move || work(&mut Wire::new(to, answered, asks), flag));
            let worker = worker.map_err(|error| Refused::new(format!("cannot start a thread: {error}")))?;
            let mut checked = Instant::now();
            loop {
                match from.recv_timeout(ATTENTION) {
                    Ok(told) => attended.hear(told, &answers),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                if checked.elapsed() >= ATTENTION {
                    checked = Instant::now();
                    attended.look_for_signals();
                }
            }
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })?;
    Ok((done, attendant.raised))
}

impl Attendant<'_> {
    /// An exception ends the run; the first one is the one that is raised.
    fn note(&mut self, outcome: PyResult<()>) {
        if let Err(error) = outcome {
            self.stop.store(true, Ordering::Relaxed);
            self.raised.get_or_insert(error);
        }
    }

    fn look_for_signals(&mut self) {
        let found = Python::attach(|py| py.check_signals());
        self.note(found);
    }

    fn hear(&mut self, told: Told, answers: &Sender<()>) {
        let asks = matches!(told, Told::Step { asks: true, .. });
        if self.raised.is_none() {
            let outcome = Python::attach(|py| self.pass_on(py, told));
            self.note(outcome);
        }
        if asks {
            let _ = answers.send(());
        }
    }

    fn pass_on(&self, py: Python<'_>, told: Told) -> PyResult<()> {
        let Listeners { callback, progress, warn } = self.listeners;
        if let (Told::Step { row, names, asks: true }, Some(callback)) = (&told, callback) {
            let goes_on = callback.bind(py).call1((step(py, row, names)?,))?;
            if goes_on.is_instance_of::<pyo3::types::PyBool>() && !goes_on.is_truthy()? {
                self.stop.store(true, Ordering::Relaxed);
            }
        }
        if let (Told::Remark(true, words), Some(warn)) = (&told, warn) {
            warn.call1(py, (words,))?;
        }
        let Some(progress) = progress else { return Ok(()) };
        let progress = progress.bind(py);
        match told {
            Told::Start(beginning) => progress.call1(("start", beginning_facts(py, &beginning)?)),
            Told::Step { row, names, .. } => progress.call1(("step", step(py, &row, &names)?)),
            Told::Plan(steps) => progress.call1(("plan", steps)),
            Told::Decision(words) | Told::Remark(false, words) => progress.call1(("say", words)),
            Told::Round(number, of) => progress.call1(("round", (number, of))),
            Told::Finish(reason) => progress.call1(("finish", reason)),
            Told::Remark(true, _) => return Ok(()),
        }
        .map(drop)
    }
}

/// A step as keywords of the record Python makes of it.
fn step<'py>(py: Python<'py>, row: &Row, names: &RowNames) -> PyResult<Bound<'py, PyDict>> {
    let named = |names: &[String], values: &[f64]| -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        names.iter().zip(values).try_for_each(|(name, value)| dict.set_item(name, value))?;
        Ok(dict)
    };
    let dict = PyDict::new(py);
    dict.set_item("iteration", row.iteration)?;
    dict.set_item("phase", row.phase)?;
    dict.set_item("loss", row.loss)?;
    dict.set_item("terms", named(&names.terms, &row.parts)?)?;
    dict.set_item("trained", named(&names.trained, &row.trained)?)?;
    dict.set_item("grad_norm", row.grad_norm)?;
    dict.set_item("region_size", row.region_size)?;
    dict.set_item("evaluations", row.evaluations)?;
    dict.set_item("seconds", row.seconds)?;
    dict.set_item("rmae", row.rmae)?;
    dict.set_item("rmse", row.rmse)?;
    Ok(dict)
}

fn beginning_facts<'py>(py: Python<'py>, start: &Beginning) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("problem", &start.problem)?;
    dict.set_item("model", &start.model)?;
    dict.set_item("width", start.width)?;
    dict.set_item("depth", start.depth)?;
    dict.set_item("parameters", start.parameters)?;
    dict.set_item("objective", start.objective)?;
    dict.set_item("optimizer", &start.optimizer)?;
    dict.set_item("seed", start.seed)?;
    dict.set_item("precision", &start.precision)?;
    dict.set_item("threads", start.threads)?;
    dict.set_item("steps_done", start.steps_done)?;
    dict.set_item("steps_planned", start.steps_planned)?;
    dict.set_item("max_seconds", start.max_seconds)?;
    Ok(dict)
}
