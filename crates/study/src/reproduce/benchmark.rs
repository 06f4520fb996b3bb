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

/// A base model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseModel {
    /// Fully connected.
    Pinn,
    /// Quadratic residual.
    Qres,
    /// First layer sine.
    Fls,
    /// Transformer over pseudo-sequences; its encoder alone on `wave`, as published.
    Pinnsformer,
    /// Kolmogorov–Arnold.
    Kan,
}

impl BaseModel {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 5] = [Self::Pinn, Self::Qres, Self::Fls, Self::Pinnsformer, Self::Kan];

    /// Name on the command line and in folders.
    pub const fn name(self) -> &'static str {
        self.kind().name()
    }

    /// Name in tables.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Pinn => "PINN",
            Self::Qres => "QRes",
            Self::Fls => "FLS",
            Self::Pinnsformer => "PINNsFormer",
            Self::Kan => "KAN",
        }
    }

    /// The model as the library knows it.
    pub const fn kind(self) -> ModelKind {
        match self {
            Self::Pinn => ModelKind::Pinn,
            Self::Qres => ModelKind::Qres,
            Self::Fls => ModelKind::Fls,
            Self::Pinnsformer => ModelKind::Pinnsformer,
            Self::Kan => ModelKind::Kan,
        }
    }
}
