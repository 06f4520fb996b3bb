//! Ready-made configurations: the paper's exact settings, and a default made to be good within about a minute.

use crate::config::{
    AdamPhase, ConfigError, LbfgsPhase, ObjectiveConfig, ObjectiveKind, Phase, Phases, PointsConfig, ProblemConfig,
    RegionConfig, RunConfig, StopConfig, ToleranceSetting,
};
use crate::model::{Init, Kan, Mlp, ModelConfig, ModelKind, Qres, Transformer};
use ropinn_engine::Precision;
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

    /// The configuration for the problem of that name.
    pub fn config(self, problem: &str, model: ModelKind, objective: ObjectiveKind) -> RunConfig {
        let common = RunConfig {
            precision: Precision::F32,
            problem: ProblemConfig { name: problem.to_owned(), source: None },
            init: Init::paper(problem),
            ..RunConfig::default()
        };
        let region = RegionConfig { past: past(problem, model), ..RegionConfig::default() };
        let objective = ObjectiveConfig { kind: objective, region };
        match self {
            Self::Default => {
                let points = quick_points(problem, model);
                let (model, phases) = quick(model);
                RunConfig { model, phases, objective, points, ..common }
            }
            Self::Paper => RunConfig {
                model: ModelConfig::paper(model, problem),
                phases: published_phases(problem),
                stop: StopConfig { on_convergence: false, ..StopConfig::default() },
                objective,
                ..common
            },
        }
    }
}

/// Sizes and phases of the default, re-chosen by measurement: one line per model.
fn quick(model: ModelKind) -> (ModelConfig, Phases) {
    // Inputs scaled to [−1, 1] and 32 units escape the collapse on `reaction` that 64 units on raw inputs often fall into.
    let mlp = Mlp { width: 32, depth: 3, normalise: true, ..Mlp::default() };
    let transformer = Transformer { d_model: 16, ff_width: 32, out_width: 32, ..Transformer::default() };
    let (config, steps) = match model {
        ModelKind::Pinn => (ModelConfig::Pinn(mlp), 500),
        ModelKind::Fls => (ModelConfig::Fls(mlp), 500),
        ModelKind::Qres => (ModelConfig::Qres(Qres { width: 48, depth: 3, ..Qres::default() }), 500),
        ModelKind::Pinnsformer => (ModelConfig::Pinnsformer(transformer), 30),
        ModelKind::PinnsformerEncoder => (ModelConfig::PinnsformerEncoder(transformer), 30),
        ModelKind::Kan => (ModelConfig::Kan(Kan { hidden: vec![5, 5], ..Kan::default() }), 100),
    };
    (config, Phases(vec![Phase::Lbfgs(LbfgsPhase { iterations: steps, ..LbfgsPhase::default() })]))
}

/// A coarser grid for models of sequences, which see five elements per point and as many more directions. Errors are
/// measured on the full grid all the same.
fn quick_points(problem: &str, model: ModelKind) -> PointsConfig {
    let sequences = matches!(model, ModelKind::Pinnsformer | ModelKind::PinnsformerEncoder);
    let when = |grid: &str| (sequences && BENCHMARKS.contains(&problem)).then(|| grid.to_owned());
    PointsConfig { interior: when("grid:21x21"), evaluation: when("grid:101x101"), ..PointsConfig::default() }
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
        Phase::Lbfgs(LbfgsPhase {
            iterations: 1000,
            tolerance_grad: ToleranceSetting::Value(1e-7),
            tolerance_change: ToleranceSetting::Value(1e-9),
            ..LbfgsPhase::default()
        })
    } else {
        Phase::Adam(AdamPhase { iterations: 20_000, lr: 1e-3, ..AdamPhase::default() })
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
