//! After warm-up an evaluation takes next to nothing from the heap, however many points it has.
//!
//! The network is thin, so that every map runs in the engine's lane loops: the GEMM crate takes its packing buffers from the
//! allocator on each call.

use ropinn::case::Case;
use ropinn::config::RunConfig;
use ropinn::objective::Objective;
use ropinn_engine::Threads;
use ropinn_optim::Oracle;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    /// Those of this thread: the harness takes some of its own while a test begins.
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is handed to the system allocator unchanged; counting does not touch the memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = BYTES.try_with(|bytes| bytes.set(bytes.get() + layout.size()));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn an_evaluation_reuses_its_memory() {
    for objective in ["objective=point", "objective=region", "objective=gradient", "objective=variational"] {
        let (mut config, threads) = (RunConfig::default(), Threads::new(1).expect("threads"));
        let small = ["problem.name=reaction", "points.interior=grid:40x40", "width=4", "depth=2", objective];
        config.set_all(&small).expect("valid");
        let case = Case::new(config, &threads).expect("case");
        let (theta, mut compiled) = (case.initial_theta(), Objective::new(&case).expect("objective"));
        let mut grad = vec![0.0; theta.len()];
        // Inside the pool, as a training loop runs. Outer steps of one evaluation: a trace holds no more.
        let bytes = threads.run(|| {
            let mut step = |step| {
                compiled.begin_step(step);
                compiled.evaluate(&theta, &mut grad);
            };
            (0..20).for_each(&mut step);
            let before = BYTES.get();
            (20..30).for_each(&mut step);
            (BYTES.get() - before) / 10
        });
        assert!(bytes < 200, "{objective}: an evaluation at 1600 points took {bytes} bytes");
    }
}
