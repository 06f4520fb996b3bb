//! Verdicts on the command line: what is said, what is saved, how it ends; corrections as a phase.

mod common;

use common::{assert_refused, files, here, json, ropinn, succeed};
use std::fs;

const SMALL: &str = "--set points.interior=hammersley:300 --set points.evaluation=grid:11x11 --threads 2";
const POLISH: &str =
    "--optimizer gauss-newton\u{a0}60\u{a0}then\u{a0}polish\u{a0}coefficients=300 --width 12 --depth 2";
const POINTS: &str = "x,t\n0.5,0\n1,0.25\n3,0.5\n6,1\n";

#[test]
fn every_run_ends_with_an_estimate_and_a_verdict() {
    let folder = here();
    let here = folder.path();
    let text = succeed(here, &format!("solve reaction {SMALL} {POLISH} --out good --require trusted"));
    let last = text.trim_end().lines().last().expect("lines");
    assert!(last.trim_start().starts_with("verdict         trusted: it is off by about "), "{text}");
    assert!(text.contains("\n  estimated error "), "{text}");
    let result = json(&here.join("good/result.json"));
    let (estimated, truth) = (result["estimated_error"]["relative"].as_f64(), result["rmse"].as_f64());
    let ratio = estimated.expect("an estimate") / truth.expect("a reference");
    assert!((0.05..20.0).contains(&ratio), "{estimated:?} for {truth:?}");
    assert_eq!(result["verdict"]["word"], "trusted");
    assert_eq!(result["decisions"][0]["decision"], "polished");
    for picture in ["estimate.png", "estimate.svg"] {
        assert!(here.join("good").join(picture).is_file(), "{:?}", files(here));
    }
    // The correction is the last row of the metrics.
    let metrics = fs::read_to_string(here.join("good/metrics.csv")).expect("metrics");
    assert!(metrics.lines().last().is_some_and(|row| row.starts_with("61,2,")), "{metrics}");
    // It predicts, and differentiates, like any other.
    fs::write(here.join("points.csv"), POINTS).expect("written");
    let table = succeed(here, "predict good --points points.csv --want u,u_t");
    assert_eq!(table.lines().count(), 5, "{table}");
}

#[test]
fn what_is_not_trusted_ends_with_three_if_that_is_required() {
    let folder = here();
    let here = folder.path();
    let words = format!(
        "solve wave {SMALL} --width 4 --depth 1 --optimizer gauss-newton --iterations 3 --out bad --require trusted"
    );
    let finished = ropinn(here, &words);
    assert_eq!(finished.code, Some(3), "{}", finished.stderr);
    assert!(finished.stdout.contains("\n  verdict         wrong: "), "{}", finished.stdout);
    assert_eq!(json(&here.join("bad/result.json"))["verdict"]["word"], "wrong");
    // Without the requirement it is no failure, and a resumed run can be held to it as well.
    succeed(here, "resume bad --quiet");
    assert_eq!(ropinn(here, "resume bad --quiet --require doubtful").code, Some(3));
}

#[test]
fn a_correction_comes_last_and_once() {
    let folder = here();
    let here = folder.path();
    for phases in ["polish\u{a0}then\u{a0}adam", "polish\u{a0}then\u{a0}polish"] {
        let said = phases.replace('\u{a0}', " ").replace("polish", "polish 4").replace("adam", "adam 2000");
        assert_refused(
            here,
            &format!("solve wave --optimizer {phases}"),
            &format!("error: `{said}`: `polish` corrects what the other phases leave, so it comes last, once\n"),
        );
    }
    assert_refused(
        here,
        "solve wave --optimizer polish\u{a0}coefficients=0",
        "error: setting `phases.0.coefficients` is 0; it must be at least 1\n",
    );
    let finished = ropinn(here, "solve wave --require perhaps");
    assert_eq!(finished.code, Some(2));
    assert!(finished.stderr.contains("trusted, doubtful"), "{}", finished.stderr);
}

/// A byte of a polished run's weights that is not what it was is found out.
#[test]
fn damaged_weights_of_a_polished_run_are_refused() {
    let folder = here();
    let here = folder.path();
    succeed(here, &format!("solve reaction {SMALL} {POLISH} --quiet --out run"));
    fs::write(here.join("points.csv"), POINTS).expect("written");
    let path = here.join("run/model.safetensors");
    let whole = fs::read(&path).expect("weights");
    let wanted = succeed(here, "predict run --points points.csv");
    for place in [9, 40, whole.len() / 3] {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x55;
        fs::write(&path, &bytes).expect("written");
        let finished = ropinn(here, "predict run --points points.csv");
        // What cannot be read is refused; a word about the file or a number is another one, and never a crash.
        let told = finished.code == Some(2) && finished.stderr.starts_with("error: ");
        assert!(told || finished.code == Some(0) && place > 9, "{place}: {finished:?}");
    }
    fs::write(&path, &whole[..whole.len() - 8]).expect("written");
    assert_eq!(ropinn(here, "predict run --points points.csv").code, Some(2));
    fs::write(&path, &whole).expect("written");
    assert_eq!(succeed(here, "predict run --points points.csv"), wanted);
}
