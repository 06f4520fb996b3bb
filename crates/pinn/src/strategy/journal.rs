//! What a strategy must remember to go on after a kill: written at every look, whole or not at all, with a checksum.
//!
//! `strategy.json` is the newest, `strategy.before.json` the one before it, beside the checkpoints, which hold the steps since
//! the look. Where a file is damaged, the one before leads to the same decisions again.

use super::stage::Stage;
use crate::checkpoint::{JOURNALS, check_same_start};
use crate::config::RunConfig;
use crate::look::Look;
use crate::record::{Entry, Row};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// Rows and parameters of the largest runs are far below.
const MAX_BYTES: u64 = 1 << 30;

/// Everything the next decision depends on, apart from the round's trainer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Journal {
    /// The run it belongs to.
    pub asked: RunConfig,
    /// Decisions so far.
    pub entries: Vec<Entry>,
    /// What is trained in the present round.
    pub stage: Stage,
    /// Parameters it starts with.
    pub start: Vec<f64>,
    /// Outer steps before it.
    pub steps: u64,
    /// Evaluations of loss and gradient before it.
    pub evaluations: u64,
    /// Seconds before it, looks included.
    pub seconds: f64,
    /// Rows of the rounds before.
    pub rows: Vec<Row>,
    /// Looks at the present case.
    pub looks: Vec<Look>,
    /// The last look at the case before, if it was the same function.
    pub before: Option<Look>,
    /// What the last decision is measured by.
    pub trial: Option<Trial>,
    /// What is not tried again.
    pub closed: Vec<String>,
    /// Work done, in 10⁹ multiply-adds.
    pub spent: f64,
    /// Relative mean square of the solution that was to be polished last.
    #[serde(default)]
    pub to_polish: Option<f64>,
    /// Other starts so far.
    pub restarts: u32,
}

/// Where to go back to if a decision does not help.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Trial {
    /// What is on trial.
    pub what: String,
    /// The look before it.
    pub look: Look,
    /// The stage before it.
    pub stage: Stage,
    /// The parameters before it.
    pub theta: Vec<f64>,
}

/// The journals in the folder of a run's checkpoints.
#[derive(Clone, Debug)]
pub(super) struct Journals {
    folder: PathBuf,
}

impl Journals {
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Writes the newest journal; a full disk is no reason to stop.
    pub fn write(&self, journal: &Journal) {
        let [newest, before] = JOURNALS.map(|name| self.folder.join(name));
        let text = serde_json::to_string(journal).expect("a journal has a JSON form");
        let text = format!("{:08x}\n{text}\n", ropinn_files::checksum(text.as_bytes()));
        if fs::create_dir_all(&self.folder).is_err() {
            return;
        }
        let _ = fs::rename(&newest, before);
        let _ = ropinn_files::write(&newest, text.as_bytes());
    }

    /// The newest intact journal of the run that was asked for; `None` to start from the beginning.
    pub fn newest(&self, asked: &RunConfig) -> Option<Journal> {
        let own = |journal: &Journal| check_same_start(&journal.asked, asked).is_ok();
        JOURNALS.iter().find_map(|name| read(&self.folder.join(name)).filter(own))
    }
}

fn read(path: &Path) -> Option<Journal> {
    let text = ropinn_files::read_text(path, MAX_BYTES).ok()?;
    let (sum, text) = text.trim_end_matches('\n').split_once('\n')?;
    let intact = u32::from_str_radix(sum, 16).ok()? == ropinn_files::checksum(text.as_bytes());
    serde_json::from_str(text).ok().filter(|_| intact)
}
