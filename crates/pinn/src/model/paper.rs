//! The experiments of the RoPINN paper (Wu et al. 2024) and the starting values of its models.

use super::{Init, Scheme};

/// The paper's three standard benchmarks; everything else follows the settings of PINNacle (Hao et al. 2024).
#[derive(Clone, Copy)]
pub(super) enum Benchmark {
    Reaction,
    Wave,
    Convection,
    Pinnacle,
    /// PINNacle's problems with a coefficient to be found.
    PinnacleInverse,
}

impl Benchmark {
    pub fn of(problem: &str) -> Self {
        match problem {
            "reaction" => Self::Reaction,
            "wave" => Self::Wave,
            "convection" => Self::Convection,
            "poisson-inverse" | "heat-inverse" => Self::PinnacleInverse,
            _ => Self::Pinnacle,
        }
    }
}

impl Init {
    /// Starting values as the paper uses them on the problem of that name.
    pub fn paper(problem: &str) -> Self {
        match Benchmark::of(problem) {
            Benchmark::Reaction | Benchmark::Wave => Self { bias: 0.01, scheme: Scheme::XavierUniform },
            Benchmark::Convection => Self { bias: 0.0, scheme: Scheme::XavierUniform },
            Benchmark::Pinnacle | Benchmark::PinnacleInverse => Self { bias: 0.0, scheme: Scheme::GlorotNormal },
        }
    }
}
