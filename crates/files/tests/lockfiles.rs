//! The Python package is a workspace of its own; what both build they build in the same versions, so that bits are the same.

use std::collections::BTreeMap;
use std::path::Path;

/// Versions by name of a lock file; several of one name are in one text.
fn versions(path: &Path) -> BTreeMap<String, Vec<String>> {
    let text = std::fs::read_to_string(path).expect("a lock file");
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let value = |line: &str| line.split('"').nth(1).expect("a value in quotes").to_owned();
    for package in text.split("[[package]]").skip(1) {
        let line = |key: &str| package.lines().find(|line| line.starts_with(key)).map(value).expect("name and version");
        found.entry(line("name = ")).or_default().push(line("version = "));
    }
    found
}

#[test]
fn both_workspaces_lock_the_same_versions() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().and_then(Path::parent).expect("the workspace");
    let (own, python) = (versions(&root.join("Cargo.lock")), versions(&root.join("crates/python/Cargo.lock")));
    assert!(python.contains_key("pyo3") && python.contains_key("ropinn") && own.len() > 50);
    let shared = python.iter().filter_map(|(name, versions)| Some((name, versions, own.get(name)?)));
    for (name, python, own) in shared {
        let other: Vec<&String> = python.iter().filter(|version| !own.contains(version)).collect();
        assert!(other.is_empty(), "crates/python/Cargo.lock has {name} {other:?}, Cargo.lock has {own:?}");
    }
    assert_eq!(python["ropinn-python"], own["ropinn"], "the package has the version of the library");
}
