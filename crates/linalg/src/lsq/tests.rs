//! Least squares against systems whose solution, rank or residual is known.

use super::{RowFactor, Solution};
use proptest::prelude::*;

/// Numbers between −1 and 1 from a small generator.
fn draw(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed | 1;
    let next = |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1u64 << 30) as f64 - 1.0
    };
    (0..count).map(next).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn length(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// A·x for rows of A.
fn times(a: &[f64], x: &[f64]) -> Vec<f64> {
    a.chunks_exact(x.len()).map(|row| dot(row, x)).collect()
}

/// `count` orthonormal vectors of `size` numbers, one after another.
fn orthonormal(count: usize, size: usize, seed: u64) -> Vec<f64> {
    let mut all = draw(count * size, seed);
    for i in 0..count {
        let (done, rest) = all.split_at_mut(i * size);
        let own = &mut rest[..size];
        for _ in 0..2 {
            for other in done.chunks_exact(size) {
                let along = dot(other, own);
                own.iter_mut().zip(other).for_each(|(own, other)| *own -= along * other);
            }
        }
        let scale = 1.0 / length(own);
        own.iter_mut().for_each(|own| *own *= scale);
    }
    all
}

/// The factor of these rows, pushed so many at a time.
fn pushed(a: &[f64], b: &[f64], columns: usize, block: usize) -> RowFactor {
    let sides = b.len() / (a.len() / columns);
    let mut factor = RowFactor::new(columns, sides);
    a.chunks(block * columns).zip(b.chunks(block * sides)).for_each(|(a, b)| factor.push(a, b));
    factor
}

fn solved(a: &[f64], b: &[f64], columns: usize, cutoff: f64) -> Solution {
    pushed(a, b, columns, usize::MAX / columns).ranked(1e-16).solve(cutoff)
}

fn error(x: &[f64], wanted: &[f64]) -> f64 {
    assert_eq!(x.len(), wanted.len());
    x.iter().zip(wanted).fold(0.0, |most, (x, w)| f64::max(most, (x - w).abs()))
}

#[test]
fn a_mean_and_its_residual() {
    let solution = solved(&[1.0; 4], &[1.0, 2.0, 3.0, 6.0], 1, 1e-12);
    assert!((solution.x[0] - 3.0).abs() < 1e-15 && (solution.norm[0] - 3.0).abs() < 1e-15);
    assert!((solution.residual[0] - 14.0_f64.sqrt()).abs() < 1e-14, "{solution:?}");
    assert_eq!(solution.rank, 1);
}

#[test]
fn a_small_square_system() {
    let a = [4.0, -2.0, 1.0, 3.0, 6.0, -4.0, 2.0, 1.0, 8.0];
    let solution = solved(&a, &[12.0, -25.0, 32.0], 3, 1e-12);
    let wanted = [1.0, -2.0, 4.0];
    assert!(error(&solution.x, &wanted) < 1e-14 && solution.residual[0] < 1e-13, "{solution:?}");
}

#[test]
fn fewer_rows_than_columns_give_the_shortest_solution() {
    // x₁ + x₂ + x₃ = 3 with columns of one length, and 300 columns of which 200 rows say something.
    assert!(error(&solved(&[1.0; 3], &[3.0], 3, 1e-12).x, &[1.0; 3]) < 1e-15);
    let (rows, columns) = (200, 300);
    let a = orthonormal(columns, columns, 5);
    let a = &a[..rows * columns];
    let b = draw(rows, 7);
    let solution = solved(a, &b, columns, 1e-12);
    assert_eq!(solution.rank, rows);
    assert!(solution.residual[0] < 1e-13, "{}", solution.residual[0]);
    // Scaling makes it the shortest in other lengths, which cannot be much longer here.
    assert!(solution.norm[0] >= length(&b) * (1.0 - 1e-12) && solution.norm[0] < 1.2 * length(&b));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]
    #[test]
    fn full_rank_gives_back_what_made_it(
        columns in prop_oneof![1usize..30, 60usize..70, 120usize..140],
        more in 10usize..150,
        block in 1usize..300,
        seed in 0u64..1 << 40,
    ) {
        let rows = 2 * columns + more;
        let a = draw(rows * columns, seed);
        let wanted = draw(2 * columns, seed + 2);
        let (left, right) = wanted.split_at(columns);
        let b: Vec<f64> = times(&a, left).into_iter().zip(times(&a, right)).flat_map(|(l, r)| [l, r]).collect();
        let solution = pushed(&a, &b, columns, block).ranked(0.0).solve(1e-14);
        prop_assert_eq!(solution.rank, columns);
        prop_assert!(error(&solution.x, &wanted) < 1e-12, "error {}", error(&solution.x, &wanted));
        prop_assert!(solution.residual.iter().all(|r| *r < 1e-12));
    }
}

/// A = U diag(σ) Vᵀ with σ from 1 to 1e-18, its right-hand side for x = V·(numbers), and that x.
fn decaying(rows: usize, columns: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let (u, v) = (orthonormal(columns, rows, 11), orthonormal(columns, columns, 13));
    let sigma: Vec<f64> = (0..columns).map(|i| 10f64.powf(-18.0 * i as f64 / (columns - 1) as f64)).collect();
    let mut a = vec![0.0; rows * columns];
    for ((u, v), sigma) in u.chunks_exact(rows).zip(v.chunks_exact(columns)).zip(&sigma) {
        for (row, u) in a.chunks_exact_mut(columns).zip(u) {
            row.iter_mut().zip(v).for_each(|(a, v)| *a += sigma * u * v);
        }
    }
    let parts = draw(columns, 17);
    let mut x = vec![0.0; columns];
    for (v, part) in v.chunks_exact(columns).zip(&parts) {
        x.iter_mut().zip(v).for_each(|(x, v)| *x += part * v);
    }
    (times(&a, &x), a, x)
}

#[test]
fn a_decaying_spectrum_is_cut_and_its_solution_stays_short() {
    let (rows, columns) = (400, 200);
    let (b, a, x) = decaying(rows, columns);
    let factor = pushed(&a, &b, columns, 150);
    let ranked = factor.ranked(1e-16);
    for (cutoff, bound) in [(1e-14, 1e-13), (1e-10, 1e-9), (1e-6, 1e-5)] {
        let solution = ranked.solve(cutoff);
        let direct: Vec<f64> = times(&a, &solution.x).iter().zip(&b).map(|(l, r)| l - r).collect();
        assert!(solution.residual[0] < bound && length(&direct) < bound, "{} at {cutoff}", length(&direct));
        assert!(solution.norm[0] < 10.0 * length(&x) && solution.norm[0] > 0.1 * length(&x), "{}", solution.norm[0]);
        // The singular values above the cutoff, but for the factors by which pivots may miss them.
        let expected = -cutoff.log10() / 18.0 * columns as f64;
        assert!((solution.rank as f64 - expected).abs() < 25.0, "rank {} for {cutoff}", solution.rank);
    }
    // The diagonal falls as the singular values do, not only to its end.
    let diagonal: Vec<f64> = ranked.diagonal().collect();
    assert!(diagonal.windows(20).all(|d| d[19] < d[0]), "not in order");
}

#[test]
fn random_sines_reach_a_smooth_function_to_rounding() {
    let (rows, columns) = (1500, 300);
    let draws = draw(2 * columns, 23);
    let points: Vec<f64> = (0..rows).map(|i| 2.0 * i as f64 / (rows - 1) as f64 - 1.0).collect();
    let line = |x: f64| draws.chunks_exact(2).map(move |d| (30.0 * d[0] * x + 3.0 * d[1]).sin());
    let a: Vec<f64> = points.iter().flat_map(|&x| line(x)).collect();
    let b: Vec<f64> = points.iter().map(|x| (3.0 * x).sin().exp()).collect();
    let (b, scale) = (&b, length(&b));
    let solution = solved(&a, b, columns, 1e-14);
    assert!(solution.residual[0] < 1e-12 * scale, "residual {} of {scale}", solution.residual[0]);
    assert!(solution.rank < 100, "rank {}", solution.rank);
}

#[test]
fn powers_reach_a_smooth_function_to_rounding() {
    let (rows, columns) = (300, 40);
    let points: Vec<f64> = (0..rows).map(|i| i as f64 / (rows - 1) as f64).collect();
    let a: Vec<f64> = points.iter().flat_map(|x| (0..columns).map(move |p| x.powi(p as i32))).collect();
    let b: Vec<f64> = points.iter().map(|x| (5.0 * x).sin()).collect();
    assert!(solved(&a, &b, columns, 1e-15).residual[0] < 1e-12);
}

#[test]
fn blocks_of_rows_make_no_difference() {
    let (rows, columns) = (1300, 150);
    let (a, b) = (draw(rows * columns, 29), draw(rows, 31));
    let once = pushed(&a, &b, columns, rows).ranked(0.0).solve(1e-13);
    for block in [1, 37, 600] {
        let again = pushed(&a, &b, columns, block).ranked(0.0).solve(1e-13);
        assert!(error(&once.x, &again.x) < 1e-13 * once.norm[0], "blocks of {block}");
        assert!((once.residual[0] - again.residual[0]).abs() < 1e-12 * once.residual[0]);
    }
    // The residual is orthogonal to all columns.
    let left: Vec<f64> = times(&a, &once.x).iter().zip(&b).map(|(l, r)| l - r).collect();
    assert!((length(&left) - once.residual[0]).abs() < 1e-12 * length(&b));
    assert!(
        (0..columns).all(|c| dot(&left, &a.iter().skip(c).step_by(columns).copied().collect::<Vec<_>>()).abs() < 1e-11)
    );
}

#[test]
fn columns_of_other_sizes_do_not_decide_the_rank() {
    let (rows, columns) = (200, 80);
    let mut a = draw(rows * columns, 37);
    let scale: Vec<f64> = (0..columns).map(|c| 10f64.powi(c as i32 % 21 - 10)).collect();
    a.chunks_exact_mut(columns).for_each(|row| row.iter_mut().zip(&scale).for_each(|(a, s)| *a *= s));
    let wanted: Vec<f64> = scale.iter().map(|s| 1.0 / s).collect();
    let solution = solved(&a, &times(&a, &wanted), columns, 1e-10);
    assert_eq!(solution.rank, columns);
    assert!(solution.x.iter().zip(&wanted).all(|(x, w)| ((x - w) / w).abs() < 1e-11));
}

#[test]
fn nothing_adds_nothing() {
    let (rows, columns) = (100, 70);
    let mut a = draw(rows * columns, 41);
    a.chunks_exact_mut(columns).for_each(|row| row[3] = 0.0);
    a[20 * columns..40 * columns].fill(0.0);
    let b = times(&a, &vec![1.0; columns]);
    let mut factor = pushed(&a, &b, columns, 30);
    factor.push(&[], &[]);
    assert_eq!(factor.rows(), rows);
    let solution = factor.ranked(0.0).solve(1e-13);
    let wanted: Vec<f64> = (0..columns).map(|c| f64::from(u8::from(c != 3))).collect();
    assert!(error(&solution.x, &wanted) < 1e-11, "{:?}", solution.x);
    assert_eq!((solution.x[3], solution.rank), (0.0, columns - 1));
}

#[test]
fn without_rows_or_with_zeros_alone_the_solution_is_zero() {
    let mut factor = RowFactor::new(5, 2);
    let zero = Solution { x: vec![0.0; 10], rank: 0, residual: vec![0.0; 2], norm: vec![0.0; 2] };
    assert_eq!(factor.ranked(0.0).solve(1e-12), zero);
    factor.push(&[0.0; 10], &[0.0, 1.0, 0.0, 1.0]);
    let wanted = Solution { residual: vec![0.0, 2f64.sqrt()], ..zero };
    assert_eq!(factor.ranked(0.0).solve(1e-12), wanted);
}

#[test]
fn what_is_not_finite_stays_so() {
    let (rows, columns) = (150, 100);
    let (a, b) = (draw(rows * columns, 43), draw(rows, 47));
    for wrong in [f64::NAN, f64::INFINITY] {
        let mut broken = a.clone();
        broken[70 * columns + 30] = wrong;
        let solution = solved(&broken, &b, columns, 1e-12);
        assert!(solution.x.iter().all(|x| x.is_nan()) && solution.residual[0].is_nan() && solution.rank == 0);
        let mut broken = b.clone();
        broken[9] = wrong;
        let solution = solved(&a, &broken, columns, 1e-12);
        assert!(solution.x.iter().all(|x| !x.is_finite()) && !solution.residual[0].is_finite());
    }
}

#[test]
fn any_thread_count_gives_the_same_bits() {
    let (rows, columns) = (700, 330);
    let (a, b) = (draw(rows * columns, 53), draw(rows, 59));
    let solve = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a small pool");
        pool.install(|| pushed(&a, &b, columns, 400).ranked(0.0).solve(0.85))
    };
    let one = solve(1);
    assert!(one.rank > 64 && one.rank < columns, "rank {}", one.rank);
    assert!(solve(2) == one && solve(3) == one);
}

#[test]
#[should_panic(expected = "rows of 3 numbers")]
fn rows_in_part_are_refused() {
    RowFactor::new(3, 1).push(&[1.0; 4], &[1.0]);
}
