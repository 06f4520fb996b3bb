//! What is compared: objectives, changes to the region, and the companions NTK and RAR-D, as settings on top of the paper's.

use super::benchmark::Benchmark;
use ropinn::config::{ObjectiveKind, RunConfig, SamplingKind, WeightingKind};
use ropinn::model::ModelKind;
use ropinn::preset::Preset;

/// Outer steps between refinements of RAR-D. The paper does not say; ten rounds in its 1000 steps.
const RAR_PERIOD: usize = 100;

/// Points added by each: 1/200 of the 101 × 101 of the benchmarks, as the authors of RAR-D advise.
const RAR_COUNT: usize = 51;

/// What is minimised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aim {
    /// The loss at points ("vanilla").
    Point,
    /// gPINN with its weight.
    Gradient(f64),
    /// vPINN.
    Variational,
    /// RoPINN.
    Region(Region),
}

/// How a region differs from the paper's default: r = 1e-4, calibrated, one random place per point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// Not at all.
    Default,
    /// σ ≡ 1: the size stays as it is.
    Fixed,
    /// Another r.
    Radius(f64),
    /// Another T₀.
    Past(usize),
    /// So many random places.
    Samples(usize),
    /// A Gauss–Legendre rule with so many nodes along each axis.
    Gauss(usize),
}

/// What goes along with an objective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Companion {
    /// Nothing.
    None,
    /// Weights by kernel traces.
    Ntk,
    /// Points added by the residual.
    Rar,
}

/// One way of training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Method {
    /// What is minimised.
    pub aim: Aim,
    /// What goes along.
    pub companion: Companion,
}

impl From<Aim> for Method {
    fn from(aim: Aim) -> Self {
        Self { aim, companion: Companion::None }
    }
}

impl From<Region> for Method {
    fn from(region: Region) -> Self {
        Aim::Region(region).into()
    }
}

impl Method {
    /// Points, the rival all others are measured against.
    pub const POINT: Self = Self { aim: Aim::Point, companion: Companion::None };

    /// RoPINN as published.
    pub const REGION: Self = Self { aim: Aim::Region(Region::Default), companion: Companion::None };

    /// The same method under one name: settings that repeat the default for this problem and model are the default, so that
    /// experiments share runs. T₀ = 1 is the fixed region: the spread of a single gradient is 0, and σ = 0 counts as 1.
    pub fn canonical(self, problem: Benchmark, model: ModelKind) -> Self {
        let default = Preset::Paper.config(problem.name(), model, ObjectiveKind::Region).objective.region;
        let region = match self.aim {
            Aim::Region(Region::Radius(r)) if r == default.r => Region::Default,
            Aim::Region(Region::Past(1)) => Region::Fixed,
            Aim::Region(Region::Past(past)) if past == default.past => Region::Default,
            Aim::Region(Region::Samples(samples)) if samples == default.samples => Region::Default,
            _ => return self,
        };
        Self { aim: Aim::Region(region), ..self }
    }

    /// Name in folders and in the list of published numbers.
    pub fn slug(self) -> String {
        let aim = match self.aim {
            Aim::Point => "point".to_owned(),
            Aim::Gradient(weight) => format!("gradient-w{weight}"),
            Aim::Variational => "variational".to_owned(),
            Aim::Region(Region::Default) => "region".to_owned(),
            Aim::Region(Region::Fixed) => "region-fixed".to_owned(),
            Aim::Region(Region::Radius(r)) => format!("region-r{r:e}"),
            Aim::Region(Region::Past(past)) => format!("region-t{past}"),
            Aim::Region(Region::Samples(samples)) => format!("region-n{samples}"),
            Aim::Region(Region::Gauss(nodes)) => format!("region-gauss{}", nodes * nodes),
        };
        match self.companion {
            Companion::None => aim,
            Companion::Ntk => aim + "-ntk",
            Companion::Rar => aim + "-rar",
        }
    }

    /// Name in tables.
    pub fn title(self) -> String {
        let aim = match self.aim {
            Aim::Point => "point".to_owned(),
            Aim::Gradient(weight) => format!("gPINN, w = {weight}"),
            Aim::Variational => "vPINN".to_owned(),
            Aim::Region(Region::Default) => "region".to_owned(),
            Aim::Region(Region::Fixed) => "fixed region".to_owned(),
            Aim::Region(Region::Radius(r)) => format!("region, r = {r:e}"),
            Aim::Region(Region::Past(past)) => format!("region, T₀ = {past}"),
            Aim::Region(Region::Samples(samples)) => format!("region, {}", counted(samples, "sample")),
            Aim::Region(Region::Gauss(nodes)) => format!("region, {}", counted(nodes * nodes, "Gauss point")),
        };
        match self.companion {
            Companion::None => aim,
            Companion::Ntk => aim + " + NTK",
            Companion::Rar => aim + " + RAR-D",
        }
    }

    /// The objective as the library knows it.
    pub fn objective(self) -> ObjectiveKind {
        match self.aim {
            Aim::Point => ObjectiveKind::Point,
            Aim::Gradient(_) => ObjectiveKind::Gradient,
            Aim::Variational => ObjectiveKind::Variational,
            Aim::Region(_) => ObjectiveKind::Region,
        }
    }

    /// Puts the method into a configuration of its objective.
    pub fn apply(self, config: &mut RunConfig) {
        let objective = &mut config.objective;
        let region = &mut objective.region;
        match self.aim {
            Aim::Point | Aim::Variational => {}
            Aim::Gradient(weight) => objective.gradient.weight = weight,
            Aim::Region(change) => match change {
                Region::Default => {}
                Region::Fixed => region.calibrate = false,
                Region::Radius(r) => region.r = r,
                Region::Past(past) => region.past = past,
                Region::Samples(samples) => region.samples = samples,
                Region::Gauss(nodes) => (region.estimator, region.samples) = (ropinn_domain::Estimator::Gauss, nodes),
            },
        }
        match self.companion {
            Companion::None => {}
            Companion::Ntk => config.weighting.kind = WeightingKind::Ntk,
            Companion::Rar => {
                config.sampling.kind = SamplingKind::RarD;
                (config.sampling.rar_d.period, config.sampling.rar_d.count) = (RAR_PERIOD, RAR_COUNT);
            }
        }
    }

    /// Random places or nodes per point.
    pub fn places(self) -> usize {
        match self.aim {
            Aim::Region(Region::Samples(samples)) => samples,
            Aim::Region(Region::Gauss(nodes)) => nodes * nodes,
            _ => 1,
        }
    }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_have_one_name() {
        let name = |region: Region, problem, model| Method::from(region).canonical(problem, model).slug();
        assert_eq!(name(Region::Radius(1e-4), Benchmark::Reaction, ModelKind::Pinn), "region");
        assert_eq!(name(Region::Radius(1e-3), Benchmark::Reaction, ModelKind::Pinn), "region-r1e-3");
        assert_eq!(name(Region::Past(10), Benchmark::Wave, ModelKind::Fls), "region");
        assert_eq!(name(Region::Past(10), Benchmark::Convection, ModelKind::Fls), "region-t10");
        assert_eq!(name(Region::Past(5), Benchmark::Convection, ModelKind::Pinn), "region");
        assert_eq!(name(Region::Past(5), Benchmark::Convection, ModelKind::Kan), "region-t5");
        assert_eq!(name(Region::Past(1), Benchmark::Reaction, ModelKind::Pinn), "region-fixed");
        assert_eq!(name(Region::Samples(1), Benchmark::Reaction, ModelKind::Pinn), "region");
        assert_eq!(name(Region::Gauss(3), Benchmark::Reaction, ModelKind::Pinn), "region-gauss9");
        assert_eq!(Method::from(Aim::Gradient(0.1)).slug(), "gradient-w0.1");
        assert_eq!(Method { companion: Companion::Rar, ..Method::REGION }.slug(), "region-rar");
    }
}
