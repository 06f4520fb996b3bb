//! The folder of a sweep: runs that all experiments share, the tables made of them, and which runs could not be done.

use super::cell::RunId;
use super::scale::Scale;
use crate::earlier;
use crate::error::StudyError;
use ropinn_files::read_text;
use ropinn_runs::RunError;
use ropinn_runs::cells::Cells;
use ropinn_runs::folder::{FinishedRun, RunFolder, names};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What messages call it.
const SWEEP: &str = "sweep";
/// Marks the folder.
const MARK: &str = "sweep.json";
const SCALE: &str = "scale";
/// Holds the runs.
const RUNS: &str = "runs";
/// Runs that ended with an error.
const FAILED: &str = "failed.csv";
const MAX_BYTES: u64 = 16 << 20;

/// How far a run is.
pub enum RunState {
    /// Done.
    Finished(Box<FinishedRun>),
    /// It ended with this error and is skipped.
    Failed(String),
    /// It has not ended yet, or not begun.
    Open,
}

/// A sweep.
pub struct Sweep {
    folder: RunFolder,
    scale: Scale,
    failed: Mutex<BTreeMap<String, String>>,
}

impl Sweep {
    /// Makes the folder of a sweep, or finds it again.
    pub fn open(path: &Path, scale: Scale) -> Result<Self, StudyError> {
        earlier::check_folder(path, MARK, SWEEP)?;
        let mark = path.join(MARK);
        if mark.is_file() {
            let found: BTreeMap<String, String> = serde_json::from_str(&read_text(&mark, MAX_BYTES)?)
                .map_err(|error| RunError::Unreadable(mark.clone(), error.to_string()))?;
            let found = found.get(SCALE).cloned().unwrap_or_default();
            if found != scale.name() {
                return Err(StudyError::OtherScale(path.to_owned(), found, scale.name()));
            }
        }
        let failed = Mutex::new(read_failed(&path.join(FAILED))?);
        let sweep = Self { folder: RunFolder::open(path)?, scale, failed };
        sweep.folder.write_json(MARK, &BTreeMap::from([(SCALE, scale.name())]))?;
        Ok(sweep)
    }

    /// Sizes of its runs.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// The folder itself, for tables and pictures.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// The folder of a run.
    pub fn run_path(&self, run: &RunId) -> PathBuf {
        self.folder.path().join(RUNS).join(run.name())
    }

    /// Says which runs there will be.
    pub fn announce(&self, runs: &[RunId]) -> Result<(), StudyError> {
        let row = |run: &RunId| {
            let name = run.name();
            name.strip_suffix(&format!("-s{}", run.seed)).map_or(name.clone(), str::to_owned)
        };
        let cells = runs.iter().map(|run| (row(run), Cells::seed(run.seed), format!("{RUNS}/{}", run.name())));
        Ok(Cells::of("", cells).write(self.folder.path())?)
    }

    /// How far a run is.
    pub fn state(&self, run: &RunId) -> Result<RunState, StudyError> {
        let path = self.run_path(run);
        if path.join(names::RESULT).is_file() {
            let finished = earlier::finished(&path, &run.cell.config(self.scale, run.seed)?, SWEEP)?;
            return Ok(finished.map_or(RunState::Open, |run| RunState::Finished(Box::new(run))));
        }
        let failed = self.failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok(failed.get(&run.name()).cloned().map_or(RunState::Open, RunState::Failed))
    }

    /// Remembers that a run ended with an error, so that it is skipped from now on.
    pub fn note_failure(&self, run: &RunId, reason: &StudyError) -> Result<(), StudyError> {
        let mut failed = self.failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        failed.insert(run.name(), reason.to_string());
        self.write_failed(&failed)
    }

    /// Gives runs that ended with an error another chance.
    pub fn forgive(&self) -> Result<(), StudyError> {
        let mut failed = self.failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if failed.is_empty() {
            return Ok(());
        }
        failed.clear();
        self.write_failed(&failed)
    }

    fn write_failed(&self, failed: &BTreeMap<String, String>) -> Result<(), StudyError> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let lines = std::iter::once(["run", "reason"])
            .chain(failed.iter().map(|(run, reason)| [run.as_str(), reason.as_str()]))
            .try_for_each(|line| writer.write_record(line));
        let bytes = lines.and_then(|()| writer.into_inner().map_err(|error| error.into_error().into()));
        Ok(self.folder.write(FAILED, &bytes.map_err(|error| RunError::Print(error.into()))?)?)
    }
}

fn read_failed(path: &Path) -> Result<BTreeMap<String, String>, StudyError> {
    if !path.is_file() {
        return Ok(BTreeMap::new());
    }
    let text = read_text(path, MAX_BYTES)?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let failed = reader.deserialize::<(String, String)>().collect::<Result<_, _>>();
    Ok(failed.map_err(|error| RunError::Unreadable(path.to_owned(), error.to_string()))?)
}
