//! Intervals of numbers that were found from readings: those of the textbook where there is one, and words where there are none.

use ropinn::case::Case;
use ropinn::config::RunConfig;
use ropinn::problem::{Problem, TermGroup};
use ropinn::record::Trained;
use ropinn::spread::{Numbers, Spread, Unspread, spread};
use ropinn::strategy::Solver;
use ropinn_engine::Threads;

/// u' = −k u, u(0) = a, with `more` to say.
fn decay(trainable: &str, equation: &str, data: &str) -> String {
    format!(
        "coordinates = {{ t = [0, 2] }}\ntime = 't'\nunknowns = ['u']\ntrainable = {{ {trainable} }}\n\
         equations = {{ decay = '{equation}' }}\n\
         [[conditions]]\nkind = 'initial'\nvalue = 'a'\n[[conditions]]\nkind = 'data'\nvalue = '1.5*exp(-0.8*t)'\n{data}\n"
    )
}

const READINGS: &str = "noise = 0.02\npoints = { layout = 'uniform', count = 60 }";

/// Trains briefly.
fn trained(text: &str, threads: usize) -> (Case, Vec<f64>) {
    let problem = Problem::from_toml(text, "decay.toml".as_ref()).unwrap();
    let mut config = RunConfig::default();
    config
        .set_all(&["model.width=8", "model.depth=2", "precision=f64", "objective.kind=point", "phases=gauss-newton 60"])
        .unwrap();
    let threads = Threads::new(threads).unwrap();
    let case = Case::with_problem(config, problem, &threads).unwrap();
    let solved = Solver::new(case).unwrap().run(&mut (), &Default::default()).unwrap();
    (solved.case, solved.outcome.theta)
}

fn spread_of(text: &str) -> Result<Spread, Unspread> {
    let (case, theta) = trained(text, 1);
    spread(&case, &theta, Numbers::Move, &Default::default()).unwrap()
}

/// The same by the formula of the solution: a, k and their standard errors, for noise as it is estimated.
fn by_formula(case: &Case) -> ([f64; 2], [f64; 2], f64) {
    let terms = case.problem().terms(case.config().seed).unwrap();
    let data = terms.iter().find(|term| term.group == TermGroup::Data).unwrap();
    let readings: Vec<(f64, f64)> = data.points.iter().copied().zip(data.data.iter().copied()).collect();
    let (mut a, mut k) = (1.5, 0.8);
    let mut covariance = [[0.0; 2]; 2];
    let mut noise = 0.0;
    for _ in 0..20 {
        let (mut m, mut g, mut sum) = ([[0.0; 2]; 2], [0.0; 2], 0.0);
        for (t, y) in &readings {
            let e = (-k * t).exp();
            let (slopes, r) = ([e, -a * t * e], y - a * e);
            for i in 0..2 {
                g[i] += slopes[i] * r;
                (0..2).for_each(|j| m[i][j] += slopes[i] * slopes[j]);
            }
            sum += r * r;
        }
        let det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
        covariance = [[m[1][1] / det, -m[0][1] / det], [-m[1][0] / det, m[0][0] / det]];
        a += covariance[0][0] * g[0] + covariance[0][1] * g[1];
        k += covariance[1][0] * g[0] + covariance[1][1] * g[1];
        noise = (sum / (readings.len() - 2) as f64).sqrt();
    }
    ([a, k], [noise * covariance[0][0].sqrt(), noise * covariance[1][1].sqrt()], noise)
}

fn near(found: &Trained, value: f64, error: f64) {
    let own = found.standard_error.unwrap_or_else(|| panic!("no interval: {found:?}"));
    assert!((own / error - 1.0).abs() < 0.05, "standard error {own:.3e}, not {error:.3e}");
    assert!((found.value - value).abs() < 0.1 * error, "{}, not {value} ± {error:.1e}", found.value);
    let (low, high) = (found.low.unwrap(), found.high.unwrap());
    assert!(low < value && value < high && ((high - low) / (4.0 * error) - 1.0).abs() < 0.06);
}

#[test]
fn intervals_are_those_of_the_formula() {
    // Without bounds, and with a logarithm between the number and what is trained.
    for k in ["k = 0.5", "k = { init = 0.5, bounds = [0, inf] }"] {
        let (case, theta) = trained(&decay(&format!("{k}, a = 1"), "u_t + k*u", READINGS), 1);
        let found = spread(&case, &theta, Numbers::Move, &Default::default()).unwrap().unwrap();
        let (values, errors, noise) = by_formula(&case);
        near(&found.trained["a"], values[0], errors[0]);
        near(&found.trained["k"], values[1], errors[1]);
        assert!((found.readings[0].noise / noise - 1.0).abs() < 0.03 && !found.readings[0].known);
        assert_eq!((found.readings[0].count, found.sought.len(), found.draws.len()), (60, 2, 48));
        // a and k grow together: a larger start is undone by a quicker decay.
        assert!(found.correlations[0][1] > 0.5);
    }
}

#[test]
fn levels_that_were_stated_are_believed_and_levels_that_were_sought_are_found() {
    let twice = format!("sigma = 0.04\n{READINGS}");
    let (case, theta) = trained(&decay("k = 0.5, a = 1", "u_t + k*u", &twice), 1);
    let found = spread(&case, &theta, Numbers::Move, &Default::default()).unwrap().unwrap();
    let (_, errors, noise) = by_formula(&case);
    let own = found.trained["k"].standard_error.unwrap();
    assert!((own / (errors[1] * 0.04 / noise) - 1.0).abs() < 0.05, "in units of what was stated");
    assert!(found.readings[0].known && (found.readings[0].noise - noise / 0.04).abs() < 0.02);

    let sought = format!("sigma = 's'\n{READINGS}");
    let numbers = "k = 0.5, a = 1, s = { init = 0.1, bounds = [1e-4, inf] }";
    let found = spread_of(&decay(numbers, "u_t + k*u", &sought)).unwrap();
    let level = &found.trained["s"];
    assert!((level.value / noise - 1.0).abs() < 0.05, "{level:?}, not {noise}");
    assert!(level.low.unwrap() < 0.02 && 0.02 < level.high.unwrap());
    near(&found.trained["k"], found.trained["k"].value, errors[1]);
}

#[test]
fn numbers_that_stay_where_they_are_have_intervals_that_reach_the_likeliest_value() {
    let (case, mut theta) = trained(&decay("k = 0.5, a = 1", "u_t + k*u", READINGS), 1);
    let (values, errors, _) = by_formula(&case);
    let away = theta.len() - 1;
    theta[away] += 3.0 * errors[0];
    let found = spread(&case, &theta, Numbers::Stay, &Default::default()).unwrap().unwrap();
    let a = &found.trained["a"];
    assert_eq!((found.theta[away], a.value), (theta[away], theta[away]));
    assert!(a.low.unwrap() < values[0] - errors[0] && a.high.unwrap() > values[0] + errors[0], "{a:?}");
    assert!(a.remark.as_deref().unwrap().contains("standard errors from the likeliest value"), "{a:?}");
}

#[test]
fn what_the_readings_cannot_tell_is_said() {
    let found = spread_of(&decay("k = 0.5, c = 1.2, a = 1", "u_t + k*c*u", READINGS)).unwrap();
    for name in ["k", "c"] {
        let number = &found.trained[name];
        assert!(number.standard_error.is_none() && number.low.is_none());
        let remark = number.remark.as_deref().unwrap();
        assert!(remark.starts_with("the readings tell a combination only: a change of `k` by "), "{remark}");
        assert!(remark.contains(" and `c` by "), "{remark}");
    }
    assert!(found.trained["a"].standard_error.is_some());
}

#[test]
fn where_there_is_nothing_to_say_the_reason_is_said() {
    let few = "noise = 0.02\npoints = { layout = 'uniform', count = 2 }";
    let message = spread_of(&decay("k = 0.5, a = 1", "u_t + k*u", few)).unwrap_err().to_string();
    assert_eq!(
        message,
        "2 readings cannot tell 2 numbers apart from their noise; measure more, or state the noise (sigma)"
    );
    let (case, theta) = trained(&decay("k = 0.5, a = 1", "u_t + k*u", READINGS), 1);
    let stopped = spread(&case, &theta, Numbers::Move, &true.into()).unwrap().unwrap_err();
    assert_eq!(stopped.to_string(), "the run was stopped before; `ropinn resume` goes on");
}

#[test]
fn bits_do_not_depend_on_threads() {
    let text = decay("k = 0.5, a = 1", "u_t + k*u", READINGS);
    let of = |threads| {
        let (case, theta) = trained(&text, threads);
        spread(&case, &theta, Numbers::Move, &Default::default()).unwrap().unwrap()
    };
    let (one, two) = (of(1), of(2));
    assert_eq!((&one.theta, &one.trained, &one.draws), (&two.theta, &two.trained, &two.draws));
}
