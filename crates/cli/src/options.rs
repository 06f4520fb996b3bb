//! Options that several commands share: counts, threads and words to choose from.

use crate::failure::Failure;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ropinn::config::{ObjectiveKind, SamplingKind, StrategyKind, WeightingKind};
use ropinn::preset::Preset;
use ropinn::record::Trust;
use ropinn_engine::{Precision, Threads};

/// More threads than any machine has; rejected before the system runs out of them.
pub const MAX_THREADS: usize = 1024;

/// Refuses 0 and what is beyond `max`.
pub fn check_count(option: &'static str, count: Option<usize>, max: usize) -> Result<(), Failure> {
    match count {
        Some(0) => Err(Failure::Zero(option)),
        Some(value) if value > max => Err(Failure::TooMany(option, value, max)),
        _ => Ok(()),
    }
}

/// Refuses networks without units or layers.
pub fn check_sizes(width: Option<usize>, depth: Option<usize>) -> Result<(), Failure> {
    check_count("--width", width, usize::MAX)?;
    check_count("--depth", depth, usize::MAX)
}

/// The threads of `--threads`; one per core unless given.
pub fn threads(count: Option<usize>) -> Result<Threads, Failure> {
    check_count("--threads", count, MAX_THREADS)?;
    Ok(Threads::new(count.unwrap_or(0))?)
}

/// A word on the command line, what it stands for, and a line about it; other spellings follow after a bar.
pub type Choice<T> = (&'static str, T, &'static str);

/// Reads one of some words.
pub fn one_of<T>(choices: &'static [Choice<T>]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let spellings = |choice: &'static Choice<T>| choice.0.split('|');
    let value = move |choice| {
        let mut names = spellings(choice);
        PossibleValue::new(names.next().unwrap_or_default()).aliases(names).help(choice.2)
    };
    PossibleValuesParser::new(choices.iter().map(value)).map(move |word| {
        let chosen = choices.iter().find(|choice| spellings(choice).any(|name| name == word));
        chosen.expect("only these words are let through").1
    })
}

/// Numbers to compute with.
pub const PRECISIONS: &[Choice<Precision>] =
    &[("f32", Precision::F32, "Single precision"), ("f64", Precision::F64, "Double precision")];

/// What is minimised.
pub const OBJECTIVES: &[Choice<ObjectiveKind>] = &[
    ("point", ObjectiveKind::Point, "The loss at the points themselves"),
    ("region", ObjectiveKind::Region, "The loss in small regions at the points"),
    ("gradient", ObjectiveKind::Gradient, "The loss at the points, and derivatives of the equations there"),
    ("variational", ObjectiveKind::Variational, "Integrals of the equations against test functions"),
];

/// How the terms of the loss are weighted.
pub const WEIGHTINGS: &[Choice<WeightingKind>] = &[
    ("fixed", WeightingKind::Fixed, "The weights of the problem"),
    ("ntk", WeightingKind::Ntk, "By traces of neural tangent kernels"),
    ("grad-norm", WeightingKind::GradNorm, "By the sizes of the terms' gradients"),
];

/// How the points of the equations are chosen.
pub const SAMPLINGS: &[Choice<SamplingKind>] = &[
    ("fixed", SamplingKind::Fixed, "The points of the problem"),
    ("rar-d", SamplingKind::RarD, "Points are added where the residual is large"),
    ("rad", SamplingKind::Rad, "All points are drawn anew by the residual"),
    ("r3", SamplingKind::R3, "Points of small residual are drawn anew"),
];

/// Who decides how a run goes on.
pub const STRATEGIES: &[Choice<StrategyKind>] = &[
    ("auto", StrategyKind::Auto, "What is measured on the way: residuals on fresh points, stalls, balance"),
    ("plain", StrategyKind::Plain, "Nobody: the optimiser phases as they are"),
];

/// What `--require` asks for.
pub const VERDICTS: &[Choice<Trust>] = &[
    ("trusted", Trust::Trusted, "The estimated error is small, and nothing speaks against it"),
    ("doubtful", Trust::Doubtful, "It is not known to be wrong"),
];

/// Ready-made settings.
pub const PRESETS: &[Choice<Preset>] = &[
    ("default", Preset::Default, "Small networks, about a minute on two cores"),
    ("paper", Preset::Paper, "The exact setting of the paper for that problem and model"),
];
