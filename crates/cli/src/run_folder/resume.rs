//! What a folder holds of a run that has not ended: its checkpoints, its configuration and the weights it was given.

use super::{RunFolder, names};
use crate::bounded::read_bounded;
use crate::failure::Failure;
use crate::output::remark;
use ropinn::checkpoint::{Checkpoint, CheckpointError, CheckpointFolder, check_same_start};
use ropinn::config::RunConfig;
use ropinn::problem::MAX_PROBLEM_BYTES;
use ropinn::weights::MAX_FILE_BYTES;

impl RunFolder {
    /// Where checkpoints of the run are.
    pub fn checkpoints(&self) -> CheckpointFolder {
        CheckpointFolder::new(self.path().join(names::CHECKPOINTS))
    }

    /// The newest intact checkpoint, with a warning for each newer one that is damaged; `None` to start from the beginning.
    pub fn newest_checkpoint(&self, files: &mut CheckpointFolder) -> Result<Option<Checkpoint>, Failure> {
        match files.newest() {
            Ok(None) => Ok(None),
            Ok(Some(found)) => {
                for damaged in &found.rejected {
                    remark(&format!("warning: {damaged}; using `{}`", found.path.display()));
                }
                Ok(Some(found.checkpoint))
            }
            // Every step can be repeated, so nothing but time is lost.
            Err(damaged @ (CheckpointError::Damaged { .. } | CheckpointError::Read { .. })) => {
                remark(&format!("warning: {damaged}; no other is intact, so the run starts from the beginning"));
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Refuses to go on in a folder in which another run was started.
    pub fn check_same_start(&self, config: &RunConfig, initial_weights: Option<&[u8]>) -> Result<(), Failure> {
        let path = self.path().join(names::CONFIG);
        if path.is_file() {
            let text = read_bounded(&path, 2 * MAX_PROBLEM_BYTES)?;
            let text = String::from_utf8(text)
                .map_err(|_| Failure::Unreadable { path, reason: "it is not UTF-8 text".to_owned() })?;
            check_same_start(&RunConfig::from_toml(&text)?, config)?;
            let path = self.path().join(names::INITIAL_WEIGHTS);
            let own = if path.is_file() { Some(read_bounded(&path, MAX_FILE_BYTES)?) } else { None };
            if own.as_deref() != initial_weights {
                return Err(Failure::OtherWeights { path: self.path().to_owned() });
            }
        }
        Ok(())
    }
}
