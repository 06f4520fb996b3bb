//! Runs the real binary in a temporary folder.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What a finished command left behind.
#[derive(Debug)]
pub struct Finished {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Finished {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the binary prints UTF-8");
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// The command `ropinn <words>` in a folder, not started yet. Words are split at spaces; one that has spaces itself is written with
/// no-break spaces.
pub fn command(folder: &Path, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ropinn"));
    let words = words.split_ascii_whitespace().map(|word| word.replace('\u{a0}', " "));
    command.args(words).current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs `ropinn <words>` in a folder.
pub fn ropinn(folder: &Path, words: &str) -> Finished {
    command(folder, words).output().expect("the binary starts").into()
}

/// Runs a command that must succeed, and gives its standard output.
#[allow(dead_code)]
pub fn succeed(folder: &Path, words: &str) -> String {
    let finished = ropinn(folder, words);
    assert_eq!(finished.code, Some(0), "ropinn {words}: {}", finished.stderr);
    finished.stdout
}

/// Asserts that a command refuses its input with exactly this complaint and leaves the folder as it was.
#[allow(dead_code)]
pub fn assert_refused(folder: &Path, words: &str, complaint: &str) {
    let before = files(folder);
    let finished = ropinn(folder, words);
    assert_eq!(finished.stderr, complaint, "ropinn {words}");
    assert_eq!(finished.code, Some(2), "ropinn {words}");
    assert_eq!(finished.stdout, "", "ropinn {words}");
    assert_eq!(files(folder), before, "ropinn {words} left something behind");
}

/// Options that make a run take a fraction of a second.
#[allow(dead_code)]
pub const TINY: &str =
    "--width 6 --depth 2 --iterations 3 --set points.interior=grid:9x9 --set points.evaluation=grid:9x9 --threads 2";

/// A temporary folder.
#[allow(dead_code)]
pub fn here() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// A JSON file.
#[allow(dead_code)]
pub fn json(path: &Path) -> serde_json::Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every file and folder below, sorted.
#[allow(dead_code)]
pub fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder exists").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            found.extend(files(&entry.path()).into_iter().map(|inner| format!("{name}/{inner}")));
        }
        found.push(name);
    }
    found.sort();
    found
}
