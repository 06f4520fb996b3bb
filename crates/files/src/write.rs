//! Whole writes: to a new file beside the final name, then renamed.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// Beginning of the names of files that are being written.
const UNFINISHED: &str = ".unfinished-";
/// What earlier versions called weights that were being written.
const UNFINISHED_WEIGHTS: &str = ".weights-";

/// Writes a file whole; it is on disk before it has its name.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_with(path, |out| out.write_all(bytes))
}

/// Writes a file whole, piece by piece.
pub fn write_with(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = unfinished_in(folder)?;
    let mut out = BufWriter::new(file.as_file());
    content(&mut out)?;
    out.flush()?;
    drop(out);
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// A new file of a name that [`is_unfinished`] knows, removed unless it is renamed.
pub fn unfinished_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    #[cfg(unix)]
    {
        // Others may read it as far as the user's umask allows; the default is the owner only.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Whether a file of this name is what a killed process was about to write.
pub fn is_unfinished(name: &str) -> bool {
    name.starts_with(UNFINISHED) || name.starts_with(UNFINISHED_WEIGHTS)
}

/// A rename is safe from a power cut once the folder itself is on disk.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
