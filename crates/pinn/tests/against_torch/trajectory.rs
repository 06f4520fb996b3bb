//! L-BFGS on a real PINN, iterate by iterate: the benchmark `reaction` on a 6×6 grid with a 2-6-1 tanh network in f64.
//! `benches/peers/golden_lbfgs.py` writes the file; the number of evaluations is compared exactly, the parameters to 1e-8.

use crate::{Fallible, read};
use ropinn::case::Case;
use ropinn::config::RunConfig;
use ropinn::objective::Objective;
use ropinn::train::Trainer;
use ropinn_engine::{Precision, Threads};
use serde::Deserialize;

const TOLERANCE: f64 = 1e-8;

#[derive(Deserialize)]
struct Trajectory {
    start: Vec<f64>,
    runs: Vec<Run>,
}

/// After each outer step: the parameters, its first loss, and the evaluations so far.
#[derive(Deserialize)]
struct Run {
    max_iter: usize,
    max_eval: usize,
    history: usize,
    theta: Vec<Vec<f64>>,
    first_loss: Vec<f64>,
    evaluations: Vec<u64>,
}

impl Run {
    /// The same setting; tolerances are PyTorch's, not those that shrink with the precision.
    fn case(&self) -> Fallible<Case> {
        let Self { max_iter, max_eval, history, theta, .. } = self;
        let phase = format!(
            "phases=lbfgs {} max_iter={max_iter} max_eval={max_eval} history={history} tolerance_grad=1e-7 tolerance_change=1e-9",
            theta.len()
        );
        let mut config = RunConfig { precision: Precision::F64, ..RunConfig::default() };
        config.set_all(&["problem.name=reaction", "points.interior=grid:6x6", "objective=point"])?;
        config.set_all(&["model.kind=pinn", "width=6", "depth=1", &phase])?;
        Ok(Case::new(config, &Threads::new(2)?)?)
    }
}

fn trajectory() -> Fallible<Trajectory> {
    read("lbfgs_reaction_pinn.json")
}

fn assert_close(found: &[f64], wanted: &[f64], place: &str) {
    assert_eq!(found.len(), wanted.len(), "{place}");
    for (found, wanted) in found.iter().zip(wanted) {
        let error = (found - wanted).abs();
        assert!(error <= TOLERANCE * (1.0 + wanted.abs()), "{place}: got {found}, PyTorch has {wanted}");
    }
}

#[test]
fn lbfgs_follows_pytorch_on_a_small_pinn() -> Fallible {
    let Trajectory { start, runs } = trajectory()?;
    assert!(runs.iter().any(|run| run.max_iter == 1 && run.theta.len() >= 30), "at least 30 iterates are compared");
    for (index, run) in runs.iter().enumerate() {
        let case = run.case()?;
        let mut objective = Objective::new(&case)?;
        let mut optimizer =
            case.config().phases.0[0].optimizer(Precision::F64, case.parameters(), objective.residuals_at_start())?;
        let (mut theta, mut evaluations) = (start.clone(), 0);
        for (step, wanted) in run.theta.iter().enumerate() {
            let place = format!("run {index}, step {step}");
            objective.begin_step(step as u64);
            let outcome = optimizer.step(&mut theta, &mut objective);
            objective.end_step();
            evaluations += outcome.evaluations as u64;
            assert_eq!(evaluations, run.evaluations[step], "{place}: evaluations so far");
            assert_close(&[outcome.first_loss], &run.first_loss[step..=step], &place);
            assert_close(&theta, wanted, &place);
        }
    }
    Ok(())
}

#[test]
fn the_training_loop_ends_where_pytorch_does() -> Fallible {
    let Trajectory { start, runs } = trajectory()?;
    for (index, run) in runs.iter().enumerate() {
        let outcome = Trainer::starting_at(run.case()?, start.clone())?.run(&mut (), &Default::default())?;
        assert_eq!(Some(&outcome.evaluations), run.evaluations.last(), "run {index}");
        assert_close(&outcome.theta, run.theta.last().expect("a step"), &format!("run {index}"));
    }
    Ok(())
}
