//! A problem written in Rust: heat conduction u_t = a u_xx in a rod whose ends are kept at 0, from u = sin πx.
//! `cargo run --release --example custom_problem -- --steps 200`

use ropinn::config::{ObjectiveKind, RunConfig};
use ropinn::model::ModelKind;
use ropinn::preset::Preset;
use ropinn::problem::{Condition, Problem, ProblemBuilder, ProblemError, Spread};
use ropinn::{case::Case, train::Trainer};
use ropinn_engine::Threads;

fn rod() -> Result<Problem, ProblemError> {
    ProblemBuilder::new("rod")
        .coordinate("x", 0.0, 1.0)
        .coordinate("t", 0.0, 1.0)
        .time("t")
        .unknown("u")
        .constant("a", 0.1)
        .equation("heat", "u_t - a*u_xx")
        .condition(Condition::initial("sin(pi*x)"))
        .condition(Condition::dirichlet("x = 0", 0.0))
        .condition(Condition::dirichlet("x = 1", 0.0))
        .interior(Spread::grid([41, 41]))
        .exact("u", "exp(-a*pi^2*t)*sin(pi*x)")
        .build()
}

fn configuration(steps: &str) -> Result<RunConfig, Box<dyn std::error::Error>> {
    let mut config = Preset::Default.config("rod", ModelKind::Pinn, ObjectiveKind::Region);
    config.set_all(&["model.width=12", "region.r=1e-3", &format!("iterations={steps}")])?;
    Ok(config)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let steps = match arguments.as_slice() {
        [flag, steps] if flag == "--steps" => steps,
        _ => "20",
    };
    let case = Case::with_problem(configuration(steps)?, rod()?, &Threads::new(0)?)?;
    let outcome = Trainer::new(case)?.run(&mut (), &Default::default())?;
    let results = &outcome.record.results;
    println!("{} after {} evaluations", outcome.stop_reason, outcome.evaluations);
    println!("trained loss {:.3e}, relative error {:.3e}", results.trained_loss, results.rmse.unwrap_or(f64::NAN));
    Ok(())
}
