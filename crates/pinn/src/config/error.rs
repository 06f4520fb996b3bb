//! What can be wrong with the configuration of a run.

use crate::adaptive::AdaptiveError;
use crate::variational::VariationalError;
use crate::weighting::WeightingError;
use ropinn_optim::OptimError;
use thiserror::Error;

/// What a configuration refuses, and what to do about it.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages name every field")]
pub enum ConfigError {
    /// The text is not TOML, or not the configuration of a run.
    #[error("run configuration, line {line}, column {column}: {reason}")]
    Syntax { line: usize, column: usize, reason: String },
    /// An override without `=`.
    #[error("`{text}` changes nothing; write it as key=value, e.g. region.r=1e-5")]
    NotAnOverride { text: String },
    /// An override of a key that does not exist.
    #[error("unknown setting `{key}`{}", suggestion(nearest))]
    UnknownKey { key: String, nearest: Option<String> },
    /// A short key that several settings end with.
    #[error("`{key}` could mean {}; write it in full", list(candidates))]
    AmbiguousKey { key: String, candidates: Vec<String> },
    /// A value of the wrong kind.
    #[error("`{key}={value}` is refused: {reason}")]
    BadValue { key: String, value: String, reason: String },
    /// A number outside its range.
    #[error("setting `{setting}` is {value}; it must be {needs}")]
    InvalidSetting { setting: String, value: f64, needs: &'static str },
    /// Settings of a kind that is not chosen.
    #[error("`{key}` has no effect with the `{chosen}` {what}; drop it or choose the `{needed}` {what}")]
    NoEffect { key: String, what: &'static str, chosen: String, needed: String },
    /// Choices that do not go together.
    #[error("{} `{}` does not work with {} `{}`: {reason}; choose another one of either", one.0, one.1, other.0, other.1)]
    Incompatible { one: (&'static str, &'static str), other: (&'static str, &'static str), reason: &'static str },
    /// More places in regions than fit anywhere.
    #[error(
        "{copies} places in the region of each of {points} points are more than {max} in all; use fewer `objective.region.samples` or points"
    )]
    TooManyPlaces { copies: usize, points: usize, max: usize },
    /// A setting of the sampling.
    #[error(transparent)]
    Sampling(#[from] AdaptiveError),
    /// A setting of the weighting.
    #[error(transparent)]
    Weighting(#[from] WeightingError),
    /// A setting of variational residuals.
    #[error(transparent)]
    Variational(#[from] VariationalError),
    /// No point may move.
    #[error(
        "`objective.region.groups` is empty, so no point would move; name `residual`, or choose the `point` objective"
    )]
    NoGroups,
    /// The same group twice.
    #[error("`objective.region.groups` names `{group}` twice; name it once")]
    RepeatedGroup { group: &'static str },
    /// Nothing to do.
    #[error("there are no optimiser phases; give at least one, e.g. phases=\"lbfgs 1000\"")]
    NoPhases,
    /// A phase that cannot be read.
    #[error(
        "cannot read the phase `{text}`; write an optimiser and its iterations, e.g. `adam 2000 lr=1e-3` or `lbfgs 1000`"
    )]
    BadPhase { text: String },
    /// An optimiser that does not exist.
    #[error(
        "unknown optimiser `{name}` in the phase `{text}`; choose `adam`, `lbfgs`, `ssbfgs`, `ssbroyden`, `gauss-newton` or `polish`"
    )]
    UnknownOptimizer { name: String, text: String },
    /// A correction before the end.
    #[error("`{phases}`: `polish` corrects what the other phases leave, so it comes last, once")]
    PolishNotLast { phases: String },
    /// A setting of an optimiser outside its range.
    #[error("phase {phase}: {error}")]
    Phase { phase: usize, error: OptimError },
    /// A weight for a term or an equation the problem does not have.
    #[error(
        "`weights.{term}`: the problem has no term or equation of that name; its terms are {}{}",
        list(known),
        nearest.as_ref().map_or_else(String::new, |known| format!("; did you mean `{known}`?"))
    )]
    UnknownTerm { term: String, known: Vec<String>, nearest: Option<String> },
    /// Something the strategy `auto` decides, or cannot do without.
    #[error(
        "`{setting}` is {value}, which does not go with the strategy `auto`: {reason}; choose the strategy `plain`"
    )]
    NotAuto { setting: &'static str, value: String, reason: &'static str },
    /// A preset that does not exist.
    #[error("unknown preset `{name}`; choose `default` or `paper`")]
    UnknownPreset { name: String },
}

impl ConfigError {
    /// Where and what, from the TOML reader's own report.
    pub(super) fn syntax(text: &str, error: &toml::de::Error) -> Self {
        let at = error.span().map_or(0, |span| span.start.min(text.len()));
        let before = text.get(..at).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Self::Syntax { line, column, reason: error.message().to_owned() }
    }
}

fn suggestion(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(
        || "; see the settings in the `config.toml` of any run".to_owned(),
        |known| format!("; did you mean `{known}`?"),
    )
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
