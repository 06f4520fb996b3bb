//! Who watches a study whose runs come one after another: which run is next, how it goes, what came of it.

use ropinn_runs::folder::Saved;
use ropinn_runs::watch::{Remark, Watch};
use std::path::Path;

/// Is told how a study goes.
pub trait StudyWatch {
    /// The next run, or one that was finished before.
    fn on_round(&mut self, number: usize, of: usize, finished: Option<&Path>);

    /// Watches the run under way.
    fn run(&mut self) -> Box<dyn Watch + '_>;

    /// A run is done; `of` says what it was of, but for its seed.
    fn on_saved(&mut self, of: &str, saved: &Saved);

    /// Something worth knowing about the study itself.
    fn on_remark(&mut self, remark: &Remark);
}
