//! Adaptive sampling against its stated densities, and on inputs that have no density.

use proptest::prelude::*;
use ropinn::adaptive::{AdaptiveError, R3, Rad, RarD, above_mean, density, draw_without_replacement, magnitudes};
use ropinn_domain::{Points, Purpose, Stream};

fn stream(seed: u64) -> Stream {
    Stream::new(seed, Purpose::Adaptive)
}

fn line(n: usize) -> Points {
    Points::from_coords(1, (0..n).map(|i| i as f64).collect()).unwrap()
}

/// The 0.999 quantile of χ² with n degrees of freedom (Wilson & Hilferty 1931).
fn chi_square_limit(n: usize) -> f64 {
    let n = n as f64;
    n * (1.0 - 2.0 / (9.0 * n) + 3.090 * (2.0 / (9.0 * n)).sqrt()).powi(3)
}

/// A field with a peak, on 20 candidates.
fn peak() -> Vec<f64> {
    (0..20).map(|i| -(-(f64::from(i) - 6.0).powi(2) / 20.0).exp() - 0.05).collect()
}

#[test]
fn first_draws_follow_the_density() {
    let residuals = peak();
    for (k, c) in [(2.0, 0.0), (1.0, 1.0), (0.0, 2.0), (0.5, 0.1)] {
        let weights = density(&residuals, k, c).unwrap();
        let power: Vec<f64> = residuals.iter().map(|r| r.abs().powf(k)).collect();
        let mean = power.iter().sum::<f64>() / 20.0;
        for (w, p) in weights.iter().zip(&power) {
            assert!((w - (p / mean + c)).abs() < 1e-12);
        }
        let draws = 100_000;
        let mut counts = [0.0; 20];
        let mut stream = stream(3);
        for _ in 0..draws {
            counts[draw_without_replacement(&weights, 1, &mut stream).unwrap()[0]] += 1.0;
        }
        let total: f64 = weights.iter().sum();
        let chi: f64 = counts
            .iter()
            .zip(&weights)
            .map(|(count, w)| {
                let expected = f64::from(draws) * w / total;
                (count - expected).powi(2) / expected
            })
            .sum();
        assert!(chi < chi_square_limit(19), "k {k}, c {c}: χ² = {chi}");
    }
}

/// P(i then j) = p_i p_j/(1 − p_i) when candidates are not put back.
#[test]
fn ordered_pairs_follow_successive_sampling() {
    let weights = [1.0, 2.0, 3.0, 6.0];
    let p = weights.map(|w| w / 12.0);
    let draws = 60_000;
    let mut counts = [[0.0; 4]; 4];
    let mut stream = stream(8);
    for _ in 0..draws {
        let pair = draw_without_replacement(&weights, 2, &mut stream).unwrap();
        counts[pair[0]][pair[1]] += 1.0;
    }
    let mut chi = 0.0;
    for i in 0..4 {
        assert_eq!(counts[i][i], 0.0);
        for j in (0..4).filter(|&j| j != i) {
            let expected = f64::from(draws) * p[i] * p[j] / (1.0 - p[i]);
            chi += (counts[i][j] - expected).powi(2) / expected;
        }
    }
    assert!(chi < chi_square_limit(11), "χ² = {chi}");
}

#[test]
fn refinement_adds_and_resampling_replaces() {
    let (current, pool) = (Points::from_coords(1, vec![-1.0, -2.0, -3.0]).unwrap(), line(20));
    let rar = RarD { count: 5, ..RarD::default() };
    let refined = rar.refine(&current, &pool, &peak(), &mut stream(1)).unwrap();
    assert_eq!((refined.len(), &refined.coords()[..3]), (8, current.coords()));
    let mut added = refined.coords()[3..].to_vec();
    added.sort_by(f64::total_cmp);
    assert!(added.windows(2).all(|pair| pair[0] < pair[1]), "a candidate was added twice: {added:?}");
    let again = rar.refine(&current, &pool, &peak(), &mut stream(1)).unwrap();
    assert_eq!(again, refined);
    let resampled = Rad::default().resample(&current, &pool, &peak(), &mut stream(1)).unwrap();
    assert_eq!(resampled.len(), 3);
    assert!(resampled.coords().iter().all(|&x| x >= 0.0));
}

#[test]
fn defaults_are_those_of_the_papers() {
    assert_eq!(RarD::default(), RarD { pool: 100_000, k: 2.0, c: 0.0, period: 1000, count: 10 });
    assert_eq!(Rad::default(), Rad { pool: 100_000, k: 1.0, c: 1.0, period: 1000, clip: 0.0 });
    assert_eq!(R3::default(), R3 { period: 1 });
}

#[test]
fn residuals_without_a_shape_give_uniform_draws() {
    assert_eq!(density(&[0.0; 4], 2.0, 0.0).unwrap(), [1.0; 4]);
    assert_eq!(density(&[], 2.0, 0.0).unwrap(), [0.0; 0]);
    // One residual stands out so far that the others' squares vanish next to it: it comes first, then the rest evenly.
    let weights = density(&[1e-200, 1e200, 0.0, 1e-180], 2.0, 0.0).unwrap();
    assert_eq!(weights, [0.0, 4.0, 0.0, 0.0]);
    let mut second = [0; 4];
    let mut stream = stream(2);
    for _ in 0..3000 {
        let order = draw_without_replacement(&weights, 4, &mut stream).unwrap();
        assert_eq!(order[0], 1);
        second[order[1]] += 1;
    }
    assert!([0, 2, 3].iter().all(|&i| (900..1100).contains(&second[i])), "{second:?}");
}

#[test]
fn several_equations_add_up() {
    assert_eq!(magnitudes(&[1.0, -2.0, 0.0, 0.5], 2, 2), [3.0, 0.5]);
    assert_eq!(magnitudes(&[1.0, -2.0, 0.0, 0.5], 2, 1), [1.0, 0.0]);
}

#[test]
fn r3_keeps_exactly_the_points_above_the_mean() {
    let current = line(5);
    let fresh = Points::from_coords(1, vec![10.0, 11.0, 12.0, 13.0, 14.0]).unwrap();
    // The mean of |r| is 2: the point at the mean goes.
    let residuals = [3.0, -1.0, 2.0, -4.0, 0.0];
    let renewed = R3::default().renew(&current, &residuals, &fresh).unwrap();
    assert_eq!(renewed.coords(), [0.0, 10.0, 11.0, 3.0, 12.0]);
    // Equal residuals, whose mean may round to either side, keep nothing.
    for n in 1..50 {
        assert_eq!(above_mean(&vec![0.1; n]).unwrap(), vec![false; n]);
    }
    assert_eq!(above_mean(&[]).unwrap(), [false; 0]);
}

proptest! {
    #[test]
    fn r3_agrees_with_the_definition(residuals in prop::collection::vec(-1e3..1e3f64, 1..200)) {
        let mean = residuals.iter().map(|r| r.abs()).sum::<f64>() / residuals.len() as f64;
        for (r, kept) in residuals.iter().zip(above_mean(&residuals).unwrap()) {
            prop_assert!(kept == (r.abs() > mean) || (r.abs() - mean).abs() < 1e-10);
        }
    }

    #[test]
    fn draws_are_different_indices(weights in prop::collection::vec(0.0..1.0f64, 1..60), seed in any::<u64>()) {
        let mut all = draw_without_replacement(&weights, weights.len(), &mut stream(seed)).unwrap();
        let few = draw_without_replacement(&weights, weights.len() / 2, &mut stream(seed)).unwrap();
        prop_assert_eq!(&few[..], &all[..weights.len() / 2]);
        all.sort();
        prop_assert_eq!(all, (0..weights.len()).collect::<Vec<_>>());
    }
}

#[test]
fn refusals_name_the_culprit() {
    let message = |error: AdaptiveError| error.to_string();
    let pool = line(3);
    let refine = |residuals: &[f64]| {
        let rar = RarD { count: 4, ..RarD::default() };
        rar.refine(&pool, &pool, residuals, &mut stream(0)).unwrap_err().to_string()
    };
    assert_eq!(
        refine(&[1.0, f64::NAN, 2.0]),
        "the residual at point 1 is NaN; lower the learning rate or check the equation there"
    );
    assert_eq!(refine(&[1.0, 2.0]), "2 residuals were given for 3 points; give one for each point");
    assert_eq!(refine(&[1.0, 2.0, 3.0]), "4 points are wanted, but there are only 3 candidates; enlarge the pool");
    assert_eq!(
        message(above_mean(&[f64::INFINITY]).unwrap_err()),
        "the residual at point 0 is inf; lower the learning rate or check the equation there"
    );
    assert_eq!(
        message(R3::default().renew(&pool, &[1.0, 1.0, 4.0], &line(1)).unwrap_err()),
        "2 points are wanted, but there are only 1 candidates; enlarge the pool"
    );
    assert_eq!(
        message(density(&[1.0], -1.0, 0.0).unwrap_err()),
        "setting `k` of adaptive sampling is -1; it must be finite and at least 0"
    );
    assert_eq!(
        message(RarD { pool: 5, ..RarD::default() }.validate().unwrap_err()),
        "setting `pool` of adaptive sampling is 5; it must be at least `count`"
    );
    assert_eq!(
        message(Rad { c: f64::NAN, ..Rad::default() }.validate().unwrap_err()),
        "setting `c` of adaptive sampling is NaN; it must be finite and at least 0"
    );
    assert_eq!(
        message(R3 { period: 0 }.validate().unwrap_err()),
        "setting `period` of adaptive sampling is 0; it must be at least 1"
    );
}
