//! Where the runs of a study were made.

use ropinn::record::hardware;
use ropinn_runs::folder::RunResult;

/// Each machine once, with threads and versions; this one if there are no runs.
pub fn machines<'a>(runs: impl IntoIterator<Item = &'a RunResult>) -> Vec<String> {
    let mut machines: Vec<String> = runs.into_iter().map(RunResult::machine).collect();
    machines.sort();
    machines.dedup();
    if machines.is_empty() {
        machines.push(hardware());
    }
    machines
}
