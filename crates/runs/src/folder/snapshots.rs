//! Which fields of a run are kept while it trains: few enough to be no burden, spread over the whole course.

use super::names;
use super::snapshot::Snapshot;
use crate::error::RunError;
use ropinn::case::Case;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The most that are kept; with one more, every second one goes, and the next ones come half as often.
const MOST: usize = 32;
/// The shortest time between two, …
const SHORTEST: Duration = Duration::from_secs(1);
/// … and the least share of it that is left to training.
const SHARE: u32 = 50;
const ENDING: &str = "field";

/// The snapshots in the folder of a run with the steps they were taken after, in that order.
pub fn snapshots_in(run: &Path) -> Vec<(u64, PathBuf)> {
    let step = |path: &Path| {
        let name = path.file_name()?.to_str()?.strip_suffix(ENDING)?.strip_suffix('.')?;
        name.parse::<u64>().ok()
    };
    let folder = run.join(names::SNAPSHOTS);
    // A link leads out of the run.
    let folder = Some(folder).filter(|folder| is_own_folder(folder));
    let entries = folder.and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file())).map(|entry| entry.path());
    let mut found: Vec<(u64, PathBuf)> = files.filter_map(|path| Some((step(&path)?, path))).collect();
    found.sort();
    found
}

fn is_own_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// Writes one into the folder of a run.
pub(super) fn keep(run: &Path, snapshot: &Snapshot) -> Result<(), RunError> {
    let folder = run.join(names::SNAPSHOTS);
    let path = folder.join(format!("{:010}.{ENDING}", snapshot.head.iteration));
    let bytes = snapshot.to_bytes()?;
    if fs::symlink_metadata(&folder).is_ok() && !is_own_folder(&folder) {
        return Err(RunError::LeadsOut(run.to_owned(), names::SNAPSHOTS.to_owned()));
    }
    fs::create_dir_all(&folder)
        .and_then(|()| ropinn_files::write(&path, &bytes))
        .map_err(|error| RunError::not_saved(&path, &error))
}

/// Removes those of an earlier run, and the folder unless something of the user's own is in there.
pub(super) fn clear(run: &Path) {
    snapshots_in(run).into_iter().for_each(|(_, path)| drop(fs::remove_file(path)));
    let _ = fs::remove_dir(run.join(names::SNAPSHOTS));
}

/// Takes them as a run trains.
pub(super) struct Snapshots {
    run: PathBuf,
    spacing: Duration,
    last: Instant,
    /// Where nothing can be written there is no second try.
    failed: bool,
}

impl Snapshots {
    /// None yet in this sitting.
    pub fn new(run: &Path) -> Self {
        Self { run: run.to_owned(), spacing: SHORTEST, last: Instant::now(), failed: false }
    }

    /// Takes one, if it is due.
    pub fn offer(&mut self, case: &Case, theta: &[f64], when: (u64, f64)) {
        if self.failed || self.last.elapsed() < self.spacing {
            return;
        }
        let began = Instant::now();
        // Numbers that ran away are no reason to stop a run, nor is a full disk.
        let kept = Snapshot::new(case, theta, when, None).and_then(|taken| keep(&self.run, &taken));
        self.failed = kept.is_err();
        self.thin();
        self.spacing = self.spacing.max(SHARE * began.elapsed());
        self.last = Instant::now();
    }

    fn thin(&mut self) {
        let kept = snapshots_in(&self.run);
        if kept.len() > MOST {
            kept.into_iter().skip(1).step_by(2).for_each(|(_, path)| drop(fs::remove_file(path)));
            self.spacing *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropinn::config::RunConfig;
    use ropinn_engine::Threads;

    #[test]
    fn they_are_bounded_in_number_and_spread_over_the_course() {
        let here = tempfile::tempdir().expect("a folder");
        let mut config = RunConfig::default();
        config.set_all(&["problem.name=reaction", "model.width=4", "model.depth=1"]).expect("settings");
        let case = Case::new(config, &Threads::new(1).expect("a thread")).expect("a case");
        let (theta, mut own) = (case.initial_theta(), Snapshots::new(here.path()));
        own.offer(&case, &theta, (1, 0.0));
        assert_eq!(snapshots_in(here.path()), [], "the first one is not due yet");
        for step in 1..=100 {
            (own.spacing, own.last) = (Duration::ZERO, Instant::now());
            own.offer(&case, &theta, (step, 0.0));
        }
        let steps: Vec<u64> = snapshots_in(here.path()).into_iter().map(|(step, _)| step).collect();
        assert!(steps.len() <= MOST && steps[0] == 1 && steps.last() == Some(&100), "{steps:?}");
        fs::write(here.path().join("snapshots/mine.txt"), "mine").expect("writable");
        clear(here.path());
        #[cfg(unix)]
        {
            let run = tempfile::tempdir().expect("a folder");
            std::os::unix::fs::symlink(here.path(), run.path().join(names::SNAPSHOTS)).expect("a link");
            let taken = Snapshot::new(&case, &theta, (1, 0.0), None).expect("a snapshot");
            assert!(matches!(keep(run.path(), &taken), Err(RunError::LeadsOut(..))));
        }
        assert!(snapshots_in(here.path()).is_empty() && here.path().join("snapshots/mine.txt").exists());
    }

    #[test]
    fn taking_them_changes_no_bits() {
        /// Takes one after every step.
        struct Always(Snapshots);

        impl ropinn::train::Observer for Always {
            fn on_parameters(&mut self, case: &Case, theta: &[f64]) {
                self.0.spacing = Duration::ZERO;
                self.0.offer(case, theta, (1, 0.0));
            }
        }

        let here = tempfile::tempdir().expect("a folder");
        let trained = |observer: &mut dyn ropinn::train::Observer| {
            let mut config = RunConfig::default();
            let set = [
                "problem.name=reaction",
                "model.width=4",
                "model.depth=1",
                "points.interior=grid:9x9",
                "phases=adam 20",
            ];
            config.set_all(&set).expect("settings");
            let case = Case::new(config, &Threads::new(2).expect("threads")).expect("a case");
            let mut trainer = ropinn::train::Trainer::new(case).expect("a trainer");
            trainer.run(observer, &Default::default()).expect("trained").theta
        };
        let watched = trained(&mut Always(Snapshots::new(here.path())));
        assert_eq!(snapshots_in(here.path()).len(), 1);
        assert_eq!(watched, trained(&mut ()));
    }
}
