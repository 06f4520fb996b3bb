//! Reading files that may come from anywhere: never more than a limit, and nothing that is not a file.

use crate::failure::Failure;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The bytes of a regular file, unless it has more than `limit`.
pub fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    let unreadable = |error: std::io::Error| Failure::unreadable(path, &error);
    let refused = |reason: String| Failure::Unreadable { path: path.to_owned(), reason };
    let file = File::open(path).map_err(unreadable)?;
    let found = file.metadata().map_err(unreadable)?;
    if !found.is_file() {
        return Err(refused("it is not a regular file".to_owned()));
    }
    let mut bytes = Vec::new();
    // One byte more than allowed tells a file that grew since from one that fits.
    if found.len() <= limit {
        file.take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    }
    let size = found.len().max(bytes.len() as u64);
    if size > limit {
        return Err(refused(format!("it has {size} bytes, more than the {limit} that are read")));
    }
    Ok(bytes)
}

/// The same as text.
pub fn read_text(path: &Path, limit: u64) -> Result<String, Failure> {
    String::from_utf8(read_bounded(path, limit)?)
        .map_err(|_| Failure::Unreadable { path: path.to_owned(), reason: "it is not UTF-8 text".to_owned() })
}
