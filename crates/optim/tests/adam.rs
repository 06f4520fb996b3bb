//! Adam by its effects; agreement with PyTorch is in `golden.rs`.

use proptest::prelude::*;
use ropinn_optim::{Adam, AdamConfig, Decay, Optimizer, Quantity, Schedule, StepStatus};

proptest! {
    #[test]
    fn the_first_step_has_length_lr_against_the_sign(grads in prop::collection::vec(-5.0..5.0f64, 1..20), lr in 1e-4..1e-1) {
        // m/(1−β₁) = g and √(v/(1−β₂)) = |g| at k = 1, so Δθ = −lr g/(|g| + ε).
        let config = AdamConfig { lr: Schedule::constant(lr), ..AdamConfig::default() };
        let mut theta = vec![1.0; grads.len()];
        let mut slope = |_: &[f64], grad: &mut [f64]| { grad.copy_from_slice(&grads); 0.0 };
        Adam::new(config, theta.len()).unwrap().step(&mut theta, &mut slope);
        for (theta, g) in theta.iter().zip(&grads) {
            let want = 1.0 - lr * g / (g.abs() + config.eps);
            prop_assert!((theta - want).abs() < 1e-12, "want {want}, got {theta}");
        }
    }

    #[test]
    fn decaying_rates_reach_the_minimum_of_a_random_bowl(centre in prop::collection::vec(-1.0..1.0f64, 1..6), weight in 0.5..20.0) {
        let lr = Schedule::constant(0.05).with_warmup(20).with_decay(Decay::Cosine { total: 1500, floor: 0.0 });
        let mut theta = vec![0.0; centre.len()];
        let mut adam = Adam::new(AdamConfig { lr, ..AdamConfig::default() }, theta.len()).unwrap();
        let mut bowl = |theta: &[f64], grad: &mut [f64]| {
            for ((grad, theta), centre) in grad.iter_mut().zip(theta).zip(&centre) { *grad = weight * (theta - centre); }
            theta.iter().zip(&centre).map(|(x, c)| 0.5 * weight * (x - c).powi(2)).sum()
        };
        for taken in 0..1520 {
            let outcome = adam.step(&mut theta, &mut bowl);
            prop_assert_eq!(outcome.status, StepStatus::Moved);
            prop_assert_eq!(outcome.step_size, lr.rate(taken));
        }
        for (x, c) in theta.iter().zip(&centre) {
            prop_assert!((x - c).abs() < 1e-5, "want {c}, got {x}");
        }
    }
}

#[test]
fn bad_numbers_leave_theta_and_the_moments_untouched() {
    let mut adam = Adam::new(AdamConfig::default(), 2).unwrap();
    let mut theta = [1.0, 2.0];
    adam.step(&mut theta, &mut |_: &[f64], grad: &mut [f64]| {
        grad.copy_from_slice(&[0.3, -0.2]);
        1.0
    });
    let (kept, state) = (theta, adam.save());
    let cases = [
        (f64::NAN, [0.0, 0.0], Quantity::Loss),
        (f64::INFINITY, [0.0, 0.0], Quantity::Loss),
        (1.0, [0.0, f64::NAN], Quantity::Gradient),
        (1.0, [f64::NEG_INFINITY, 0.0], Quantity::Gradient),
        (1.0, [1e200, 0.0], Quantity::Gradient), // its square would overflow the second moment for good
    ];
    for (loss, bad, what) in cases {
        let outcome = adam.step(&mut theta, &mut |_: &[f64], grad: &mut [f64]| {
            grad.copy_from_slice(&bad);
            loss
        });
        assert_eq!(outcome.status, StepStatus::NonFinite { what });
        assert_eq!((outcome.inner_iterations, outcome.step_size), (0, 0.0));
        assert_eq!((theta, adam.save(), adam.steps_taken()), (kept, state.clone(), 1));
    }
}
