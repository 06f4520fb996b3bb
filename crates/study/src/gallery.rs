//! A gallery of problems, each solved with no options from several seeds, beside the error and the time that are wanted.
//!
//! Runs come one after another, since they share the machine, and each leaves the folder that `ropinn solve` would. What is
//! finished is kept and what was cut off goes on from its checkpoint, so a gallery goes on where it was interrupted.

mod entries;
mod findings;
mod page;
mod room;
mod standing;
mod tables;
mod wording;

pub use entries::{Entry, GALLERY, PRECISION, Solve, Wanted, chosen};
pub use findings::Findings;
pub use standing::{Attempt, Standing, Verdict};

use crate::earlier;
use crate::error::StudyError;
use crate::watch::StudyWatch;
use page::Page;
use room::Room;
use ropinn_engine::Threads;
use ropinn_runs::folder::RunFolder;
use ropinn_runs::plan::Options;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// What is shown, and where it goes.
#[derive(Clone, Debug)]
pub struct Gallery {
    /// The problems.
    pub entries: Vec<Entry>,
    /// Seeds of every problem.
    pub seeds: Vec<u64>,
    /// Options of every run, but for its problem, seed and folder; none for the gallery itself.
    pub options: Options,
    /// Folder of the runs and tables.
    pub out: PathBuf,
    /// Folder of the page, if one is wanted.
    pub page: Option<PathBuf>,
    /// The command that repeats it, for the page.
    pub command: String,
}

impl Gallery {
    /// Does what is missing, until `stop` is set: then after the step under way. Tables and page show what is there, whatever
    /// happens.
    pub fn run(
        &self,
        threads: &Threads,
        watch: &mut dyn StudyWatch,
        stop: &AtomicBool,
    ) -> Result<Findings, StudyError> {
        let rooms = self.entries.iter().map(|entry| Room::new(self, *entry));
        let mut rooms = rooms.collect::<Result<Vec<_>, StudyError>>()?;
        earlier::check_folder(&self.out, findings::MARK, room::STUDY)?;
        rooms.iter_mut().try_for_each(|room| room.look_around(threads))?;
        let page = self.page.as_deref().map(Page::prepare).transpose()?;
        let folder = RunFolder::open(&self.out)?;
        let sum_up = |rooms: &[Room]| {
            let findings = Findings::new(&self.command, &self.seeds, rooms);
            findings.save(&folder).map(|()| findings)
        };
        // The tables mark the folder as that of a gallery from the beginning, and are never older than the last problem.
        let mut findings = sum_up(&rooms)?;
        let of = rooms.len() * self.seeds.len();
        let mut worked = Ok(());
        for k in 0..rooms.len() {
            worked = rooms[k].fill((k * self.seeds.len(), of), threads, watch, stop);
            findings = sum_up(&rooms)?;
            if worked.is_err() {
                break;
            }
        }
        if let Some(page) = page {
            page.write(&findings, &rooms, watch)?;
        }
        worked.map(|()| findings)
    }
}
