//! Predictions and errors.

use super::configuration;
use proptest::prelude::*;
use ropinn::case::Case;
use ropinn::metrics::{ErrorMeter, Predictor, relative_errors};
use ropinn::problem::Problem;
use ropinn_engine::Threads;

fn case(overrides: &[&str]) -> Case {
    Case::new(configuration(overrides), &Threads::new(1).expect("threads")).expect("case")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn predicted_derivatives_are_those_of_the_prediction(x in 0.5f64..5.0, t in 0.1f64..0.9, seed in 0u64..1000) {
        let case = case(&["precision=f64", &format!("seed={seed}")]);
        let theta = case.initial_theta();
        let mut values = Predictor::of(&case, &["u"]).expect("u");
        let mut u = |x: f64, t: f64| values.predict(&theta, &[x, t]).expect("u")[0];
        // Central differences with one Richardson step: error O(h⁴).
        let richardson = |d: &mut dyn FnMut(f64) -> f64| (4.0 * d(5e-3) - d(1e-2)) / 3.0;
        let u_x = richardson(&mut |h| (u(x + h, t) - u(x - h, t)) / (2.0 * h));
        let u_tt = richardson(&mut |h| (u(x, t + h) - 2.0 * u(x, t) + u(x, t - h)) / (h * h));
        let mut derivatives = Predictor::of(&case, &["u_x", "u_tt"]).expect("derivatives");
        let found = derivatives.predict(&theta, &[x, t]).expect("derivatives");
        prop_assert!((found[0] - u_x).abs() < 1e-7 && (found[1] - u_tt).abs() < 1e-6, "{found:?}, {u_x}, {u_tt}");
    }

    #[test]
    fn errors_are_relative(scale in 0.1f64..1e3, share in 0.0f64..2.0, count in 1usize..50) {
        let reference: Vec<f64> = (0..count).map(|i| scale * (1.0 + i as f64)).collect();
        let predicted: Vec<f64> = reference.iter().map(|u| u * (1.0 + share)).collect();
        let errors = relative_errors(&predicted, &reference);
        prop_assert!((errors.rmae - share).abs() < 1e-12 && (errors.rmse - share).abs() < 1e-12);
    }
}

#[test]
fn the_error_is_measured_on_the_evaluation_points() {
    for settings in [&[][..], &["model=pinnsformer", "model.d_model=4", "model.ff_width=4", "model.out_width=4"]] {
        let case = case(settings);
        let theta = case.initial_theta();
        let set = case.problem().evaluation().expect("points");
        let predicted = Predictor::of(&case, &["u"]).expect("u").predict(&theta, &set.points).expect("u");
        let by_hand = relative_errors(&predicted, &set.reference.expect("an exact solution"));
        let mut meter = ErrorMeter::new(&case).expect("a meter").expect("an exact solution");
        assert_eq!(meter.measure(&theta).expect("errors"), by_hand);
    }
    let text = Problem::builtin_source("reaction").and_then(|text| text.split("[reference]").next()).expect("built in");
    let bare = Problem::from_toml(text, "bare.toml".as_ref()).expect("no reference");
    let unknown = Case::with_problem(configuration(&[]), bare, &Threads::new(1).expect("threads")).expect("case");
    assert!(ErrorMeter::new(&unknown).expect("no error").is_none());
}

#[test]
fn what_cannot_be_predicted_is_named() {
    let case = case(&[]);
    let message = |wanted| match Predictor::of(&case, &[wanted]) {
        Ok(_) => panic!("{wanted} was accepted"),
        Err(error) => error.to_string(),
    };
    assert!(message("u_y").starts_with("cannot predict `u_y`: "), "{}", message("u_y"));
    assert!(message("u +").starts_with("cannot predict `u +`: "), "{}", message("u +"));
}
