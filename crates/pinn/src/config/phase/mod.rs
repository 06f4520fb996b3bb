//! Optimiser phases, one after another: `adam 2000 then lbfgs 1000`.

mod adam;
mod gauss_newton;
mod lbfgs;
mod search;
mod self_scaled;

pub use adam::{AdamPhase, DecayConfig};
pub use gauss_newton::{FormSetting, GaussNewtonPhase, ScalingSetting};
pub use lbfgs::LbfgsPhase;
pub use search::{SearchConfig, ToleranceSetting};
pub use self_scaled::{SelfScaledPhase, VariantSetting};

use super::{ConfigError, edit};
use ropinn_engine::Precision;
use ropinn_optim::{Adam, GaussNewton, Lbfgs, OptimError, Optimizer, SelfScaled};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The phases of a run in order.
///
/// ```
/// use ropinn::config::{Phase, Phases};
/// let phases: Phases = "adam 2000 lr=5e-4 decay=cosine then lbfgs 1000".parse()?;
/// assert_eq!(phases.to_string(), "adam 2000 then lbfgs 1000");
/// let Phase::Adam(adam) = &phases.0[0] else { unreachable!() };
/// assert_eq!(adam.lr, 5e-4);
/// # Ok::<(), ropinn::config::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Phases(pub Vec<Phase>);

impl Default for Phases {
    /// The published loop: 1000 outer steps of L-BFGS.
    fn default() -> Self {
        Self(vec![Phase::Lbfgs(LbfgsPhase::default())])
    }
}

/// One optimiser with its settings and how long it runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "optimizer", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Phase {
    /// Adam; an outer step is one evaluation.
    Adam(AdamPhase),
    /// L-BFGS; an outer step is up to `max_iter` line searches.
    Lbfgs(LbfgsPhase),
    /// Self-scaled quasi-Newton; an outer step is up to `max_iter` line searches.
    SelfScaled(SelfScaledPhase),
    /// Levenberg–Marquardt; an outer step is one linearisation.
    GaussNewton(GaussNewtonPhase),
}

/// Which optimiser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OptimizerKind {
    /// Adam.
    Adam,
    /// L-BFGS.
    Lbfgs,
    /// Self-scaled BFGS.
    SsBfgs,
    /// Self-scaled Broyden.
    SsBroyden,
    /// Levenberg–Marquardt.
    GaussNewton,
}

impl OptimizerKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Adam, Self::Lbfgs, Self::SsBfgs, Self::SsBroyden, Self::GaussNewton];

    /// The name in phases.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Adam => "adam",
            Self::Lbfgs => "lbfgs",
            Self::SsBfgs => "ssbfgs",
            Self::SsBroyden => "ssbroyden",
            Self::GaussNewton => "gauss-newton",
        }
    }
}

impl Phase {
    /// Outer steps.
    pub fn iterations(&self) -> u64 {
        match self {
            Self::Adam(adam) => adam.iterations,
            Self::Lbfgs(lbfgs) => lbfgs.iterations,
            Self::SelfScaled(phase) => phase.iterations,
            Self::GaussNewton(gauss_newton) => gauss_newton.iterations,
        }
    }

    /// Changes the number of outer steps.
    pub fn set_iterations(&mut self, iterations: u64) {
        match self {
            Self::Adam(adam) => adam.iterations = iterations,
            Self::Lbfgs(lbfgs) => lbfgs.iterations = iterations,
            Self::SelfScaled(phase) => phase.iterations = iterations,
            Self::GaussNewton(gauss_newton) => gauss_newton.iterations = iterations,
        }
    }

    /// Which optimiser.
    pub fn kind(&self) -> OptimizerKind {
        match self {
            Self::Adam(_) => OptimizerKind::Adam,
            Self::Lbfgs(_) => OptimizerKind::Lbfgs,
            Self::SelfScaled(phase) => match phase.variant {
                VariantSetting::Bfgs => OptimizerKind::SsBfgs,
                VariantSetting::Broyden => OptimizerKind::SsBroyden,
            },
            Self::GaussNewton(_) => OptimizerKind::GaussNewton,
        }
    }

    /// The optimiser's name.
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }

    /// The optimiser for `dimension` parameters and a loss of `residuals` squares.
    pub fn optimizer(
        &self,
        precision: Precision,
        dimension: usize,
        residuals: usize,
    ) -> Result<Box<dyn Optimizer + Send>, OptimError> {
        Ok(match self {
            Self::Adam(adam) => Box::new(Adam::new(adam.config(), dimension)?),
            Self::Lbfgs(lbfgs) => Box::new(Lbfgs::new(lbfgs.config(precision), dimension)?),
            Self::SelfScaled(phase) => Box::new(SelfScaled::new(phase.config(), dimension)?),
            Self::GaussNewton(phase) => Box::new(GaussNewton::new(phase.config(), dimension, residuals)?),
        })
    }
}

impl Phases {
    /// Outer steps of all phases together.
    pub fn iterations(&self) -> u64 {
        self.0.iter().map(Phase::iterations).sum()
    }

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        if self.0.is_empty() {
            return Err(ConfigError::NoPhases);
        }
        for (i, phase) in self.0.iter().enumerate() {
            let setting = format!("phases.{i}.iterations");
            super::check(&setting, phase.iterations() as f64, "at least 1", phase.iterations() >= 1)?;
            // The optimiser's own checks do not depend on the number of parameters.
            let built = phase.optimizer(Precision::F32, 1, 1);
            built.map_err(|error| ConfigError::Phase { phase: i + 1, error })?;
        }
        Ok(())
    }
}

impl fmt::Display for Phases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, phase) in self.0.iter().enumerate() {
            write!(f, "{}{} {}", if i > 0 { " then " } else { "" }, phase.name(), phase.iterations())?;
        }
        Ok(())
    }
}

impl FromStr for Phases {
    type Err = ConfigError;

    /// Reads phases joined by `then`.
    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let phases = words.split(|word| *word == "then").map(|words| words.join(" ").parse());
        phases.collect::<Result<_, _>>().map(Self)
    }
}

impl FromStr for Phase {
    type Err = ConfigError;

    /// Reads `adam`, `adam 2000` or `adam 2000 lr=1e-3 decay=cosine`.
    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let bad = || ConfigError::BadPhase { text: text.to_owned() };
        let mut words = text.split_whitespace().peekable();
        let mut phase = match words.next().ok_or_else(bad)? {
            "adam" => Self::Adam(AdamPhase::default()),
            "lbfgs" | "l-bfgs" => Self::Lbfgs(LbfgsPhase::default()),
            "ssbfgs" => Self::SelfScaled(SelfScaledPhase::of(VariantSetting::Bfgs)),
            "ssbroyden" => Self::SelfScaled(SelfScaledPhase::of(VariantSetting::Broyden)),
            "gauss-newton" | "gn" => Self::GaussNewton(GaussNewtonPhase::default()),
            name => return Err(ConfigError::UnknownOptimizer { name: name.to_owned(), text: text.to_owned() }),
        };
        if let Some(count) = words.next_if(|word| !word.contains('=')) {
            phase.set_iterations(count.parse().map_err(|_| bad())?);
        }
        let settings: Vec<&str> = words.collect();
        if settings.iter().any(|word| !word.contains('=')) {
            return Err(bad());
        }
        edit::with_overrides(&phase, &settings).map(|(phase, _)| phase)
    }
}
