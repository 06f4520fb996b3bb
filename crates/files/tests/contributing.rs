//! `CONTRIBUTING.md` leads to files that exist.

use std::path::Path;

#[test]
fn every_path_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().and_then(Path::parent).expect("the workspace");
    let text = std::fs::read_to_string(root.join("CONTRIBUTING.md")).expect("the page");
    let quoted = text.split('`').skip(1).step_by(2);
    let linked = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let is_path =
        |name: &&str| ["crates/", "benches/", "docs/", ".ci/", ".cargo/"].iter().any(|start| name.starts_with(start));
    let paths: Vec<&str> = quoted.chain(linked).filter(is_path).collect();
    assert!(paths.len() > 40, "only {} paths were found", paths.len());
    let missing: Vec<&&str> = paths.iter().filter(|path| !root.join(path).exists()).collect();
    assert!(missing.is_empty(), "no such files: {missing:?}");
}
