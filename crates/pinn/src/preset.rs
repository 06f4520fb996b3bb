//! Ready-made configurations: the paper's exact settings, and a default made to be good within about a minute.

use crate::config::{
    ConfigError, Edge, FieldsConfig, ObjectiveConfig, ObjectiveKind, OptimizerKind, OptimizerSettings, Phase, Phases,
    PointsConfig, ProblemConfig, RegionConfig, RunConfig, StopConfig,
};
use crate::model::{Init, Model, ModelConfig, ModelKind};
use crate::problem::{Problem, Spread};
use ropinn_engine::Precision;
use ropinn_optim::{LbfgsConfig, ToleranceSetting};
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// A ready-made configuration for a problem and a model.
///
/// ```
/// use ropinn::{config::ObjectiveKind, model::ModelKind, preset::Preset};
/// let paper = Preset::Paper.config("convection", ModelKind::Kan, ObjectiveKind::Region);
/// assert_eq!((paper.objective.region.past, paper.phases.to_string()), (15, "lbfgs 1000".to_owned()));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Small networks, about a minute on two cores.
    #[default]
    Default,
    /// Sizes, starting values and optimiser of the RoPINN experiments (Wu et al. 2024).
    Paper,
}

/// The problems the paper trains with L-BFGS; the others follow PINNacle (Hao et al. 2024).
const BENCHMARKS: [&str; 3] = ["reaction", "wave", "convection"];

impl Preset {
    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Paper => "paper",
        }
    }

    /// The model used unless another is asked for, chosen by measurement: a sine in the first layer reaches lower errors
    /// on everything smooth (wave, convection, reaction); the front of `burgers-1d` is better served without.
    pub fn default_model<'a>(self, builtin: impl Into<Option<&'a str>>) -> ModelKind {
        match (self, builtin.into().unwrap_or_default()) {
            (Self::Paper, _) | (Self::Default, "burgers-1d") => ModelKind::Pinn,
            (Self::Default, _) => ModelKind::Fls,
        }
    }

    /// The configuration for the built-in problem of that name ([`Problem::builtin_name`]); for all others `None` gives
    /// generic values, which change nothing of what a problem says itself.
    pub fn config<'a>(
        self,
        builtin: impl Into<Option<&'a str>>,
        model: ModelKind,
        objective: ObjectiveKind,
    ) -> RunConfig {
        let problem = builtin.into().unwrap_or_default();
        let common = RunConfig {
            precision: Precision::F32,
            problem: ProblemConfig { name: problem.to_owned(), ..ProblemConfig::default() },
            init: Init::paper(problem),
            ..RunConfig::default()
        };
        // The published regions reach beyond the domain; nobody else's do.
        let edge = if self == Self::Paper { Edge::Free } else { Edge::default() };
        let region = RegionConfig { past: past(problem, model), edge, ..RegionConfig::default() };
        let objective = ObjectiveConfig { kind: objective, region, ..ObjectiveConfig::default() };
        match self {
            Self::Default => {
                let points = quick_points(problem, model);
                let (model, phases, precision) = quick(model, objective.kind);
                RunConfig { model, phases, precision, objective, points, ..common }
            }
            Self::Paper => RunConfig {
                model: ModelConfig::paper(model, problem),
                // PINNacle suggests networks of their own for solution and coefficient.
                fields: FieldsConfig {
                    units: is_inverse(problem).then_some(50),
                    hidden_layers: is_inverse(problem).then_some(5),
                },
                // Readings count by their mean square there, without regard to their noise of 0.1.
                weights: is_inverse(problem).then(|| ("readings".to_owned(), 0.01)).into_iter().collect(),
                phases: published_phases(problem),
                stop: StopConfig { on_convergence: false, ..StopConfig::default() },
                objective,
                ..common
            },
        }
    }
}

/// A setting of a built-in problem that a preset has replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Which one.
    pub setting: &'static str,
    /// What it is now.
    pub value: String,
    /// What the problem says.
    pub instead_of: String,
}

impl Change {
    /// Where points of a preset that are `used` in the end differ from what the problem says itself. What it leaves open is no
    /// change, and what somebody else has set is not the preset's.
    pub fn all(preset: &PointsConfig, used: &PointsConfig, problem: &Problem) -> Vec<Self> {
        let values = [
            ("points.interior", &preset.interior, &used.interior),
            ("points.boundary", &preset.boundary, &used.boundary),
            ("points.initial", &preset.initial, &used.initial),
            ("points.evaluation", &preset.evaluation, &used.evaluation),
        ];
        let change = |((setting, value, used), stated): ((_, &Option<String>, _), Vec<&Spread>)| {
            let instead_of = stated.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ");
            let value = value.clone().filter(|own| value == used && !instead_of.is_empty() && *own != instead_of)?;
            Some(Self { setting, value, instead_of })
        };
        values.into_iter().zip(problem.stated_points()).filter_map(change).collect()
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "preset: {} is {} instead of {}", self.setting, self.value, self.instead_of)
    }
}

/// Sizes, phases and precision of the default, chosen by measurement: small networks, solved for by Gauss–Newton steps in
/// double precision. Models of sequences have too many residuals for that in a minute, and integrals no rows.
fn quick(model: ModelKind, objective: ObjectiveKind) -> (ModelConfig, Phases, Precision) {
    let (config, steps) = ModelConfig::quick(model);
    if model == ModelKind::Features {
        return (config, Phases(vec![OptimizerKind::Polish.phase()]), Precision::F64);
    }
    let has_rows = config.sequence().is_none() && objective != ObjectiveKind::Variational;
    let (kind, precision) = match has_rows {
        true => (OptimizerKind::GaussNewton, Precision::F64),
        false => (OptimizerKind::Lbfgs, Precision::F32),
    };
    (config, Phases(vec![kind.phase().lasting(steps)]), precision)
}

/// Points of the benchmarks: about three per parameter, scattered evenly, and 101 on each condition. Models of sequences see five elements per point and as many more directions,
/// so they get fewer. Errors are measured on the benchmarks' own grid all the same, and other problems keep their points.
fn quick_points(problem: &str, model: ModelKind) -> PointsConfig {
    let sequences = ModelConfig::new(model).sequence().is_some();
    let set = |text: &str| Some(text.to_owned());
    match problem {
        _ if BENCHMARKS.contains(&problem) && sequences => {
            PointsConfig { interior: set("grid:21x21"), evaluation: set("grid:101x101"), ..PointsConfig::default() }
        }
        _ if BENCHMARKS.contains(&problem) => PointsConfig {
            interior: set("hammersley:2601"),
            initial: set("grid:101"),
            boundary: set("grid:101"),
            evaluation: set("grid:101x101"),
        },
        "burgers-1d" | "kuramoto-sivashinsky" | "heat-2d-ms" => PointsConfig {
            interior: set("hammersley:4096"),
            initial: set("hammersley:256"),
            boundary: set("hammersley:256"),
            evaluation: (problem == "burgers-1d").then(|| "grid:101x101".to_owned()),
        },
        "poisson-2d-c" | "poisson-2d-cg" | "poisson-2d-ms" | "ns-2d-c" | "ns-2d-cg" | "poisson-inverse" => {
            PointsConfig {
                interior: set("hammersley:4096"),
                boundary: set("hammersley:512"),
                ..PointsConfig::default()
            }
        }
        "wave-1d-c" => PointsConfig {
            interior: set("hammersley:4096"),
            initial: set("hammersley:256"),
            boundary: set("hammersley:256"),
            evaluation: None,
        },
        "poisson-3d-cg" | "poisson-nd" | "heat-inverse" => PointsConfig {
            interior: set("hammersley:4096"),
            boundary: set("hammersley:1024"),
            ..PointsConfig::default()
        },
        "burgers-2d" | "heat-2d-vc" | "heat-2d-cg" | "heat-2d-lt" | "ns-2d-lt" | "wave-2d-cg" | "wave-2d-ms"
        | "gray-scott" | "heat-nd" => PointsConfig {
            interior: set("hammersley:4096"),
            initial: set("hammersley:1024"),
            boundary: set("hammersley:1024"),
            evaluation: None,
        },
        _ => PointsConfig::default(),
    }
}

/// Whether it is one of PINNacle's inverse problems.
fn is_inverse(problem: &str) -> bool {
    ["poisson-inverse", "heat-inverse"].contains(&problem)
}

/// T₀ of the published scripts.
fn past(problem: &str, model: ModelKind) -> usize {
    match (problem, model) {
        ("convection", ModelKind::Kan) => 15,
        ("convection", _) => 5,
        _ => 10,
    }
}

fn published_phases(problem: &str) -> Phases {
    Phases(vec![if BENCHMARKS.contains(&problem) {
        let (grad, change) = (ToleranceSetting::Value(1e-7), ToleranceSetting::Value(1e-9));
        let config = LbfgsConfig { tolerance_grad: grad, tolerance_change: change, ..LbfgsConfig::default() };
        Phase { iterations: 1000, settings: OptimizerSettings::Lbfgs(config) }
    } else {
        // At a rate of 10⁻³.
        OptimizerKind::Adam.phase().lasting(20_000)
    }])
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Preset {
    type Err = ConfigError;

    fn from_str(name: &str) -> Result<Self, ConfigError> {
        let known = [Self::Default, Self::Paper].into_iter().find(|preset| preset.name() == name);
        known.ok_or_else(|| ConfigError::UnknownPreset { name: name.to_owned() })
    }
}
