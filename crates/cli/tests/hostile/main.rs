//! What strangers might do to us. Each module is a table of attacks; to add one, add a line.
//!
//! Whatever happens, a command ends by itself, within some memory, with exit code 0, 1, 2 or 130, without panicking, and
//! without repeating a word of files that are none of its business.
#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;

mod columns;
mod disks;
mod folders;
mod links;
mod options;
mod pipes;
mod problems;
mod signals;
mod weights;

use common::Finished;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A command that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(120);
/// Address space of a command, in kilobytes.
const MEMORY: u64 = 4 << 20;
/// A word of files nobody asked to read.
const SECRET: &str = "xyzzy-4711";

/// Options that make a run take a fraction of a second.
const TINY: &str = "--width 4 --depth 1 --iterations 2 --threads 1 --quiet";

/// Runs `ropinn <words>` and checks what holds for all attacks.
fn attack(folder: &Path, words: &str) -> Finished {
    let script = format!("ulimit -v {MEMORY}; exec {} {words}", env!("CARGO_BIN_EXE_ropinn"));
    attack_with(folder, &script)
}

/// The same with a script that ends in the command.
fn attack_with(folder: &Path, script: &str) -> Finished {
    let (stdout, stderr) = (folder.join("../attack.stdout"), folder.join("../attack.stderr"));
    let file = |path: &Path| fs::File::create(path).expect("writable");
    let mut child = Command::new("bash")
        .args(["-c", script])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(file(&stdout))
        .stderr(file(&stderr))
        .spawn()
        .expect("bash starts");
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child") {
            break status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().expect("a child");
            panic!("{script} hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let text = |path: &Path| String::from_utf8_lossy(&fs::read(path).expect("written")).into_owned();
    let finished = Finished { code: status.code(), stdout: text(&stdout), stderr: text(&stderr) };
    let shown = format!("{script}: {status}\n{}", finished.stderr);
    assert!(matches!(finished.code, Some(0..=2 | 130)), "{shown}");
    assert!(!finished.stderr.contains("panicked"), "{shown}");
    assert!(!finished.stderr.contains(SECRET) && !finished.stdout.contains(SECRET), "{shown}");
    assert!(finished.stderr.len() < 20_000, "{} bytes of complaints", finished.stderr.len());
    finished
}

/// An attack that must be refused with these words.
fn refused(folder: &Path, words: &str, complaint: &str) {
    let finished = attack(folder, words);
    assert!(finished.stderr.contains(complaint), "ropinn {words}\nlacks `{complaint}`\n{}", finished.stderr);
    assert_eq!(finished.code, Some(2), "ropinn {words}: {}", finished.stderr);
}

/// A folder in a folder, so that there is an outside.
fn here() -> (tempfile::TempDir, std::path::PathBuf) {
    let outside = common::here();
    let inside = outside.path().join("inside");
    fs::create_dir(&inside).expect("writable");
    fs::write(outside.path().join("secret.csv"), format!("x,u,{SECRET}\n0,0,0\n1,1,1\n")).expect("writable");
    fs::write(outside.path().join("secret.toml"), format!("name = \"{SECRET}\n{SECRET} =")).expect("writable");
    (outside, inside)
}

fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
    fs::write(path, content).expect("writable");
}

/// A rod with a table, measurements and a reference, each in a file.
fn laboratory(folder: &Path) {
    write(folder, "rod.toml", ROD);
    write(folder, "soil.csv", "x,k\n0,1\n1,2\n");
    write(folder, "measured.csv", "x,u\n0,0\n0.5,0.4\n");
    write(folder, "exact.csv", "x,u\n0,0\n0.5,0.405\n1,0.693\n");
}

const ROD: &str = r#"name = "rod"
coordinates = { x = [0, 1] }
unknowns = ["u"]
[tables.k]
file = "soil.csv"
axes = ["x"]
[equations]
flow = "k*u_x - 1"
[[conditions]]
kind = "data"
file = "measured.csv"
[points]
interior = { layout = "grid", counts = [9] }
[reference]
file = "exact.csv"
"#;
