//! The data files of a problem: read below one folder, or held in memory under the names of files; remembered with their
//! checksums, compared with known ones.

use super::columns::{Columns, MAX_DATA_BYTES, MissingValues, read_bytes, read_limited};
use super::error::ProblemError;
use super::npy;
use ropinn_files::{FileError, checksum, is_below};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A data file a problem has read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// The path the problem states, without `./`.
    pub name: String,
    /// Where it was found.
    pub path: PathBuf,
    /// CRC-32 of its bytes.
    pub checksum: u32,
    /// Its text, if it was held in memory and is nowhere else.
    held: Option<Arc<str>>,
}

impl InputFile {
    /// Its bytes, from wherever it is; a file on disk may have changed since.
    pub fn bytes(&self) -> Result<Vec<u8>, FileError> {
        match &self.held {
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => ropinn_files::read(&self.path, MAX_DATA_BYTES),
        }
    }
}

/// Where the data files of a problem are, and what they must be.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// None for a problem built in Rust, whose program chooses its files.
    folder: Option<PathBuf>,
    known: Option<BTreeMap<String, u32>>,
    held: BTreeMap<String, Arc<str>>,
    read: RefCell<Vec<InputFile>>,
}

impl Inputs {
    /// Files in a folder and below it, links followed.
    pub fn below(folder: impl Into<PathBuf>) -> Self {
        Inputs { folder: Some(folder.into()), ..Inputs::default() }
    }

    /// With texts in memory under some of the names the problem states, such as arrays of a program; the others are files.
    ///
    /// ```
    /// use ropinn::problem::{Inputs, Problem};
    /// let text = "coordinates = { x = [0, 1] }\nunknowns = ['u']\nequations = { e = 'u_x' }\n\
    ///     conditions = [{ kind = 'data', file = 'readings.csv' }]";
    /// let inputs = Inputs::below("nowhere").holding([("readings.csv".to_owned(), "x,u\n0.5,1\n".into())].into());
    /// let problem = Problem::from_toml_with(text, "p.toml".as_ref(), inputs)?;
    /// assert_eq!(problem.inputs()[0].bytes().expect("in memory"), b"x,u\n0.5,1\n");
    /// # Ok::<(), ropinn::problem::ProblemError>(())
    /// ```
    pub fn holding(self, texts: BTreeMap<String, Arc<str>>) -> Self {
        Inputs { held: texts, ..self }
    }

    /// Only files with these checksums, by the names the problem states.
    pub fn knowing(self, checksums: &BTreeMap<String, u32>) -> Self {
        Inputs { known: Some(checksums.clone()), ..self }
    }

    /// The columns of a file. Arrays of NumPy (`.npy`) may need names for theirs.
    pub(super) fn columns(
        &self,
        path: &Path,
        missing: MissingValues,
        names: Option<&[String]>,
    ) -> Result<Columns, ProblemError> {
        let parts = path.components().filter(|part| *part != Component::CurDir);
        let stated: PathBuf = parts.collect();
        let name = stated.display().to_string().replace('\\', "/");
        let held = self.held.get(&name).cloned();
        let folder = self.folder.as_ref().filter(|_| held.is_none());
        let path = folder.map_or_else(|| stated.clone(), |folder| folder.join(&stated));
        let origin = path.display().to_string();
        if folder.is_some_and(|folder| path.exists() && !is_below(folder, &path)) {
            return Err(ProblemError::OutsideFolder { path: origin });
        }
        let recorded = self.known.as_ref().map(|known| known.get(&name).copied());
        if recorded == Some(None) {
            return Err(ProblemError::NotRecorded { path: origin });
        }
        let is_array = held.is_none() && path.extension().is_some_and(|extension| extension == "npy");
        let (columns, checksum) = match is_array {
            true => {
                let bytes = read_bytes(&path, MAX_DATA_BYTES)?;
                (npy::columns(&bytes, names, &origin), checksum(&bytes))
            }
            false => {
                let text = held.clone().map_or_else(|| read_limited(&path, MAX_DATA_BYTES).map(Arc::from), Ok)?;
                (Columns::parse(&text, &origin, missing), checksum(text.as_bytes()))
            }
        };
        if recorded.flatten().is_some_and(|recorded| recorded != checksum) {
            return Err(ProblemError::Damaged { path: origin });
        }
        self.read.borrow_mut().push(InputFile { name, path, checksum, held });
        columns
    }

    /// What was read, each file once.
    pub(super) fn into_read(self) -> Vec<InputFile> {
        let mut read = self.read.into_inner();
        read.sort_by(|a, b| a.name.cmp(&b.name));
        read.dedup();
        read
    }
}
