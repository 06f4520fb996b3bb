//! The search on random smooth functions, on functions without a minimum, and on broken ones.

use proptest::prelude::*;

use super::strong_wolfe::keep_off_the_ends;
use super::{Accepted, Line, StrongWolfe};
use crate::Quantity;

struct Search {
    result: Result<Accepted, Quantity>,
    grads: [Vec<f64>; 3],
    evaluations: usize,
    /// t of every evaluation, the start included.
    trials: Vec<f64>,
}

/// Searches φ(t) from t = 0 in one dimension with d = 1, so that φ' is the gradient.
fn search(wolfe: StrongWolfe, step: f64, mut phi: impl FnMut(f64) -> (f64, f64)) -> Search {
    let (loss, slope) = phi(0.0);
    let mut trials = vec![0.0];
    let mut oracle = |theta: &[f64], grad: &mut [f64]| {
        let (value, slope) = phi(theta[0]);
        trials.push(theta[0]);
        grad[0] = slope;
        value
    };
    let mut grads = [vec![slope], vec![0.0], vec![0.0]];
    let mut line = Line {
        origin: &[0.0],
        direction: &[1.0],
        trial: &mut [0.0],
        grads: &mut grads,
        oracle: &mut oracle,
        evaluations: 1,
        start: 0,
    };
    let result = wolfe.search(&mut line, loss, slope, step);
    let evaluations = line.evaluations - 1;
    Search { result, grads, evaluations, trials }
}

/// Σ of a quartic well and two waves: bounded below, many local minima, φ'(0) < 0 by construction.
fn wavy(t: f64, [depth, a, w, b, v]: [f64; 5]) -> (f64, f64) {
    let x = t - 1.5;
    let value = depth * x.powi(4) + a * (w * t).cos() + b * (v * t + 1.0).sin();
    let slope = 4.0 * depth * x.powi(3) - a * w * (w * t).sin() + b * v * (v * t + 1.0).cos();
    (value, slope)
}

proptest! {
    #[test]
    fn accepted_points_satisfy_strong_wolfe(
        depth in 0.2..2.0, a in 0.0..1.0, w in 0.5..8.0, b in 0.0..0.5, v in 0.5..6.0,
        first in 0.01..4.0, c2 in 0.1..0.9,
    ) {
        let phi = |t| wavy(t, [depth, a, w, b, v]);
        let (f0, s0) = phi(0.0);
        prop_assume!(s0 < -0.1);
        let wolfe = StrongWolfe { c2, ..StrongWolfe::default() };
        let search = search(wolfe, first, phi);
        let accepted = search.result.expect("φ is finite everywhere");
        let (value, slope) = phi(accepted.step);
        prop_assert_eq!(value, accepted.loss);
        prop_assert_eq!(search.trials[accepted.evaluation], accepted.step);
        prop_assert_eq!(slope, search.grads[accepted.grad][0], "the gradient slot belongs to the accepted point");
        prop_assert!(value <= f0, "never climbs: {} > {}", value, f0);
        prop_assert!(search.evaluations <= 1 + wolfe.max_iterations);
        prop_assert!(accepted.wolfe, "a smooth bounded φ has such a point within 25 trials");
        prop_assert!(accepted.step > 0.0);
        prop_assert!(value <= f0 + wolfe.c1 * accepted.step * s0);
        prop_assert!(slope.abs() <= -c2 * s0);
    }
}

#[test]
fn an_unbounded_descent_uses_up_its_trials_and_keeps_the_farthest() {
    // φ = −t: the slope never flattens, every trial is ten times longer at most.
    let search = search(StrongWolfe { max_iterations: 6, ..StrongWolfe::default() }, 1.0, |t| (-t, -1.0));
    let accepted = search.result.expect("finite");
    assert!(!accepted.wolfe);
    assert_eq!(search.evaluations, 7);
    assert_eq!(accepted.loss, -accepted.step);
    assert!(accepted.step > 1.0);
}

#[test]
fn a_gradient_that_lies_brings_the_search_back_to_zero() {
    // The slope claims descent, the value only ever rises: zooming collapses onto t = 0.
    let search = search(StrongWolfe::default(), 1.0, |t| (t, -1.0));
    let accepted = search.result.expect("finite");
    assert_eq!((accepted.step, accepted.loss, accepted.grad, accepted.evaluation), (0.0, 0.0, 0, 0));
    assert!(!accepted.wolfe);
}

#[test]
fn non_finite_trials_name_the_culprit() {
    let wolfe = StrongWolfe::default();
    let run = |broken: (f64, f64)| search(wolfe, 1.0, |t| if t > 0.0 { broken } else { (1.0, -1.0) }).result;
    assert_eq!(run((f64::NAN, 0.0)), Err(Quantity::Loss));
    assert_eq!(run((f64::INFINITY, 0.0)), Err(Quantity::Loss));
    assert_eq!(run((0.0, f64::NAN)), Err(Quantity::Gradient));
    assert_eq!(run((0.0, f64::NEG_INFINITY)), Err(Quantity::Gradient));
}

#[test]
fn a_rise_after_a_descent_brackets_only_from_the_third_trial() {
    // Values by order of evaluation, as a stochastic oracle may give them: 5 → 6 is tolerated, 6 → 7 is a bracket.
    let script = [(10.0, -1.0), (5.0, -2.0), (6.0, -2.0), (7.0, -2.0), (5.5, 0.0)];
    let mut trials = Vec::new();
    let search = search(StrongWolfe::default(), 1.0, |t| {
        trials.push(t);
        script[trials.len() - 1]
    });
    let accepted = search.result.expect("finite");
    assert_eq!((accepted.loss, accepted.wolfe, search.evaluations), (5.5, true, 4));
    assert_eq!(trials[1], 1.0);
    assert!(trials[2] > trials[1] && trials[3] > trials[2], "two extensions: {trials:?}");
    assert!(trials[2] < trials[4] && trials[4] < trials[3], "then between the last two: {trials:?}");
}

proptest! {
    #[test]
    fn a_trial_may_hug_an_end_once_but_not_twice(left in -3.0..3.0f64, width in 0.1..5.0f64, share in 0.0..0.0999f64) {
        let (bounds, margin) = ((left, left + width), 0.1 * width);
        let (near_left, near_right) = (left + share * width, left + width - share * width);
        for (near, moved) in [(near_left, left + margin), (near_right, left + width - margin)] {
            let mut crowded = false;
            if share > 1e-3 {
                prop_assert_eq!(keep_off_the_ends(near, bounds, &mut crowded), near);
                prop_assert!(crowded);
                prop_assert!((keep_off_the_ends(near, bounds, &mut crowded) - moved).abs() < 1e-12);
                prop_assert!(!crowded);
            }
            let end = if near == near_left { left } else { left + width };
            prop_assert!((keep_off_the_ends(end, bounds, &mut crowded) - moved).abs() < 1e-12, "at the end: at once");
            crowded = true;
            let centre = left + 0.5 * width;
            prop_assert_eq!(keep_off_the_ends(centre, bounds, &mut crowded), centre);
            prop_assert!(!crowded, "a trial well inside clears the mark");
        }
    }
}
