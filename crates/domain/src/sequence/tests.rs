//! Formulas, stratification and typed refusals of the layouts.

use super::*;
use proptest::prelude::*;

fn unit(layout: &Layout, dim: usize, n: usize, seed: u64) -> Vec<f64> {
    layout.unit_points(dim, n, seed, Purpose::Interior).unwrap()
}

/// How many points fall in each of the 2^(a+b) boxes of an a × b split of two axes.
fn boxes(points: &[f64], dim: usize, axes: (usize, usize), split: (u32, u32)) -> Vec<usize> {
    let mut counts = vec![0; 1 << (split.0 + split.1)];
    for row in points.chunks_exact(dim) {
        let i = (row[axes.0] * f64::from(1 << split.0)) as usize;
        let j = (row[axes.1] * f64::from(1 << split.1)) as usize;
        counts[i << split.1 | j] += 1;
    }
    counts
}

#[test]
fn sobol_starts_as_published() {
    let points = unit(&Layout::Sobol { scramble: Scramble::None }, 3, 8, 0);
    #[rustfmt::skip]
    let want = [
        0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 0.75, 0.25, 0.25, 0.25, 0.75, 0.75,
        0.375, 0.375, 0.625, 0.875, 0.875, 0.125, 0.625, 0.125, 0.875, 0.125, 0.625, 0.375,
    ];
    assert_eq!(points, want);
}

#[test]
fn every_sobol_axis_fills_each_stratum_once_in_every_block() {
    for scramble in [Scramble::None, Scramble::Owen] {
        let sobol = Sobol::new(Sobol::MAX_DIM, scramble, 42).unwrap();
        for (k, block) in [(0u32, 5u32), (1, 3), (4, 9), (8, 2), (10, 0)] {
            let n = 1usize << k;
            let mut points = vec![0.0; n * Sobol::MAX_DIM];
            sobol.fill(block * n as u32, &mut points).unwrap();
            for axis in 0..Sobol::MAX_DIM {
                let mut hit = vec![0; n];
                points.chunks_exact(Sobol::MAX_DIM).for_each(|row| hit[(row[axis] * n as f64) as usize] += 1);
                assert!(hit.iter().all(|&h| h == 1), "axis {axis}, block {block} of {n}, {scramble:?}");
            }
        }
    }
}

/// The first two axes form a (0, m, 2)-net: every elementary box of volume 2^−m holds exactly one of 2^m points.
#[test]
fn sobol_balances_elementary_boxes() {
    for (scramble, seed) in [(Scramble::None, 0), (Scramble::Owen, 1), (Scramble::Owen, 2)] {
        let points = unit(&Layout::Sobol { scramble }, 5, 256, seed);
        for a in 0..=8 {
            assert!(boxes(&points, 5, (0, 1), (a, 8 - a)).iter().all(|&c| c == 1), "{a}, {scramble:?}");
        }
    }
}

#[test]
fn scrambled_sobol_integrates_better_than_random_and_is_unbiased() {
    // ∫ Π (1 + (x − ½) / k) = 1 in four axes.
    let mean = |layout: &Layout, seed: u64| {
        let points = unit(layout, 4, 1024, seed);
        let value = |row: &[f64]| row.iter().zip(1..).map(|(x, k)| 1.0 + (x - 0.5) / f64::from(k)).product::<f64>();
        points.chunks_exact(4).map(value).sum::<f64>() / 1024.0 - 1.0
    };
    let rms = |layout: &Layout| ((0..50).map(|seed| mean(layout, seed).powi(2)).sum::<f64>() / 50.0).sqrt();
    let owen = Layout::Sobol { scramble: Scramble::Owen };
    let (quasi, random) = (rms(&owen), rms(&Layout::Uniform));
    assert!(quasi < random / 30.0, "Owen {quasi:e}, random {random:e}");
    let bias = (0..50).map(|seed| mean(&owen, seed)).sum::<f64>() / 50.0;
    assert!(bias.abs() < 4.0 * quasi / 50f64.sqrt(), "bias {bias:e} against {quasi:e}");
}

#[test]
fn hammersley_follows_its_formula() {
    let n = 20;
    for dim in 1..=4 {
        let points = unit(&Layout::Hammersley, dim, n, 3);
        for (row, i) in points.chunks_exact(dim).zip(1u64..) {
            for (axis, &base) in [2, 3, 5].iter().take(dim - 1).enumerate() {
                assert_eq!(row[axis], radical_inverse(base, i));
            }
            assert_eq!(row[dim - 1], i as f64 / (n + 1) as f64);
        }
    }
    assert_eq!(unit(&Layout::Halton, 2, 3, 0), [0.5, 1.0 / 3.0, 0.25, 2.0 / 3.0, 0.75, 1.0 / 9.0]);
}

#[test]
fn grids_vary_the_first_axis_fastest() {
    let grid = unit(&Layout::Grid { counts: vec![3, 2] }, 2, 6, 0);
    assert_eq!(grid, [0.0, 0.0, 0.5, 0.0, 1.0, 0.0, 0.0, 1.0, 0.5, 1.0, 1.0, 1.0]);
    let inner = unit(&Layout::InteriorGrid { counts: vec![3, 1] }, 2, 3, 0);
    assert_eq!(inner, [0.25, 0.5, 0.5, 0.5, 0.75, 0.5]);
    assert_eq!(unit(&Layout::Grid { counts: vec![1] }, 1, 1, 0), [0.0]);
}

#[test]
fn refusals_name_the_culprit() {
    let message = |layout: Layout, dim, n| layout.unit_points(dim, n, 0, Purpose::Interior).unwrap_err().to_string();
    let sobol = Layout::Sobol { scramble: Scramble::None };
    assert_eq!(
        message(sobol.clone(), 65, 4),
        "Sobol points have at most 64 coordinates, 65 are needed; use Halton, Latin hypercube or uniform points"
    );
    assert_eq!(message(sobol, 0, 4), "the unit cube has no coordinates; give at least one axis");
    assert_eq!(message(Layout::Uniform, 2, 0), "0 points requested; ask for at least one");
    assert_eq!(
        message(Layout::Grid { counts: vec![4, 0] }, 2, 4),
        "the grid has 0 points along axis 1; every axis needs at least one"
    );
    assert_eq!(
        message(Layout::Grid { counts: vec![4, 2] }, 2, 9),
        "a grid of [4, 2] has 8 points but 9 were requested; make the two agree"
    );
    assert_eq!(
        message(Layout::InteriorGrid { counts: vec![4] }, 2, 4),
        "the list of grid counts has 1 coordinates where 2 are needed; give it one number per axis"
    );
}

#[test]
fn the_last_sobol_points_are_reachable() {
    let sobol = Sobol::new(1, Scramble::None, 0).unwrap();
    let mut last = [0.0];
    sobol.fill(u32::MAX - 1, &mut last).unwrap();
    assert!((0.0..1.0).contains(&last[0]));
    assert!(matches!(sobol.fill(u32::MAX, &mut last), Err(DomainError::TooManyPoints { requested: 1, most: 0 })));
}

fn seeded_layout() -> impl Strategy<Value = Layout> {
    prop_oneof![
        Just(Layout::Uniform),
        Just(Layout::LatinHypercube),
        Just(Layout::Sobol { scramble: Scramble::Owen }),
        Just(Layout::Sobol { scramble: Scramble::None }),
        Just(Layout::Halton),
        Just(Layout::Hammersley),
    ]
}

proptest! {
    #[test]
    fn latin_hypercube_puts_one_point_in_each_stratum(dim in 1usize..6, n in 1usize..200, seed: u64) {
        let points = unit(&Layout::LatinHypercube, dim, n, seed);
        for axis in 0..dim {
            let mut strata: Vec<usize> = points.chunks_exact(dim).map(|row| (row[axis] * n as f64) as usize).collect();
            strata.sort_unstable();
            prop_assert_eq!(strata, (0..n).collect::<Vec<_>>());
        }
    }

    #[test]
    fn points_stay_in_the_cube_and_repeat(layout in seeded_layout(), dim in 1usize..8, n in 1usize..300, seed: u64) {
        let points = unit(&layout, dim, n, seed);
        prop_assert_eq!(points.len(), n * dim);
        prop_assert!(points.iter().all(|x| (0.0..1.0).contains(x)));
        prop_assert_eq!(&points, &unit(&layout, dim, n, seed));
        if layout.is_extensible() {
            prop_assert_eq!(&points, &unit(&layout, dim, n + 37, seed)[..n * dim]);
        }
    }

    #[test]
    fn sobol_points_are_randomly_accessible(first in 0u32..100_000, n in 1usize..40, dim in 1usize..9, seed: u64) {
        let sobol = Sobol::new(dim, Scramble::Owen, seed).unwrap();
        let mut together = vec![0.0; n * dim];
        sobol.fill(first, &mut together).unwrap();
        for (i, row) in together.chunks_exact(dim).enumerate() {
            let mut alone = vec![0.0; dim];
            sobol.fill(first + i as u32, &mut alone).unwrap();
            prop_assert_eq!(row, &alone[..]);
        }
    }

    #[test]
    fn radical_inverse_mirrors_digits(base in 2u64..50, index in 0u64..1 << 40) {
        let (mut want, mut scale, mut rest) = (0.0, 1.0, index);
        while rest > 0 {
            scale /= base as f64;
            want += (rest % base) as f64 * scale;
            rest /= base;
        }
        prop_assert!((radical_inverse(base, index) - want).abs() < 1e-14);
    }
}
