//! The checkpoints of one run: the last two and the best, each written beside its final name and renamed when it is on disk.
//!
//! A process that dies while it writes leaves an unfinished temporary file and every earlier checkpoint as it was. Nothing
//! is written through a link: temporary files are created new, and renaming replaces a link rather than its target.

use super::bytes::{VERSION, frame_is_whole};
use super::{Checkpoint, CheckpointError, Damage, MAX_CHECKPOINT_BYTES};
use ropinn_files::{FileError, Reason, is_unfinished};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Checkpoints kept besides the best.
const KEPT: usize = 2;
/// Beginning and end of their names, with the number of outer steps in between.
const STEP: &str = "step-";
const ENDING: &str = ".ckpt";
const BEST: &str = "best.ckpt";
/// What a strategy remembers lies beside them: the newest and the one before.
pub(crate) const JOURNALS: [&str; 2] = ["strategy.json", "strategy.before.json"];

/// A folder with the checkpoints of one run.
#[derive(Clone, Debug)]
pub struct CheckpointFolder {
    path: PathBuf,
    /// Iteration of the best parameters in `best.ckpt`, as far as known.
    best: Option<u64>,
}

/// A checkpoint that was found intact.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its content.
    pub checkpoint: Checkpoint,
    /// Its file.
    pub path: PathBuf,
    /// Newer ones that could not be used.
    pub rejected: Vec<CheckpointError>,
}

impl CheckpointFolder {
    /// The folder at `path`, which need not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), best: None }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a checkpoint and removes those it makes superfluous. On error every earlier one is still there.
    pub fn write(&mut self, checkpoint: &Checkpoint) -> Result<PathBuf, CheckpointError> {
        let progress = &checkpoint.state.progress;
        let path = self.path.join(format!("{STEP}{:012}{ENDING}", progress.steps));
        let refused = |error: io::Error| CheckpointError::Write { path: path.clone(), reason: error.to_string() };
        fs::create_dir_all(&self.path).map_err(refused)?;
        ropinn_files::write(&path, &checkpoint.to_bytes()).map_err(refused)?;
        let best = progress.best.as_ref().map(|best| best.iteration);
        if best.is_some() && best != self.best {
            self.name_best(&path).map_err(refused)?;
            self.best = best;
        }
        ropinn_files::sync_folder(&self.path).map_err(refused)?;
        self.prune(progress.steps);
        Ok(path)
    }

    /// The newest intact checkpoint; `None` if there are none at all. An error if all are damaged, or if one is of a format
    /// that only another version can read: going on from an older one would discard it.
    pub fn newest(&mut self) -> Result<Option<Found>, CheckpointError> {
        let mut rejected = Vec::new();
        let best = Some(self.path.join(BEST)).filter(|path| path.is_file());
        let steps = self.steps().into_iter().rev().map(|(_, path)| path);
        for path in steps.chain(best) {
            match read(&path) {
                Ok(checkpoint) => {
                    self.best = checkpoint.state.progress.best.as_ref().map(|best| best.iteration);
                    return Ok(Some(Found { checkpoint, path, rejected }));
                }
                Err(error @ CheckpointError::Version { .. }) => return Err(error),
                Err(error) => rejected.push(error),
            }
        }
        rejected.into_iter().next().map_or(Ok(None), Err)
    }

    /// Removes all checkpoints, and the folder if nothing else is in it.
    pub fn clear(&self) -> io::Result<()> {
        for path in self.steps().into_iter().map(|(_, path)| path).chain(self.leftovers()) {
            fs::remove_file(path)?;
        }
        for name in JOURNALS.into_iter().chain([BEST]) {
            match fs::remove_file(self.path.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        // Something of the user's own may be in there.
        let _ = fs::remove_dir(&self.path);
        Ok(())
    }

    /// Gives the checkpoint a second name; where the file system has no such thing, a copy.
    fn name_best(&self, path: &Path) -> io::Result<()> {
        let free = ropinn_files::unfinished_in(&self.path)?.into_temp_path();
        fs::remove_file(&free)?;
        if fs::hard_link(path, &free).is_err() {
            fs::copy(path, &free)?;
            File::open(&free)?.sync_all()?;
        }
        free.persist(self.path.join(BEST)).map_err(|error| error.error)
    }

    /// Removes all but the last two, what an earlier process left unfinished, and checkpoints of later steps: those were
    /// damaged or given up, or the run would have gone on from them. What cannot be removed does no harm.
    fn prune(&self, newest: u64) {
        let (mut old, given_up): (Vec<_>, Vec<_>) = self.steps().into_iter().partition(|(step, _)| *step <= newest);
        old.truncate(old.len().saturating_sub(KEPT));
        for path in old.into_iter().chain(given_up).map(|(_, path)| path).chain(self.leftovers()) {
            let _ = fs::remove_file(path);
        }
    }

    fn entries(&self) -> impl Iterator<Item = (String, PathBuf)> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        entries.filter_map(|entry| Some((entry.file_name().to_str()?.to_owned(), entry.path())))
    }

    /// Checkpoints by the step they were written after, the oldest first.
    fn steps(&self) -> Vec<(u64, PathBuf)> {
        let step = |name: &str| name.strip_prefix(STEP)?.strip_suffix(ENDING)?.parse::<u64>().ok();
        let mut steps: Vec<_> = self.entries().filter_map(|(name, path)| Some((step(&name)?, path))).collect();
        steps.sort();
        steps
    }

    fn leftovers(&self) -> Vec<PathBuf> {
        self.entries().filter(|(name, _)| is_unfinished(name)).map(|(_, path)| path).collect()
    }
}

/// Reads one file, whatever it turns out to be.
fn read(path: &Path) -> Result<Checkpoint, CheckpointError> {
    let damaged = |damage| CheckpointError::Damaged { path: path.to_owned(), damage };
    check_frame(path)?;
    let bytes = ropinn_files::read(path, MAX_CHECKPOINT_BYTES).map_err(|FileError { path, reason }| match reason {
        Reason::TooLarge { bytes, limit: max } => damaged(Damage::TooLarge { bytes, max }),
        reason => CheckpointError::Read { path, reason: reason.to_string() },
    })?;
    Checkpoint::from_bytes(&bytes).map_err(|damage| match damage {
        Damage::Version { found } => CheckpointError::Version { path: path.to_owned(), found, known: VERSION },
        damage => damaged(damage),
    })
}

/// Looks at the beginning, the length and the checksum of a file before it is taken into memory: whatever the name of a
/// checkpoint was given to, however large, costs nothing but the look.
fn check_frame(path: &Path) -> Result<(), CheckpointError> {
    let unread = |reason: String| CheckpointError::Read { path: path.to_owned(), reason };
    let (mut file, size) = ropinn_files::open_regular(path).map_err(|error| unread(error.reason.to_string()))?;
    let framed = frame_is_whole(&mut file, size).map_err(|error| unread(error.to_string()))?;
    framed.map_err(|damage| CheckpointError::Damaged { path: path.to_owned(), damage })
}
