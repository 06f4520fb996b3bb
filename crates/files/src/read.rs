//! Bounded reads of regular files.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A file that is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot read `{}`: {reason}", path.display())]
pub struct FileError {
    /// Which.
    pub path: PathBuf,
    /// Why not.
    pub reason: Reason,
}

/// Why a file is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The system refuses.
    #[error("{0}")]
    System(String),
    /// A folder, a device or a pipe.
    #[error("it is not a regular file")]
    NotRegular,
    /// More bytes than allowed.
    #[error("it has {bytes} bytes, more than the {limit} that are read")]
    TooLarge {
        /// Its size, as far as known.
        bytes: u64,
        /// The most allowed.
        limit: u64,
    },
    /// Bytes that are no text.
    #[error("it is not UTF-8 text")]
    NotText,
}

impl From<io::Error> for Reason {
    fn from(error: io::Error) -> Self {
        Self::System(error.to_string())
    }
}

/// The bytes of a regular file, unless it has more than `limit`.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    bytes(path, limit).map_err(|reason| FileError { path: path.to_owned(), reason })
}

/// The same as text.
pub fn read_text(path: &Path, limit: u64) -> Result<String, FileError> {
    String::from_utf8(read(path, limit)?).map_err(|_| FileError { path: path.to_owned(), reason: Reason::NotText })
}

/// Whether a path is below a folder, all links followed. What is not there yet will be where the folders above it are.
pub fn is_below(folder: &Path, path: &Path) -> bool {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let real = path.ancestors().find_map(|place| place.canonicalize().ok());
    folder.canonicalize().is_ok_and(|folder| real.is_some_and(|real| real.starts_with(folder)))
}

/// A regular file, open, and its size; for files of which a part tells whether the rest is worth reading.
pub fn open_regular(path: &Path) -> Result<(File, u64), FileError> {
    regular(path).map_err(|reason| FileError { path: path.to_owned(), reason })
}

fn regular(path: &Path) -> Result<(File, u64), Reason> {
    // Opening a pipe waits for its writer, so the path is looked at first; it may name something else by the time it is open.
    size_of_regular(&fs::metadata(path)?)?;
    let file = open(path)?;
    let size = size_of_regular(&file.metadata()?)?;
    Ok((file, size))
}

fn bytes(path: &Path, limit: u64) -> Result<Vec<u8>, Reason> {
    let (file, size) = regular(path)?;
    let mut bytes = Vec::new();
    // One byte more than allowed tells a file that grew since from one that fits.
    if size <= limit {
        bytes.try_reserve_exact(size as usize).map_err(|error| Reason::System(error.to_string()))?;
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    }
    match size.max(bytes.len() as u64) {
        bytes if bytes > limit => Err(Reason::TooLarge { bytes, limit }),
        _ => Ok(bytes),
    }
}

fn size_of_regular(found: &Metadata) -> Result<u64, Reason> {
    if found.is_file() { Ok(found.len()) } else { Err(Reason::NotRegular) }
}

/// Opens without waiting, where the system's flag for it is known.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    if let Some(flag) = O_NONBLOCK {
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flag);
    }
    options.open(path)
}

#[cfg(unix)]
const O_NONBLOCK: Option<i32> = if cfg!(all(
    any(target_os = "linux", target_os = "android"),
    any(
        target_arch = "x86",
        target_arch = "x86_64",
        target_arch = "arm",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
)) {
    Some(0o4000)
} else if cfg!(any(target_vendor = "apple", target_os = "freebsd", target_os = "netbsd", target_os = "openbsd")) {
    Some(0x4)
} else {
    None
};
