//! `ropinn new` writes files that solve as they stand.

use crate::TINY;
use crate::common::{assert_refused, here, json, succeed};
use std::path::Path;

#[test]
fn new_writes_files_that_solve_as_they_stand() {
    let folder = here();
    let templates = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
    let kinds = std::fs::read_dir(templates).expect("templates").map(|entry| entry.expect("a template").path());
    let kinds: Vec<String> =
        kinds.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned()).collect();
    assert!(kinds.len() >= 4, "{kinds:?}");
    for kind in kinds {
        let told = succeed(folder.path(), &format!("new my-{kind} --like {kind}"));
        assert_eq!(told, format!("my-{kind}.toml: edit it, then run `ropinn solve my-{kind}.toml`\n"));
        succeed(folder.path(), &format!("solve my-{kind}.toml {TINY} --quiet --out {kind}"));
        let result = json(&folder.path().join(&kind).join("result.json"));
        assert_eq!(result["problem"], format!("my-{kind}"), "{kind}");
        assert!(result["doubts"].as_array().is_none_or(Vec::is_empty), "{kind}: {}", result["doubts"]);
    }
}

#[test]
fn new_problems_are_like_heat_unless_asked_for_another() {
    let folder = here();
    succeed(folder.path(), "new a");
    succeed(folder.path(), "new b.toml --like heat");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("written");
    assert_eq!(read("a.toml"), read("b.toml"));
}

#[test]
fn new_leaves_alone_what_is_there() {
    let folder = here();
    succeed(folder.path(), "new mine --like wave");
    let exists = "error: `mine.toml` exists already and is left as it is; choose another name\n";
    assert_refused(folder.path(), "new mine", exists);
    assert_refused(folder.path(), "new mine.toml", exists);
    assert_refused(
        folder.path(),
        "new ..",
        "error: `..` is no name of a file; name the problem, e.g. `ropinn new mine`\n",
    );
}
