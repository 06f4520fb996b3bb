//! Region estimators inside the objective: one integral, estimated in four ways.

use super::case;
use ropinn::objective::Objective;
use ropinn_optim::Oracle;

const WIDE: [&str; 4] = ["region.r=0.4", "region.cap=1", "region.calibrate=false", "region.edge=free"];

/// Mean and variance of the equation's term over evaluations, with θ held.
fn spread(estimator: &str, samples: usize, evaluations: usize) -> (f64, f64) {
    let (estimator, samples) = (format!("region.estimator={estimator}"), format!("region.samples={samples}"));
    // Few points: their own averaging would hide that of the estimator.
    let case = case(&[&WIDE[..], &[estimator.as_str(), samples.as_str(), "points.interior=grid:2x2"]].concat());
    let theta: Vec<f64> = case.initial_theta().iter().map(|value| 1.5 * value).collect();
    let mut grad = vec![0.0; theta.len()];
    let mut objective = Objective::new(&case).expect("objective");
    objective.begin_step(0);
    let mut one = |evaluation| {
        objective.evaluate(&theta, &mut grad);
        objective.parts_of(evaluation)[0]
    };
    let values: Vec<f64> = (0..evaluations).map(&mut one).collect();
    let mean = values.iter().sum::<f64>() / evaluations as f64;
    (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / evaluations as f64)
}

#[test]
fn every_estimator_has_the_same_mean_and_ours_less_noise() {
    let (exact, none) = spread("gauss", 8, 3);
    assert_eq!(none, 0.0, "nothing is random");
    let errors = [1, 2, 3, 4].map(|nodes| (spread("gauss", nodes, 1).0 - exact).abs());
    assert!(errors.is_sorted_by(|a, b| a > b) && errors[3] < 0.01 * errors[0], "errors of 1 to 4 nodes: {errors:?}");
    let evaluations = 1500;
    let estimates = ["monte-carlo", "antithetic", "sobol"].map(|name| spread(name, 4, evaluations));
    for (mean, variance) in estimates {
        let error = (variance / evaluations as f64).sqrt();
        assert!((mean - exact).abs() < 4.5 * error, "{mean} ± {error} but {exact}");
    }
    let [(_, plain), (_, antithetic), (_, sobol)] = estimates;
    println!("variance against plain Monte Carlo: antithetic {}, sobol {}", antithetic / plain, sobol / plain);
    assert!(antithetic < 0.5 * plain && sobol < 0.5 * plain, "{plain} {antithetic} {sobol}");
}

#[test]
fn calibration_works_with_every_estimator() {
    for estimator in ["monte-carlo", "gauss", "antithetic", "sobol"] {
        let setting = format!("region.estimator={estimator}");
        let case = case(&[&setting, "region.samples=2", "region.r=1e-3", "region.past=4", "region.cap=10"]);
        let mut objective = Objective::new(&case).expect("objective");
        let mut theta = case.initial_theta();
        let mut grad = vec![0.0; theta.len()];
        let sizes: Vec<_> = (0..6)
            .map(|step| {
                objective.begin_step(step);
                for _ in 0..3 {
                    objective.evaluate(&theta, &mut grad);
                    theta.iter_mut().zip(&grad).for_each(|(theta, g)| *theta -= 1e-2 * g);
                }
                let region = objective.region();
                objective.end_step();
                region
            })
            .collect();
        assert!(sizes[..2].iter().all(|region| region.size == 1e-3), "{setting}");
        for region in &sizes[2..] {
            assert!(region.sigma > 0.0 && region.sigma != 1.0 && region.sigma <= 3f64.sqrt(), "{setting}");
            assert_eq!(region.size, 1e-3 / region.sigma, "{setting}");
        }
    }
}

#[test]
fn copies_are_counted() {
    let points = |settings: &[&str]| {
        let mut objective = Objective::new(&case(settings)).expect("objective");
        let mut grad = vec![0.0; objective.parameters()];
        objective.begin_step(0);
        objective.evaluate(&case(settings).initial_theta(), &mut grad);
        objective.points_of(0).len() / 2
    };
    assert_eq!(points(&["region.samples=3"]), 3 * 35);
    assert_eq!(points(&["region.samples=3", "region.estimator=gauss"]), 9 * 35);
    assert_eq!(points(&["region.samples=4", "region.estimator=antithetic"]), 4 * 35);
}
