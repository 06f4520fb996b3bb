//! Region optimisation: sampling, calibration, and the theorems behind it.

mod calibration;
mod inside;
mod sampling;
mod theory;

use ropinn::case::Case;
use ropinn::config::RunConfig;
use ropinn_engine::Threads;

/// A small case: reaction on a 7 × 5 grid with a tiny network in f64, and whatever else is asked for.
fn case(overrides: &[&str]) -> Case {
    let mut config = RunConfig::default();
    let small = ["problem.name=reaction", "points.interior=grid:7x5", "model.width=5", "depth=2", "precision=f64"];
    let unless_model = |text: &&&str| {
        !overrides.iter().any(|o| o.starts_with("model=")) || !text.contains("width") && !text.contains("depth")
    };
    config
        .set_all(&small.iter().filter(unless_model).copied().chain(overrides.iter().copied()).collect::<Vec<_>>())
        .expect("valid");
    Case::new(config, &Threads::new(1).expect("threads")).expect("case")
}
