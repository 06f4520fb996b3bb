//! The facts that follow from the definition of σ.

use super::case;
use proptest::prelude::*;
use ropinn::config::{ObjectiveConfig, RegionConfig, Rule};
use ropinn::model::{Model, ModelConfig, ModelInputs, ModelKind};
use ropinn::objective::{Calibration, Objective, gradients_recorded};
use ropinn_domain::{Purpose, Stream};
use ropinn_optim::Oracle;

fn config(past: usize, rule: Rule) -> ObjectiveConfig {
    ObjectiveConfig::region(RegionConfig { past, rule, ..RegionConfig::default() })
}

/// σ after each outer step, whose evaluations have these gradients.
fn sigmas(config: &ObjectiveConfig, recorded: usize, steps: &[Vec<Vec<f64>>]) -> Vec<f64> {
    let mut calibration = Calibration::new(config, steps[0][0].len(), recorded);
    let one_step = |evaluations: &Vec<Vec<f64>>| {
        calibration.begin_step();
        evaluations.iter().for_each(|grad| calibration.record(1.0, grad));
        calibration.end_step();
        calibration.sigma()
    };
    steps.iter().map(one_step).collect()
}

/// The definition, word by word.
fn by_definition(rule: Rule, past: usize, recorded: usize, steps: &[Vec<Vec<f64>>]) -> f64 {
    let parameters = steps[0][0].len();
    let means: Vec<Vec<f64>> = steps
        .iter()
        .map(|evaluations| {
            (0..parameters).map(|p| evaluations.iter().map(|g| g[p]).sum::<f64>() / evaluations.len() as f64).collect()
        })
        .collect();
    let kept = &means[means.len().saturating_sub(past)..];
    let count = kept.len() as f64;
    let (mut ratios, mut squares) = (0.0, 0.0);
    for p in 0..parameters {
        let mean = kept.iter().map(|g| g[p]).sum::<f64>() / count;
        let variance = kept.iter().map(|g| (g[p] - mean).powi(2)).sum::<f64>() / count;
        let size = kept.iter().map(|g| g[p].abs()).sum::<f64>() / count;
        ratios += variance.sqrt() / (size + 1e-6);
        squares += variance;
    }
    let sigma = match rule {
        Rule::Code => ratios / recorded as f64,
        Rule::Paper => squares.sqrt(),
    };
    if sigma == 0.0 { 1.0 } else { sigma }
}

fn gradients(steps: usize) -> impl Strategy<Value = Vec<Vec<Vec<f64>>>> {
    let scale = prop_oneof![Just(0.0), Just(1e-9), Just(1e-3), Just(1.0), Just(1e6)];
    (1usize..600, scale, any::<u64>()).prop_map(move |(parameters, scale, seed)| {
        let mut stream = Stream::new(seed, Purpose::Noise);
        let mut gradient = |offset: f64| (0..parameters).map(|_| scale * (offset + stream.normal())).collect();
        (0..steps).map(|step| (0..1 + step % 3).map(|_| gradient(step as f64 % 2.0)).collect()).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn sigma_is_as_defined(steps in gradients(7), past in 1usize..9, extra in 0usize..50, paper: bool) {
        let rule = if paper { Rule::Paper } else { Rule::Code };
        let recorded = steps[0][0].len() + extra;
        for (done, sigma) in sigmas(&config(past, rule), recorded, &steps).into_iter().enumerate() {
            let want = by_definition(rule, past, recorded, &steps[..=done]);
            prop_assert!((sigma - want).abs() <= 1e-12 * want, "step {done}: {sigma} but {want}");
        }
    }

    #[test]
    fn sigma_is_at_most_the_root_of_past_minus_one(steps in gradients(8), past in 2usize..9) {
        let parameters = steps[0][0].len();
        for sigma in sigmas(&config(past, Rule::Code), parameters, &steps) {
            prop_assert!(sigma > 0.0 && (sigma <= ((past - 1) as f64).sqrt().max(1.0) * (1.0 + 1e-12)));
        }
    }

    #[test]
    fn one_past_step_keeps_sigma_one(steps in gradients(5), paper: bool) {
        let rule = if paper { Rule::Paper } else { Rule::Code };
        prop_assert_eq!(sigmas(&config(1, rule), 600, &steps), vec![1.0; 5]);
    }
}

#[test]
fn noise_of_mean_zero_gives_about_one_point_two() {
    let mut stream = Stream::new(1, Purpose::Noise);
    let mut gradient = || (0..4000).map(|_| 0.3 * stream.normal()).collect::<Vec<f64>>();
    let steps: Vec<Vec<Vec<f64>>> = (0..10).map(|_| vec![gradient()]).collect();
    let sigma = sigmas(&config(10, Rule::Code), 4000, &steps)[9];
    let theory = (std::f64::consts::FRAC_PI_2 * 0.9).sqrt();
    assert!((sigma - theory).abs() < 0.03, "{sigma}, theory {theory}");
}

#[test]
fn zero_gradients_and_the_first_step_give_one() {
    let steps = vec![vec![vec![0.0; 5]]; 4];
    assert_eq!(sigmas(&config(3, Rule::Code), 5, &steps), [1.0; 4]);
    assert_eq!(sigmas(&config(3, Rule::Paper), 5, &steps), [1.0; 4]);
    let steps = vec![vec![vec![1.0, 2.0]], vec![vec![3.0, 2.0]]];
    let sigma = sigmas(&config(3, Rule::Code), 2, &steps);
    assert_eq!(sigma[0], 1.0);
    assert!((sigma[1] - 0.5 * (1.0 / (2.0 + 1e-6))).abs() < 1e-15);
}

#[test]
fn non_finite_trials_do_not_count() {
    let mut calibration = Calibration::new(&config(2, Rule::Paper), 1, 1);
    for (loss, gradient) in [(1.0, 1.0), (f64::NAN, f64::NAN), (1.0, 3.0)] {
        calibration.record(loss, &[gradient]);
    }
    calibration.end_step();
    assert_eq!(calibration.state().gradients, [[2.0]]);
}

#[test]
fn kan_counts_the_zeros_of_its_inactive_parameters() {
    for (problem, active, recorded) in [("reaction", 156, 222), ("wave", 411, 580)] {
        let model = ModelConfig::paper(ModelKind::Kan, problem);
        let network = model.build(&ModelInputs::new(2, 1)).expect("network");
        assert_eq!((network.parameters(), gradients_recorded(&model, &network)), (active, recorded));
    }
    let model = ModelConfig::paper(ModelKind::Pinn, "reaction");
    let network = model.build(&ModelInputs::new(2, 1)).expect("network");
    assert_eq!(gradients_recorded(&model, &network), 527_361);
}

/// Region sizes of the first outer steps, each of three evaluations at slightly different θ.
fn sizes(overrides: &[&str]) -> Vec<(f64, f64, f64)> {
    let case = case(overrides);
    let mut objective = Objective::new(&case).expect("objective");
    let mut theta = case.initial_theta();
    let mut grad = vec![0.0; theta.len()];
    (0..6)
        .map(|step| {
            objective.begin_step(step);
            let region = objective.region();
            for _ in 0..3 {
                objective.evaluate(&theta, &mut grad);
                theta.iter_mut().zip(&grad).for_each(|(theta, g)| *theta -= 1e-2 * g);
            }
            objective.end_step();
            (region.sigma, region.raw, region.size)
        })
        .collect()
}

#[test]
fn the_size_is_r_over_sigma_up_to_the_cap() {
    let free = sizes(&["region.r=1e-3", "region.past=4", "region.cap=10"]);
    assert_eq!(free[..2], [(1.0, 1e-3, 1e-3); 2], "nothing to calibrate from yet");
    for &(sigma, raw, size) in &free[2..] {
        assert!(sigma > 0.0 && sigma <= 3f64.sqrt() && sigma != 1.0);
        assert_eq!((raw, size), (1e-3 / sigma, raw));
    }
    let capped = sizes(&["region.r=1e-3", "region.past=4", "region.cap=1e-4"]);
    assert!(capped.iter().all(|&(sigma, raw, size)| raw == 1e-3 / sigma && size == raw.min(1e-4)));
    assert!(capped.iter().any(|&(_, raw, size)| size < raw));
}

#[test]
fn without_calibration_or_past_the_region_is_fixed() {
    for fixed in [&["region.past=1"], &["region.calibrate=false"]] {
        assert_eq!(sizes(fixed), [(1.0, 1e-4, 1e-4); 6]);
    }
}
