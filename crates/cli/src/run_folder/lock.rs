//! One process per folder. The system holds the lock and lets go of it however the process ends, so none is ever stuck.

use super::names;
use crate::failure::Failure;
use crate::output::remark;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::sync::Arc;

/// The lock on a folder, held as long as any copy of it.
#[derive(Clone, Debug)]
pub struct FolderLock {
    _file: Arc<File>,
}

impl FolderLock {
    /// Locks the folder, unless another process has. The file stays behind: removing it would let two processes lock two
    /// files of the same name.
    pub fn take(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(names::LOCK);
        let unwritable = |error: &std::io::Error| Failure::unwritable(&path, error);
        let open = OpenOptions::new().create(true).append(true).open(&path);
        let file = open.map_err(|error| unwritable(&error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Failure::FolderInUse { path: folder.to_owned() }),
            // Some network file systems have no locks; that alone is no reason not to run.
            Err(TryLockError::Error(error)) => {
                remark(&format!("warning: cannot lock `{}`: {error}; start no other run there", folder.display()));
            }
        }
        Ok(Self { _file: Arc::new(file) })
    }
}
