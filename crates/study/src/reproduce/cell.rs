//! A cell of the study's tables: one method on one problem with one model, over seeds; each seed is a run with its folder.

use super::benchmark::{Benchmark, title};
use super::method::{Aim, Method};
use super::scale::Scale;
use crate::error::StudyError;
use ropinn::case::Case;
use ropinn::config::RunConfig;
use ropinn::model::{ModelConfig, ModelKind, Qres};
use ropinn::preset::Preset;
use ropinn_engine::Threads;

/// Which depths QRes has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depths {
    /// The same for every method.
    Equal,
    /// Four blocks, but two with regions, as in the published scripts.
    AsPublished,
}

/// Everything but the seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The problem.
    pub problem: Benchmark,
    /// The model.
    pub model: ModelKind,
    /// The method.
    pub method: Method,
    /// Whether its network is shallower than that of its rivals, as published.
    shallow: bool,
}

impl Cell {
    /// A cell under the method's canonical name.
    pub fn new(problem: Benchmark, model: ModelKind, method: impl Into<Method>, depths: Depths) -> Self {
        let method = method.into().canonical(problem, model);
        let shallow = depths == Depths::AsPublished && model == ModelKind::Qres && matches!(method.aim, Aim::Region(_));
        Self { problem, model, method, shallow }
    }

    /// The configuration of one run, with the text of its problem.
    pub fn config(&self, scale: Scale, seed: u64) -> Result<RunConfig, StudyError> {
        let mut config = Preset::Paper.config(self.problem.name(), self.model, self.method.objective());
        config.seed = seed;
        self.method.apply(&mut config);
        scale.apply(&mut config);
        if let (true, ModelConfig::Qres(sizes)) = (self.shallow, &mut config.model) {
            *sizes = Qres { depth: 2, ..sizes.clone() };
        }
        // One thread is enough to complete it.
        Ok(Case::new(config, &Threads::new(1)?)?.config().clone())
    }

    /// Name of the folder of one run.
    pub fn folder(&self, seed: u64) -> String {
        let depth = if self.shallow { "2" } else { "" };
        format!("{}-{}{depth}-{}-s{seed}", self.problem.name(), self.model.name(), self.method.slug())
    }

    /// The model in tables.
    pub fn model_title(&self) -> String {
        if self.shallow { format!("{} (2 blocks)", title(self.model)) } else { title(self.model).to_owned() }
    }
}

/// One run of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunId {
    /// Everything but the seed.
    pub cell: Cell,
    /// The seed.
    pub seed: u64,
}

impl RunId {
    /// Name of its folder.
    pub fn name(&self) -> String {
        self.cell.folder(self.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_depths_differ_for_regions_only() -> Result<(), StudyError> {
        let depth = |method: Method, depths| {
            let cell = Cell::new(Benchmark::Reaction, ModelKind::Qres, method, depths);
            let config = cell.config(Scale::Paper, 0)?;
            let ModelConfig::Qres(sizes) = config.model else { unreachable!("a QRes was asked for") };
            Ok::<_, StudyError>((sizes.width, sizes.depth, cell.folder(0)))
        };
        assert_eq!(depth(Method::POINT, Depths::AsPublished)?, (256, 4, "reaction-qres-point-s0".to_owned()));
        assert_eq!(depth(Method::REGION, Depths::AsPublished)?, (256, 2, "reaction-qres2-region-s0".to_owned()));
        assert_eq!(depth(Method::REGION, Depths::Equal)?, (256, 4, "reaction-qres-region-s0".to_owned()));
        Ok(())
    }

    #[test]
    fn the_paper_scale_is_the_paper_preset() -> Result<(), StudyError> {
        for (problem, model) in [(Benchmark::Reaction, ModelKind::Pinn), (Benchmark::Convection, ModelKind::Kan)] {
            let cell = Cell::new(problem, model, Method::REGION, Depths::Equal);
            let mut wanted = Preset::Paper.config(problem.name(), model, Method::REGION.objective());
            let config = cell.config(Scale::Paper, 0)?;
            // How often a line is written does not change the run.
            wanted.log_every = 10;
            wanted.problem.source.clone_from(&config.problem.source);
            assert_eq!(config, wanted);
        }
        Ok(())
    }
}
