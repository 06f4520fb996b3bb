//! The three benchmarks and five base models of the study, by the names its tables use.

use ropinn::model::ModelKind;

/// A benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Benchmark {
    /// 1-D reaction, ρ = 5.
    Reaction,
    /// 1-D wave, β = 3.
    Wave,
    /// Convection, β = 50.
    Convection,
}

impl Benchmark {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 3] = [Self::Reaction, Self::Wave, Self::Convection];

    /// Name of the built-in problem.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reaction => "reaction",
            Self::Wave => "wave",
            Self::Convection => "convection",
        }
    }

    /// Largest error the published error maps can show.
    pub const fn error_range(self) -> f64 {
        match self {
            Self::Reaction => 0.15,
            Self::Wave => 0.3,
            Self::Convection => 1.0,
        }
    }
}

/// The base models, in the order of the tables. On `wave` PINNsFormer is its encoder alone, as published.
pub const MODELS: [ModelKind; 5] =
    [ModelKind::Pinn, ModelKind::Qres, ModelKind::Fls, ModelKind::Pinnsformer, ModelKind::Kan];

/// Name of a base model in tables.
pub const fn title(model: ModelKind) -> &'static str {
    match model {
        ModelKind::Pinn => "PINN",
        ModelKind::Qres => "QRes",
        ModelKind::Fls => "FLS",
        ModelKind::Pinnsformer => "PINNsFormer",
        ModelKind::Kan => "KAN",
        other => other.name(),
    }
}
