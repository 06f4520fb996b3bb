//! Runs of `ropinn`: planned, trained, saved, resumed, predicted from, evaluated and compared.
//!
//! A run is a folder ([`folder::RunFolder`]). [`plan::Plan`] puts a problem, a preset and options together,
//! [`plan::Plan::begin`] claims the folder and trains, [`folder::FinishedRun`] reads what is left. Nothing here prints, ends
//! the process or keeps global state: whatever happens is told to a [`watch::Watch`], whatever goes wrong is a [`RunError`].
//!
//! ```
//! use ropinn_runs::{folder::FinishedRun, plan::{Existing, Options, Plan}, predict::RunPredictor};
//! use ropinn_engine::Threads;
//! # let here = tempfile::tempdir()?;
//! # let out = Some(here.path().join("run"));
//! let threads = Threads::new(1)?;
//! let set = ["points.interior=grid:5x5", "points.evaluation=grid:5x5"].map(str::to_owned).to_vec();
//! let size = (Some(4), Some(1));
//! let options = Options { target: "wave".to_owned(), iterations: Some(2), width: size.0, depth: size.1, set, out, ..Options::default() };
//! let plan = Plan::new(&options)?;
//! let mut runs = plan.begin(Existing::Refuse, &threads)?;
//! let stop = std::sync::atomic::AtomicBool::new(false);
//! let saved = runs.run(plan.seeds[0], &mut (), &stop)?;
//! // Later, elsewhere.
//! let run = FinishedRun::load(&plan.out)?;
//! assert_eq!(run.result.iterations, saved.outcome.iterations);
//! let mut predictor = RunPredictor::new(&run, None, &threads)?;
//! assert_eq!(predictor.predict(&[0.5, 0.5])?.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod arrays;
pub mod cells;
pub mod error;
pub mod evaluate;
pub mod export;
pub mod folder;
pub mod follow;
pub mod html;
pub mod launch;
pub mod outlook;
pub mod pictures;
pub mod plan;
mod points;
pub mod predict;
pub mod reference_file;
pub mod references;
pub mod report;
pub mod search;
pub mod seeds;
pub mod statistics;
pub mod summary;
pub mod target;
pub mod thinned;
pub mod watch;

pub use error::RunError;
pub use points::{Batch, PointReader};
