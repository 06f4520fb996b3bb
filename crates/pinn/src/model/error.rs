//! What can be wrong with a model's configuration.

use super::ModelKind;
use ropinn_engine::EngineError;
use thiserror::Error;

/// What a model refuses, and what to do about it.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// No model has that name.
    #[error("unknown model `{name}`; {}", choices(*nearest))]
    UnknownKind {
        /// The name given.
        name: String,
        /// The known name closest to it.
        nearest: Option<ModelKind>,
    },
    /// A size of zero.
    #[error("model `{model}`: `{size}` is 0; it must be at least 1")]
    ZeroSize {
        /// The model.
        model: ModelKind,
        /// Which of its sizes.
        size: &'static str,
    },
    /// A size that is certainly a mistake.
    #[error("model `{model}`: `{size}` is {value}; it can be at most {max}")]
    SizeTooLarge {
        /// The model.
        model: ModelKind,
        /// Which of its sizes.
        size: &'static str,
        /// The size given.
        value: usize,
        /// The largest allowed.
        max: usize,
    },
    /// More parameters than fit in memory.
    #[error("model `{model}` would have {parameters} parameters, more than {max}; make it narrower or shallower")]
    TooManyParameters {
        /// The model.
        model: ModelKind,
        /// Parameters it would have.
        parameters: usize,
        /// The most allowed.
        max: usize,
    },
    /// A number that must be positive.
    #[error("model `{model}`: `{number}` is {value}; it must be positive and finite")]
    NotPositive {
        /// The model.
        model: ModelKind,
        /// Which number.
        number: &'static str,
        /// The value given.
        value: f64,
    },
    /// A hard constraint for another number of unknowns.
    #[error(
        "a hard constraint u = g + d·N needs one g and one d per unknown: {unknowns} of each, but got {g} g and {d} d"
    )]
    ConstraintCount {
        /// Unknowns of the problem.
        unknowns: usize,
        /// Expressions g given.
        g: usize,
        /// Expressions d given.
        d: usize,
    },
    /// A model that only its own program can build.
    #[error(
        "model `{name}` was composed in a program, and only that program can build it; open the run there with `Case::with_model`"
    )]
    NotHere {
        /// Its name.
        name: String,
    },
    /// A composed network that does not fit its problem.
    #[error("model `{model}` has {found} {what}, but {expected} are needed; compose it for this problem")]
    OtherProblem {
        /// The model.
        model: String,
        /// What does not fit.
        what: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// A configuration that names another composed model.
    #[error("the configuration is that of model `{expected}`, but the program brings `{found}`")]
    OtherModel {
        /// The name in the configuration.
        expected: String,
        /// The name of the model brought.
        found: String,
    },
    /// The engine refused the network.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

fn choices(nearest: Option<ModelKind>) -> String {
    let all = ModelKind::ALL.map(ModelKind::name).join(", ");
    match nearest {
        Some(kind) => format!("did you mean `{kind}`? The models are {all}"),
        None => format!("the models are {all}"),
    }
}
