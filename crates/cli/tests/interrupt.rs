//! Ctrl-C, a terminal that goes away, a reader that has seen enough: the step is finished and everything saved.
#![cfg(unix)]

mod common;

use common::{command, here, json, succeed};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// More steps than anybody waits for; they take some milliseconds each. The limit ends what a failed test leaves behind.
const ENDLESS: &str = "solve reaction --width 16 --depth 2 --iterations 1000000 --set points.interior=grid:41x41 --threads 2 --set stop.max_seconds=100";

fn start(folder: &Path, words: &str) -> Child {
    command(folder, words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts")
}

/// Reads events until one step is done.
fn wait_for_step(child: &mut Child) -> BufReader<ChildStdout> {
    let mut events = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    while !line.contains("\"step\"") {
        line.clear();
        assert_ne!(events.read_line(&mut line).expect("UTF-8"), 0, "the run ended before its first step");
    }
    events
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
    assert!(sent.expect("kill exists").success());
}

fn assert_saved(run: &Path) {
    let result = json(&run.join("result.json"));
    let iterations = result["iterations"].as_u64().expect("a count");
    assert!(iterations >= 1);
    assert_eq!(result["stop_reason"], format!("interrupted after {iterations} iterations"));
    let rows = std::fs::read_to_string(run.join("metrics.csv")).expect("metrics").lines().count() as u64;
    assert_eq!(rows, 1 + iterations);
}

#[test]
fn signals_finish_the_step_and_save() {
    // Ctrl-C, a closed terminal, a polite request to end.
    for name in ["INT", "HUP", "TERM"] {
        let folder = here();
        let mut child = start(folder.path(), &format!("{ENDLESS} --json --out run"));
        let mut events = wait_for_step(&mut child);
        signal(&child, name);
        let mut rest = String::new();
        events.read_to_string(&mut rest).expect("UTF-8");
        assert_eq!(child.wait().expect("it ends").code(), Some(130), "{name}");
        assert!(rest.lines().last().expect("an event").contains("\"finish\""), "{rest}");
        assert_saved(&folder.path().join("run"));
        std::fs::write(folder.path().join("points.csv"), "x,t\n1,0.5\n").expect("writable");
        assert_eq!(succeed(folder.path(), "predict run --points points.csv").lines().count(), 2);
    }
}

#[test]
fn an_interrupted_experiment_sums_up_what_there_is() {
    let folder = here();
    let mut child = start(folder.path(), &format!("{ENDLESS} --seeds 0..4 --json --out run"));
    let mut events = wait_for_step(&mut child);
    signal(&child, "INT");
    let mut rest = String::new();
    events.read_to_string(&mut rest).expect("UTF-8");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert_saved(&folder.path().join("run/seed-0"));
    let summary = json(&folder.path().join("run/summary.json"));
    assert_eq!(summary["runs"].as_array().map(Vec::len), Some(1));
    assert!(!folder.path().join("run/seed-1").exists());
}

#[test]
fn a_reader_that_leaves_stops_the_run() {
    let folder = here();
    let mut child = start(folder.path(), &format!("{ENDLESS} --json --out run"));
    drop(wait_for_step(&mut child));
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert_saved(&folder.path().join("run"));
}

#[test]
fn a_second_signal_quits_at_once() {
    let folder = here();
    // One step of this takes many seconds.
    let words = "solve wave --optimizer lbfgs --width 256 --depth 4 --set max_iter=1000 --set max_eval=1000 --out run --threads 2";
    let mut child = start(folder.path(), words);
    let mut errors = BufReader::new(child.stderr.take().expect("piped"));
    let mut line = String::new();
    let mut wait_for = |text: &str| {
        while !line.contains(text) {
            line.clear();
            assert_ne!(errors.read_line(&mut line).expect("UTF-8"), 0, "no `{text}`");
        }
    };
    wait_for("parameters");
    signal(&child, "INT");
    wait_for("stopping after this step; once more quits without saving");
    signal(&child, "INT");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(!folder.path().join("run/result.json").exists());
}
