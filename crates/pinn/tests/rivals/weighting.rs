//! Weights measured through the objective, against the same measured by brute force.

use super::{case, close, evaluated, with_residuals};
use ropinn::case::Case;
use ropinn::objective::Objective;
use ropinn_optim::LeastSquares;

/// Samples of the equation, the initial and the periodic condition on the 7 × 5 grid.
const ROWS: [usize; 3] = [35, 7, 5];

/// Σ ‖∂r_i/∂θ‖² of each term, from the Jacobian of a plain loss: rows there are scaled by 1/√count.
fn traces(mut plain: Objective, theta: &[f64]) -> Vec<f64> {
    let (mut residuals, mut rows) = (Vec::new(), Vec::new());
    plain.begin_step(0);
    plain.begin();
    plain.jacobian(theta, &mut residuals, &mut rows);
    assert_eq!(residuals.len(), ROWS.iter().sum::<usize>());
    let mut rest = &rows[..];
    let squares = ROWS.map(|count| {
        let (own, others) = rest.split_at(count * theta.len());
        rest = others;
        count as f64 * own.iter().map(|j| j * j).sum::<f64>()
    });
    squares.to_vec()
}

fn adapted(case: &Case, theta: &[f64]) -> Objective {
    let mut objective = Objective::new(case).expect("objective");
    assert_eq!(objective.weights(), [1.0; 3], "weights start at 1");
    objective.adapt(0, theta).expect("weights");
    objective
}

#[test]
fn kernel_weights_are_ratios_of_brute_force_traces() {
    for objective in ["objective=point", "objective=region"] {
        let ntk = case(&[objective, "weighting=ntk", "ntk.samples=1000"]);
        let theta = ntk.initial_theta();
        let weights = adapted(&ntk, &theta).weights().to_vec();
        let wanted = traces(Objective::new(&case(&["objective=point"])).expect("objective"), &theta);
        let total: f64 = wanted.iter().sum();
        assert!(weights.iter().zip(&wanted).all(|(w, trace)| close(*w, total / trace, 1e-10)), "{weights:?}");
    }
}

#[test]
fn kernels_of_outputs_are_those_of_the_network() {
    let ntk = case(&["objective=point", "weighting=ntk", "ntk.samples=1000", "ntk.of=output"]);
    let theta = ntk.initial_theta();
    let weights = adapted(&ntk, &theta).weights().to_vec();
    let point = case(&["objective=point"]);
    let scope = point.problem().scope();
    let (one, pair) = (scope.parse("u").expect("u"), scope.parse("u + at(u, 1)").expect("a pair"));
    let outputs = with_residuals(&point, |term| {
        term.residuals = vec![if term.sites == 2 { pair.clone() } else { one.clone() }];
        term.data.clear();
    });
    let wanted = traces(outputs, &theta);
    let total: f64 = wanted.iter().sum();
    assert!(weights.iter().zip(&wanted).all(|(w, trace)| close(*w, total / trace, 1e-10)), "{weights:?}");
}

#[test]
fn few_samples_are_the_same_ones_again() {
    let ntk = case(&["objective=point", "weighting=ntk", "ntk.samples=4", "ntk.period=3"]);
    let theta = ntk.initial_theta();
    let (mut first, second) = (adapted(&ntk, &theta), adapted(&ntk, &theta));
    assert_eq!(first.weights(), second.weights());
    let before = first.weights().to_vec();
    first.adapt(1, &theta).expect("weights");
    assert_eq!(first.weights(), before, "not due");
    first.adapt(3, &theta).expect("weights");
    assert_ne!(first.weights(), before, "other samples");
}

#[test]
fn gradient_balancing_follows_single_gradients() {
    for objective in ["objective=point", "objective=variational"] {
        let balanced = case(&[objective, "weighting=grad-norm"]);
        let theta = balanced.initial_theta();
        let weights = adapted(&balanced, &theta).weights().to_vec();
        let gradient_of = |term: usize| {
            let known = Objective::new(&balanced).expect("objective").part_names().to_vec();
            let weight = |(t, name): (usize, &String)| format!("weights.{name}={}", u8::from(t == term));
            let weights: Vec<String> = known.iter().enumerate().map(weight).collect();
            let settings: Vec<&str> = weights.iter().map(String::as_str).chain([objective]).collect();
            evaluated(&mut Objective::new(&case(&settings)).expect("objective"), &theta).2
        };
        let largest = gradient_of(0).iter().fold(0.0f64, |most, g| most.max(g.abs()));
        for term in 1..3 {
            let grad = gradient_of(term);
            let mean = grad.iter().map(|g| g.abs()).sum::<f64>() / grad.len() as f64;
            assert!(close(weights[term], 0.9 + 0.1 * largest / mean, 1e-10), "{objective}: {weights:?}");
        }
        assert!(close(weights[0], 1.0, 1e-15));
    }
}

#[test]
fn fixed_weights_multiply_and_zeros_stay_out() {
    let settings = ["objective=point", "weighting=ntk", "ntk.samples=1000"];
    let theta = case(&settings).initial_theta();
    let plain = adapted(&case(&settings), &theta).weights().to_vec();
    let mut double = Objective::new(&case(&[&settings[..], &["weights.initial=2"]].concat())).expect("objective");
    double.adapt(0, &theta).expect("weights");
    assert!(close(double.weights()[1], 2.0 * plain[1], 1e-14) && close(double.weights()[0], plain[0], 1e-14));
    let mut without = Objective::new(&case(&[&settings[..], &["weights.initial=0"]].concat())).expect("objective");
    without.adapt(0, &theta).expect("weights");
    assert_eq!(without.weights()[1], 0.0);
    // λ_a = (a + b)/a and λ_b = (a + b)/b: their inverses add up to 1.
    assert!(close(1.0 / without.weights()[0] + 1.0 / without.weights()[2], 1.0, 1e-12));
    // The final loss is that of the fixed weights.
    let at_points = double.evaluate_at_points(&theta).expect("evaluation");
    let wanted = at_points.parts[0] + 2.0 * at_points.parts[1] + at_points.parts[2];
    assert!(close(at_points.loss, wanted, 1e-13));
}
