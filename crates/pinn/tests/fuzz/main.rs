//! Files from anywhere, damaged at random: every reader answers without a panic and without taking memory the file does not
//! have. A few thousand cases each by default; `ROPINN_FUZZ_SECONDS=600` makes each test go on for that long.
//!
//! The expression parser has its own in its crate, points on the command line in theirs.

mod mutate;
mod targets;

use std::time::Instant;

/// Calls `work` with numbered cases until both the count and the time asked for are reached; tells how many it accepted.
fn repeat(cases: u64, mut work: impl FnMut(u64) -> bool) -> (u64, u64) {
    let seconds = std::env::var("ROPINN_FUZZ_SECONDS").ok().and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
    let began = Instant::now();
    let (mut accepted, mut case) = (0, 0);
    while case < cases || began.elapsed().as_secs_f64() < seconds {
        accepted += u64::from(work(case));
        case += 1;
    }
    eprintln!("{accepted} of {case} cases were accepted");
    (accepted, case)
}
