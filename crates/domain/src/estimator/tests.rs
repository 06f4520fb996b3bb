//! Unbiasedness, variance and exactness of the region estimators.

use super::*;
use crate::Purpose;
use proptest::prelude::*;

const RANDOM: [Estimator; 3] = [Estimator::MonteCarlo, Estimator::Antithetic, Estimator::Sobol];

/// Estimates of ∫ f, one for each of `points` points.
fn estimates(
    how: Estimator,
    dim: usize,
    samples: usize,
    points: usize,
    seed: u64,
    f: impl Fn(&[f64]) -> f64,
) -> Vec<f64> {
    let offsets = how.offsets(dim, samples).unwrap();
    let mut unit = vec![f64::NAN; offsets.len(points)];
    offsets.fill(&mut Stream::new(seed, Purpose::Region), &mut unit).unwrap();
    assert!(unit.iter().all(|x| (0.0..1.0).contains(x)));
    let mut sums = vec![0.0; points];
    for (copy, rows) in unit.chunks_exact(points * dim).enumerate() {
        let weight = offsets.copy_weights().map_or(1.0 / offsets.copies() as f64, |w| w[copy]);
        rows.chunks_exact(dim).zip(&mut sums).for_each(|(row, sum)| *sum += weight * f(row));
    }
    sums
}

fn mean_and_variance(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0))
}

/// A smooth integrand in three variables with a known integral.
fn smooth(x: &[f64]) -> f64 {
    (x[0] + 0.5 * x[1]).exp() * (1.0 + x[2] * x[2])
}

fn smooth_integral() -> f64 {
    (1f64.exp() - 1.0) * 2.0 * (0.5f64.exp() - 1.0) * (4.0 / 3.0)
}

#[test]
fn random_estimators_are_unbiased() {
    let points = 20_000;
    // A jump breaks every rule that relies on smoothness, but no unbiased one.
    let jump = |x: &[f64]| if x[0] * x[1] < 0.3 { 1.0 } else { 0.0 };
    let area = 0.3 - 0.3 * 0.3f64.ln();
    for how in RANDOM {
        for samples in [2, 4, 6, 16] {
            let cases = [
                (estimates(how, 3, samples, points, 11, smooth), smooth_integral()),
                (estimates(how, 2, samples, points, 12, jump), area),
            ];
            for (values, wanted) in cases {
                let (mean, variance) = mean_and_variance(&values);
                let error = (mean - wanted).abs() / (variance / points as f64).sqrt();
                assert!(error < 4.0, "{how:?}, {samples} samples: {mean} for {wanted}, {error} standard errors");
            }
        }
    }
}

#[test]
fn smooth_integrands_gain_from_structure() {
    for samples in [2, 8, 32] {
        let variance = |how| mean_and_variance(&estimates(how, 3, samples, 4000, 5, smooth)).1;
        let (plain, mirrored, sobol) =
            (variance(Estimator::MonteCarlo), variance(Estimator::Antithetic), variance(Estimator::Sobol));
        assert!(mirrored < plain / 4.0, "{samples} samples: antithetic {mirrored:e}, plain {plain:e}");
        assert!(sobol < plain / 2.0, "{samples} samples: Sobol {sobol:e}, plain {plain:e}");
    }
    // Scrambled nets: the variance falls by nearly 8 when the points double; independent points give 2.
    let variance = |n| mean_and_variance(&estimates(Estimator::Sobol, 3, n, 2000, 6, smooth)).1;
    assert!(variance(256) < variance(16) / 500.0);
}

#[test]
fn mirrored_pairs_cancel_what_is_linear() {
    for value in estimates(Estimator::Antithetic, 4, 2, 500, 3, |x| 2.0 + x[0] - 3.0 * x[1] + 5.0 * x[3]) {
        assert!((value - 3.5).abs() < 1e-14);
    }
}

#[test]
fn sobol_copies_of_a_point_fill_each_stratum_once() {
    let (dim, samples, points) = (3, 16, 40);
    let offsets = Estimator::Sobol.offsets(dim, samples).unwrap();
    let mut unit = vec![0.0; offsets.len(points)];
    offsets.fill(&mut Stream::new(9, Purpose::Region), &mut unit).unwrap();
    for place in 0..points * dim {
        let mut hit = vec![0; samples];
        unit.chunks_exact(points * dim).for_each(|copy| hit[(copy[place] * samples as f64) as usize] += 1);
        assert_eq!(hit, vec![1; samples]);
    }
    // Points do not share their scrambling: even the first copy spreads evenly over ten strata, by χ² with 9 degrees.
    let first = estimates(Estimator::Sobol, 1, 1, 10_000, 4, |x| x[0]);
    let mut strata = [0.0; 10];
    first.iter().for_each(|x| strata[(x * 10.0) as usize] += 1.0);
    let chi: f64 = strata.iter().map(|s: &f64| (s - 1000.0).powi(2) / 1000.0).sum();
    assert!(chi < 27.9, "χ² = {chi}"); // the 0.999 quantile
}

proptest! {
    /// Coefficients of x^a y^b with a, b ≤ 2n − 1.
    #[test]
    fn gauss_is_exact_for_polynomials(n in 1..5usize, coefficients in prop::collection::vec(-3.0..3.0f64, 64)) {
        let degrees = 2 * n;
        let value = |x: &[f64]| (0..degrees * degrees)
            .map(|i| coefficients[i] * x[0].powi((i % degrees) as i32) * x[1].powi((i / degrees) as i32)).sum::<f64>();
        let wanted: f64 = (0..degrees * degrees)
            .map(|i| coefficients[i] / ((i % degrees + 1) * (i / degrees + 1)) as f64).sum();
        for found in estimates(Estimator::Gauss, 2, n, 3, 0, value) {
            prop_assert!((found - wanted).abs() < 1e-12);
        }
    }

    /// The same stream gives the same bits, a fill continues where the last one ended, and points beyond the first m do
    /// not change the first m where draws go point by point.
    #[test]
    fn streams_decide_everything(seed in any::<u64>(), step in 0..1000u64, samples in 1..4usize, dim in 1..5usize) {
        for how in [Estimator::MonteCarlo, Estimator::Gauss, Estimator::Antithetic, Estimator::Sobol] {
            let offsets = how.offsets(dim, 2 * samples).unwrap();
            let draw = |stream: &mut Stream, points| {
                let mut unit = vec![0.0; offsets.len(points)];
                offsets.fill(stream, &mut unit).unwrap();
                unit
            };
            let mut stream = Stream::new(seed, Purpose::Region).at_step(step);
            let first = draw(&mut stream.clone(), 300);
            prop_assert_eq!(&first, &draw(&mut stream, 300));
            let second = draw(&mut stream, 300);
            prop_assert_eq!(offsets.are_random(), first != second);
            if how == Estimator::Sobol {
                let fewer = draw(&mut Stream::new(seed, Purpose::Region).at_step(step), 7);
                prop_assert_eq!(&fewer[..7 * dim], &first[..7 * dim]);
            }
        }
    }
}

#[test]
fn gauss_nodes_and_weights() {
    let offsets = Estimator::Gauss.offsets(2, 2).unwrap();
    let mut unit = vec![0.0; offsets.len(3)];
    offsets.fill(&mut Stream::new(0, Purpose::Region), &mut unit).unwrap();
    let (low, high) = (0.5 * (1.0 - 1.0 / 3f64.sqrt()), 0.5 * (1.0 + 1.0 / 3f64.sqrt()));
    let wanted = [[low, low], [high, low], [low, high], [high, high]];
    for (copy, node) in unit.chunks_exact(6).zip(wanted) {
        for offset in copy.chunks_exact(2) {
            assert!(offset.iter().zip(node).all(|(x, y)| (x - y).abs() < 1e-15));
        }
    }
    let weights = offsets.sample_weights(3).unwrap();
    assert_eq!(weights.len(), 12);
    assert!(weights.iter().all(|w| (w - 1.0).abs() < 1e-15));
    let centre = Estimator::Gauss.offsets(3, 1).unwrap();
    let mut unit = vec![0.0; centre.len(2)];
    centre.fill(&mut Stream::new(0, Purpose::Region), &mut unit).unwrap();
    assert_eq!(unit, [0.5; 6]);
    assert_eq!(Estimator::MonteCarlo.offsets(2, 3).unwrap().sample_weights(5), None);
}

#[test]
fn monte_carlo_is_the_plain_stream() {
    let offsets = Estimator::MonteCarlo.offsets(2, 3).unwrap();
    let (mut unit, mut plain) = (vec![0.0; offsets.len(50)], vec![0.0; 300]);
    let mut stream = Stream::new(21, Purpose::Region);
    stream.clone().fill_uniform(&mut plain);
    offsets.fill(&mut stream, &mut unit).unwrap();
    assert_eq!(unit, plain);
    assert_eq!(stream.position(), 300);
}

#[test]
fn refusals_name_the_culprit() {
    let message = |how: Estimator, dim, samples| how.offsets(dim, samples).unwrap_err().to_string();
    assert_eq!(
        message(Estimator::Antithetic, 2, 3),
        "antithetic samples come in pairs, but 3 were asked for; ask for an even number"
    );
    assert_eq!(message(Estimator::Sobol, 2, 0), "0 points requested; ask for at least one");
    assert_eq!(message(Estimator::MonteCarlo, 0, 1), "a region has no coordinates; give at least one axis");
    assert_eq!(
        message(Estimator::Sobol, 65, 1),
        "Sobol points have at most 64 coordinates, 65 are needed; use Halton, Latin hypercube or uniform points"
    );
    let mut short = [0.0; 5];
    let offsets = Estimator::MonteCarlo.offsets(2, 2).unwrap();
    assert_eq!(
        offsets.fill(&mut Stream::new(0, Purpose::Region), &mut short).unwrap_err().to_string(),
        "the list of region offsets has 5 coordinates where 8 are needed; give it one number per axis"
    );
    offsets.fill(&mut Stream::new(0, Purpose::Region), &mut []).unwrap();
}
