//! Statistics with fixed seeds, and the promise that a draw depends on nothing but its key and position.

use super::*;
use proptest::prelude::*;

const DRAWS: usize = 100_000;

#[test]
fn uniform_numbers_pass_chi_square() {
    let mut values = vec![0.0; DRAWS];
    Stream::new(1, Purpose::Interior).fill_uniform(&mut values);
    let mut cells = [0usize; 100];
    values.iter().for_each(|u| cells[(u * 100.0) as usize] += 1);
    let expected = DRAWS as f64 / 100.0;
    let chi2: f64 = cells.iter().map(|&c| (c as f64 - expected).powi(2) / expected).sum();
    // 99 degrees of freedom: mean 99, standard deviation 14.
    assert!((50.0..160.0).contains(&chi2), "chi-square {chi2}");
}

#[test]
fn neighbouring_streams_are_uncorrelated() {
    let base = Stream::new(5, Purpose::Region);
    let others = [
        Stream::new(6, Purpose::Region),
        Stream::new(5, Purpose::Batch),
        base.clone().at_step(1),
        base.clone().at_step(1 << 32),
        base.clone().at_evaluation(1),
    ];
    let draw = |mut stream: Stream| {
        let mut values = vec![0.0; DRAWS];
        stream.fill_uniform(&mut values);
        values
    };
    let reference = draw(base);
    for other in others {
        let name = format!("{other:?}");
        let values = draw(other);
        let covariance: f64 = reference.iter().zip(&values).map(|(a, b)| (a - 0.5) * (b - 0.5)).sum::<f64>();
        // Each product has standard deviation 1/12.
        let z = 12.0 * covariance / (DRAWS as f64).sqrt();
        assert!(z.abs() < 5.0, "{name}: z = {z}");
    }
}

#[test]
fn normals_have_the_right_moments_and_tails() {
    let mut values = vec![0.0; DRAWS];
    Stream::new(3, Purpose::Weights).fill_normal(&mut values);
    let n = DRAWS as f64;
    let moment = |k: i32| values.iter().map(|z| z.powi(k)).sum::<f64>() / n;
    // The k-th sample moment of a standard normal has variance (E z^{2k} − (E z^k)²) / n.
    for (k, mean, variance) in [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)] {
        let z = (moment(k) - mean) / f64::sqrt(variance / n);
        assert!(z.abs() < 4.5, "moment {k}: z = {z}");
    }
    let beyond = values.iter().filter(|z| z.abs() > 1.959_963_984_540_054).count() as f64;
    assert!((beyond / n - 0.05).abs() < 4.5 * (0.05 * 0.95 / n).sqrt());
    let paired: f64 = values.chunks_exact(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / (n / 2.0).sqrt();
    assert!(paired.abs() < 4.5, "the two normals of a block correlate: {paired}");
}

#[test]
fn below_is_even_and_in_range() {
    let mut stream = Stream::new(11, Purpose::Batch);
    let mut cells = [0usize; 7];
    (0..70_000).for_each(|_| cells[stream.below(7) as usize] += 1);
    let chi2: f64 = cells.iter().map(|&c| (c as f64 - 1e4).powi(2) / 1e4).sum();
    assert!(chi2 < 27.0, "chi-square {chi2} with 6 degrees of freedom");
    assert_eq!((stream.below(0), stream.below(1)), (0, 0));
    // A bound just above 2⁶³ rejects almost half of all words, and must still be even.
    let bound = (1 << 63) + 1;
    let mean = (0..4000).map(|_| stream.below(bound) as f64 / bound as f64).sum::<f64>() / 4000.0;
    assert!((mean - 0.5).abs() < 0.02, "mean {mean}");
}

#[test]
fn shuffle_reaches_every_order_equally() {
    let mut stream = Stream::new(2, Purpose::Batch);
    let mut counts = std::collections::HashMap::new();
    for _ in 0..24_000 {
        let mut items = [0, 1, 2, 3];
        stream.shuffle(&mut items);
        *counts.entry(items).or_insert(0usize) += 1;
    }
    assert_eq!(counts.len(), 24);
    let chi2: f64 = counts.values().map(|&c| (c as f64 - 1e3).powi(2) / 1e3).sum();
    assert!(chi2 < 55.0, "chi-square {chi2} with 23 degrees of freedom");
}

proptest! {
    #[test]
    fn a_draw_depends_only_on_key_and_position(
        seed: u64, step in 0u64..1 << 56, evaluation: u32, start in 0u64..1000, length in 0usize..80,
    ) {
        let key = Stream::new(seed, Purpose::Custom(9)).at_step(step).at_evaluation(evaluation);
        let mut stream = key.clone();
        stream.seek(start);
        let one_by_one: Vec<f64> = (0..length).map(|_| stream.uniform()).collect();
        let singles: Vec<f64> = (0..length as u64).map(|i| key.uniform_at(start + i)).collect();
        let mut bulk = vec![0.0; length];
        let mut bulk_stream = key.clone();
        bulk_stream.seek(start);
        bulk_stream.fill_uniform(&mut bulk);
        prop_assert_eq!(&one_by_one, &singles);
        prop_assert_eq!(&one_by_one, &bulk);
        prop_assert_eq!(bulk_stream.position(), start + length as u64);

        let mut stream = key.clone().at_point(start, 3);
        prop_assert_eq!(stream.position(), 3 * start);
        let mut normals = vec![0.0; length];
        stream.fill_normal(&mut normals);
        let singles: Vec<f64> = (0..length as u64).map(|i| key.normal_at(3 * start + i)).collect();
        prop_assert_eq!(&normals, &singles);
    }
}
