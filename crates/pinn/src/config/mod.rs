//! A run as data: which problem, model, objective and optimisers, with every setting written out.
//!
//! [`RunConfig`] reads from and writes to TOML without loss, so the file saved with a run repeats it bit for bit. Settings are
//! changed by path (`region.r=1e-5`, see [`RunConfig::set`]); unknown keys and contradictions are refused.
//!
//! ```
//! use ropinn::config::RunConfig;
//! let mut config = RunConfig::from_toml("[problem]\nname = 'reaction'\n[model]\nkind = 'pinn'\nwidth = 64")?;
//! config.set("region.r=1e-5")?;
//! config.set("phases=adam 200 then lbfgs 100")?;
//! assert_eq!(RunConfig::from_toml(&config.to_toml())?, config);
//! # Ok::<(), ropinn::config::ConfigError>(())
//! ```

mod adaptation;
mod checkpoint;
mod combine;
mod compare;
mod edit;
mod edition;
mod error;
mod named;
mod objective;
mod phase;
mod region;
mod set;
mod stop;
mod strategy;

pub use adaptation::{SamplingConfig, SamplingKind, WeightingConfig, WeightingKind};
pub use checkpoint::CheckpointConfig;
pub use combine::{Choice, combinations_table, refusal};
pub use compare::first_difference;
pub(crate) use compare::settings;
pub use error::ConfigError;
pub use objective::{GradientConfig, ObjectiveConfig, ObjectiveKind};
pub use phase::{OptimizerKind, OptimizerSettings, Phase, Phases, PolishConfig};
pub use region::{Edge, PointGroup, RegionConfig, Resample, Rule};
pub use stop::{PlateauConfig, StopConfig};
pub use strategy::{StrategyConfig, StrategyKind};

use crate::model::{Init, ModelConfig, ModelKind};
use crate::problem::{PointOverrides, ProblemError};
use ropinn_engine::Precision;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most instants in `pieces`: each is a network more.
const MAX_PIECES: usize = 1000;

/// Everything a run depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunConfig {
    /// Seed of starting weights, random points and region draws.
    pub seed: u64,
    /// Working precision of the network; parameters and sums are always f64.
    #[serde(with = "precision_name")]
    pub precision: Precision,
    /// A row of the record every so many outer steps.
    pub log_every: u64,
    /// The error against the reference every so many outer steps.
    pub evaluate_every: u64,
    /// Instants at which the solution passes from one network to the next, each with an interval of time; none for one network.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pieces: Vec<f64>,
    /// The problem.
    pub problem: ProblemConfig,
    /// Other point sets than the problem's own.
    pub points: PointsConfig,
    /// The model and its sizes.
    pub model: ModelConfig,
    /// Other sizes of the networks of fields to be found than the problem's own.
    #[serde(skip_serializing_if = "FieldsConfig::is_default")]
    pub fields: FieldsConfig,
    /// How its parameters start.
    pub init: Init,
    /// What is minimised.
    pub objective: ObjectiveConfig,
    /// How its terms are weighted.
    pub weighting: WeightingConfig,
    /// How the points of the equations are chosen.
    pub sampling: SamplingConfig,
    /// Other weights of loss terms than the problem's own, by name.
    pub weights: BTreeMap<String, f64>,
    /// The optimisers, one after another.
    pub phases: Phases,
    /// Who decides how the run goes on.
    #[serde(skip_serializing_if = "StrategyConfig::is_default")]
    pub strategy: StrategyConfig,
    /// When to stop before they are done.
    pub stop: StopConfig,
    /// How often it is saved.
    pub checkpoint: CheckpointConfig,
}

impl Default for RunConfig {
    fn default() -> Self {
        Self {
            seed: 0,
            precision: Precision::F32,
            log_every: 1,
            evaluate_every: 10,
            pieces: Vec::new(),
            problem: ProblemConfig::default(),
            points: PointsConfig::default(),
            model: ModelConfig::new(ModelKind::Pinn),
            fields: FieldsConfig::default(),
            init: Init::default(),
            objective: ObjectiveConfig::default(),
            weighting: WeightingConfig::default(),
            sampling: SamplingConfig::default(),
            weights: BTreeMap::new(),
            phases: Phases::default(),
            strategy: StrategyConfig::default(),
            stop: StopConfig::default(),
            checkpoint: CheckpointConfig::default(),
        }
    }
}

/// Sizes of the networks of all fields to be found, where given; `width` and `depth` alone are the model's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FieldsConfig {
    /// Units per hidden layer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<usize>,
    /// Hidden layers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden_layers: Option<usize>,
}

impl FieldsConfig {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Which problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProblemConfig {
    /// Name of a built-in problem or path of a problem file.
    pub name: String,
    /// The rules by which its text is read; texts of earlier ones are brought up to date when a configuration is read.
    #[serde(default = "edition::first")]
    pub edition: u32,
    /// The whole problem file; if given, `name` only tells where files it mentions are looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// CRC-32 of the data files it reads, by the names it states.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, u32>,
}

impl Default for ProblemConfig {
    fn default() -> Self {
        Self { name: String::new(), edition: edition::EDITION, source: None, inputs: BTreeMap::new() }
    }
}

/// Point sets that replace the problem's own, written like `grid:101x101` or `hammersley:8192`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PointsConfig {
    /// Points of the equations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interior: Option<String>,
    /// Points of boundary conditions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boundary: Option<String>,
    /// Points of initial conditions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial: Option<String>,
    /// Points at which errors are measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<String>,
}

impl PointsConfig {
    /// The point sets as a problem takes them.
    pub fn overrides(&self) -> Result<PointOverrides, ProblemError> {
        let read = |text: &Option<String>| text.as_deref().map(str::parse).transpose();
        Ok(PointOverrides {
            interior: read(&self.interior)?,
            boundary: read(&self.boundary)?,
            initial: read(&self.initial)?,
            evaluation: read(&self.evaluation)?,
        })
    }
}

impl RunConfig {
    /// Reads a configuration; what it leaves out has its default.
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        let mut config: Self = toml::from_str(text).map_err(|e| ConfigError::syntax(text, &e))?;
        if config.problem.edition == edition::first() {
            config.problem.source = config.problem.source.as_deref().map(edition::from_first);
            config.problem.edition = edition::EDITION;
        }
        config.validate()?;
        Ok(config)
    }

    /// The complete configuration. Reading it back gives an equal one.
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(self).expect("every field of a run has a TOML form")
    }

    /// Whether `text` is the configuration of a run rather than a problem file.
    pub fn is_run_config(text: &str) -> bool {
        text.parse::<toml::Table>().is_ok_and(|table| table.get("problem").is_some_and(toml::Value::is_table))
    }

    /// Refuses settings that make no sense, naming them.
    pub fn validate(&self) -> Result<(), ConfigError> {
        edit::check_whole_numbers(self)?;
        let (edition, known) = (self.problem.edition, edition::EDITION);
        check("problem.edition", edition.into(), "2, or another version of ropinn must read it", edition == known)?;
        check("log_every", self.log_every as f64, "at least 1", self.log_every >= 1)?;
        check("evaluate_every", self.evaluate_every as f64, "at least 1", self.evaluate_every >= 1)?;
        check("pieces", self.pieces.len() as f64, "a list of at most 1000 instants", self.pieces.len() <= MAX_PIECES)?;
        for (k, &end) in self.pieces.iter().enumerate() {
            let ascends = k == 0 || self.pieces[k - 1] < end;
            check(&format!("pieces.{k}"), end, "finite and after the instant before", ascends)?;
        }
        check("init.bias", self.init.bias, "finite", true)?;
        for (setting, value) in self.model.numbers() {
            check(setting, value, "finite", true)?;
        }
        for (term, &weight) in &self.weights {
            check(&format!("weights.{term}"), weight, "finite and at least 0", weight >= 0.0)?;
        }
        self.objective.validate()?;
        self.weighting.validate()?;
        self.sampling.validate()?;
        self.phases.validate()?;
        self.stop.validate()?;
        self.checkpoint.validate()?;
        self.check_strategy()?;
        self.combination()
    }

    /// Whether the loss stays one function of θ from beginning to end.
    pub fn has_fixed_loss(&self) -> bool {
        let follows = self.weighting.kind != WeightingKind::Fixed || self.sampling.kind != SamplingKind::Fixed;
        self.objective.is_deterministic() && !follows
    }
}

/// Refuses a setting unless it is finite and `holds`.
fn check(setting: &str, value: f64, needs: &'static str, holds: bool) -> Result<(), ConfigError> {
    if holds && value.is_finite() {
        return Ok(());
    }
    Err(ConfigError::InvalidSetting { setting: setting.to_owned(), value, needs })
}

/// Precisions by name.
mod precision_name {
    use ropinn_engine::Precision;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(precision: &Precision, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(precision)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Precision, D::Error> {
        match String::deserialize(from)?.as_str() {
            "f32" => Ok(Precision::F32),
            "f64" => Ok(Precision::F64),
            other => Err(D::Error::custom(format!("unknown precision `{other}`; choose `f32` or `f64`"))),
        }
    }
}
