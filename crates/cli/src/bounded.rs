//! Reading files that may come from anywhere: never more than a limit, and nothing that is not a file.

use crate::failure::Failure;
use ropinn_files::FileError;
use std::path::Path;

/// The bytes of a regular file, unless it has more than `limit`.
pub fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    ropinn_files::read(path, limit).map_err(refused)
}

/// The same as text.
pub fn read_text(path: &Path, limit: u64) -> Result<String, Failure> {
    ropinn_files::read_text(path, limit).map_err(refused)
}

fn refused(error: FileError) -> Failure {
    Failure::Unreadable { path: error.path, reason: error.reason.to_string() }
}
