//! After warm-up a step of the engine's own code touches the heap not once.
//!
//! The network here is thin, so that every map runs in the engine's lane loops: the GEMM crate takes its packing buffers from
//! the allocator on each call, which is the one exception (see `docs/architecture.md`).

mod common;

use common::{Draw, Fallible, network};
use ropinn_engine::{Evaluation, Evaluator, Precision, Program, Samples, TermSpec, Threads};
use ropinn_expr::Scope;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed to the system allocator unchanged; counting does not touch the memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
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
fn a_step_does_not_allocate() -> Fallible {
    for kind in ["wave", "product", "attention", "spline"] {
        let mut draw = Draw(5);
        let net = network(kind, &mut draw)?;
        let scope = Scope::new(["x", "t"], ["u"])?;
        let terms = ["u_t + u*u_x - 0.1*(1 + x^2)*u_xx", "u - at(u, 1)"]
            .map(|text| scope.parse(text).map(|r| TermSpec::new(text, vec![r])));
        let mut programs = Vec::new();
        for term in terms {
            programs.push(Program::compile(&net, &term?, 0)?);
        }
        let theta = draw.many(net.parameters(), 0.5);
        let points: Vec<Vec<f64>> = programs.iter().map(|p| draw.many(300 * p.coordinates_per_sample(), 1.0)).collect();
        let threads = Threads::new(2)?;
        let mut evaluator = Evaluator::new(programs, Precision::F32, &threads)?;
        let sets = evaluator.add_all(&[Samples::points(&points[0]), Samples::points(&points[1])])?;
        let mut out = Evaluation::default();
        // Inside the pool, as a training loop runs: hand-over between threads is then free of the heap as well.
        let counted = threads.run(|| {
            let mut step = || {
                evaluator.move_points(sets[0], &points[0])?;
                evaluator.replace(sets[1], Samples::points(&points[1]))?;
                evaluator.evaluate(&theta, &sets, &[1.0, 1.0], &mut out)
            };
            for _ in 0..200 {
                step()?;
            }
            let before = COUNT.load(Ordering::Relaxed);
            for _ in 0..10 {
                step()?;
            }
            Ok::<usize, ropinn_engine::EngineError>(COUNT.load(Ordering::Relaxed) - before)
        })?;
        assert_eq!(counted, 0, "{kind}: ten steps allocated {counted} times");
    }
    Ok(())
}
