//! Who races: an optimiser on an objective.

use ropinn::config::{ObjectiveKind, OptimizerKind, OptimizerSettings, Phase, Phases, RunConfig, StopConfig};
use ropinn::model::ModelKind;
use ropinn::preset::Preset;
use ropinn_optim::Decay;

/// More outer steps than fit into any race: only the clock ends a run.
const ENDLESS: u64 = 1_000_000_000;

/// The optimiser with its own settings, without an end.
fn endless(optimizer: OptimizerKind) -> Phase {
    let mut phase = optimizer.phase().lasting(ENDLESS);
    if let OptimizerSettings::Adam(adam) = &mut phase.settings {
        // A rate that falls slowly: a constant one stops learning at its own noise, and how many steps fit is unknown.
        adam.lr.decay = Decay::Exponential { every: 2000, factor: 0.9 };
    }
    phase
}

/// Steps before a correction: it begins from where these lead.
const BEFORE_POLISH: u64 = 100;

/// The phases of an optimiser that races.
fn phases(optimizer: OptimizerKind) -> Phases {
    Phases(match optimizer {
        OptimizerKind::Polish => vec![OptimizerKind::GaussNewton.phase().lasting(BEFORE_POLISH), optimizer.phase()],
        _ => vec![endless(optimizer)],
    })
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// How it minimises.
    pub optimizer: OptimizerKind,
    /// What it minimises.
    pub objective: ObjectiveKind,
}

impl Entrant {
    /// `adam-point`: its folder.
    pub fn label(self) -> String {
        format!("{}-{}", self.optimizer.name(), self.objective.name())
    }

    /// The names of its phases.
    pub(super) fn phases(self) -> Vec<&'static str> {
        phases(self.optimizer).0.iter().map(Phase::name).collect()
    }

    /// The configuration of `solve` with its defaults, with nothing but this optimiser, for so many seconds; on another model
    /// if one is asked for. Nothing but the kind of the objective follows the entrant, so that all share one precision.
    pub fn config(self, builtin: Option<&str>, model: Option<ModelKind>, seconds: f64) -> RunConfig {
        // Steps of Adam are single evaluations, all others do the work of many.
        let every = if self.optimizer == OptimizerKind::Adam { 20 } else { 1 };
        let model = model.unwrap_or_else(|| Preset::Default.default_model(builtin));
        let mut config = Preset::Default.config(builtin, model, ObjectiveKind::default());
        config.objective.kind = self.objective;
        RunConfig {
            phases: phases(self.optimizer),
            stop: StopConfig { max_seconds: seconds, ..StopConfig::default() },
            evaluate_every: every,
            log_every: every,
            ..config
        }
    }
}
