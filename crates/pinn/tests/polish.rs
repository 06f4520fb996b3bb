//! Polish: linear problems from nothing, corrections of trained networks, what is left alone.

use ropinn::case::Case;
use ropinn::config::{ObjectiveKind, RunConfig};
use ropinn::metrics::ErrorMeter;
use ropinn::model::{Features, ModelConfig, ModelKind};
use ropinn::polish::{Effort, Polished, Unpolished, polish};
use ropinn::preset::Preset;
use ropinn::train::Trainer;
use ropinn_engine::Threads;

type Fallible<T = ()> = Result<T, Box<dyn std::error::Error>>;

fn config(problem: &str) -> RunConfig {
    Preset::Default.config(problem, ModelKind::Fls, ObjectiveKind::Point)
}

fn from_nothing(problem: &str, most: usize, threads: usize) -> Fallible<Polished> {
    let model = ModelConfig::Features(Features { count: most, ..Features::default() });
    let case = Case::new(RunConfig { model, ..config(problem) }, &Threads::new(threads)?)?;
    let found = polish(&case, &case.initial_theta(), &effort(most, 2), &mut |_| (), &Default::default())?;
    found.map_err(|why| format!("{why:?}").into())
}

fn effort(coefficients: usize, steps: u64) -> Effort {
    Effort { coefficients, steps, ..Effort::default() }
}

fn rmse(case: &Case, theta: &[f64]) -> Fallible<f64> {
    Ok(ErrorMeter::new(case)?.ok_or("no reference")?.measure(theta)?.rmse)
}

#[test]
fn linear_problems_are_solved_to_rounding_with_the_same_bits_on_any_threads() -> Fallible {
    let one = from_nothing("wave", 700, 1)?;
    assert!(rmse(&one.case, &one.theta)? < 1e-10, "{:e}", rmse(&one.case, &one.theta)?);
    let two = from_nothing("wave", 700, 2)?;
    assert_eq!((one.theta, one.after.to_bits()), (two.theta, two.after.to_bits()));
    Ok(())
}

#[test]
fn a_trained_network_is_corrected_by_what_it_was_off() -> Fallible {
    let mut config = config("reaction");
    config.set_all(&["iterations=40"])?;
    let case = Case::new(config, &Threads::new(2)?)?;
    let theta = Trainer::new(case.clone())?.run(&mut (), &Default::default())?.theta;
    let before = rmse(&case, &theta)?;
    let polished =
        polish(&case, &theta, &effort(800, 4), &mut |_| (), &Default::default())?.map_err(|why| format!("{why:?}"))?;
    let after = rmse(&polished.case, &polished.theta)?;
    assert!(after < 0.2 * before, "{before:e} became {after:e}");
    assert!((polished.correction / before - 1.0).abs() < 0.3, "{:e} is not {before:e}", polished.correction);
    // The network is in it as it was, and the whole goes through a weights file.
    assert_eq!(polished.theta[..theta.len()], theta);
    let weights = polished.case.weights(&polished.theta)?;
    assert_eq!(polished.case.theta_from(&weights)?, polished.theta);
    Ok(())
}

#[test]
fn solutions_in_pieces_and_readings_are_left_alone() -> Fallible {
    let mut config = config("reaction");
    config.set_all(&["width=4", "pieces=[0.5]"])?;
    let case = Case::new(config, &Threads::new(1)?)?;
    let found = polish(&case, &case.initial_theta(), &effort(50, 1), &mut |_| (), &Default::default())?;
    assert_eq!(found.err(), Some(Unpolished::Pieces));
    Ok(())
}
