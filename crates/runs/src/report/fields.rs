//! Fields of runs as data of the page, as many as there is room for.

use crate::error::RunError;
use crate::folder::{Snapshot, snapshots_in};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::path::Path;

/// Bytes that all fields of a page may take, and the most fields of one run.
const ROOM: usize = 1_900_000;
const MOST: usize = 12;

/// Steps and fields of a run, those of one of `runs` on a page: the last one, and others from its course where there is room.
pub fn of_run(run: &Path, runs: usize) -> Vec<(u64, String)> {
    let room = ROOM / runs.max(1);
    let files = snapshots_in(run);
    // What cannot be read is left out; the page says if nothing remains.
    let read = |(step, path): &(u64, std::path::PathBuf)| Some((*step, Snapshot::read(path).ok()?));
    let Some((last, snapshot)) = files.iter().rev().find_map(read) else { return Vec::new() };
    let (mut halvings, mut small) = (0, snapshot);
    while encoded(&small).is_ok_and(|text| text.len() > room) && small.values.len() > small.head.layers.len() {
        (halvings, small) = (halvings + 1, small.halved());
    }
    let Ok(end) = encoded(&small) else { return Vec::new() };
    let fit = (room / end.len().max(1)).clamp(1, MOST);
    let earlier: Vec<_> = files.iter().filter(|(step, _)| *step < last).collect();
    let count = earlier.len().min(fit - 1);
    let chosen = (0..count).map(|k| earlier[k * earlier.len() / count.max(1)]);
    let reduced = |(step, snapshot): (u64, Snapshot)| {
        let small = (0..halvings).fold(snapshot, |own, _| own.halved());
        Some((step, encoded(&small).ok().filter(|text| text.len() <= 2 * end.len())?))
    };
    let mut fields: Vec<(u64, String)> = chosen.filter_map(read).filter_map(reduced).collect();
    fields.push((last, end));
    fields
}

fn encoded(snapshot: &Snapshot) -> Result<String, RunError> {
    Ok(STANDARD.encode(snapshot.to_bytes()?))
}
