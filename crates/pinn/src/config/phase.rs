//! Optimiser phases, one after another: `adam 2000 then lbfgs 1000`.

use super::{ConfigError, edit};
use ropinn_engine::Precision;
use ropinn_optim::{
    Adam, AdamConfig, Decay, Form, GaussNewton, GaussNewtonConfig, Lbfgs, LbfgsConfig, OptimError, Optimizer, Scaling,
    Schedule, StrongWolfe,
};
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
    /// Levenberg–Marquardt; an outer step is one linearisation.
    GaussNewton(GaussNewtonPhase),
}

/// Settings of Adam.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdamPhase {
    /// Outer steps.
    pub iterations: u64,
    /// Learning rate at its peak.
    pub lr: f64,
    /// Steps of linear warm-up to it.
    pub warmup: u64,
    /// Memory of the first moment.
    pub beta1: f64,
    /// Memory of the second moment.
    pub beta2: f64,
    /// Keeps the denominator away from 0.
    pub eps: f64,
    /// How the rate falls afterwards.
    pub decay: DecayConfig,
}

impl Default for AdamPhase {
    fn default() -> Self {
        let AdamConfig { lr, beta1, beta2, eps } = AdamConfig::default();
        Self { iterations: 2000, lr: lr.peak, warmup: 0, beta1, beta2, eps, decay: DecayConfig::Constant {} }
    }
}

/// How a learning rate falls; k counts steps after the warm-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum DecayConfig {
    /// It does not.
    Constant {},
    /// × factor every so many steps.
    Step {
        /// Steps between drops.
        #[serde(default = "thousand")]
        every: u64,
        /// What each drop multiplies by.
        #[serde(default = "half")]
        factor: f64,
    },
    /// factor^(k/every).
    Exponential {
        /// Steps over which the rate changes by `factor`.
        #[serde(default = "thousand")]
        every: u64,
        /// The change.
        #[serde(default = "half")]
        factor: f64,
    },
    /// Half a cosine down to `floor`.
    Cosine {
        /// Steps it takes; 0 for the rest of the phase.
        #[serde(default)]
        total: u64,
        /// The final rate.
        #[serde(default)]
        floor: f64,
    },
}

fn thousand() -> u64 {
    1000
}

fn half() -> f64 {
    0.5
}

/// Settings of L-BFGS; the defaults are those of the RoPINN experiments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LbfgsPhase {
    /// Outer steps.
    pub iterations: u64,
    /// First trial step of every search but the very first.
    pub lr: f64,
    /// Inner iterations per outer step.
    pub max_iter: usize,
    /// An outer step ends after the inner iteration that reaches this many evaluations.
    pub max_eval: usize,
    /// Curvature pairs kept.
    pub history: usize,
    /// An outer step ends once max|g| is at or below it.
    pub tolerance_grad: ToleranceSetting,
    /// An outer step ends once max|Δθ|, |Δf| or −gᵀd are this small.
    pub tolerance_change: ToleranceSetting,
    /// The strong-Wolfe search.
    pub search: SearchConfig,
}

impl Default for LbfgsPhase {
    fn default() -> Self {
        let LbfgsConfig { lr, max_iter, max_eval, history, search, .. } = LbfgsConfig::default();
        let StrongWolfe { c1, c2, max_iterations, width_tolerance } = search;
        let auto = ToleranceSetting::Auto;
        let search = SearchConfig { c1, c2, trials: max_iterations, bracket: width_tolerance };
        Self { iterations: 1000, lr, max_iter, max_eval, history, tolerance_grad: auto, tolerance_change: auto, search }
    }
}

/// Settings of the strong-Wolfe search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchConfig {
    /// Sufficient-decrease constant c₁.
    pub c1: f64,
    /// Curvature constant c₂.
    pub c2: f64,
    /// Interpolations after the first trial.
    pub trials: usize,
    /// Zooming ends once (bracket width) · max|d| is below this.
    pub bracket: f64,
}

/// Settings of Gauss–Newton.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GaussNewtonPhase {
    /// Outer steps.
    pub iterations: u64,
    /// Damping of the first step, relative to the mean of the diagonal of JᵀJ.
    pub damping: f64,
    /// The least damping, relative to the same.
    pub damping_floor: f64,
    /// What the damping weighs.
    pub scaling: ScalingSetting,
    /// Trials per step, each with more damping.
    pub trials: usize,
    /// Whether the second-order correction along the step is added.
    pub acceleration: bool,
    /// Which of the equivalent linear systems is solved.
    pub form: FormSetting,
    /// An outer step ends once max|g| is at or below it.
    pub tolerance_grad: f64,
    /// An outer step ends once max|Δθ| is at or below it.
    pub tolerance_change: f64,
    /// Relative residual at which conjugate gradients stop.
    pub cg_tolerance: f64,
    /// Most conjugate-gradient iterations per solve.
    pub cg_iterations: usize,
}

/// What the damping weighs: λδᵀDδ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScalingSetting {
    /// D = 1.
    Identity,
    /// D = diagonal of JᵀJ.
    Diagonal,
}

/// Which of the equivalent linear systems is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FormSetting {
    /// Whichever fits the numbers of parameters and residuals.
    Auto,
    /// Normal equations, parameters × parameters.
    Parameters,
    /// Kernel, residuals × residuals.
    Kernel,
    /// Conjugate gradients.
    MatrixFree,
}

impl Default for GaussNewtonPhase {
    fn default() -> Self {
        let c = GaussNewtonConfig::default();
        Self {
            iterations: 500,
            damping: c.damping,
            damping_floor: c.damping_floor,
            scaling: match c.scaling {
                Scaling::Identity => ScalingSetting::Identity,
                Scaling::Diagonal => ScalingSetting::Diagonal,
            },
            trials: c.trials,
            acceleration: c.acceleration,
            form: FormSetting::Auto,
            tolerance_grad: c.tolerance_grad,
            tolerance_change: c.tolerance_change,
            cg_tolerance: c.cg_tolerance,
            cg_iterations: c.cg_iterations,
        }
    }
}

impl GaussNewtonPhase {
    fn config(&self) -> GaussNewtonConfig {
        GaussNewtonConfig {
            damping: self.damping,
            damping_floor: self.damping_floor,
            scaling: match self.scaling {
                ScalingSetting::Identity => Scaling::Identity,
                ScalingSetting::Diagonal => Scaling::Diagonal,
            },
            trials: self.trials,
            acceleration: self.acceleration,
            form: match self.form {
                FormSetting::Auto => None,
                FormSetting::Parameters => Some(Form::Parameters),
                FormSetting::Kernel => Some(Form::Kernel),
                FormSetting::MatrixFree => Some(Form::MatrixFree),
            },
            tolerance_grad: self.tolerance_grad,
            tolerance_change: self.tolerance_change,
            cg_tolerance: self.cg_tolerance,
            cg_iterations: self.cg_iterations,
        }
    }
}

/// A tolerance: a number, or `"auto"` for one that scales with the precision.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "NumberOrWord", into = "NumberOrWord")]
pub enum ToleranceSetting {
    /// The published number in f32; smaller by √(ε₆₄/ε₃₂) in f64, where rounding permits to go on further.
    Auto,
    /// This number.
    Value(f64),
}

/// How a tolerance is written.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number or \"auto\"")]
enum NumberOrWord {
    Number(f64),
    Word(String),
}

impl From<ToleranceSetting> for NumberOrWord {
    fn from(setting: ToleranceSetting) -> Self {
        match setting {
            ToleranceSetting::Auto => Self::Word("auto".to_owned()),
            ToleranceSetting::Value(value) => Self::Number(value),
        }
    }
}

impl TryFrom<NumberOrWord> for ToleranceSetting {
    type Error = &'static str;

    fn try_from(written: NumberOrWord) -> Result<Self, &'static str> {
        match written {
            NumberOrWord::Number(value) => Ok(Self::Value(value)),
            NumberOrWord::Word(word) if word == "auto" => Ok(Self::Auto),
            NumberOrWord::Word(_) => Err("expected a number or \"auto\""),
        }
    }
}

impl ToleranceSetting {
    /// The number, where `published` is the one made for f32.
    fn resolve(self, published: f64, precision: Precision) -> f64 {
        match (self, precision) {
            (Self::Value(value), _) => value,
            (Self::Auto, Precision::F32) => published,
            (Self::Auto, Precision::F64) => published * (f64::EPSILON / f64::from(f32::EPSILON)).sqrt(),
        }
    }
}

impl Phase {
    /// Outer steps.
    pub fn iterations(&self) -> u64 {
        match self {
            Self::Adam(adam) => adam.iterations,
            Self::Lbfgs(lbfgs) => lbfgs.iterations,
            Self::GaussNewton(gauss_newton) => gauss_newton.iterations,
        }
    }

    /// Changes the number of outer steps.
    pub fn set_iterations(&mut self, iterations: u64) {
        match self {
            Self::Adam(adam) => adam.iterations = iterations,
            Self::Lbfgs(lbfgs) => lbfgs.iterations = iterations,
            Self::GaussNewton(gauss_newton) => gauss_newton.iterations = iterations,
        }
    }

    /// The optimiser's name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Adam(_) => "adam",
            Self::Lbfgs(_) => "lbfgs",
            Self::GaussNewton(_) => "gauss-newton",
        }
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
            Self::GaussNewton(phase) => Box::new(GaussNewton::new(phase.config(), dimension, residuals)?),
        })
    }
}

impl AdamPhase {
    fn config(&self) -> AdamConfig {
        let decay = match self.decay {
            DecayConfig::Constant {} => Decay::Constant,
            DecayConfig::Step { every, factor } => Decay::Step { every, factor },
            DecayConfig::Exponential { every, factor } => Decay::Exponential { every, factor },
            DecayConfig::Cosine { total: 0, floor } => {
                Decay::Cosine { total: self.iterations.saturating_sub(self.warmup).max(1), floor }
            }
            DecayConfig::Cosine { total, floor } => Decay::Cosine { total, floor },
        };
        let lr = Schedule { peak: self.lr, warmup: self.warmup, decay };
        AdamConfig { lr, beta1: self.beta1, beta2: self.beta2, eps: self.eps }
    }
}

impl LbfgsPhase {
    fn config(&self, precision: Precision) -> LbfgsConfig {
        let published = LbfgsConfig::default();
        let SearchConfig { c1, c2, trials, bracket } = self.search;
        LbfgsConfig {
            lr: self.lr,
            max_iter: self.max_iter,
            max_eval: self.max_eval,
            tolerance_grad: self.tolerance_grad.resolve(published.tolerance_grad, precision),
            tolerance_change: self.tolerance_change.resolve(published.tolerance_change, precision),
            history: self.history,
            search: StrongWolfe { c1, c2, max_iterations: trials, width_tolerance: bracket },
        }
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
