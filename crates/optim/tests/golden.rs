//! Iterate by iterate against PyTorch in f64 (`benches/peers/golden_lbfgs.py` writes `tests/golden`).
//!
//! L-BFGS must make the same decisions: the number of evaluations is compared exactly, the parameters to 1e-8.

mod problems;

use std::path::Path;

use ropinn_optim::{Adam, AdamConfig, Lbfgs, LbfgsConfig, Optimizer, Schedule};
use serde_json::Value;

const TOLERANCE: f64 = 1e-8;

fn golden(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name).with_extension("json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn follow(name: &str, build: impl Fn(&Value, usize) -> Box<dyn Optimizer>) {
    let file = golden(name);
    let problem = problems::by_name(file["problem"].as_str().unwrap());
    for (index, run) in file["runs"].as_array().unwrap().iter().enumerate() {
        let mut theta = numbers(&file["start"]);
        let mut optimizer = build(run, theta.len());
        let mut oracle = problems::counted(problem);
        let mut evaluations = 0;
        let losses = numbers(&run["first_loss"]);
        for (step, want) in run["theta"].as_array().unwrap().iter().enumerate() {
            let place = format!("{name}, run {index}, step {step}");
            let outcome = optimizer.step(&mut theta, &mut oracle);
            evaluations += outcome.evaluations as u64;
            assert_eq!(Some(evaluations), run["evaluations"][step].as_u64(), "{place}: evaluations so far");
            close(outcome.first_loss, losses[step], &place);
            for (got, want) in theta.iter().zip(numbers(want)) {
                close(*got, want, &place);
            }
        }
    }
}

fn close(got: f64, want: f64, place: &str) {
    assert!((got - want).abs() <= TOLERANCE * (1.0 + want.abs()), "{place}: got {got}, PyTorch has {want}");
}

fn follow_lbfgs(name: &str) {
    follow(name, |run, dimension| {
        let count = |setting: &str| run[setting].as_u64().unwrap() as usize;
        let config = LbfgsConfig {
            lr: run["lr"].as_f64().unwrap(),
            max_iter: count("max_iter"),
            max_eval: count("max_eval"),
            history: count("history"),
            ..LbfgsConfig::default()
        };
        Box::new(Lbfgs::new(config, dimension).unwrap())
    });
}

fn follow_adam(name: &str) {
    follow(name, |run, dimension| {
        let lr = Schedule::constant(run["lr"].as_f64().unwrap());
        Box::new(Adam::new(AdamConfig { lr, ..AdamConfig::default() }, dimension).unwrap())
    });
}

#[test]
fn lbfgs_follows_pytorch_on_rosenbrock_in_the_plane() {
    follow_lbfgs("lbfgs_rosenbrock2");
}

#[test]
fn lbfgs_follows_pytorch_on_rosenbrock_in_ten_dimensions() {
    follow_lbfgs("lbfgs_rosenbrock10");
}

#[test]
fn lbfgs_follows_pytorch_on_an_ill_conditioned_quadratic() {
    follow_lbfgs("lbfgs_quadratic");
}

#[test]
fn lbfgs_follows_pytorch_on_a_tanh_network() {
    follow_lbfgs("lbfgs_tanh_net");
}

#[test]
fn lbfgs_follows_pytorch_when_every_evaluation_is_another_function() {
    follow_lbfgs("lbfgs_drifting_bowl");
}

/// Scripted losses and slopes drive the line search through ties, exhausted trials and collapsing brackets.
#[test]
fn the_line_search_makes_the_same_trials_as_pytorch() {
    let file = golden("search_scripts");
    for (index, case) in file["cases"].as_array().unwrap().iter().enumerate() {
        let script: Vec<_> = case["script"].as_array().unwrap().iter().map(numbers).collect();
        let mut trials = Vec::new();
        let mut oracle = |theta: &[f64], grad: &mut [f64]| {
            let entry = script.get(trials.len()).unwrap_or_else(|| panic!("case {index}: PyTorch had stopped here"));
            trials.push(theta[0]);
            grad[0] = entry[1];
            entry[0]
        };
        let lr = case["lr"].as_f64().unwrap();
        let config = LbfgsConfig { lr, max_iter: 1, max_eval: 1, ..LbfgsConfig::default() };
        let mut theta = [0.0];
        let outcome = Lbfgs::new(config, 1).unwrap().step(&mut theta, &mut oracle);
        let want = numbers(&case["trials"]);
        assert_eq!(trials.len(), want.len(), "case {index}: evaluations");
        for (got, want) in trials.iter().zip(&want) {
            assert!(
                (got - want).abs() <= 1e-12 * (1.0 + want.abs()),
                "case {index}: trial at {got}, PyTorch at {want}"
            );
        }
        let want = case["theta"].as_f64().unwrap();
        assert!((theta[0] - want).abs() <= 1e-12 * (1.0 + want.abs()), "case {index}: {theta:?}, PyTorch {want}");
        assert_eq!(outcome.evaluations, script.len());
    }
}

#[test]
fn adam_follows_pytorch_on_rosenbrock() {
    follow_adam("adam_rosenbrock10");
}

#[test]
fn adam_follows_pytorch_on_a_tanh_network() {
    follow_adam("adam_tanh_net");
}
