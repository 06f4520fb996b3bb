//! What this machine can do: multiply-adds in registers alone, and large matrix products.

use crate::driver::Task;
use crate::product::{Numbers, Product, Target, Workspace, matmul};
use crate::view::View;
use ropinn_vmath::simd;
use std::hint::black_box;
use std::time::Instant;

/// Rounds of a measurement; the best one counts.
const ROUNDS: usize = 8;

/// GFLOP/s of multiply-adds on numbers that never leave the registers, on `threads` threads at once: the physical limit.
pub fn multiply_add_rate<T: Numbers>(threads: usize) -> f64 {
    const STEPS: usize = 1_000_000;
    on_all(threads, || {
        let mut each = 0;
        let seconds = best_of(|| {
            let task = Task::Spin(STEPS, black_box(T::from_f64(0.999)), black_box(T::from_f64(1e-3)));
            // SAFETY: the task has no pointers, and the instruction set is available.
            each = unsafe { T::run(simd(), task) };
        });
        2.0 * (each * STEPS) as f64 / seconds / 1e9
    })
}

/// GFLOP/s of matrix products of 512 × 512 on `threads` threads at once, each with matrices of its own, as tiles have.
pub fn gemm_rate<T: Numbers>(threads: usize) -> f64 {
    const SIZE: usize = 512;
    const REPEATS: usize = 4;
    on_all(threads, || {
        let (a, b) = (vec![T::from_f64(0.5); SIZE * SIZE], vec![T::from_f64(0.25); SIZE * SIZE]);
        let (mut c, mut work) = (vec![T::ZERO; SIZE * SIZE], Workspace::default());
        let view = View::rows(0, SIZE);
        let seconds = best_of(|| {
            for _ in 0..REPEATS {
                let to = Target::new(&mut c, 0, SIZE);
                matmul((SIZE, SIZE, SIZE), to, Product::Set, T::ONE, (&a, view), (&b, view), &mut work);
            }
        });
        (2 * SIZE * SIZE * SIZE * REPEATS) as f64 / seconds / 1e9
    })
}

/// The least seconds of several rounds.
fn best_of(mut work: impl FnMut()) -> f64 {
    let rounds = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    });
    rounds.fold(f64::INFINITY, f64::min)
}

/// The sum of what each of so many threads reaches.
fn on_all(threads: usize, work: impl Fn() -> f64 + Sync) -> f64 {
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(&work)).collect();
        handles.into_iter().map(|handle| handle.join().unwrap_or(0.0)).sum()
    })
}
