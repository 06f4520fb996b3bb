//! `--strategy auto` from the command line: when it is the default, what it tells, what it leaves behind.

mod common;

use common::{TINY, assert_refused, here, json, ropinn, succeed};
use std::fs;

/// An evolution too hard for so small a network, and little work.
const SMALL: &str = "--width 6 --depth 2 --optimizer gauss-newton --iterations 12 --strategy auto --set strategy.work=0.02 \
                     --set points.interior=hammersley:60 --set points.evaluation=grid:9x9 --threads 2";

#[test]
fn decisions_are_told_and_kept() {
    let here = here();
    let told = ropinn(here.path(), &format!("solve wave {SMALL} --out run"));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let result = json(&here.path().join("run/result.json"));
    let decisions = result["decisions"].as_array().expect("a list");
    assert!(decisions.len() >= 3, "{decisions:?}");
    for decision in decisions {
        let line = format!("strategy, step {}: {}", decision["iteration"], decision["words"].as_str().expect("words"));
        assert!(told.stderr.contains(&line), "{line}\n{}", told.stderr);
    }
    // A solution in pieces, or a wider one, or the one that was asked for: all that read it take it.
    succeed(here.path(), "evaluate run");
    fs::write(here.path().join("places.csv"), "x,t\n0.5,0\n0.5,1\n").expect("written");
    succeed(here.path(), "predict run --points places.csv --out values.csv");
    succeed(here.path(), "report run --out page.html");
    let events = succeed(here.path(), &format!("solve wave {SMALL} --out again --json"));
    let told = events.lines().filter(|line| line.contains("\"event\":\"decision\"")).count();
    assert_eq!(told, decisions.len());
}

#[test]
fn auto_is_the_default_until_something_else_is_asked_for() {
    let here = here();
    let strategy = |words: &str| {
        succeed(here.path(), &format!("solve reaction --quiet --overwrite --out run {words}"));
        let config = fs::read_to_string(here.path().join("run/config.toml")).expect("a configuration");
        if config.contains("kind = \"auto\"") { "auto" } else { "plain" }
    };
    assert_eq!(strategy("--max-seconds 0.01"), "auto");
    assert_eq!(strategy("--max-seconds 0.01 --set strategy.work=5"), "auto");
    assert_eq!(strategy("--max-seconds 0.01 --seed 3 --set points.interior=grid:9x9"), "auto");
    assert_eq!(strategy("--max-seconds 0.01 --strategy plain"), "plain");
    assert_eq!(strategy("--max-seconds 0.01 --set strategy.kind=plain"), "plain");
    assert_eq!(strategy("--max-seconds 0.01 --model pinn"), "plain");
    assert_eq!(strategy("--max-seconds 0.01 --objective point"), "plain");
    assert_eq!(strategy(TINY), "plain");
}

#[test]
fn what_auto_decides_itself_is_refused() {
    assert_refused(
        here().path(),
        "solve wave --strategy auto --sampling rad",
        "error: `sampling` is rad, which does not go with the strategy `auto`: it decides itself where the points are; \
         choose the strategy `plain`\n",
    );
}
