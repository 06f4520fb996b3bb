//! Which optimiser gets to which error in which time.

use crate::error::Refused;
use crate::given::Given;
use crate::supervise::{Listeners, supervise};
use crate::wire::{Told, Wire};
use crate::{options, pools};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ropinn::config::{ObjectiveKind, OptimizerKind};
use ropinn_runs::RunError;
use ropinn_runs::folder::Saved;
use ropinn_runs::watch::{Remark, Watch};
use ropinn_study::race::Race;
use ropinn_study::watch::StudyWatch;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Hears of every run.
struct Reporter<'a>(&'a mut Wire);

/// Hears of one run.
struct OfRun<'a>(&'a mut Wire);

impl StudyWatch for Reporter<'_> {
    fn on_round(&mut self, number: usize, of: usize, _finished: Option<&Path>) {
        self.0.tell(Told::Round(number, of));
    }

    fn run(&mut self) -> Box<dyn Watch + '_> {
        Box::new(OfRun(self.0))
    }

    fn on_saved(&mut self, of: &str, saved: &Saved) {
        self.0.tell(Told::Decision(format!("{of}, {}", saved.to_line().trim_end())));
    }

    fn on_remark(&mut self, remark: &Remark) {
        Watch::on_remark(self.0, remark);
    }
}

/// Passes on what is told of a run.
mod of_run {
    use super::OfRun;
    use ropinn::record::Row;
    use ropinn::train::{Observer, Start};
    use ropinn_runs::watch::{Remark, Watch};

    impl Observer for OfRun<'_> {
        fn on_start(&mut self, start: &Start<'_>) {
            self.0.on_start(start);
        }

        fn on_step(&mut self, row: &Row) {
            self.0.on_step(row);
        }
    }

    impl Watch for OfRun<'_> {
        fn on_remark(&mut self, remark: &Remark) {
            self.0.on_remark(remark);
        }
    }
}

/// Races; tells the standings as JSON and as text, and what is to be raised.
#[pyfunction]
#[pyo3(signature = (problems, options, progress=None, warn=None))]
pub fn race(
    py: Python<'_>,
    problems: Vec<String>,
    options: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
    warn: Option<Py<PyAny>>,
) -> Result<(String, String, Option<PyErr>), Refused> {
    let given = Given(options);
    let words = |key: &str, usual: &[&str]| -> Result<Vec<String>, Refused> {
        Ok(given.texts(key)?.unwrap_or_else(|| usual.iter().map(|word| (*word).to_owned()).collect()))
    };
    let optimizers = words("optimizers", &["adam", "lbfgs", "ssbroyden", "gauss-newton"])?;
    let objectives = words("objectives", &["point", "region"])?;
    let optimizer = |word: &str| options::one_of(word, "an optimiser", &OptimizerKind::ALL, OptimizerKind::name);
    let objective = |word: &str| options::one_of(word, "an objective", &ObjectiveKind::ALL, ObjectiveKind::name);
    let race = Race {
        problems,
        optimizers: optimizers.iter().map(|word| optimizer(word)).collect::<Result<_, _>>()?,
        objectives: objectives.iter().map(|word| objective(word)).collect::<Result<_, _>>()?,
        model: options::model(&given)?,
        seconds: given.number("seconds")?.unwrap_or(60.0),
        seeds: options::several_seeds(&given)?.unwrap_or_else(|| vec![0, 1, 2]),
        set: given.texts("set")?.unwrap_or_default(),
        out: given.path("out")?.unwrap_or_else(|| "race".into()),
        overwrite: given.flag("overwrite")?,
        command: given.text("command")?.unwrap_or_default(),
    };
    let threads = given.count("threads")?.unwrap_or(0);
    pools::check_process()?;
    let listeners = Listeners { callback: None, progress, warn };
    let work = |wire: &mut Wire, stop: &AtomicBool| -> Result<_, Refused> {
        let (standings, _) = race.run(&pools::own(threads)?, &mut Reporter(wire), stop)?;
        let json = serde_json::to_string(&standings).map_err(|error| RunError::Print(error.into()))?;
        Ok((json, standings.to_text(&race.out)?))
    };
    let ((json, text), raised) = supervise(py, &listeners, work)?;
    Ok((json, text, raised))
}
