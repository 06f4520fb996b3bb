//! Studies with `ropinn`: many runs with one purpose, their tables and their pictures.
//!
//! [`reproduce`] repeats the experiments of the RoPINN paper, [`race`] measures which optimiser gets to which error in which
//! time, [`gallery`] how well problems are solved with no options, [`references`] how good the solutions are that others are measured by, [`coverage`] whether intervals hold the truth, [`costs`] what an iteration costs under each objective, [`perf`]
//! how far an evaluation is from the machine's ceiling.
//! Nothing here prints or ends the process: progress is told to whoever watches.
#![forbid(unsafe_code)]

pub mod costs;
pub mod coverage;
mod earlier;
pub mod error;
pub mod gallery;
mod machines;
pub mod perf;
pub mod race;
pub mod references;
pub mod reproduce;
pub mod trust;
pub mod watch;

pub use error::StudyError;
