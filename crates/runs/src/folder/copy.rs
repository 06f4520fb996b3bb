//! A run under another name: all that its folder holds, checkpoints included, but nobody's lock.

use super::{FinishedRun, RunFolder, names};
use crate::error::RunError;
use std::fs;
use std::path::Path;

impl FinishedRun {
    /// Copies the run's folder. One that is in the way is refused, or replaced if it holds a run.
    pub fn save_as(&self, path: &Path, overwrite: bool) -> Result<RunFolder, RunError> {
        let folder = RunFolder::claim(path, overwrite)?;
        copy_all(&self.path, path)?;
        Ok(folder)
    }
}

/// Copies regular files and folders; the mark of a finished run comes last, so that it never vouches for half a copy.
fn copy_all(from: &Path, to: &Path) -> Result<(), RunError> {
    let entries = fs::read_dir(from).map_err(|error| RunError::unreadable(from, &error))?;
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(|entry| (entry.file_name() == names::RESULT, entry.file_name()));
    for entry in entries.into_iter().filter(|entry| entry.file_name() != names::LOCK) {
        let (own, copy) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().map_err(|error| RunError::unreadable(&own, &error))?;
        let done = if kind.is_dir() {
            fs::create_dir_all(&copy).map(|()| copy_all(&own, &copy))
        } else if kind.is_file() {
            fs::copy(&own, &copy).map(|_| Ok(()))
        } else {
            // Links lead out of the folder, and are none of ours.
            continue;
        };
        done.map_err(|error| RunError::not_saved(&copy, &error))??;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Existing, Options, Plan};
    use ropinn_engine::Threads;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn a_copy_is_a_run_of_its_own() -> Result<(), Box<dyn std::error::Error>> {
        let (here, threads) = (tempfile::tempdir()?, Threads::new(1)?);
        let set = ["points.interior=grid:5x5", "points.evaluation=grid:5x5"].map(str::to_owned).to_vec();
        let (out, size) = (Some(here.path().join("run")), Some(4));
        let options =
            Options { target: "wave".to_owned(), iterations: Some(2), width: size, set, out, ..Options::default() };
        let plan = Plan::new(&options)?;
        plan.begin(Existing::Refuse, &threads)?.run(0, &mut (), &AtomicBool::new(false))?;
        let (run, copy) = (FinishedRun::load(&plan.out)?, here.path().join("copy"));
        run.save_as(&copy, false)?;
        let theta = |path: &Path| -> Result<Vec<f64>, RunError> { Ok(FinishedRun::load(path)?.trained(&threads)?.1) };
        assert_eq!(theta(&copy)?, theta(&plan.out)?);
        assert!(copy.join(names::CHECKPOINTS).is_dir());
        assert!(matches!(run.save_as(&copy, false), Err(RunError::FolderExists(_))));
        run.save_as(&copy, true)?;
        fs::create_dir(here.path().join("other"))?;
        fs::write(here.path().join("other/mine.txt"), "mine")?;
        assert!(matches!(run.save_as(&here.path().join("other"), true), Err(RunError::NotARunToReplace(_))));
        Ok(())
    }
}
