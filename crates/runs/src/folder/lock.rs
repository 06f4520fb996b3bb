//! One process per folder. The system holds the lock and lets go of it however the process ends, so none is ever stuck.

use super::names;
use crate::error::RunError;
use crate::watch::Remark;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::sync::Arc;

/// The lock on a folder, held as long as any copy of it.
#[derive(Clone, Debug)]
pub struct FolderLock {
    _file: Arc<File>,
    /// Why there is none after all.
    pub trouble: Option<Remark>,
}

impl FolderLock {
    /// Locks the folder, unless another process has. The file stays behind: removing it would let two processes lock two
    /// files of the same name.
    pub fn take(folder: &Path) -> Result<Self, RunError> {
        let path = folder.join(names::LOCK);
        let unwritable = |error: &std::io::Error| RunError::unwritable(&path, error);
        let open = OpenOptions::new().create(true).append(true).open(&path);
        let file = open.map_err(|error| unwritable(&error))?;
        let trouble = match file.try_lock() {
            Ok(()) => None,
            Err(TryLockError::WouldBlock) => return Err(RunError::FolderInUse(folder.to_owned())),
            // Some network file systems have no locks; that alone is no reason not to run.
            Err(TryLockError::Error(error)) => {
                Some(Remark::NotLocked { path: folder.to_owned(), reason: error.to_string() })
            }
        };
        Ok(Self { _file: Arc::new(file), trouble })
    }
}
