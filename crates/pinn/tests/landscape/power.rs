//! Power iteration on plain matrices.

use super::{dot, jacobi_eigenvalues, norm, normals};
use proptest::prelude::*;
use ropinn::landscape::{EigenPair, LandscapeError, PowerIteration};

/// Q diag(values) Qᵀ with random orthonormal Q, and Q's columns.
fn with_eigenvalues(values: &[f64], seed: u64) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = values.len();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for k in 0..n {
        let mut column = normals(seed.wrapping_add(k as u64), n);
        for _ in 0..2 {
            for other in &columns {
                let along = dot(&column, other);
                column.iter_mut().zip(other).for_each(|(c, o)| *c -= along * o);
            }
            let length = norm(&column);
            column.iter_mut().for_each(|c| *c /= length);
        }
        columns.push(column);
    }
    let entry = |i: usize, j: usize| (0..n).map(|k| values[k] * columns[k][i] * columns[k][j]).sum();
    ((0..n * n).map(|place| entry(place / n, place % n)).collect(), columns)
}

fn product(matrix: &[f64]) -> impl FnMut(&[f64], &mut Vec<f64>) -> Result<(), LandscapeError> {
    move |v, out| {
        out.clear();
        out.extend(matrix.chunks_exact(v.len()).map(|row| dot(row, v)));
        Ok(())
    }
}

fn largest(settings: &PowerIteration, matrix: &[f64], n: usize, count: usize) -> Vec<EigenPair> {
    settings.largest(n, count, product(matrix)).expect("eigenvalues")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_largest_eigenvalues_come_with_their_sign(
        seed in 0u64..1 << 40, rest in prop::collection::vec(-1.0f64..1.0, 0..12), signs: (bool, bool, bool),
    ) {
        let sign = |negative: bool| if negative { -1.0 } else { 1.0 };
        let mut values = vec![7.0 * sign(signs.0), 4.0 * sign(signs.1), 2.0 * sign(signs.2)];
        values.extend(rest);
        let (matrix, columns) = with_eigenvalues(&values, seed);
        let settings = PowerIteration { iterations: 400, tolerance: 1e-13, seed };
        let found = largest(&settings, &matrix, values.len(), 3);
        for (k, pair) in found.iter().enumerate() {
            // The guard makes vectors shorter by 10⁻⁶ and estimates by twice that.
            prop_assert!((pair.value - values[k]).abs() < 1e-5 * values[k].abs(), "{} but {}", pair.value, values[k]);
            prop_assert!(dot(&pair.vector, &columns[k]).abs() > 1.0 - 1e-9, "vector {k}");
            prop_assert!((norm(&pair.vector) - 1.0).abs() < 1e-14 && pair.converged, "{pair:?}");
            let overlap = found[..k].iter().map(|other| dot(&other.vector, &pair.vector).abs()).fold(0.0, f64::max);
            prop_assert!(overlap < 1e-14, "vector {k} is not orthogonal: {overlap}");
        }
    }

    #[test]
    fn jacobi_rotations_agree(seed in 0u64..1 << 40, values in prop::collection::vec(-5.0f64..5.0, 1..10)) {
        let (matrix, _) = with_eigenvalues(&values, seed);
        let mut wanted = values.clone();
        wanted.sort_by(|a, b| b.abs().total_cmp(&a.abs()));
        let found = jacobi_eigenvalues(matrix, values.len());
        let gap = |list: &[f64]| list.iter().map(|x| x * x).sum::<f64>();
        prop_assert!((gap(&found) - gap(&wanted)).abs() < 1e-9);
        prop_assert!((found[0].abs() - wanted[0].abs()).abs() < 1e-10, "{found:?} but {wanted:?}");
    }
}

/// Every step as it is described, written down again.
#[test]
fn an_iteration_is_the_described_one() {
    let (matrix, _) = with_eigenvalues(&[3.0, -2.5, 1.0, 0.5], 4);
    let start = |settings: &PowerIteration| {
        let mut first = Vec::new();
        let mut seen = |v: &[f64], out: &mut Vec<f64>| {
            if first.is_empty() {
                first = v.to_vec();
            }
            product(&matrix)(v, out)
        };
        let pair = settings.next(4, &[], &mut seen).expect("eigenvalue");
        (first, pair)
    };
    let settings = PowerIteration { iterations: 40, tolerance: 1e-2, seed: 9 };
    let (mut v, found) = start(&settings);
    assert!((norm(&v) - 1.0).abs() < 1e-5);
    let (mut old, mut iterations) = (f64::NAN, 0);
    loop {
        iterations += 1;
        let image: Vec<f64> = matrix.chunks_exact(4).map(|row| dot(row, &v)).collect();
        let value = dot(&v, &image);
        let scale = norm(&image) + 1e-6;
        v = image.iter().map(|x| x / scale).collect();
        if (value - old).abs() / (old.abs() + 1e-6) < settings.tolerance || iterations == settings.iterations {
            assert_eq!((found.value, found.iterations), (value, iterations));
            break;
        }
        old = value;
        let scale = norm(&v) + 1e-6;
        v.iter_mut().for_each(|x| *x /= scale);
    }
    assert!(found.iterations > 2 && found.converged);
    let (_, cut_short) = start(&PowerIteration { iterations: 2, ..settings });
    assert_eq!((cut_short.iterations, cut_short.converged), (2, false));
}

#[test]
fn defaults_are_the_published_ones() {
    assert_eq!(PowerIteration::default(), PowerIteration { iterations: 100, tolerance: 1e-3, seed: 0 });
}

#[test]
fn null_spaces_give_unit_vectors_too() {
    for tolerance in [1e-3, 0.0] {
        let settings = PowerIteration { tolerance, ..PowerIteration::default() };
        let zero = largest(&settings, &[0.0; 9], 3, 3);
        let (rank_one, _) = with_eigenvalues(&[5.0, 0.0, 0.0], 6);
        let mostly_zero = largest(&settings, &rank_one, 3, 3);
        for (k, pair) in zero.iter().chain(&mostly_zero).enumerate() {
            assert!((norm(&pair.vector) - 1.0).abs() < 1e-14, "{k}: {pair:?}");
        }
        for found in [zero, mostly_zero] {
            assert!(dot(&found[0].vector, &found[1].vector).abs() < 1e-14);
            assert!(dot(&found[1].vector, &found[2].vector).abs() < 1e-14 && found[2].value.abs() < 1e-12);
        }
    }
}

#[test]
fn bad_settings_and_numbers_are_refused() {
    let refused = |settings: PowerIteration, matrix: &[f64], count| {
        settings.largest(2, count, product(matrix)).expect_err("an error").to_string()
    };
    let (fine, unit) = (PowerIteration::default(), [1.0, 0.0, 0.0, 2.0]);
    assert_eq!(
        refused(PowerIteration { iterations: 0, ..fine.clone() }, &unit, 1),
        "setting `iterations` of the landscape is 0; it must be at least 1"
    );
    assert_eq!(
        refused(PowerIteration { tolerance: -1.0, ..fine.clone() }, &unit, 1),
        "setting `tolerance` of the landscape is -1; it must be finite and at least 0"
    );
    assert_eq!(refused(fine.clone(), &unit, 3), "all 2 eigenvectors of the space are found; ask for fewer");
    assert_eq!(
        refused(fine, &[f64::NAN, 0.0, 0.0, 2.0], 1),
        "the curvature in iteration 1 is NaN; check that the loss is finite at these parameters"
    );
}
