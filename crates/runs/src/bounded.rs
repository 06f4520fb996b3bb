//! Files that may come from anywhere are read up to a limit; files of ours are written whole or not at all.

use crate::error::RunError;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

/// The bytes of a regular file, unless it has more than `limit`.
pub fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, RunError> {
    let unreadable = |error: std::io::Error| RunError::unreadable(path, &error);
    let refused = |reason: String| RunError::Unreadable { path: path.to_owned(), reason };
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
pub fn read_text(path: &Path, limit: u64) -> Result<String, RunError> {
    String::from_utf8(read_bounded(path, limit)?)
        .map_err(|_| RunError::Unreadable { path: path.to_owned(), reason: "it is not UTF-8 text".to_owned() })
}

/// Beginning of the names of files that are being written.
pub const UNFINISHED: &str = ".unfinished-";

/// Whoever reads the file meanwhile sees the old one or the whole new one; a link is replaced, not followed.
pub fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    #[cfg(unix)]
    {
        // As far as the user's umask allows; the default is the owner only.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.as_file_mut().write_all(bytes)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
