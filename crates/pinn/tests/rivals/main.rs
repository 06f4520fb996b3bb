//! Objectives, weightings and samplings on one code path: each against its definition, and all of them together.

mod combinations;
mod estimators;
mod gradient;
mod sampling;
mod variational;
mod weighting;

use ropinn::case::Case;
use ropinn::config::RunConfig;
use ropinn::objective::Objective;
use ropinn::problem::Term;
use ropinn_engine::Threads;
use ropinn_optim::Oracle;

/// A small case in f64: reaction on a 7 × 5 grid unless another problem is asked for.
fn case(overrides: &[&str]) -> Case {
    let mut config = RunConfig::default();
    config
        .set_all(&["problem.name=reaction", "points.interior=grid:7x5", "model.width=5", "depth=2", "precision=f64"])
        .expect("valid");
    config.set_all(overrides).expect("valid");
    Case::new(config, &Threads::new(1).expect("threads")).expect("case")
}

/// Loss, terms and gradient of one evaluation at θ.
fn evaluated(objective: &mut Objective, theta: &[f64]) -> (f64, Vec<f64>, Vec<f64>) {
    let mut grad = vec![0.0; theta.len()];
    objective.begin_step(0);
    let loss = objective.evaluate(theta, &mut grad);
    (loss, objective.parts_of(0).to_vec(), grad)
}

/// The problem's terms with other expressions, evaluated at points.
fn with_residuals(case: &Case, change: impl Fn(&mut Term)) -> Objective {
    let mut terms = case.problem().terms(0).expect("terms");
    terms.iter_mut().for_each(change);
    Objective::with_terms(case, terms).expect("objective")
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (a.abs() + b.abs())
}
