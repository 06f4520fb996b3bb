//! Rates of least squares beside that of products in the same run: `cargo run --release -p ropinn-linalg --example least_squares`.
//! Sizes may follow: rows, columns.

use ropinn_linalg::{Product, RowFactor, Target, View, Workspace, gemm_rate, matmul};
use std::time::Instant;

fn main() {
    let mut sizes = std::env::args().skip(1).map(|word| word.parse().expect("a size"));
    let (rows, columns) = (sizes.next().unwrap_or(16_000), sizes.next().unwrap_or(2_000));
    let threads = rayon::current_num_threads();
    println!(
        "{} on {threads} threads: 512³ products {:.1} GFLOP/s at best",
        ropinn_vmath::simd(),
        gemm_rate::<f64>(threads)
    );
    let gemm = products();
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1u64 << 30) as f64 - 1.0
    };
    let a: Vec<f64> = (0..rows * columns).map(|_| next()).collect();
    let b: Vec<f64> = (0..rows).map(|_| next()).collect();
    let mut factor = RowFactor::new(columns, 1);
    let push = seconds(|| factor.push(&a, &b));
    let (m, n) = (rows as f64, columns as f64);
    report("push, 2mn²", 2.0 * m * n * n, push, gemm);
    let mut ranked = None;
    let order = seconds(|| ranked = Some(factor.ranked(0.0)));
    let ranked = ranked.expect("just made");
    report("order, 2n³", 2.0 * n * n * n, order, gemm);
    // A cutoff that halves the rank: the dearest of all.
    let mut diagonal: Vec<f64> = ranked.diagonal().collect();
    diagonal.sort_by(f64::total_cmp);
    for cutoff in [diagonal[columns / 2] / diagonal[columns - 1], 1e-14] {
        let mut rank = 0;
        let solve = seconds(|| rank = ranked.solve(cutoff).rank);
        let k = rank as f64;
        report(&format!("solve of rank {rank}, 2(n − k)k²"), 2.0 * (n - k) * k * k, solve, gemm);
    }
    products();
}

/// GFLOP/s of products of 512 × 512 on one thread, in its processor time: other work on the machine counts for less there.
fn products() -> f64 {
    const SIZE: usize = 512;
    const REPEATS: usize = 300;
    let (a, mut c) = (vec![0.5; SIZE * SIZE], vec![0.0; SIZE * SIZE]);
    let (view, mut work) = (View::rows(0, SIZE), Workspace::default());
    let (_, busy) = seconds(|| {
        for _ in 0..REPEATS {
            let to = Target::new(&mut c, 0, SIZE);
            matmul((SIZE, SIZE, SIZE), to, Product::Set, 1.0, (&a, view), (&a, view), &mut work);
        }
    });
    let rate = (2 * REPEATS * SIZE.pow(3)) as f64 / busy / 1e9;
    println!("512³ products on one thread: {rate:.1} GFLOP/s of processor time");
    rate
}

/// Seconds of the clock, and of all threads together.
fn seconds(work: impl FnOnce()) -> (f64, f64) {
    let (start, busy) = (Instant::now(), processor());
    work();
    (start.elapsed().as_secs_f64(), processor() - busy)
}

/// Processor time of this process in seconds, where the system tells.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    fields.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn report(name: &str, operations: f64, (clock, busy): (f64, f64), products: f64) {
    let (rate, alone) = (operations / clock / 1e9, operations / busy / 1e9);
    println!(
        "{name}: {clock:.3} s, {rate:.1} GFLOP/s; {busy:.2} s of processor time, {alone:.1} GFLOP/s of it, {:.0} % of products",
        100.0 * alone / products
    );
}
