//! All runs below the served folder, looked at again and again: only what has changed is read.

use crate::line::{Line, Stamp};
use crate::place::{is_own_file, name_of};
use ropinn_runs::cells::Cells;
use ropinn_runs::folder::{Found, names};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most runs that are listed.
const MOST: usize = 100_000;

/// What was there at the last look.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// Rises with every change.
    pub version: u64,
    entries: BTreeMap<String, Entry>,
    groups: Arc<BTreeMap<String, Cells>>,
    /// Names that are gone, and when they went.
    gone: BTreeMap<String, u64>,
    /// Runs beyond those that are listed.
    more: usize,
}

#[derive(Clone, Debug)]
struct Entry {
    stamp: Stamp,
    line: Arc<Line>,
    changed: u64,
}

/// What a page gets: all runs, or those that have changed since it asked last.
#[derive(Serialize)]
pub struct Listing<'a> {
    version: u64,
    runs: Vec<Named<'a>>,
    gone: Vec<&'a str>,
    more: usize,
    groups: &'a BTreeMap<String, Cells>,
}

#[derive(Serialize)]
struct Named<'a> {
    id: &'a str,
    #[serde(flatten)]
    line: &'a Line,
}

impl Index {
    /// Looks again; tells whether anything has changed.
    pub fn look(&mut self, root: &Path) -> bool {
        let Found { mut runs, groups } = Found::below(root);
        let (next, more) = (self.version + 1, runs.len().saturating_sub(MOST));
        runs.truncate(MOST);
        let mut changed = more != self.more;
        let mut entries = BTreeMap::new();
        for folder in runs {
            let Some(name) = name_of(root, &folder) else { continue };
            let stamp = Stamp::of(&folder);
            let entry = match self.entries.remove(&name) {
                Some(entry) if entry.stamp == stamp => entry,
                _ => Entry { line: Arc::new(Line::read(&folder)), stamp, changed: next },
            };
            changed |= entry.changed == next;
            entries.insert(name, entry);
        }
        let lost = std::mem::replace(&mut self.entries, entries);
        changed |= !lost.is_empty();
        self.gone.extend(lost.into_keys().map(|name| (name, next)));
        self.gone.retain(|name, _| !self.entries.contains_key(name));
        let groups = groups_of(root, &groups);
        if *self.groups != groups {
            (self.groups, changed) = (Arc::new(groups), true);
        }
        (self.more, self.version) = (more, if changed { next } else { self.version });
        changed
    }

    /// All runs, or those that have changed after a version.
    pub fn since(&self, version: u64) -> Listing<'_> {
        // A version of another server says nothing.
        let version = if version > self.version { 0 } else { version };
        let changed = self.entries.iter().filter(|(_, entry)| entry.changed > version);
        let runs = changed.map(|(name, entry)| Named { id: name, line: &entry.line }).collect();
        let gone =
            self.gone.iter().filter(|(_, when)| **when > version && version > 0).map(|(name, _)| &name[..]).collect();
        Listing { version: self.version, runs, gone, more: self.more, groups: &self.groups }
    }

    /// The version at which a run has changed last.
    pub fn changed(&self, name: &str) -> Option<u64> {
        self.entries.get(name).map(|entry| entry.changed)
    }
}

/// Tables that say which runs belong together; those within another are part of it.
fn groups_of(root: &Path, folders: &[PathBuf]) -> BTreeMap<String, Cells> {
    let is_inner = |folder: &PathBuf| folders.iter().any(|other| folder != other && folder.starts_with(other));
    let outer = folders.iter().filter(|folder| !is_inner(folder) && is_own_file(&folder.join(names::CELLS)));
    outer.filter_map(|folder| Some((name_of(root, folder)?, Cells::read(folder).ok()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropinn::config::RunConfig;
    use std::fs;

    fn listed(index: &Index, version: u64) -> serde_json::Value {
        serde_json::to_value(index.since(version)).expect("JSON")
    }

    #[test]
    fn only_what_has_changed_is_told() {
        let here = tempfile::tempdir().expect("a folder");
        let root = here.path();
        let config = RunConfig::default().to_toml();
        for name in ["a", "sweep/r=1/seed-0", "sweep/r=2/seed-0"] {
            fs::create_dir_all(root.join(name)).expect("writable");
            fs::write(root.join(name).join(names::CONFIG), &config).expect("writable");
        }
        let (rows, folders) =
            (vec!["1".to_owned(), "2".to_owned()], vec![vec!["r=1/seed-0".to_owned()], vec!["r=2/seed-0".to_owned()]]);
        let cells = Cells { of_rows: "r".to_owned(), rows, columns: vec!["seed 0".to_owned()], folders };
        cells.write(&root.join("sweep")).expect("writable");
        Cells::of_seeds(&[0]).write(&root.join("sweep/r=1")).expect("writable");
        let mut index = Index::default();
        assert!(index.look(root) && !index.look(root));
        let all = listed(&index, 0);
        assert_eq!((all["version"].as_u64(), all["runs"].as_array().map(Vec::len)), (Some(1), Some(3)));
        assert_eq!(
            all["groups"].as_object().map(|groups| groups.keys().cloned().collect()),
            Some(vec!["sweep".to_owned()])
        );
        fs::write(root.join("a").join(names::RESULT), "{\"problem\": \"wave\"}").expect("writable");
        fs::remove_dir_all(root.join("sweep/r=2")).expect("removable");
        assert!(index.look(root));
        let news = listed(&index, 1);
        assert_eq!((news["runs"][0]["id"].as_str(), news["runs"].as_array().map(Vec::len)), (Some("a"), Some(1)));
        assert_eq!(news["gone"][0], "sweep/r=2/seed-0");
        assert_eq!(listed(&index, 99)["runs"].as_array().map(Vec::len), Some(2), "a page of an earlier server");
        assert_eq!((index.changed("a"), index.changed("b")), (Some(2), None));
    }
}
