//! Where runs are below a folder.

use super::{names, seed_folders};
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

/// Folders within folders that are looked at: a race has problem, entrant and seed.
const DEEPEST: usize = 4;

/// What there is below a folder; links are not followed.
#[derive(Debug, Default)]
pub struct Found {
    /// Folders of runs, finished or not, those of smaller seeds first.
    pub runs: Vec<PathBuf>,
    /// Folders of runs that belong together and say how ([`names::CELLS`]).
    pub groups: Vec<PathBuf>,
}

impl Found {
    /// Looks below a folder, or at it if it is a run itself.
    pub fn below(folder: &Path) -> Self {
        let mut found = Self::default();
        found.look(folder, DEEPEST);
        found
    }

    fn look(&mut self, folder: &Path, depth: usize) {
        if folder.join(names::CONFIG).is_file() {
            self.runs.push(folder.to_owned());
        } else if depth > 0 {
            let entries: Vec<DirEntry> = fs::read_dir(folder).into_iter().flatten().flatten().collect();
            if entries.iter().any(|entry| entry.file_name() == names::CELLS) {
                self.groups.push(folder.to_owned());
            }
            let seeds = seed_folders(folder);
            let is_folder = |entry: &&DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
            let mut others: Vec<PathBuf> =
                entries.iter().filter(is_folder).map(DirEntry::path).filter(|path| !seeds.contains(path)).collect();
            others.sort();
            seeds.iter().filter(|path| !path.is_symlink()).chain(&others).for_each(|path| self.look(path, depth - 1));
        }
    }
}
