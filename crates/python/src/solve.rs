//! Training: the runs of `ropinn solve` and `ropinn resume`, in the same folders.

use crate::error::Refused;
use crate::given::Given;
use crate::supervise::{Listeners, supervise};
use crate::wire::{Told, Wire};
use crate::{options, pools};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ropinn_runs::RunError;
use ropinn_runs::folder::names;
use ropinn_runs::plan::{Existing, Options, Plan};
use ropinn_runs::target::Target;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// The folders of the runs, that of all of them if they belong together, and what is to be raised.
type Trained = (Vec<PathBuf>, Option<PathBuf>, Option<PyErr>);

/// Trains what is asked for.
#[pyfunction]
#[pyo3(signature = (target, options, callback=None, progress=None, warn=None))]
pub fn train(
    py: Python<'_>,
    target: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
    callback: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
    warn: Option<Py<PyAny>>,
) -> Result<Trained, Refused> {
    let given = Given(options);
    let existing = match (given.flag("overwrite")?, given.flag("resume")?) {
        (true, true) => return Err(Refused::new("overwrite and resume exclude each other; choose one of them")),
        (true, _) => Existing::Replace,
        (_, true) => Existing::Resume,
        _ => Existing::Refuse,
    };
    let (count, options) = (given.count("threads")?.unwrap_or(0), options::read(&given)?);
    if options.seed.is_some() && options.seeds.is_some() {
        return Err(Refused::new("seed and seeds exclude each other; choose one of them"));
    }
    if options.success.is_some() && options.seeds.is_none() {
        return Err(Refused::new("success counts seeds, so it needs seeds=…"));
    }
    pools::check_process()?;
    if let Ok(folder) = target.extract::<PathBuf>()
        && existing == Existing::Resume
        && options.out.as_ref() == Some(&folder)
    {
        check_begun(&folder)?;
    }
    let target = options::target(target)?;
    let listeners = Listeners { callback, progress, warn };
    let work = |wire: &mut Wire, stop: &AtomicBool| trained(&options, &target, existing, count, wire, stop);
    let ((runs, all), raised) = supervise(py, &listeners, work)?;
    Ok((runs, all, raised))
}

/// Refuses to go on where nothing was begun.
fn check_begun(folder: &std::path::Path) -> Result<(), Refused> {
    let not_a_run = |reason: &str| RunError::NotARunToResume(folder.to_owned(), reason.to_owned());
    match (folder.is_dir(), folder.join(names::CONFIG).is_file()) {
        (_, true) => Ok(()),
        (false, _) => Err(not_a_run("there is no such folder").into()),
        (true, _) if ropinn_runs::folder::seed_folders(folder).is_empty() => {
            Err(not_a_run("it has no config.toml").into())
        }
        _ => Err(not_a_run("it holds several seeds; repeat the call of ropinn.solve with resume=True").into()),
    }
}

/// The folders of the runs, and that of the experiment they form, if they do.
fn trained(
    options: &Options,
    target: &Target,
    existing: Existing,
    threads: usize,
    wire: &mut Wire,
    stop: &AtomicBool,
) -> Result<(Vec<PathBuf>, Option<PathBuf>), Refused> {
    let threads = pools::own(threads)?;
    let plan = Plan::of(options, target)?;
    plan.remarks()?.iter().for_each(|about| wire.tell(Told::Remark(false, about.to_string())));
    let mut runs = plan.begin(existing, &threads)?;
    let mut saved = Vec::new();
    for (k, &seed) in plan.seeds.iter().enumerate() {
        if plan.is_experiment {
            wire.tell(Told::Round(k + 1, plan.seeds.len()));
        }
        saved.push(runs.run(seed, wire, stop)?);
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    let all = if plan.is_experiment { Some(runs.folder.path().to_owned()) } else { None };
    if plan.is_experiment {
        runs.summary(&saved)?;
    }
    Ok((saved.into_iter().map(|run| run.folder).collect(), all))
}
