//! The data files of a problem: read below one folder, remembered with their checksums, compared with known ones.

use super::columns::{Columns, MAX_DATA_BYTES, MissingValues, read_limited};
use super::error::ProblemError;
use ropinn_files::{checksum, is_below};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// A data file a problem has read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// The path the problem states, without `./`.
    pub name: String,
    /// Where it was found.
    pub path: PathBuf,
    /// CRC-32 of its bytes.
    pub checksum: u32,
}

/// Where the data files of a problem are, and what they must be.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// None for a problem built in Rust, whose program chooses its files.
    folder: Option<PathBuf>,
    known: Option<BTreeMap<String, u32>>,
    read: RefCell<Vec<InputFile>>,
}

impl Inputs {
    /// Files in a folder and below it, links followed.
    pub fn below(folder: impl Into<PathBuf>) -> Self {
        Inputs { folder: Some(folder.into()), ..Inputs::default() }
    }

    /// Only files with these checksums, by the names the problem states.
    pub fn knowing(self, checksums: &BTreeMap<String, u32>) -> Self {
        Inputs { known: Some(checksums.clone()), ..self }
    }

    pub(super) fn columns(&self, path: &Path, missing: MissingValues) -> Result<Columns, ProblemError> {
        let parts = path.components().filter(|part| *part != Component::CurDir);
        let stated: PathBuf = parts.collect();
        let name = stated.display().to_string().replace('\\', "/");
        let path = self.folder.as_ref().map_or_else(|| stated.clone(), |folder| folder.join(&stated));
        let origin = path.display().to_string();
        if self.folder.as_ref().is_some_and(|folder| path.exists() && !is_below(folder, &path)) {
            return Err(ProblemError::OutsideFolder { path: origin });
        }
        let recorded = self.known.as_ref().map(|known| known.get(&name).copied());
        if recorded == Some(None) {
            return Err(ProblemError::NotRecorded { path: origin });
        }
        let text = read_limited(&path, MAX_DATA_BYTES)?;
        let checksum = checksum(text.as_bytes());
        if recorded.flatten().is_some_and(|recorded| recorded != checksum) {
            return Err(ProblemError::Damaged { path: origin });
        }
        self.read.borrow_mut().push(InputFile { name, path, checksum });
        Columns::parse(&text, &origin, missing)
    }

    /// What was read, each file once.
    pub(super) fn into_read(self) -> Vec<InputFile> {
        let mut read = self.read.into_inner();
        read.sort_by(|a, b| a.name.cmp(&b.name));
        read.dedup();
        read
    }
}
