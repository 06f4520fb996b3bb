//! The threads an evaluator runs on.

use crate::error::{EngineError, Result};
use std::sync::Arc;

/// More threads than any machine this runs on has cores: asking for more is a slip, and would bring the machine to its knees.
const MOST_THREADS: usize = 1024;

/// A shared pool of worker threads. Results never depend on how many there are.
#[derive(Clone, Debug)]
pub struct Threads {
    pool: Arc<rayon::ThreadPool>,
}

impl Threads {
    /// A pool of `count` threads; 0 means one per core.
    pub fn new(count: usize) -> Result<Self> {
        if count > MOST_THREADS {
            return Err(EngineError::TooManyThreads { threads: count, most: MOST_THREADS });
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(count)
            .thread_name(|i| format!("ropinn-{i}"))
            .build()
            .map_err(|e| EngineError::Threads { threads: count, reason: e.to_string() })?;
        Ok(Self { pool: Arc::new(pool) })
    }

    /// Number of threads.
    pub fn count(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Runs `work` inside the pool. A training loop that lives in here hands its evaluations to the workers without touching
    /// the heap; called from outside, each evaluation passes through a queue that grows now and then.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.pool.install(work)
    }
}
