//! Self-scaled BFGS and Broyden by their effects: minima reached, dense and limited memory agreeing, and robustness
//! against noise, broken matrices and non-finite numbers.

mod problems;

use proptest::prelude::*;
use ropinn_optim::{
    GradNorm, Memory, Optimizer, Quantity, SelfScaled, SelfScaledConfig, SelfScaledVariant, StepOutcome, StepStatus,
    StrongWolfe, Tolerance,
};

const SSBFGS: SelfScaledVariant = SelfScaledVariant::Bfgs;
const METHODS: [(SelfScaledVariant, Memory); 3] =
    [(SSBFGS, Memory::Dense), (SelfScaledVariant::Broyden, Memory::Dense), (SSBFGS, Memory::Limited(30))];

fn patient((variant, memory): (SelfScaledVariant, Memory)) -> SelfScaledConfig {
    SelfScaledConfig { variant, memory, max_iter: 2000, max_eval: 5000, ..SelfScaledConfig::default() }
}

fn build(config: SelfScaledConfig, dimension: usize) -> SelfScaled {
    SelfScaled::new(config, dimension).unwrap()
}

fn minimise(config: SelfScaledConfig, problem: problems::Problem, start: &[f64]) -> (StepOutcome, Vec<f64>) {
    let mut theta = start.to_vec();
    let outcome = build(config, start.len()).step(&mut theta, &mut problems::counted(problem));
    (outcome, theta)
}

/// Σ over pairs of 100 (θ_{2i} − θ_{2i−1}²)² + (1 − θ_{2i−1})² (Moré, Garbow & Hillstrom 1981, problem 21).
fn extended_rosenbrock(theta: &[f64], grad: &mut [f64], call: u64) -> f64 {
    let pairs = theta.chunks(2).zip(grad.chunks_mut(2));
    pairs.map(|(theta, grad)| problems::rosenbrock(theta, grad, call)).sum()
}

/// (θ₁ + 10θ₂)² + 5(θ₃ − θ₄)² + (θ₂ − 2θ₃)⁴ + 10(θ₁ − θ₄)⁴: a singular Hessian at the minimum 0 (problem 13).
fn powell_singular(theta: &[f64], grad: &mut [f64], _call: u64) -> f64 {
    let [a, b, c, d] =
        [theta[0] + 10.0 * theta[1], theta[2] - theta[3], theta[1] - 2.0 * theta[2], theta[0] - theta[3]];
    grad.copy_from_slice(&[
        2.0 * a + 40.0 * d.powi(3),
        20.0 * a + 4.0 * c.powi(3),
        10.0 * b - 8.0 * c.powi(3),
        -10.0 * b - 40.0 * d.powi(3),
    ]);
    a * a + 5.0 * b * b + c.powi(4) + 10.0 * d.powi(4)
}

#[test]
fn rosenbrock_is_solved_to_rounding() {
    let twenty: Vec<f64> = (0..20).map(|i| if i % 2 == 0 { -1.2 } else { 1.0 }).collect();
    let cases: [(problems::Problem, &[f64], usize); 3] = [
        (problems::rosenbrock, &[-1.2, 1.0], 80),
        (extended_rosenbrock, &twenty, 150),
        (problems::rosenbrock, &twenty, 400),
    ];
    for method in METHODS {
        for (case, (problem, start, iterations)) in cases.into_iter().enumerate() {
            let config = SelfScaledConfig { tolerance_change: 0.0, ..patient(method) };
            let (outcome, theta) = minimise(config, problem, start);
            let place = format!("{method:?}, case {case}: {outcome:?}");
            assert!(outcome.loss < 1e-20 && theta.iter().all(|x| (x - 1.0).abs() < 1e-9), "{place}");
            assert!(outcome.inner_iterations <= iterations, "{place}");
        }
    }
}

#[test]
fn a_singular_minimum_is_approached_far() {
    for method in METHODS {
        let (outcome, theta) = minimise(patient(method), powell_singular, &[3.0, -1.0, 0.0, 1.0]);
        assert!(outcome.loss < 1e-14 && outcome.inner_iterations <= 200, "{method:?}: {outcome:?}, {theta:?}");
    }
}

/// f = ½ (θ − 1)ᵀ A (θ − 1), A = Q diag(1 … 10^{condition}) Q with the reflection Q = I − 2 w wᵀ/wᵀw.
fn rotated_quadratic(w: Vec<f64>, condition: f64) -> impl Fn(&[f64], &mut [f64]) -> f64 {
    let n = w.len();
    let ww: f64 = w.iter().map(|w| w * w).sum();
    let reflect = move |x: Vec<f64>| -> Vec<f64> {
        let along = 2.0 * x.iter().zip(&w).map(|(x, w)| x * w).sum::<f64>() / ww;
        x.iter().zip(&w).map(|(x, w)| x - along * w).collect()
    };
    move |theta, grad| {
        let miss: Vec<f64> = theta.iter().map(|x| x - 1.0).collect();
        let mut image = reflect(miss.clone());
        for (i, x) in image.iter_mut().enumerate() {
            *x *= 10f64.powf(condition * i as f64 / (n - 1) as f64);
        }
        grad.copy_from_slice(&reflect(image));
        0.5 * miss.iter().zip(grad.iter()).map(|(x, g)| x * g).sum::<f64>()
    }
}

proptest! {
    /// With exact searches the whole family generates conjugate directions, whatever the scales: n iterations.
    #[test]
    fn quadratics_end_after_about_n_exact_searches(
        w in prop::collection::vec(-1.0..1.0f64, 3..13), condition in 0.5..3.0f64, broyden: bool,
    ) {
        prop_assume!(w.iter().any(|w| w.abs() > 0.1));
        let n = w.len();
        let variant = if broyden { SelfScaledVariant::Broyden } else { SSBFGS };
        let search = StrongWolfe { c1: 1e-14, c2: 1e-11, max_iterations: 60, width_tolerance: 0.0 };
        let config = SelfScaledConfig { search, max_iter: n + 3, ..patient((variant, Memory::Dense)) };
        let (mut theta, mut oracle) = (vec![0.0; n], rotated_quadratic(w, condition));
        let outcome = build(config, n).step(&mut theta, &mut oracle);
        prop_assert!(outcome.loss < 1e-14 * outcome.first_loss, "{outcome:?}");
    }

    #[test]
    fn ill_conditioned_quadratics_are_solved_with_ordinary_searches(
        w in prop::collection::vec(-1.0..1.0f64, 3..25), condition in 2.0..6.0f64, which in 0usize..3,
    ) {
        prop_assume!(w.iter().any(|w| w.abs() > 0.1));
        let n = w.len();
        let (mut theta, mut oracle) = (vec![0.0; n], rotated_quadratic(w, condition));
        let outcome = build(patient(METHODS[which]), n).step(&mut theta, &mut oracle);
        prop_assert!(outcome.loss < 1e-16 * outcome.first_loss, "{outcome:?}");
    }

    #[test]
    fn a_bad_number_at_any_evaluation_leaves_theta_at_an_accepted_point(
        start in prop::array::uniform4(-1.5..1.5f64), bad_call in 1u64..40, in_gradient: bool, which in 0usize..3,
    ) {
        let mut calls = Vec::new();
        let mut oracle = |theta: &[f64], grad: &mut [f64]| {
            calls.push(theta.to_vec());
            let loss = problems::rosenbrock(theta, grad, 0);
            match (calls.len() as u64 == bad_call, in_gradient) {
                (true, true) => { grad[2] = f64::INFINITY; loss }
                (true, false) => f64::NAN,
                _ => loss,
            }
        };
        let mut theta = start;
        let mut optimizer = build(SelfScaledConfig { max_iter: 60, ..patient(METHODS[which]) }, 4);
        let outcome = optimizer.step(&mut theta, &mut oracle);
        prop_assert_eq!(calls[outcome.accepted].as_slice(), theta, "the accepted evaluation was at θ");
        prop_assume!(outcome.evaluations as u64 >= bad_call); // some starts converge before
        let what = if in_gradient { Quantity::Gradient } else { Quantity::Loss };
        prop_assert_eq!(outcome.status, StepStatus::NonFinite { what });
        prop_assert_eq!(optimizer.iterations(), outcome.inner_iterations as u64, "the broken iteration is undone");
        let mut grad = [0.0; 4];
        let loss = problems::rosenbrock(&theta, &mut grad, 0);
        if bad_call > 1 {
            prop_assert_eq!(outcome.loss, loss);
            prop_assert_eq!(outcome.grad_norm, GradNorm::of(&grad));
        } else {
            prop_assert_eq!(theta, start);
        }
        // The run can go on from there.
        optimizer.step(&mut theta, &mut |theta: &[f64], grad: &mut [f64]| problems::rosenbrock(theta, grad, 0));
        prop_assert!(problems::rosenbrock(&theta, &mut grad, 0) <= loss);
    }

    /// Every evaluation is another function: pairs are noisy, searches fail, yet θ stays finite and near the bowl.
    #[test]
    fn noise_in_every_evaluation_is_survived(start in prop::array::uniform5(-2.0..2.0f64), which in 0usize..3) {
        let mut optimizer = build(SelfScaledConfig { max_iter: 7, ..patient(METHODS[which]) }, 5);
        let mut oracle = problems::counted(problems::drifting_bowl);
        let mut theta = start;
        for _ in 0..60 {
            let outcome = optimizer.step(&mut theta, &mut oracle);
            prop_assert!(outcome.loss.is_finite() && theta.iter().all(|x| x.is_finite()), "{outcome:?}");
        }
        prop_assert!(theta.iter().all(|x| x.abs() < 1.0), "{theta:?}");
    }
}

/// On a run that meets no saddle, where rounding would decide the search and part the two.
#[test]
fn pairs_that_are_all_kept_give_the_iterates_of_the_matrix() {
    let run = |memory| build(SelfScaledConfig { max_iter: 1, ..patient((SSBFGS, memory)) }, 6);
    let (mut dense, mut limited) = (run(Memory::Dense), run(Memory::Limited(40)));
    let mut theta = [-1.2, 1.0, -1.2, 1.0, -1.2, 1.0];
    let mut other = theta;
    for step in 0..40 {
        dense.step(&mut theta, &mut problems::counted(problems::rosenbrock));
        limited.step(&mut other, &mut problems::counted(problems::rosenbrock));
        for (a, b) in theta.iter().zip(&other) {
            assert!((a - b).abs() < 1e-9, "step {step}: {theta:?}, {other:?}");
        }
    }
    assert!(limited.save().counts["pairs"] > 30, "few pairs were refused");
}

/// The points change from step to step but not within one: pairs are formed before the points change, so H stays true.
#[test]
fn a_new_sample_per_step_does_not_spoil_the_pairs() {
    for method in METHODS {
        let mut optimizer = build(SelfScaledConfig { max_iter: 8, ..patient(method) }, 5);
        let mut theta = [1.0, -1.0, 0.5, 2.0, -0.7];
        let mut decreases = Vec::new();
        for sample in 0..30 {
            let mut oracle = |theta: &[f64], grad: &mut [f64]| problems::drifting_bowl(theta, grad, sample);
            let outcome = optimizer.step(&mut theta, &mut oracle);
            decreases.push(outcome.first_loss - outcome.loss);
            assert!(outcome.grad_norm.max_abs < 1e-3 || sample < 3, "{method:?}, sample {sample}: {outcome:?}");
        }
        assert!(decreases.iter().all(|decrease| *decrease >= 0.0));
    }
}

#[test]
fn a_direction_that_climbs_is_replaced_by_the_gradient() {
    let mut optimizer = build(SelfScaledConfig { max_iter: 1, ..patient(METHODS[1]) }, 2);
    for broken in [[-1.0, 0.0, -1.0], [f64::NAN; 3], [f64::MAX, f64::MAX, f64::MAX]] {
        let state = optimizer.save().with_count("updates", 4).with_vector("inverse_hessian", broken.to_vec());
        optimizer.load(&state).unwrap();
        let mut theta = [1.0, 30.0];
        let mut bowl = |theta: &[f64], grad: &mut [f64]| {
            grad.copy_from_slice(theta);
            0.5 * theta.iter().map(|x| x * x).sum::<f64>()
        };
        let outcome = optimizer.step(&mut theta, &mut bowl);
        assert_eq!(outcome.status, StepStatus::Moved, "{broken:?}");
        assert!(outcome.loss < outcome.first_loss && (theta[1] / theta[0] - 30.0).abs() < 1e-9, "{theta:?}");
        assert_eq!(optimizer.save().counts["updates"], 1, "H starts again from the identity and this step's pair");
    }
}

#[test]
fn one_parameter_is_enough() {
    // f = x⁴/4 − x, minimum at 1: every member of the family is the secant method here.
    let mut quartic = |theta: &[f64], grad: &mut [f64]| {
        grad[0] = theta[0].powi(3) - 1.0;
        theta[0].powi(4) / 4.0 - theta[0]
    };
    for method in METHODS {
        let mut theta = [3.0];
        let outcome = build(patient(method), 1).step(&mut theta, &mut quartic);
        assert!((theta[0] - 1.0).abs() < 1e-8, "{method:?}: {theta:?}, {outcome:?}");
    }
}

#[test]
fn a_stationary_start_is_reported_and_changes_no_state() {
    for method in METHODS {
        let mut optimizer = build(patient(method), 2);
        let before = optimizer.save();
        let outcome = optimizer.step(&mut [1.0, 1.0], &mut problems::counted(problems::rosenbrock));
        assert_eq!(outcome.status, StepStatus::Converged(Tolerance::Gradient));
        assert_eq!((outcome.evaluations, optimizer.save()), (1, before));
    }
}

/// A network fit, the kind of problem these methods are for: an ill-conditioned valley without a known minimum.
#[test]
fn a_network_fit_goes_on_improving_to_tiny_losses() {
    for method in &METHODS[..2] {
        for shift in 0..3 {
            let start: Vec<f64> = (0..25).map(|i| (1.3 * f64::from(i) + 0.4 + f64::from(shift)).sin()).collect();
            let (outcome, _) = minimise(patient(*method), problems::tanh_net, &start);
            assert!(outcome.loss < 1e-9, "{method:?}, start {shift}: {outcome:?}");
        }
    }
}

#[test]
#[should_panic(expected = "ssbroyden was built for 3 parameters, but theta has 2")]
fn a_theta_of_the_wrong_length_is_refused() {
    build(SelfScaledConfig::default(), 3).step(&mut [0.0; 2], &mut problems::counted(problems::rosenbrock));
}
