//! Who races: an optimiser on an objective.

use ropinn::config::{ObjectiveKind, OptimizerKind, OptimizerSettings, Phase, Phases, RunConfig, StopConfig};
use ropinn::model::ModelKind;
use ropinn::preset::Preset;
use ropinn_optim::Decay;

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
        let kind = match self {
            Self::Adam => OptimizerKind::Adam,
            Self::Lbfgs => OptimizerKind::Lbfgs,
            Self::Ssbfgs => OptimizerKind::SsBfgs,
            Self::Ssbroyden => OptimizerKind::SsBroyden,
            Self::GaussNewton => OptimizerKind::GaussNewton,
        };
        let mut phase = kind.phase().lasting(ENDLESS);
        if let OptimizerSettings::Adam(adam) = &mut phase.settings {
            // A rate that falls slowly: a constant one stops learning at its own noise, and how many steps fit is unknown.
            adam.lr.decay = Decay::Exponential { every: 2000, factor: 0.9 };
        }
        phase
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
    pub fn config(self, builtin: Option<&str>, seconds: f64) -> RunConfig {
        let every = self.optimizer.evaluate_every();
        RunConfig {
            phases: Phases(vec![self.optimizer.phase()]),
            stop: StopConfig { max_seconds: seconds, ..StopConfig::default() },
            evaluate_every: every,
            log_every: every,
            ..Preset::Default.config(builtin, ModelKind::Pinn, self.objective)
        }
    }
}
