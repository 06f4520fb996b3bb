//! The three sizes of the study: as published, small enough for a night on two cores, and small enough for a test.

use ropinn::config::{OptimizerSettings, RunConfig, StopConfig};
use ropinn::model::ModelConfig;

/// How large everything is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Exactly the published sizes: width 512, 1000 outer steps.
    Paper,
    /// Width 64, 1000 outer steps.
    Small,
    /// A few steps of tiny networks: shows that everything runs, and nothing else.
    Smoke,
}

impl Scale {
    /// All of them, the largest first.
    pub const ALL: [Self; 3] = [Self::Paper, Self::Small, Self::Smoke];

    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Small => "small",
            Self::Smoke => "smoke",
        }
    }

    /// What every table and picture says about it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Paper => "scale paper: the published sizes and 1000 outer steps",
            Self::Small => "scale small: width 64 instead of 512 (QRes 256), 1000 outer steps; not the paper's setting",
            Self::Smoke => "scale smoke: a few steps of tiny networks; the numbers mean nothing",
        }
    }

    /// Seeds of points and regions, the methods every table has.
    pub fn seeds(self) -> Vec<u64> {
        match self {
            Self::Paper | Self::Small => vec![0, 1, 2],
            Self::Smoke => vec![0],
        }
    }

    /// Seeds of everything else: the rivals, and other values of a setting.
    pub fn other_seeds(self) -> Vec<u64> {
        match self {
            Self::Paper => vec![0, 1, 2],
            Self::Small | Self::Smoke => vec![0],
        }
    }

    /// The whole list, or its first two entries if only the machinery is to be seen.
    pub fn list<T: Clone>(self, values: &[T]) -> Vec<T> {
        let count = if self == Self::Smoke { 2 } else { values.len() };
        values.iter().take(count).cloned().collect()
    }

    /// Changes the paper's setting to this size.
    pub fn apply(self, config: &mut RunConfig) {
        config.log_every = 10;
        if self == Self::Paper {
            return;
        }
        let smoke = self == Self::Smoke;
        let width = if smoke { 6 } else { 64 };
        match &mut config.model {
            ModelConfig::Pinnsformer(sizes) | ModelConfig::PinnsformerEncoder(sizes) => {
                (sizes.d_model, sizes.ff_width, sizes.out_width) = if smoke { (4, 6, 6) } else { (16, 64, 64) };
            }
            // As published: it is smaller than that already.
            ModelConfig::Kan(_) => {}
            model => model.resize(Some(width), None),
        }
        // A search that can do no more changes nothing in what is left of the steps.
        config.stop = StopConfig { on_convergence: true, ..config.stop.clone() };
        if smoke {
            let set = |text: &str| Some(text.to_owned());
            (config.points.interior, config.points.evaluation) = (set("grid:9x9"), set("grid:11x11"));
            (config.log_every, config.evaluate_every) = (1, 1);
            config.objective.variational.elements = 2;
            config.sampling.rar_d.period = 2;
            config.sampling.rar_d.pool = 200;
            for phase in &mut config.phases.0 {
                phase.iterations = 4;
                if let OptimizerSettings::Lbfgs(lbfgs) = &mut phase.settings {
                    (lbfgs.max_iter, lbfgs.max_eval) = (3, 5);
                }
            }
        }
    }
}
