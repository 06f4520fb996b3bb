//! Who races: an optimiser on an objective.

use crate::options::ObjectiveName;
use clap::ValueEnum;
use ropinn::config::{
    AdamPhase, DecayConfig, GaussNewtonPhase, LbfgsPhase, ObjectiveKind, Phase, Phases, RunConfig, SelfScaledPhase,
    StopConfig, VariantSetting,
};
use ropinn::model::ModelKind;
use ropinn::preset::Preset;

/// More outer steps than fit into any race: only the clock ends a run.
const ENDLESS: u64 = 1_000_000_000;

/// Optimiser as written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OptimizerName {
    /// Adam.
    Adam,
    /// Limited-memory BFGS.
    #[value(alias = "l-bfgs")]
    Lbfgs,
    /// Self-scaled BFGS.
    Ssbfgs,
    /// Self-scaled Broyden.
    Ssbroyden,
    /// Levenberg–Marquardt.
    #[value(alias = "gn")]
    GaussNewton,
}

impl OptimizerName {
    /// The optimiser with its own settings, without an end.
    fn phase(self) -> Phase {
        let iterations = ENDLESS;
        let self_scaled = |variant| Phase::SelfScaled(SelfScaledPhase { iterations, variant, ..Default::default() });
        match self {
            // A rate that falls slowly: a constant one stops learning at its own noise, and how many steps fit is unknown.
            Self::Adam => Phase::Adam(AdamPhase {
                iterations,
                lr: 1e-3,
                decay: DecayConfig::Exponential { every: 2000, factor: 0.9 },
                ..AdamPhase::default()
            }),
            Self::Lbfgs => Phase::Lbfgs(LbfgsPhase { iterations, ..LbfgsPhase::default() }),
            Self::Ssbfgs => self_scaled(VariantSetting::Bfgs),
            Self::Ssbroyden => self_scaled(VariantSetting::Broyden),
            Self::GaussNewton => Phase::GaussNewton(GaussNewtonPhase { iterations, ..GaussNewtonPhase::default() }),
        }
    }

    /// Outer steps between two measurements of the error. Those of Adam are single evaluations, all others do the work of many.
    const fn evaluate_every(self) -> u64 {
        match self {
            Self::Adam => 20,
            _ => 1,
        }
    }

    /// The name it has in configurations.
    pub fn name(self) -> &'static str {
        self.phase().name()
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// How it minimises.
    pub optimizer: OptimizerName,
    /// What it minimises.
    pub objective: ObjectiveName,
}

impl Entrant {
    /// Name of the objective.
    pub fn objective_name(self) -> &'static str {
        ObjectiveKind::from(self.objective).name()
    }

    /// `adam-point`: its folder.
    pub fn label(self) -> String {
        format!("{}-{}", self.optimizer.name(), self.objective_name())
    }

    /// The default configuration of a problem with nothing but this optimiser, for so many seconds.
    pub fn config(self, problem: &str, seconds: f64) -> RunConfig {
        let every = self.optimizer.evaluate_every();
        RunConfig {
            phases: Phases(vec![self.optimizer.phase()]),
            stop: StopConfig { max_seconds: seconds, ..StopConfig::default() },
            evaluate_every: every,
            log_every: every,
            ..Preset::Default.config(problem, ModelKind::Pinn, self.objective.into())
        }
    }
}
