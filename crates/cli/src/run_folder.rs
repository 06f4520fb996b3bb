//! The folder a run leaves behind: claimed before the work, filled after it, read again by other commands.

mod fields;
mod npy;
mod pictures;
mod prediction;
mod read;
mod result;
mod save;
mod training;

pub use read::{FinishedRun, Metrics};
pub use result::RunResult;

use crate::failure::Failure;
use crate::solve::Progress;
use ropinn::case::Case;
use ropinn::config::Phase;
use ropinn::record::Row;
use ropinn::train::{Observer, Start, TrainOutcome};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The files of a run.
pub mod names {
    /// The complete configuration.
    pub const CONFIG: &str = "config.toml";
    /// The weights it started from, if they were given.
    pub const INITIAL_WEIGHTS: &str = "initial.safetensors";
    /// One line per outer step.
    pub const METRICS: &str = "metrics.csv";
    /// The trained weights.
    pub const WEIGHTS: &str = "model.safetensors";
    /// The final numbers; written last, so that it marks a complete run.
    pub const RESULT: &str = "result.json";
    /// The solution on the evaluation points.
    pub const PREDICTION: &str = "prediction.csv";
    /// The same table for NumPy.
    pub const PREDICTION_NPY: &str = "prediction.npy";
    /// Pictures, each as `.png` and `.svg`.
    pub const PICTURES: [&str; 3] = ["fields", "training", "region"];
    /// Summaries of an experiment over seeds.
    pub const SUMMARIES: [&str; 3] = ["summary.json", "summary.csv", "summary.md"];
    /// Beginning of the folders of its runs.
    pub const SEED: &str = "seed-";
}

/// How often lines of metrics.csv reach the disk while a run trains.
const FLUSH_EVERY: Duration = Duration::from_secs(1);

/// A folder that is ours to write to.
#[derive(Clone, Debug)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// Makes the folder, or clears it if it holds a run to be replaced. Nothing is left behind on refusal.
    pub fn claim(path: &Path, overwrite: bool) -> Result<Self, Failure> {
        if path.is_dir() && !is_empty(path) {
            if !overwrite {
                return Err(Failure::FolderExists { path: path.to_owned() });
            }
            let is_run = [names::CONFIG, names::SUMMARIES[0]].iter().any(|name| path.join(name).is_file());
            if !is_run {
                return Err(Failure::NotARunToReplace { path: path.to_owned() });
            }
        } else if path.exists() && !path.is_dir() {
            return Err(Failure::NotARunToReplace { path: path.to_owned() });
        }
        let folder = Self::open(path)?;
        folder.clear()?;
        Ok(folder)
    }

    /// Makes the folder unless it is there, and makes sure that it can be written to.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let made = make_folders(path)?;
        // Permissions tell only half of it: a disk may be full or read-only.
        if let Err(error) = tempfile::tempfile_in(path).and_then(|mut file| file.write_all(b"probe")) {
            made.iter().for_each(|folder| drop(fs::remove_dir(folder)));
            return Err(Failure::unwritable(path, &error));
        }
        Ok(Self { path: path.to_owned() })
    }

    /// Removes the files of an earlier run, and no others.
    fn clear(&self) -> Result<(), Failure> {
        let pictures = names::PICTURES.iter().flat_map(|name| [format!("{name}.png"), format!("{name}.svg")]);
        let tables = [names::CONFIG, names::INITIAL_WEIGHTS, names::METRICS, names::WEIGHTS, names::RESULT];
        let more = [names::PREDICTION, names::PREDICTION_NPY];
        let known = tables.iter().chain(&more).chain(&names::SUMMARIES).map(|name| (*name).to_owned());
        for name in known.chain(pictures) {
            let file = self.path.join(name);
            if file.is_file() {
                fs::remove_file(&file).map_err(|error| Failure::unwritable(&file, &error))?;
            }
        }
        for run in seed_folders(&self.path) {
            Self { path: run.clone() }.clear()?;
            // Something of the user's own may be in there.
            let _ = fs::remove_dir(run);
        }
        Ok(())
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of one run of an experiment.
    pub fn seed(&self, seed: u64) -> Result<Self, Failure> {
        let path = self.path.join(format!("{}{seed}", names::SEED));
        fs::create_dir_all(&path).map_err(|error| Failure::unwritable(&path, &error))?;
        Ok(Self { path })
    }

    /// Writes what is known before the run: its configuration, and the weights it was given.
    pub fn begin(&self, case: &Case, initial_weights: Option<&[u8]>) -> Result<(), Failure> {
        let write = |name: &str, bytes: &[u8]| {
            let file = self.path.join(name);
            write_whole(&file, bytes).map_err(|error| Failure::unwritable(&file, &error))
        };
        let begun = write(names::CONFIG, case.config().to_toml().as_bytes())
            .and_then(|()| initial_weights.map_or(Ok(()), |weights| write(names::INITIAL_WEIGHTS, weights)));
        if begun.is_err() {
            drop(fs::remove_file(self.path.join(names::CONFIG)));
            drop(fs::remove_dir(&self.path));
        }
        begun
    }

    /// A watcher that also keeps metrics.csv up to date.
    pub fn watched_by(&self, progress: Progress) -> Watcher {
        let metrics = File::create(self.path.join(names::METRICS)).ok().map(BufWriter::new);
        Watcher { progress, metrics, flushed: Instant::now() }
    }
}

/// Shows progress and writes metrics as they come; the final file replaces them.
pub struct Watcher {
    progress: Progress,
    metrics: Option<BufWriter<File>>,
    flushed: Instant,
}

impl Watcher {
    /// A line that cannot be written now is a matter for the end of the run, which writes the whole file.
    fn write(&mut self, line: &str) {
        let Some(metrics) = &mut self.metrics else { return };
        let mut done = metrics.write_all(line.as_bytes());
        if self.flushed.elapsed() >= FLUSH_EVERY {
            done = done.and_then(|()| metrics.flush());
            self.flushed = Instant::now();
        }
        if done.is_err() {
            self.metrics = None;
        }
    }
}

impl Observer for Watcher {
    fn on_start(&mut self, start: &Start<'_>) {
        self.write(&Row::csv_header(start.terms));
        self.progress.on_start(start);
    }

    fn on_phase(&mut self, number: usize, phase: &Phase) {
        self.progress.on_phase(number, phase);
    }

    fn on_choice(&mut self, choice: &str) {
        self.progress.on_choice(choice);
    }

    fn on_step(&mut self, row: &Row) {
        self.write(&row.csv());
        self.progress.on_step(row);
    }

    fn on_finish(&mut self, outcome: &TrainOutcome) {
        self.progress.on_finish(outcome);
    }
}

/// Makes a folder and what is missing above it; tells which ones, the innermost first.
fn make_folders(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let made: Vec<PathBuf> = path.ancestors().take_while(missing).map(Path::to_owned).collect();
    fs::create_dir_all(path).map_err(|error| {
        made.iter().for_each(|folder| drop(fs::remove_dir(folder)));
        Failure::unwritable(path, &error)
    })?;
    Ok(made)
}

/// Whether nothing is in a folder.
pub fn is_empty(path: &Path) -> bool {
    fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

/// The runs of an experiment, in the order of their seeds.
pub fn seed_folders(path: &Path) -> Vec<PathBuf> {
    let seed = |path: &Path| path.file_name()?.to_str()?.strip_prefix(names::SEED)?.parse::<u64>().ok();
    let entries = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut runs: Vec<(u64, PathBuf)> = entries.filter_map(|path| Some((seed(&path)?, path))).collect();
    runs.sort();
    runs.into_iter().map(|(_, path)| path).collect()
}

/// Whoever reads the file meanwhile sees the old one or the whole new one.
pub fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let partial = path.with_file_name(name);
    let written = fs::write(&partial, bytes).and_then(|()| fs::rename(&partial, path));
    if written.is_err() {
        drop(fs::remove_file(&partial));
    }
    written
}
