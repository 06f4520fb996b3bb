//! What can be wrong with a model's configuration.

use super::ModelKind;
use ropinn_engine::EngineError;
use thiserror::Error;

/// What a model refuses, and what to do about it.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages name every field")]
pub enum ModelError {
    /// A field whose network cannot be built.
    #[error("the network of field `{field}` has {what} {size}; between 1 and {max} are possible")]
    FieldSize {
        /// The field.
        field: String,
        /// Which size.
        what: &'static str,
        /// Its value.
        size: usize,
        /// The largest.
        max: usize,
    },
    /// A network of one's own for a problem with fields to be found.
    #[error(
        "`{model}` was composed in a program and has no networks for the fields of the problem; use a built-in model"
    )]
    NoFields {
        /// Its name.
        model: String,
    },
    /// A network of one's own for a problem with exact conditions.
    #[error(
        "model `{model}` is built in a program and does not build conditions in; say `exact = false` in the conditions of the problem"
    )]
    NothingExact { model: String },
    /// No model has that name.
    #[error("unknown model `{name}`; {}", choices(*nearest))]
    UnknownKind { name: String, nearest: Option<ModelKind> },
    /// A size of zero.
    #[error("model `{model}`: `{size}` is 0; it must be at least 1")]
    ZeroSize { model: ModelKind, size: &'static str },
    /// A size that is certainly a mistake.
    #[error("model `{model}`: `{size}` is {value}; it can be at most {max}")]
    SizeTooLarge { model: ModelKind, size: &'static str, value: usize, max: usize },
    /// More parameters than fit in memory.
    #[error("model `{model}` would have {parameters} parameters, more than {max}; make it narrower or shallower")]
    TooManyParameters { model: ModelKind, parameters: usize, max: usize },
    /// A number that must be positive.
    #[error("model `{model}`: `{number}` is {value}; it must be positive and finite")]
    NotPositive { model: ModelKind, number: &'static str, value: f64 },
    /// A list with another length than it must have.
    #[error("model `{model}`: `{what}` has {found} entries; give one for all, or {expected}, one for each input")]
    ListLength { model: ModelKind, what: &'static str, expected: usize, found: usize },
    /// Patches of a periodic box.
    #[error(
        "model `features` has no patches where a coordinate is periodic by construction; leave out `patches`, or say `exact = false` in that condition"
    )]
    PeriodicPatches,
    /// A hard constraint for another number of unknowns.
    #[error(
        "a hard constraint u = g + d·N needs one g and one d per unknown: {unknowns} of each, but got {g} g and {d} d"
    )]
    ConstraintCount { unknowns: usize, g: usize, d: usize },
    /// A model that only its own program can build.
    #[error(
        "model `{name}` was composed in a program, and only that program can build it; open the run there with `Case::with_model`"
    )]
    NotHere { name: String },
    /// A network that is not made once for each interval of time.
    #[error("model `{model}` cannot be made in pieces; leave out `pieces`, or choose pinn, fls, qres or kan")]
    NoPieces { model: String },
    /// A model that cannot become wider and stay the same function.
    #[error("model `{model}` cannot grow; pinn, fls and qres can")]
    CannotGrow { model: ModelKind },
    /// Fewer units than there are.
    #[error("model `{model}` has width {width} and cannot grow to {wanted}; give at least as many units")]
    Narrower { model: ModelKind, width: usize, wanted: usize },
    /// A composed network that does not fit its problem.
    #[error("model `{model}` has {found} {what}, but {expected} are needed; compose it for this problem")]
    OtherProblem { model: String, what: &'static str, expected: usize, found: usize },
    /// A configuration that names another composed model.
    #[error("the configuration is that of model `{expected}`, but the program brings `{found}`")]
    OtherModel { expected: String, found: String },
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
