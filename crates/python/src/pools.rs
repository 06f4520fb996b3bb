//! The threads of this process. They do not survive a fork: whoever needs them in a forked child would wait for ever, so it is
//! refused instead.
//!
//! A training has a pool of its own, so that two of them share the cores and not their queue; short evaluations share one.

use crate::error::{Refused, of_engine};
use ropinn_engine::Threads;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// The process that has made threads first; 0 for none.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// Pools by the number of threads that was asked for.
static SHARED: Mutex<Vec<(usize, Threads)>> = Mutex::new(Vec::new());

/// Refuses to use threads in a process that inherited them.
pub fn check_process() -> Result<(), Refused> {
    let here = std::process::id();
    match OWNER.compare_exchange(0, here, Ordering::Relaxed, Ordering::Relaxed) {
        Err(owner) if owner != here => Err(Refused::Forked(format!(
            "process {here} is a fork of process {owner}, which has used ropinn before, and threads do not survive a fork; \
             start processes with multiprocessing.get_context(\"spawn\"), or use ropinn only in the children"
        ))),
        _ => Ok(()),
    }
}

/// A pool of its own.
pub fn own(count: usize) -> Result<Threads, Refused> {
    check_process()?;
    Threads::new(count).map_err(of_engine)
}

/// A pool that others use too.
pub fn shared(count: usize) -> Result<Threads, Refused> {
    check_process()?;
    let mut pools = SHARED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, threads)) = pools.iter().find(|(own, _)| *own == count) {
        return Ok(threads.clone());
    }
    let threads = Threads::new(count).map_err(of_engine)?;
    pools.push((count, threads.clone()));
    Ok(threads)
}
