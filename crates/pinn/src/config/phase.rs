//! Optimiser phases, one after another: `adam 2000 then lbfgs 1000`. Their settings are those of the optimisers themselves.

use super::named::named;
use super::{ConfigError, edit};
use ropinn_engine::Precision;
use ropinn_optim::{
    Adam, AdamConfig, Decay, GaussNewton, GaussNewtonConfig, Lbfgs, LbfgsConfig, OptimError, Optimizer, SelfScaled,
    SelfScaledConfig, SelfScaledVariant,
};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The phases of a run in order.
///
/// ```
/// use ropinn::config::{OptimizerSettings, Phases};
/// let phases: Phases = "adam 2000 lr=5e-4 decay=cosine then lbfgs 1000".parse()?;
/// assert_eq!(phases.to_string(), "adam 2000 then lbfgs 1000");
/// let OptimizerSettings::Adam(adam) = &phases.0[0].settings else { unreachable!() };
/// assert_eq!(adam.lr.peak, 5e-4);
/// # Ok::<(), ropinn::config::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Phases(pub Vec<Phase>);

impl Default for Phases {
    /// The published loop: 1000 outer steps of L-BFGS.
    fn default() -> Self {
        Self(vec![OptimizerKind::Lbfgs.phase()])
    }
}

/// One optimiser with its settings and how long it runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "WrittenPhase")]
pub struct Phase {
    /// Outer steps.
    pub iterations: u64,
    /// The optimiser.
    #[serde(flatten)]
    pub settings: OptimizerSettings,
}

/// A phase in a file: it may leave open how long it runs.
#[derive(Deserialize)]
struct WrittenPhase {
    iterations: Option<u64>,
    #[serde(flatten)]
    settings: OptimizerSettings,
}

impl From<WrittenPhase> for Phase {
    fn from(WrittenPhase { iterations, settings }: WrittenPhase) -> Self {
        Self { iterations: iterations.unwrap_or_else(|| settings.kind().usual_iterations()), settings }
    }
}

/// Settings of an optimiser.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "optimizer", rename_all = "kebab-case")]
pub enum OptimizerSettings {
    /// Adam; an outer step is one evaluation.
    Adam(AdamConfig),
    /// L-BFGS; an outer step is up to `max_iter` line searches.
    Lbfgs(LbfgsConfig),
    /// Self-scaled quasi-Newton; an outer step is up to `max_iter` line searches.
    SelfScaled(SelfScaledConfig),
    /// Levenberg–Marquardt; an outer step is one linearisation.
    GaussNewton(GaussNewtonConfig),
    /// A correction in a space of random features, after all steps; its iterations are the most Newton steps in a space.
    Polish(PolishConfig),
}

/// Settings of the correction that ends a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PolishConfig {
    /// The most coefficients of a correction; a features model says itself how many it may have (`model.count`).
    pub coefficients: usize,
}

impl Default for PolishConfig {
    fn default() -> Self {
        Self { coefficients: 2500 }
    }
}

impl OptimizerSettings {
    /// Which optimiser.
    pub fn kind(&self) -> OptimizerKind {
        match self {
            Self::Adam(_) => OptimizerKind::Adam,
            Self::Lbfgs(_) => OptimizerKind::Lbfgs,
            Self::SelfScaled(config) => match config.variant {
                SelfScaledVariant::Bfgs => OptimizerKind::SsBfgs,
                SelfScaledVariant::Broyden => OptimizerKind::SsBroyden,
            },
            Self::GaussNewton(_) => OptimizerKind::GaussNewton,
            Self::Polish(_) => OptimizerKind::Polish,
        }
    }
}

named! {
    /// Which optimiser.
    pub enum OptimizerKind {
        /// Adam.
        Adam = "adam",
        /// L-BFGS.
        Lbfgs = "lbfgs",
        /// Self-scaled BFGS.
        SsBfgs = "ssbfgs",
        /// Self-scaled Broyden.
        SsBroyden = "ssbroyden",
        /// Levenberg–Marquardt.
        GaussNewton = "gauss-newton",
        /// A correction by least squares, at the end.
        Polish = "polish",
    }
}

impl OptimizerKind {
    /// Another name that is understood.
    const fn short(self) -> &'static str {
        match self {
            Self::Lbfgs => "l-bfgs",
            Self::GaussNewton => "gn",
            kind => kind.name(),
        }
    }

    /// A phase of usual length and settings.
    pub fn phase(self) -> Phase {
        let self_scaled = |variant| SelfScaledConfig { variant, ..SelfScaledConfig::default() };
        let settings = match self {
            Self::Adam => OptimizerSettings::Adam(AdamConfig::default()),
            Self::Lbfgs => OptimizerSettings::Lbfgs(LbfgsConfig::default()),
            Self::SsBfgs => OptimizerSettings::SelfScaled(self_scaled(SelfScaledVariant::Bfgs)),
            Self::SsBroyden => OptimizerSettings::SelfScaled(self_scaled(SelfScaledVariant::Broyden)),
            Self::GaussNewton => OptimizerSettings::GaussNewton(GaussNewtonConfig::default()),
            Self::Polish => OptimizerSettings::Polish(PolishConfig::default()),
        };
        Phase { iterations: self.usual_iterations(), settings }
    }

    const fn usual_iterations(self) -> u64 {
        match self {
            Self::Adam => 2000,
            Self::Lbfgs | Self::SsBfgs | Self::SsBroyden => 1000,
            Self::GaussNewton => 500,
            Self::Polish => 4,
        }
    }
}

impl Phase {
    /// The same for so many outer steps.
    pub fn lasting(self, iterations: u64) -> Self {
        Self { iterations, ..self }
    }

    /// The optimiser's name.
    pub fn name(&self) -> &'static str {
        self.settings.kind().name()
    }

    /// The optimiser for `dimension` parameters and a loss of `residuals` squares.
    pub fn optimizer(
        &self,
        precision: Precision,
        dimension: usize,
        residuals: usize,
    ) -> Result<Box<dyn Optimizer + Send>, OptimError> {
        Ok(match self.settings {
            OptimizerSettings::Adam(mut config) => {
                // What is left of the phase after the warm-up.
                if let Decay::Cosine { total: total @ 0, .. } = &mut config.lr.decay {
                    *total = self.iterations.saturating_sub(config.lr.warmup).max(1);
                }
                Box::new(Adam::new(config, dimension)?)
            }
            OptimizerSettings::Lbfgs(config) => Box::new(match precision {
                Precision::F32 => Lbfgs::new(config, dimension)?,
                Precision::F64 => Lbfgs::new(config.in_double_precision(), dimension)?,
            }),
            OptimizerSettings::SelfScaled(config) => Box::new(SelfScaled::new(config, dimension)?),
            OptimizerSettings::GaussNewton(config) => Box::new(GaussNewton::new(config, dimension, residuals)?),
            // It takes no steps: an optimiser stands here that nobody asks for one.
            OptimizerSettings::Polish(_) => Box::new(Adam::new(AdamConfig::default(), dimension)?),
        })
    }
}

impl Phases {
    /// Outer steps of all phases together.
    pub fn iterations(&self) -> u64 {
        self.of_steps().iter().map(|phase| phase.iterations).sum()
    }

    /// The phases that are made of steps: all but a correction at the end.
    pub fn of_steps(&self) -> &[Phase] {
        &self.0[..self.0.len() - usize::from(self.polish().is_some())]
    }

    /// The correction at the end, and its most Newton steps, if there is one.
    pub fn polish(&self) -> Option<(PolishConfig, u64)> {
        match self.0.last()? {
            Phase { settings: OptimizerSettings::Polish(config), iterations } => Some((*config, *iterations)),
            _ => None,
        }
    }

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        if self.0.is_empty() {
            return Err(ConfigError::NoPhases);
        }
        for (i, phase) in self.0.iter().enumerate() {
            let setting = format!("phases.{i}.iterations");
            super::check(&setting, phase.iterations as f64, "at least 1", phase.iterations >= 1)?;
            if let OptimizerSettings::Polish(config) = phase.settings {
                let setting = format!("phases.{i}.coefficients");
                super::check(&setting, config.coefficients as f64, "at least 1", config.coefficients >= 1)?;
                if i + 1 < self.0.len() {
                    return Err(ConfigError::PolishNotLast { phases: self.to_string() });
                }
            }
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
            write!(f, "{}{} {}", if i > 0 { " then " } else { "" }, phase.name(), phase.iterations)?;
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
        let name = words.next().ok_or_else(bad)?;
        let known = |kind: &OptimizerKind| kind.name() == name || kind.short() == name;
        let kind = OptimizerKind::ALL.into_iter().find(known);
        let unknown = || ConfigError::UnknownOptimizer { name: name.to_owned(), text: text.to_owned() };
        let mut phase = kind.ok_or_else(unknown)?.phase();
        if let Some(count) = words.next_if(|word| !word.contains('=')) {
            phase.iterations = count.parse().map_err(|_| bad())?;
        }
        let settings: Vec<&str> = words.collect();
        if settings.iter().any(|word| !word.contains('=')) {
            return Err(bad());
        }
        edit::with_overrides(&phase, &settings, |_, _| None).map(|(phase, _)| phase)
    }
}
