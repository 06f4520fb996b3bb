//! Rates of matrix products of the shapes that networks have, beside the limit: `cargo run --release -p ropinn-linalg --example rates`.
//! `-- --list` tells the instruction sets of this processor below the one in use.

use ropinn_linalg::{
    Numbers, Packed, Product, Target, View, Workspace, add_inner, gemm_rate, matmul, multiply_add_rate,
};
use ropinn_vmath::Simd;
use std::time::Instant;

fn main() {
    if std::env::args().any(|word| word == "--list") {
        let narrower = Simd::available().filter(|simd| *simd < ropinn_vmath::simd());
        return narrower.for_each(|simd| println!("{simd}"));
    }
    println!("instruction set {}", ropinn_vmath::simd());
    of::<f32>("f32");
    of::<f64>("f64");
}

fn of<T: Numbers>(name: &str) {
    println!(
        "{name}: multiply-add {:.0}, 512³ products {:.0} GFLOP/s on one thread",
        multiply_add_rate::<T>(1),
        gemm_rate::<T>(1)
    );
    for (width, columns) in [(20, 1024), (50, 1024), (64, 1024), (100, 640), (256, 640), (512, 640)] {
        let numbers = |n: usize| (0..n).map(|i| T::from_f64((i % 17) as f64 * 0.1)).collect::<Vec<T>>();
        let (w, h, mut z) = (numbers(width * width), numbers(width * columns), numbers(width * columns));
        let mut g = numbers(width * width);
        let mut work = Workspace::default();
        let mut packed = Packed::default();
        packed.set((width, width), T::ONE, &w, View::rows(0, width));
        let long = View::rows(0, columns);
        let forward = rate(width * width * columns, || {
            let to = Target::new(&mut z, 0, columns);
            packed.times(columns, &h, long, to, Product::Set, &mut work);
        });
        let inner = rate(width * width * columns, || {
            add_inner((width, width, columns), Target::new(&mut g, 0, width), (&z, long), (&h, long));
        });
        let outer = rate(width * width * columns, || {
            let to = Target::new(&mut g, 0, width);
            matmul((width, width, columns), to, Product::Add, T::ONE, (&z, long), (&h, long.transposed()), &mut work);
        });
        println!(
            "  {width:3} × {width:3} × {columns:4}: A·B {forward:6.1}, A·Bᵀ by inner {inner:6.1}, by outer products {outer:6.1}"
        );
    }
}

fn rate(multiply_adds: usize, mut work: impl FnMut()) -> f64 {
    let repeats = (100_000_000 / multiply_adds).max(1);
    let mut best = f64::INFINITY;
    for _ in 0..6 {
        let start = Instant::now();
        (0..repeats).for_each(|_| work());
        best = best.min(start.elapsed().as_secs_f64());
    }
    2.0 * (multiply_adds * repeats) as f64 / best / 1e9
}
