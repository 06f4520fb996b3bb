//! What a folder holds of a run that has not ended: its checkpoints, its configuration and the weights it was given.

use super::{MAX_CONFIG_BYTES, RunFolder, names};
use crate::error::RunError;
use crate::watch::{Remark, Watch};
use ropinn::checkpoint::{Checkpoint, CheckpointError, CheckpointFolder, check_same_start};
use ropinn::config::RunConfig;
use ropinn::weights::MAX_FILE_BYTES;
use ropinn_files::read_text;

impl RunFolder {
    /// Where checkpoints of the run are.
    pub fn checkpoints(&self) -> CheckpointFolder {
        CheckpointFolder::new(self.path().join(names::CHECKPOINTS))
    }

    /// The newest intact checkpoint, with a warning for each newer one that is damaged; `None` to start from the beginning.
    pub fn newest_checkpoint(
        &self,
        files: &mut CheckpointFolder,
        watch: &mut dyn Watch,
    ) -> Result<Option<Checkpoint>, RunError> {
        match files.newest() {
            Ok(None) => Ok(None),
            Ok(Some(found)) => {
                for damaged in found.rejected {
                    watch.on_remark(&Remark::DamagedCheckpoint { damaged, used: found.path.clone() });
                }
                Ok(Some(found.checkpoint))
            }
            Err(damaged @ (CheckpointError::Damaged { .. } | CheckpointError::Read { .. })) => {
                watch.on_remark(&Remark::NoCheckpoint { damaged });
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Refuses to go on in a folder in which another run was started.
    pub fn check_same_start(&self, config: &RunConfig, initial_weights: Option<&[u8]>) -> Result<(), RunError> {
        let path = self.path().join(names::CONFIG);
        if path.is_file() {
            let text = read_text(&path, MAX_CONFIG_BYTES)?;
            check_same_start(&RunConfig::from_toml(&text)?, config)?;
            let path = self.path().join(names::INITIAL_WEIGHTS);
            let own = if path.is_file() { Some(ropinn_files::read(&path, MAX_FILE_BYTES)?) } else { None };
            if own.as_deref() != initial_weights {
                return Err(RunError::OtherWeights(self.path().to_owned()));
            }
        }
        Ok(())
    }
}
