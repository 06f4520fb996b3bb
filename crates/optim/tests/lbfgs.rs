//! L-BFGS by its effects: minima reached, reasons reported, θ kept finite, and the stochastic habits preserved.

mod problems;

use proptest::prelude::*;
use ropinn_optim::{GradNorm, Lbfgs, LbfgsConfig, Optimizer, Quantity, StepStatus, Tolerance, ToleranceSetting};

fn lbfgs(config: LbfgsConfig, dimension: usize) -> Lbfgs {
    Lbfgs::new(config, dimension).unwrap()
}

/// An oracle in one dimension that reads (loss, gradient) from a list, whatever θ is.
fn scripted(script: &[(f64, f64)]) -> impl FnMut(&[f64], &mut [f64]) -> f64 {
    let mut script = script.iter();
    move |_, grad| {
        let (loss, slope) = *script.next().expect("the script covers every evaluation");
        grad[0] = slope;
        loss
    }
}

proptest! {
    #[test]
    fn solves_random_convex_quadratics(
        weights in prop::collection::vec(0.1..50.0f64, 1..30), shift in -3.0..3.0f64, coupling in 0.0..1.0f64,
    ) {
        // f = ½ Σ w_i (θ_i − shift)² + ½ coupling (Σ (θ_i − shift))², minimum 0 at θ = shift.
        let mut bowl = |theta: &[f64], grad: &mut [f64]| {
            let total: f64 = theta.iter().map(|x| x - shift).sum();
            for ((grad, theta), weight) in grad.iter_mut().zip(theta).zip(&weights) {
                *grad = weight * (theta - shift) + coupling * total;
            }
            let squares: f64 = theta.iter().zip(&weights).map(|(x, w)| w * (x - shift).powi(2)).sum();
            0.5 * (squares + coupling * total * total)
        };
        let mut theta = vec![0.0; weights.len()];
        let config = LbfgsConfig { max_iter: 200, max_eval: 1000, tolerance_change: ToleranceSetting::Value(1e-18), tolerance_grad: ToleranceSetting::Value(1e-8), ..LbfgsConfig::default() };
        let outcome = lbfgs(config, theta.len()).step(&mut theta, &mut bowl);
        prop_assert!(outcome.loss < 1e-14, "{outcome:?}");
        prop_assert!(theta.iter().all(|x| (x - shift).abs() < 1e-6));
    }

    #[test]
    fn a_bad_number_at_any_evaluation_leaves_theta_at_an_accepted_point(
        start in prop::collection::vec(-1.5..1.5, 4), bad_call in 1u64..40, in_gradient: bool, infinite: bool,
    ) {
        let bad = if infinite { f64::INFINITY } else { f64::NAN };
        let mut calls = Vec::new();
        let mut oracle = |theta: &[f64], grad: &mut [f64]| {
            calls.push(theta.to_vec());
            let loss = problems::rosenbrock(theta, grad, 0);
            match (calls.len() as u64 == bad_call, in_gradient) {
                (true, true) => { grad[2] = bad; loss }
                (true, false) => bad,
                _ => loss,
            }
        };
        let mut theta = start.clone();
        let mut optimizer = lbfgs(LbfgsConfig { max_eval: 100, max_iter: 100, ..LbfgsConfig::default() }, 4);
        let outcome = optimizer.step(&mut theta, &mut oracle);
        let mut grad = [0.0; 4];
        let loss = problems::rosenbrock(&theta, &mut grad, 0);
        if outcome.evaluations as u64 >= bad_call {
            let what = if in_gradient { Quantity::Gradient } else { Quantity::Loss };
            prop_assert_eq!(outcome.status, StepStatus::NonFinite { what });
            prop_assert_eq!(outcome.evaluations as u64, bad_call, "nothing is evaluated after a bad number");
            prop_assert_eq!(optimizer.iterations(), outcome.inner_iterations as u64, "the broken iteration is undone");
        }
        prop_assert!(theta.iter().all(|x| x.is_finite()));
        prop_assert_eq!(&calls[outcome.accepted], &theta, "the accepted evaluation was at θ");
        if bad_call > 1 {
            // The report describes the returned θ, and the run can go on from it.
            prop_assert_eq!(outcome.loss, loss);
            prop_assert_eq!(outcome.grad_norm, GradNorm::of(&grad));
            prop_assert!(loss <= outcome.first_loss);
            for _ in 0..20 {
                optimizer.step(&mut theta, &mut |theta: &[f64], grad: &mut [f64]| problems::rosenbrock(theta, grad, 0));
            }
            let end = problems::rosenbrock(&theta, &mut grad, 0);
            prop_assert!(end <= loss && GradNorm::of(&grad).max_abs < 1e-2, "stationary: {end}, {grad:?}");
        } else {
            prop_assert_eq!(theta, start);
        }
    }
}

#[test]
fn a_stationary_start_is_reported_and_changes_no_state() {
    let mut optimizer = lbfgs(LbfgsConfig::default(), 1);
    let before = optimizer.save();
    let mut theta = [3.0];
    let outcome = optimizer.step(&mut theta, &mut scripted(&[(2.0, 1e-7)]));
    assert_eq!(outcome.status, StepStatus::Converged(Tolerance::Gradient));
    assert_eq!((outcome.evaluations, outcome.inner_iterations, theta), (1, 0, [3.0]));
    assert_eq!(optimizer.save(), before);
}

#[test]
fn each_tolerance_is_named() {
    let small_steps = LbfgsConfig { lr: 1e-10, ..LbfgsConfig::default() };
    let cases = [
        (LbfgsConfig::default(), [(1.0, 1.0), (0.5, 1e-8)], Tolerance::Gradient),
        (small_steps, [(1.0, 1.0), (0.5, 0.1)], Tolerance::Change),
        (LbfgsConfig::default(), [(1.0, 1e-4), (1.0 - 5e-10, 1e-6)], Tolerance::Loss),
    ];
    for (config, script, tolerance) in cases {
        let outcome = lbfgs(config, 1).step(&mut [0.0], &mut scripted(&script));
        assert_eq!(outcome.status, StepStatus::Converged(tolerance));
        assert_eq!((outcome.evaluations, outcome.loss), (2, script[1].0));
    }
}

#[test]
fn the_evaluation_budget_is_tested_after_whole_iterations() {
    let mut theta = [-1.2, 1.0];
    let config = LbfgsConfig { max_eval: 2, ..LbfgsConfig::default() };
    let outcome = lbfgs(config, 2).step(&mut theta, &mut problems::counted(problems::rosenbrock));
    assert_eq!(outcome.status, StepStatus::EvaluationBudget);
    assert_eq!(outcome.inner_iterations, 1);
    assert_eq!(outcome.evaluations, 3, "the search finished although 2 were allowed");
}

#[test]
fn a_gradient_that_lies_stalls_the_search_and_keeps_theta() {
    let mut climbing = |theta: &[f64], grad: &mut [f64]| {
        grad[0] = -2.0 * theta[0];
        theta[0] * theta[0]
    };
    let mut theta = [1.0];
    let mut optimizer = lbfgs(LbfgsConfig::default(), 1);
    let outcome = optimizer.step(&mut theta, &mut climbing);
    assert_eq!(outcome.status, StepStatus::LineSearchStalled);
    assert_eq!((theta, outcome.step_size, outcome.loss, outcome.weak_searches), ([1.0], 0.0, 1.0, 1));
}

#[test]
fn leaving_on_the_directional_derivative_makes_the_next_call_pair_a_step_that_was_not_taken() {
    let mut optimizer = lbfgs(LbfgsConfig { max_iter: 1, ..LbfgsConfig::default() }, 1);
    let mut theta = [0.25];

    // gᵀd = −1e-10 > −1e-9: θ stays, d = −1e-5 and t = 1 are remembered.
    let outcome = optimizer.step(&mut theta, &mut scripted(&[(1.0, 1e-5)]));
    assert_eq!(outcome.status, StepStatus::Converged(Tolerance::DirectionalDerivative));
    assert_eq!((theta, optimizer.pairs(), optimizer.iterations()), ([0.25], 0, 1));

    // Another draw of the points, another gradient: yᵀs = (−1 − 1e-5)(−1e-5) > 1e-10, so s = 1·d is stored.
    let outcome = optimizer.step(&mut theta, &mut scripted(&[(1.0, -1.0), (0.5, 0.0)]));
    assert_eq!(optimizer.pairs(), 1);
    let state = optimizer.save();
    assert_eq!(state.vectors["pair_steps"], [-1e-5]);
    assert_eq!(state.vectors["pair_changes"], [-1.0 - 1e-5]);
    // In one dimension d = −(s/y) g exactly: the step is s/y long.
    assert!((theta[0] - (0.25 + 1e-5 / (1.0 + 1e-5))).abs() < 1e-15);
    assert_eq!(outcome.step_size, 1.0);
}

#[test]
fn an_undone_iteration_leaves_no_step_for_the_next_pair() {
    let mut optimizer = lbfgs(LbfgsConfig { max_iter: 1, ..LbfgsConfig::default() }, 1);
    let mut theta = [0.0];
    optimizer.step(&mut theta, &mut scripted(&[(1.0, -1.0), (0.5, -0.5)]));
    let kept = theta;
    let broken = optimizer.step(&mut theta, &mut scripted(&[(0.5, -0.5), (f64::NAN, 0.0)]));
    assert_eq!(broken.status, StepStatus::NonFinite { what: Quantity::Loss });
    assert_eq!((theta, optimizer.pairs()), (kept, 1));
    // y = 3.5 along d > 0 would make a pair, had the broken trial's step been remembered.
    optimizer.step(&mut theta, &mut scripted(&[(0.4, 3.0), (0.3, 0.1)]));
    assert_eq!(optimizer.pairs(), 1);
}

#[test]
fn an_overflowing_direction_is_named() {
    let config = LbfgsConfig { max_iter: 1, tolerance_grad: ToleranceSetting::Value(0.0), ..LbfgsConfig::default() };
    let mut optimizer = lbfgs(config, 1);
    // y = 1e-160 with s = 1e160 has yᵀs = 1, but γ = yᵀs/yᵀy overflows.
    let state =
        optimizer.save().with_count("iterations", 5).with_scalar("step", 1.0).with_vector("direction", vec![1e160]);
    optimizer.load(&state).unwrap();
    let mut theta = [0.0];
    let outcome = optimizer.step(&mut theta, &mut scripted(&[(1.0, 1e-160)]));
    assert_eq!(outcome.status, StepStatus::NonFinite { what: Quantity::Direction });
    assert_eq!(theta, [0.0]);
}

#[test]
fn coinciding_trials_are_named_before_they_poison_theta() {
    // Steep slopes with far larger drops shrink each extension a hundredfold until two trials coincide: 0/0.
    let script: Vec<_> = (0..26).map(|k| (1.0 - 0.1 * f64::from(k), -1.0)).collect();
    let mut theta = [0.0];
    let outcome = lbfgs(LbfgsConfig::default(), 1).step(&mut theta, &mut scripted(&script));
    assert_eq!(outcome.status, StepStatus::NonFinite { what: Quantity::TrialStep });
    assert_eq!((theta, outcome.loss, outcome.grad_norm.max_abs), ([0.0], 1.0, 1.0));
}

#[test]
#[should_panic(expected = "lbfgs was built for 3 parameters, but theta has 2")]
fn a_theta_of_the_wrong_length_is_refused() {
    lbfgs(LbfgsConfig::default(), 3).step(&mut [0.0; 2], &mut scripted(&[]));
}
