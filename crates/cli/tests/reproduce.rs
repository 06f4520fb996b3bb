//! `ropinn reproduce` through real sweeps at the smallest scale.

mod common;

use common::{assert_refused, command, files, here, json, ropinn, succeed};
use std::fs;
use std::path::Path;
use std::time::Duration;

const IDS: [&str; 10] =
    ["main", "std", "ablation", "landscape", "showcase", "region-size", "t0", "quadrature", "samples", "combine"];

const SCALE: &str = "scale smoke: a few steps of tiny networks; the numbers mean nothing";

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The columns of a table of runs that a repetition must reproduce: everything but the time.
fn results(path: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(path).expect("a table");
    let seconds = reader.headers().expect("a heading").iter().position(|name| name == "seconds").expect("a column");
    let row = |record: csv::StringRecord| {
        record.iter().enumerate().filter(|(k, _)| *k != seconds).map(|(_, cell)| cell.to_owned()).collect()
    };
    reader.records().map(|record| row(record.expect("a row"))).collect()
}

#[test]
fn every_experiment_runs_at_the_smallest_scale() {
    let here = here();
    let text = succeed(here.path(), "reproduce all --scale smoke --jobs 2 --threads 2");
    let folder = here.path().join("reproduce/smoke");
    for id in IDS {
        let markdown = read(&folder.join(format!("{id}.md")));
        assert!(markdown.contains("Scale smoke: a few steps of tiny networks; the numbers mean nothing."), "{id}");
        assert!(!markdown.contains("not yet run"), "{id}: {markdown}");
        assert!(markdown.contains("ropinn reproduce all --scale smoke"), "{id}");
        let html = read(&folder.join(format!("{id}.html")));
        assert!(html.contains("<table>") && html.contains("data:image/svg+xml;base64,"), "{id}");
        assert!(!html.contains("src=\"http") && !html.contains("<script"), "{id} must open without a network");
        assert!(results(&folder.join(format!("{id}-runs.csv"))).len() >= 2, "{id}");
        assert!(text.contains(&format!("{id}.html")), "{id}");
    }
    let pictures: Vec<String> = files(&folder).into_iter().filter(|name| !name.starts_with("runs")).collect();
    for name in [
        "main",
        "ablation",
        "std",
        "combine",
        "region-size",
        "samples",
        "samples-convergence",
        "samples-efficiency",
        "t0",
        "quadrature",
        "landscape-surface",
        "landscape-contours",
        "landscape-error",
        "showcase-reaction-pinn",
        "showcase-wave-pinnsformer",
    ] {
        for ending in ["png", "svg"] {
            assert!(pictures.contains(&format!("{name}.{ending}")), "{name}.{ending} is missing from {pictures:?}");
        }
        let svg = read(&folder.join(format!("{name}.svg")));
        assert!(svg.contains(SCALE), "{name}.svg does not tell its scale");
    }
    // The published number and ours are on one line.
    let main = read(&folder.join("main.csv"));
    assert!(main.starts_with("problem,model,method,seeds,rMSE,paper,ours/paper,"), "{main}");
    assert!(main.contains("\nwave,PINNsFormer,\"gPINN, w ="), "{main}");

    // Nothing is left to do, and the tables come out the same.
    let before = read(&folder.join("main.csv"));
    let again = ropinn(here.path(), "reproduce main --scale smoke --threads 2");
    assert_eq!((again.code, again.stderr.as_str()), (Some(0), ""));
    assert_eq!(read(&folder.join("main.csv")), before);
}

#[test]
fn a_sweep_that_was_killed_goes_on_to_the_same_numbers() {
    let here = here();
    let words = "reproduce quadrature --scale smoke --threads 2 --seeds 0,1";
    succeed(here.path(), &format!("{words} --out whole"));
    for patience in [100, 300, 700, 1500] {
        let mut child = command(here.path(), &format!("{words} --out killed")).spawn().expect("the binary starts");
        std::thread::sleep(Duration::from_millis(patience));
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
    }
    succeed(here.path(), &format!("{words} --out killed --jobs 2"));
    let table = |folder: &str| {
        let rows = results(&here.path().join(folder).join("quadrature-runs.csv"));
        // Two runs at a time have one thread each, and the same bits.
        rows.into_iter()
            .map(|row| row.into_iter().enumerate().filter(|(k, _)| *k != 10).map(|(_, cell)| cell).collect())
            .collect::<Vec<Vec<String>>>()
    };
    assert_eq!(table("killed"), table("whole"));
}

#[test]
fn a_run_that_fails_is_noted_skipped_and_retried() {
    let here = here();
    let words = "reproduce std --scale smoke --problems wave --objectives point,region --threads 2";
    fs::create_dir_all(here.path().join("reproduce/smoke/runs")).expect("a folder");
    fs::write(here.path().join("reproduce/smoke/sweep.json"), "{\"scale\": \"smoke\"}").expect("a file");
    let in_the_way = here.path().join("reproduce/smoke/runs/wave-pinn-region-s0");
    fs::write(&in_the_way, "not a run").expect("a file");
    let finished = ropinn(here.path(), words);
    assert_eq!(finished.code, Some(1), "{}", finished.stderr);
    assert!(finished.stdout.contains("0 of 1, 1 failed"), "{}", finished.stdout);
    let failed = read(&here.path().join("reproduce/smoke/failed.csv"));
    assert!(failed.starts_with("run,reason\nwave-pinn-region-s0,"), "{failed}");
    // Skipped, although the reason is gone.
    fs::remove_file(&in_the_way).expect("it is there");
    let again = ropinn(here.path(), words);
    assert_eq!(again.code, Some(1), "{}", again.stderr);
    assert!(!in_the_way.exists());
    succeed(here.path(), &format!("{words} --retry"));
    assert!(in_the_way.join("result.json").is_file());
}

#[test]
fn tables_tell_what_is_not_there_yet() {
    let here = here();
    succeed(here.path(), "reproduce std --scale smoke --problems reaction --objectives point --threads 1");
    let text = succeed(here.path(), "reproduce main --scale smoke --report");
    assert!(text.contains("reaction    PINN         point   1            0.471"), "{text}");
    assert!(text.contains("convection  KAN          vPINN   not yet run"), "{text}");
    let markdown = read(&here.path().join("reproduce/smoke/main.md"));
    assert_eq!(markdown.matches("not yet run").count(), 59);
}

#[test]
fn published_depths_are_told_apart() {
    let here = here();
    let words = "reproduce main --scale smoke --problems reaction --models qres --objectives point,region --threads 1";
    succeed(here.path(), words);
    let text = succeed(here.path(), &format!("{words} --as-published"));
    assert!(text.contains("QRes (2 blocks)"), "{text}");
    let folder = here.path().join("reproduce/smoke");
    let parameters = |run: &str| json(&folder.join("runs").join(run).join("result.json"))["parameters"].clone();
    assert_ne!(parameters("reaction-qres2-region-s0"), parameters("reaction-qres-region-s0"));
    let markdown = read(&folder.join("main-as-published.md"));
    assert!(markdown.contains("those rows do not compare like with like"), "{markdown}");
    assert!(folder.join("main.md").is_file());
}

#[test]
fn the_list_has_a_cost_per_scale() {
    let here = here();
    let list: serde_json::Value = serde_json::from_str(&succeed(here.path(), "reproduce --list --json")).expect("JSON");
    let entries = list.as_array().expect("a list");
    assert_eq!(entries.iter().map(|entry| entry["id"].as_str().expect("an id")).collect::<Vec<_>>(), IDS);
    for entry in entries {
        assert!(!entry["title"].as_str().expect("a title").is_empty());
        let seconds = |scale: &str| entry["seconds"][scale].as_f64().expect("a number");
        assert!(0.0 < seconds("smoke") && seconds("smoke") < seconds("small") && seconds("small") < seconds("paper"));
    }
    let text = succeed(here.path(), "reproduce --list");
    assert!(IDS.iter().all(|id| text.contains(&format!("\n{id} "))), "{text}");
}

#[test]
fn bad_requests_are_refused_before_anything_is_written() {
    let here = here();
    let path = here.path();
    assert_refused(
        path,
        "reproduce",
        "error: name an experiment or `all`; `ropinn reproduce --list` shows them with their cost\n",
    );
    assert_refused(path, "reproduce main --jobs 0", "error: --jobs is 0; it must be at least 1\n");
    assert_refused(path, "reproduce main --jobs 3 --threads 2", "error: --jobs is 3; it can be at most 2\n");
    assert_refused(
        path,
        "reproduce landscape --problems wave",
        "error: landscape has no row for these --problems, --models and --objectives; drop one of them\n",
    );
    assert_refused(
        path,
        "reproduce main --seeds x",
        "error: `x` does not name seeds; write a range such as 0..9 (both ends included) or a list such as 0,3,7\n",
    );
    fs::create_dir(path.join("mine")).expect("a folder");
    fs::write(path.join("mine/notes.txt"), "mine").expect("a file");
    assert_refused(
        path,
        "reproduce main --out mine",
        "error: `mine` exists and is not the folder of a sweep; choose another folder with --out\n",
    );
    fs::create_dir(path.join("sweep")).expect("a folder");
    fs::write(path.join("sweep/sweep.json"), "{\"scale\": \"paper\"}").expect("a file");
    assert_refused(
        path,
        "reproduce main --out sweep",
        "error: the sweep in `sweep` has scale paper, not small; choose another folder with --out\n",
    );
    let unknown = ropinn(path, "reproduce mian");
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("choose one of main, std,"), "{}", unknown.stderr);
}

#[test]
fn a_run_of_other_settings_is_not_shown_as_one_of_ours() {
    let here = here();
    succeed(here.path(), "reproduce std --scale smoke --problems wave --objectives point --threads 1");
    let config = here.path().join("reproduce/smoke/runs/wave-pinn-point-s0/config.toml");
    fs::write(&config, read(&config).replace("max_iter = 3", "max_iter = 4")).expect("it can be written");
    let finished = ropinn(here.path(), "reproduce std --scale smoke --problems wave --objectives point");
    assert_eq!(finished.code, Some(2));
    assert!(finished.stderr.contains("was run with another `phases`"), "{}", finished.stderr);
}

/// The runs of the documentation were made by earlier versions; they still belong to the sweep they are of.
#[test]
fn the_committed_results_go_on() {
    let folder = here();
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results/small");
    for name in files(&committed) {
        let (from, to) = (committed.join(&name), folder.path().join("small").join(&name));
        if from.is_file() {
            fs::create_dir_all(to.parent().expect("a folder")).expect("writable");
            fs::copy(from, to).expect("a copy");
        }
    }
    succeed(folder.path(), "reproduce main --scale small --report --out small");
    let ours = results(&folder.path().join("small/main-runs.csv"));
    assert!(ours.len() >= 10, "{} runs were taken over", ours.len());
}
