//! References that take minutes, kept in a folder of the user: every file says what it was computed for, and serves nothing else.
//!
//! ```text
//! ropinn-reference 1
//! {"key": "…", "points": [count, checksum], "unknowns": 2, "error": 1e-5}
//! values [point][unknown] as little-endian f64, then the CRC-32 of all before
//! ```
//!
//! The folder is `ROPINN_CACHE`, or `ropinn` in that of the system (`XDG_CACHE_HOME`, `~/.cache`). What fails its own check is an error
//! before there is anything to keep, and what cannot be kept is computed again the next time.

use crate::error::RunError;
use crate::watch::Remark;
use ropinn::problem::{Problem, ReferenceValues};
use ropinn_files::{checksum, read};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The first line of a file.
const MARK: &str = "ropinn-reference 1\n";
/// The largest file that is read.
const MAX_BYTES: u64 = 1 << 30;

/// Where references are kept.
#[derive(Clone, Debug, Default)]
pub struct References {
    folder: Option<PathBuf>,
}

/// What a file is about.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct About {
    key: String,
    points: (usize, u32),
    unknowns: usize,
    error: Option<f64>,
}

/// A kept reference that was found.
enum Kept {
    Whole(ReferenceValues),
    /// Another one, or a damaged one.
    Useless(String),
    Missing,
}

impl References {
    /// The folder of the user; none if the system has no place for it.
    pub fn usual() -> Self {
        let named = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let of_system = || {
            let folder = named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(".cache")));
            folder.or_else(|| named("LOCALAPPDATA")).map(|folder| folder.join("ropinn"))
        };
        Self { folder: named("ROPINN_CACHE").or_else(of_system) }
    }

    /// A folder of one's own.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()) }
    }

    /// Where they are.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The file of a problem's reference at some points.
    pub fn path(&self, problem: &Problem, points: &[f64]) -> Option<PathBuf> {
        let (about, _) = about(problem, points)?;
        let name = format!("{}-{:08x}-{:08x}.reference", problem.name, checksum(about.key.as_bytes()), about.points.1);
        Some(self.folder.as_ref()?.join(name.replace(['/', '\\', ':'], "-")))
    }

    /// What there is to say before the reference of a problem is prepared, if that takes its time.
    pub fn pending(&self, problem: &Problem) -> Result<Option<Remark>, RunError> {
        let Some(work) = problem.reference_work() else { return Ok(None) };
        let points = problem.evaluation_places()?;
        if problem.known_reference(&points).is_some() {
            return Ok(None);
        }
        match self.kept(problem, &points) {
            Kept::Whole(values) => {
                problem.supply_reference(&points, values);
                Ok(None)
            }
            _ => Ok(Some(Remark::Reference {
                problem: problem.name.clone(),
                method: work.method,
                seconds: work.seconds,
                kept: self.folder.clone(),
            })),
        }
    }

    /// Sees to it that the problem has its reference where errors are measured: from the folder, or computed and kept there.
    pub fn prepare(&self, problem: &Problem) -> Result<(), RunError> {
        if problem.reference_work().is_some() {
            self.values(problem, &problem.evaluation_places()?)?;
        }
        Ok(())
    }

    /// The reference at some points and whether it was there already; `None` if there is none.
    pub fn values(&self, problem: &Problem, points: &[f64]) -> Result<Option<(ReferenceValues, bool)>, RunError> {
        if problem.reference_work().is_none() {
            return Ok(problem.reference_values(points)?.map(|values| (values, false)));
        }
        if let Some(known) = problem.known_reference(points) {
            return Ok(Some((known, true)));
        }
        if let Kept::Whole(values) = self.kept(problem, points) {
            problem.supply_reference(points, values.clone());
            return Ok(Some((values, true)));
        }
        let Some(values) = problem.reference_values(points)? else { return Ok(None) };
        // A full disk is no reason to throw minutes of work away.
        let _ = self.keep(problem, points, &values);
        Ok(Some((values, false)))
    }

    /// The estimated error of a reference that was computed before.
    pub fn error_of(&self, problem: &Problem) -> Option<f64> {
        let points = problem.evaluation_places().ok()?;
        match self.kept(problem, &points) {
            Kept::Whole(values) => values.error,
            _ => None,
        }
    }

    /// What is wrong with the file of a problem's reference, if there is one that cannot be used.
    pub fn damage(&self, problem: &Problem, points: &[f64]) -> Option<Remark> {
        match self.kept(problem, points) {
            Kept::Useless(reason) => Some(Remark::DamagedReference { path: self.path(problem, points)?, reason }),
            _ => None,
        }
    }

    /// Forgets what is kept of a problem's reference at some points.
    pub fn forget(&self, problem: &Problem, points: &[f64]) {
        if let Some(path) = self.path(problem, points) {
            let _ = std::fs::remove_file(path);
        }
    }

    fn kept(&self, problem: &Problem, points: &[f64]) -> Kept {
        let (Some(path), Some((wanted, count))) = (self.path(problem, points), about(problem, points)) else {
            return Kept::Missing;
        };
        if !path.exists() {
            return Kept::Missing;
        }
        match read(&path, MAX_BYTES).map_err(|error| error.reason.to_string()).and_then(|bytes| parse(&bytes, count)) {
            Ok((found, values)) if About { error: found.error, ..wanted } == found => {
                Kept::Whole(ReferenceValues { values, error: found.error })
            }
            Ok(_) => Kept::Useless("it belongs to another problem or other points".to_owned()),
            Err(reason) => Kept::Useless(reason),
        }
    }

    fn keep(&self, problem: &Problem, points: &[f64], values: &ReferenceValues) -> std::io::Result<()> {
        let (Some(folder), Some(path), Some((about, _))) =
            (&self.folder, self.path(problem, points), about(problem, points))
        else {
            return Ok(());
        };
        std::fs::create_dir_all(folder)?;
        let header = serde_json::to_string(&About { error: values.error, ..about }).unwrap_or_default();
        let mut bytes = format!("{MARK}{header}\n").into_bytes();
        bytes.extend(values.values.iter().flat_map(|value| value.to_le_bytes()));
        bytes.extend(checksum(&bytes).to_le_bytes());
        ropinn_files::write(&path, &bytes)
    }
}

/// What the file of a reference has to say, and how many values it has to hold.
fn about(problem: &Problem, points: &[f64]) -> Option<(About, usize)> {
    let bytes: Vec<u8> = points.iter().flat_map(|coordinate| coordinate.to_le_bytes()).collect();
    let unknowns = problem.unknown_names().len();
    let count = points.len() / problem.coordinate_names().len().max(1);
    let about = About { key: problem.reference_key()?, points: (count, checksum(&bytes)), unknowns, error: None };
    Some((about, count * unknowns))
}

fn parse(bytes: &[u8], count: usize) -> Result<(About, Vec<f64>), String> {
    let (content, sum) = bytes.split_last_chunk::<4>().ok_or("it is empty")?;
    if checksum(content) != u32::from_le_bytes(*sum) {
        return Err("it is damaged: its checksum does not fit".to_owned());
    }
    let rest = content.strip_prefix(MARK.as_bytes()).ok_or("it is no reference")?;
    let end = rest.iter().position(|byte| *byte == b'\n').ok_or("it is no reference")?;
    let about: About = serde_json::from_slice(&rest[..end]).map_err(|error| error.to_string())?;
    let values = &rest[end + 1..];
    if values.len() != 8 * count {
        return Err(format!("it holds {} bytes of values where {} are needed", values.len(), 8 * count));
    }
    let number = |bytes: &[u8]| bytes.try_into().map_or(f64::NAN, f64::from_le_bytes);
    Ok((about, values.chunks_exact(8).map(number).collect()))
}
