//! One error for everything that can go wrong before or while a run is set up.
//!
//! It lies below the modules that make runs, so what checkpoints, landscapes and memory refuse is written down here too.

mod checkpoint;
mod landscape;
mod memory;

pub use checkpoint::{CheckpointError, Damage};
pub use landscape::LandscapeError;
pub use memory::MemoryHog;

use crate::adaptive::AdaptiveError;
use crate::config::ConfigError;
use crate::model::{ModelError, ModelKind};
use crate::problem::ProblemError;
use crate::variational::VariationalError;
use crate::weighting::WeightingError;
use crate::weights::WeightsError;
use memory::in_words;
use ropinn_engine::EngineError;
use ropinn_expr::{ParseError, WeakFormError};
use ropinn_optim::OptimError;
use thiserror::Error;

/// What a run refuses. Each message names the culprit and the next step.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages name every field")]
pub enum Error {
    /// The configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The problem.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Weights read from a file.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The network or a residual, when it is compiled.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// An optimiser or its saved state.
    #[error(transparent)]
    Optim(#[from] OptimError),
    /// Points that follow the residual.
    #[error(transparent)]
    Adaptive(#[from] AdaptiveError),
    /// Weights of the terms.
    #[error(transparent)]
    Weighting(#[from] WeightingError),
    /// Residuals tested on elements.
    #[error(transparent)]
    Variational(#[from] VariationalError),
    /// Curvature and loss surfaces.
    #[error(transparent)]
    Landscape(#[from] LandscapeError),
    /// An equation without a weak form.
    #[error("objective.variational.form=weak: {0}")]
    WeakForm(#[from] WeakFormError),
    /// A quantity asked for that cannot be read.
    #[error("cannot predict `{wanted}`: {error}")]
    Wanted { wanted: String, error: Box<ParseError> },
    /// A model of sequences in time for a problem without time.
    #[error(
        "model `{model}` works on sequences in time, but problem `{problem}` has no time coordinate; choose another model"
    )]
    NoTime { model: ModelKind, problem: String },
    /// Pieces of time for a problem without time.
    #[error(
        "`pieces` are intervals of time, but problem `{problem}` has no time beside other coordinates; leave them out"
    )]
    NoTimeForPieces { problem: String },
    /// A piece that would begin outside.
    #[error("`pieces` has {instant}, but problem `{problem}` lasts from {start} to {end}; name instants in between")]
    PieceOutside { problem: String, instant: f64, start: f64, end: f64 },
    /// Parts that are not one solution.
    #[error("part {part} does not go with the others: {reason}")]
    OtherPart { part: usize, reason: String },
    /// Parameters of another network.
    #[error(
        "the parameters given are {found} numbers, but the model has {expected}; use weights of the same model and sizes"
    )]
    ThetaLength { expected: usize, found: usize },
    /// More memory than there is.
    #[error(
        "the run needs about {} of memory, but {} are available; most of it is for {hog}",
        in_words(needed),
        in_words(available)
    )]
    Memory { needed: u64, available: u64, hog: MemoryHog },
    /// A saved state of another run.
    #[error(
        "the saved state does not belong to this run: {what} is {found}, but it should be {expected}; use the configuration it was saved with"
    )]
    ForeignState { what: &'static str, expected: usize, found: usize },
}
