//! Files that come from anywhere and files that must not be left half written.
//!
//! Reading looks at what a path names before it opens it and never takes more than a limit: folders, devices and pipes are
//! refused rather than waited for. Writing goes to a new file beside the final name, which is renamed when it is on disk:
//! whoever reads meanwhile sees the old file or the whole new one, and a link is replaced, not followed.
//!
//! ```
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("note.txt");
//! ropinn_files::write(&path, b"u_t = u_xx")?;
//! assert_eq!(ropinn_files::read_text(&path, 100)?, "u_t = u_xx");
//! assert_eq!(ropinn_files::read_text(&path, 9).unwrap_err().reason.to_string(), "it has 10 bytes, more than the 9 that are read");
//! assert_eq!(ropinn_files::read_text(folder.path(), 9).unwrap_err().reason.to_string(), "it is not a regular file");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod read;
mod write;

pub use read::{FileError, Reason, is_below, open_regular, read, read_text};
pub use write::{is_unfinished, sync_folder, unfinished_in, write, write_with};

/// CRC-32 (IEEE) of some bytes: tells a damaged file from a whole one, not a forged one from an honest one.
pub fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// The same of the next `count` bytes of a file, a piece at a time; fewer if it ends before.
pub fn checksum_of(file: impl std::io::Read, count: u64) -> std::io::Result<u32> {
    let (mut hasher, mut piece) = (crc32fast::Hasher::new(), vec![0; 1 << 16]);
    let mut rest = file.take(count);
    loop {
        match std::io::Read::read(&mut rest, &mut piece)? {
            0 => return Ok(hasher.finalize()),
            found => hasher.update(&piece[..found]),
        }
    }
}
