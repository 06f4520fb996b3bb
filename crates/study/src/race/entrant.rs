//! Who races: an optimiser on an objective.

use ropinn::config::{
    AdamPhase, DecayConfig, GaussNewtonPhase, LbfgsPhase, ObjectiveKind, Phase, Phases, RunConfig, SelfScaledPhase,
    StopConfig, VariantSetting,
};
use ropinn::model::ModelKind;
use ropinn::preset::Preset;

/// More outer steps than fit into any race: only the clock ends a run.
const ENDLESS: u64 = 1_000_000_000;

/// An optimiser that races.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaceOptimizer {
    /// Adam.
    Adam,
    /// Limited-memory BFGS.
    Lbfgs,
    /// Self-scaled BFGS.
    Ssbfgs,
    /// Self-scaled Broyden.
    Ssbroyden,
    /// Levenberg–Marquardt.
    GaussNewton,
}

impl RaceOptimizer {
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
    pub optimizer: RaceOptimizer,
    /// What it minimises.
    pub objective: ObjectiveKind,
}

impl Entrant {
    /// `adam-point`: its folder.
    pub fn label(self) -> String {
        format!("{}-{}", self.optimizer.name(), self.objective.name())
    }

    /// The default configuration of a problem with nothing but this optimiser, for so many seconds.
    pub fn config(self, problem: &str, seconds: f64) -> RunConfig {
        let every = self.optimizer.evaluate_every();
        RunConfig {
            phases: Phases(vec![self.optimizer.phase()]),
            stop: StopConfig { max_seconds: seconds, ..StopConfig::default() },
            evaluate_every: every,
            log_every: every,
            ..Preset::Default.config(problem, ModelKind::Pinn, self.objective)
        }
    }
}
