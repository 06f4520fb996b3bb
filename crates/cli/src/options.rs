//! Options that several commands share: counts, threads and words to choose from.

use crate::failure::Failure;
use clap::ValueEnum;
use ropinn::config::{ObjectiveKind, SamplingKind, WeightingKind};
use ropinn::preset::Preset;
use ropinn_engine::{Precision, Threads};

/// More threads than any machine has; rejected before the system runs out of them.
pub const MAX_THREADS: usize = 1024;

/// Refuses 0 and what is beyond `max`.
pub fn check_count(option: &'static str, count: Option<usize>, max: usize) -> Result<(), Failure> {
    match count {
        Some(0) => Err(Failure::Zero { option }),
        Some(value) if value > max => Err(Failure::TooMany { option, value, max }),
        _ => Ok(()),
    }
}

/// Precision as written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PrecisionName {
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

impl From<PrecisionName> for Precision {
    fn from(name: PrecisionName) -> Self {
        match name {
            PrecisionName::F32 => Self::F32,
            PrecisionName::F64 => Self::F64,
        }
    }
}

/// The threads of `--threads`; one per core unless given.
pub fn threads(count: Option<usize>) -> Result<Threads, Failure> {
    check_count("--threads", count, MAX_THREADS)?;
    Ok(Threads::new(count.unwrap_or(0))?)
}

/// Objective as written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ObjectiveName {
    /// The loss at the points themselves.
    Point,
    /// The loss in small regions at the points.
    Region,
    /// The loss at the points, and derivatives of the equations there.
    Gradient,
    /// Integrals of the equations against test functions.
    Variational,
}

impl From<ObjectiveName> for ObjectiveKind {
    fn from(name: ObjectiveName) -> Self {
        match name {
            ObjectiveName::Point => Self::Point,
            ObjectiveName::Region => Self::Region,
            ObjectiveName::Gradient => Self::Gradient,
            ObjectiveName::Variational => Self::Variational,
        }
    }
}

/// Weighting as written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WeightingName {
    /// The weights of the problem.
    Fixed,
    /// By traces of neural tangent kernels.
    Ntk,
    /// By the sizes of the terms' gradients.
    GradNorm,
}

impl From<WeightingName> for WeightingKind {
    fn from(name: WeightingName) -> Self {
        match name {
            WeightingName::Fixed => Self::Fixed,
            WeightingName::Ntk => Self::Ntk,
            WeightingName::GradNorm => Self::GradNorm,
        }
    }
}

/// Sampling as written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SamplingName {
    /// The points of the problem.
    Fixed,
    /// Points are added where the residual is large.
    RarD,
    /// All points are drawn anew by the residual.
    Rad,
    /// Points of small residual are drawn anew.
    #[value(name = "r3")]
    R3,
}

impl From<SamplingName> for SamplingKind {
    fn from(name: SamplingName) -> Self {
        match name {
            SamplingName::Fixed => Self::Fixed,
            SamplingName::RarD => Self::RarD,
            SamplingName::Rad => Self::Rad,
            SamplingName::R3 => Self::R3,
        }
    }
}

/// Preset as written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PresetName {
    /// Small networks, about a minute on two cores.
    Default,
    /// The exact setting of the paper for that problem and model.
    Paper,
}

impl From<PresetName> for Preset {
    fn from(name: PresetName) -> Self {
        match name {
            PresetName::Default => Self::Default,
            PresetName::Paper => Self::Paper,
        }
    }
}
