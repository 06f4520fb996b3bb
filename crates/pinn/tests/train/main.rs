//! Whole runs on small cases.

mod accepted;
mod checkpoints;
mod guard;
mod losses;
mod metrics;
mod models;
mod observing;
mod repeat;
mod stopping;
mod systems;

use ropinn::case::Case;
use ropinn::config::RunConfig;
use ropinn::train::{TrainOutcome, Trainer};
use ropinn_engine::Threads;

/// Reaction on a coarse grid with a small network, and whatever else is asked for.
fn configuration(overrides: &[&str]) -> RunConfig {
    let mut config = RunConfig::default();
    config
        .set_all(&["problem.name=reaction", "points.interior=grid:11x11", "model.width=8", "depth=2"])
        .expect("valid");
    config.set_all(overrides).expect("valid");
    config
}

fn trainer(overrides: &[&str], threads: usize) -> Trainer {
    let case = Case::new(configuration(overrides), &Threads::new(threads).expect("threads")).expect("case");
    Trainer::new(case).expect("trainer")
}

fn run(overrides: &[&str]) -> TrainOutcome {
    trainer(overrides, 2).run(&mut (), &Default::default()).expect("run")
}

fn bits(theta: &[f64]) -> Vec<u64> {
    theta.iter().map(|value| value.to_bits()).collect()
}
