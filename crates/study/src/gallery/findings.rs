//! What the gallery came to, and the files and words that say it.

use super::room::Room;
use super::standing::Standing;
use super::tables::{self, Medium};
use crate::error::StudyError;
use crate::machines::machines;
use ropinn_runs::folder::RunFolder;
use serde::Serialize;
use std::path::Path;

/// Marks the folder of a gallery, and holds everything.
pub const MARK: &str = "gallery.json";
const RUNS: &str = "gallery.csv";

/// The whole gallery.
#[derive(Serialize)]
pub struct Findings {
    /// The command that made it.
    pub command: String,
    /// The seeds of every problem.
    pub seeds: Vec<u64>,
    /// Version of this program.
    pub version: &'static str,
    /// Where the runs were made.
    pub machines: Vec<String>,
    /// One line each.
    pub problems: Vec<Standing>,
}

impl Findings {
    /// Sums up what has been run.
    pub(super) fn new(command: &str, seeds: &[u64], rooms: &[Room]) -> Self {
        Self {
            command: command.to_owned(),
            seeds: seeds.to_vec(),
            version: env!("CARGO_PKG_VERSION"),
            machines: machines(rooms.iter().flat_map(|room| room.finished.iter().map(|run| &run.result))),
            problems: rooms.iter().map(Room::standing).collect(),
        }
    }

    /// Whether every run is there.
    pub fn is_complete(&self) -> bool {
        self.problems.iter().all(|standing| standing.missing.is_empty())
    }

    /// For a terminal.
    pub fn to_text(&self, folder: &Path) -> Result<String, StudyError> {
        let table = tables::standings(&self.problems, Medium::Terminal)?.to_text();
        let missing = self.missing().map_or_else(String::new, |words| format!("{words}.\n"));
        Ok(format!(
            "\n{table}\nrMSE and s are medians over {}; `reached` counts those within both limits.\n{missing}folder: {}\n",
            self.seeds_in_words(),
            folder.display()
        ))
    }

    /// Writes all of it, and a line for each run.
    pub(super) fn save(&self, folder: &RunFolder) -> Result<(), StudyError> {
        folder.write(RUNS, tables::runs(&self.problems)?.to_csv().as_bytes())?;
        Ok(folder.write_json(MARK, self)?)
    }

    /// What is missing, in words.
    pub(super) fn missing(&self) -> Option<String> {
        let wanted: usize = self.problems.iter().map(|standing| standing.seeds).sum();
        let there: usize = self.problems.iter().map(|standing| standing.runs.len()).sum();
        (there < wanted).then(|| format!("Incomplete: {there} of {wanted} runs are finished"))
    }

    pub(super) fn seeds_in_words(&self) -> String {
        let list = self.seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        if self.seeds.len() == 1 { format!("seed {list}") } else { format!("seeds {list}") }
    }
}
