//! `ropinn solve` from start to end: the folder it leaves, the bits it repeats, the words it says.

mod common;

use common::{TINY, command, files, here, json, ropinn, succeed};
use serde_json::Value;
use std::fs;

const RUN_FILES: [&str; 23] = [
    ".lock",
    "checkpoints",
    "checkpoints/best.ckpt",
    "checkpoints/step-000000000003.ckpt",
    "config.toml",
    "estimate.png",
    "estimate.svg",
    "fields.png",
    "fields.svg",
    "log.txt",
    "metrics.csv",
    "model.safetensors",
    "prediction.csv",
    "prediction.npy",
    "region.png",
    "region.svg",
    "residual.png",
    "residual.svg",
    "result.json",
    "snapshots",
    "snapshots/0000000003.field",
    "training.png",
    "training.svg",
];

#[test]
fn a_run_is_a_folder() {
    let folder = here();
    let out = succeed(folder.path(), &format!("solve reaction {TINY}"));
    let run = folder.path().join("runs/reaction-fls-region-s0");
    assert_eq!(files(&run), RUN_FILES);
    for line in ["rMAE", "rMSE", "stopped         all 3 iterations done", "runs/reaction-fls-region-s0/fields.png"] {
        assert!(out.contains(line), "`{line}` is missing in\n{out}");
    }

    let result = json(&run.join("result.json"));
    assert_eq!((result["iterations"].as_u64(), result["seed"].as_u64()), (Some(3), Some(0)));
    assert_eq!(result["parameters"], 2 * 6 + 6 + 6 * 6 + 6 + 6 + 1);
    assert_eq!(result["stop_reason"], "all 3 iterations done");
    for key in ["trained_loss", "unweighted_loss", "rmae", "rmse", "seconds", "evaluations", "grad_norm"] {
        assert!(result[key].as_f64().is_some_and(|value| value >= 0.0), "{key} is {}", result[key]);
    }
    let terms: Vec<&String> = result["terms"].as_object().expect("terms").keys().collect();
    assert_eq!(terms, ["initial", "periodic", "residual"]);
    assert!(result["versions"]["ropinn"].is_string() && result["hardware"].is_string());

    let metrics = fs::read_to_string(run.join("metrics.csv")).expect("metrics");
    let header = "iteration,phase,trained_loss,term residual,term initial,term periodic,\
                  sigma,region_size,region_raw,grad_norm,evaluations,seconds,rmae,rmse";
    assert_eq!((metrics.lines().next(), metrics.lines().count()), (Some(header), 4));

    let prediction = fs::read_to_string(run.join("prediction.csv")).expect("prediction");
    assert_eq!((prediction.lines().next(), prediction.lines().count()), (Some("x,t,u,u_exact"), 1 + 81));
    let npy = fs::read(run.join("prediction.npy")).expect("prediction for NumPy");
    let first =
        prediction.lines().nth(1).expect("a point").split(',').nth(2).expect("u").parse::<f64>().expect("number");
    let start = npy.len() - 81 * 4 * 8;
    assert_eq!(npy[start + 16..start + 24], first.to_le_bytes());

    // Nothing is fetched and no font is asked for.
    let svg = fs::read_to_string(run.join("fields.svg")).expect("a picture");
    assert!(svg.starts_with("<svg") && !svg.contains("href=\"http"), "{}", &svg[..200]);
}

#[test]
fn a_run_is_repeated_to_the_same_bits() {
    let folder = here();
    succeed(folder.path(), &format!("solve wave --seed 3 {TINY} --quiet"));
    let run = folder.path().join("runs/wave-fls-region-s3");
    succeed(folder.path(), "solve runs/wave-fls-region-s3/config.toml --threads 1 --quiet");
    succeed(folder.path(), "solve runs/wave-fls-region-s3 --threads 3 --out again --quiet");
    for again in ["runs/wave-fls-region-s3-rerun", "again"] {
        for file in ["model.safetensors", "config.toml", "prediction.npy"] {
            let (first, second) = (fs::read(run.join(file)), fs::read(folder.path().join(again).join(file)));
            assert_eq!(first.expect("first run"), second.expect("second run"), "{again}/{file}");
        }
    }
    succeed(folder.path(), "solve runs/wave-fls-region-s3 --seed 4 --out other --quiet");
    assert_ne!(
        fs::read(run.join("model.safetensors")).ok(),
        fs::read(folder.path().join("other/model.safetensors")).ok()
    );
}

#[test]
fn given_weights_are_kept_and_repeated() {
    let folder = here();
    succeed(folder.path(), &format!("solve reaction {TINY} --precision f64 --out first --quiet"));
    succeed(
        folder.path(),
        &format!("solve reaction {TINY} --precision f64 --init-from first/model.safetensors --out second --quiet"),
    );
    let read = |path: &str| fs::read(folder.path().join(path)).expect("weights");
    assert_eq!(read("first/model.safetensors"), read("second/initial.safetensors"));
    succeed(folder.path(), "solve second --quiet");
    assert_eq!(read("second/model.safetensors"), read("second-rerun/model.safetensors"));
    assert_ne!(read("second/model.safetensors"), read("first/model.safetensors"));
}

#[test]
fn trained_scalars_are_started_from_too() {
    let folder = here();
    let problem = r#"
        name = "rate"
        coordinates = { x = [0, 1] }
        unknowns = ["u"]
        trainable = { k = 0.5 }
        equations = { decay = "u_x + k*u" }
        conditions = [{ kind = "data", columns = ["x", "u"], rows = [[0, 1], [0.5, 0.36788], [1, 0.13534]] }]
        points = { interior = { layout = "grid", counts = [9] } }
    "#;
    fs::write(folder.path().join("rate.toml"), problem).expect("writable");
    let solve = |options: &str| {
        succeed(folder.path(), &format!("solve rate.toml --width 6 --depth 2 --threads 1 --quiet {options}"));
    };
    let k = |run: &str| {
        json(&folder.path().join(run).join("result.json"))["trained"]["k"]["value"].as_f64().expect("a number")
    };
    solve("--iterations 20 --out first");
    assert!((k("first") - 0.5).abs() > 0.1, "{}", k("first"));
    let still = "--set phases.0.lr=1e-12";
    solve(&format!("--optimizer adam --iterations 1 {still} --init-from first/model.safetensors --out second"));
    assert!((k("second") - k("first")).abs() < 1e-6, "{} after {}", k("second"), k("first"));
}

#[test]
fn a_shown_problem_can_be_edited_and_solved() {
    let folder = here();
    let text = succeed(folder.path(), "show reaction");
    fs::write(folder.path().join("mine.toml"), text.replace("rho = 5", "rho = 2").replace("\"reaction\"", "\"mine\""))
        .expect("writable");
    succeed(folder.path(), &format!("solve mine.toml {TINY} --quiet"));
    // The problem travels with the run: the file is no longer needed.
    fs::remove_file(folder.path().join("mine.toml")).expect("removable");
    succeed(folder.path(), "solve runs/mine-fls-region-s0 --quiet");
}

#[test]
fn what_a_file_says_is_what_runs() {
    let folder = here();
    let text = succeed(folder.path(), "show reaction").replace("counts = [101, 101]", "counts = [7, 7]");
    fs::write(folder.path().join("mine.toml"), text).expect("writable");
    let run = ropinn(folder.path(), "solve mine.toml --width 4 --depth 1 --iterations 2 --out run");
    assert_eq!((run.code, run.stderr.contains("preset")), (Some(0), false), "{run:?}");
    // Errors are measured on the interior grid unless something else is said.
    let prediction = fs::read_to_string(folder.path().join("run/prediction.csv")).expect("a prediction");
    assert_eq!(prediction.lines().count(), 1 + 7 * 7);
    let config = |run: &str| -> toml::Table {
        fs::read_to_string(folder.path().join(run).join("config.toml")).expect("a file").parse().expect("TOML")
    };
    assert_eq!(config("run")["points"].as_table().map(|points| points.len()), Some(0));
    // The name inside of a file is not that of a built-in problem: the paper's values for it are the generic ones.
    succeed(folder.path(), "solve mine.toml --preset paper --width 4 --depth 1 --iterations 2 --out paper --quiet");
    assert_eq!(config("paper")["phases"][0]["optimizer"].as_str(), Some("adam"));

    // Of a built-in problem asked for by its name a preset may change more, and says so.
    let words = "solve reaction --width 4 --depth 1 --iterations 1 --threads 2";
    let line = "preset: points.interior is hammersley:2601 instead of grid:101x101";
    let log = ropinn(folder.path(), &format!("{words} --out log"));
    assert_eq!(log.stderr.lines().filter(|own| own.starts_with("preset")).collect::<Vec<_>>(), [line], "{log:?}");
    let out = succeed(folder.path(), &format!("{words} --out events --json"));
    let events: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).expect("an object per line")).collect();
    let change = events.iter().find(|event| event["event"] == "preset").expect("the change");
    assert_eq!((&change["setting"], &change["value"]), (&"points.interior".into(), &"hammersley:2601".into()));
    assert_eq!(change["instead_of"], "grid:101x101");
    let silent = ropinn(folder.path(), &format!("{words} --out silent --quiet"));
    assert_eq!((silent.code, silent.stderr.as_str()), (Some(0), ""));
    // What the user sets is no change of the preset's.
    let own = ropinn(folder.path(), &format!("{words} --out own --set points.interior=grid:5x5"));
    assert!(!own.stderr.contains("preset"), "{own:?}");
}

#[test]
fn every_model_and_the_point_objective_run() {
    let folder = here();
    for model in ["pinn", "qres", "fls", "pinnsformer", "pinnsformer-encoder", "kan"] {
        let small = if model == "kan" { "--width 2 --depth 1" } else { "--width 4 --depth 1" };
        let points = "--set points.interior=grid:5x5 --set points.evaluation=grid:5x5";
        succeed(
            folder.path(),
            &format!(
                "solve convection --model {model} --objective point {small} {points} --optimizer adam --iterations 2 --quiet"
            ),
        );
        let run = folder.path().join(format!("runs/convection-{model}-point-s0"));
        assert!(!run.join("region.png").exists(), "points have no region");
        assert_eq!(json(&run.join("result.json"))["model"], model);
    }
}

#[test]
fn log_lines_events_and_silence() {
    let folder = here();
    let log = ropinn(folder.path(), &format!("solve reaction {TINY} --out log"));
    let lines: Vec<&str> = log.stderr.lines().collect();
    assert!(
        lines[0].starts_with("reaction: fls 6 × 2, 67 parameters, region, gauss-newton 3, seed 0, f64, 2 threads"),
        "{log:?}"
    );
    assert!(lines[1].starts_with("gauss-newton: normal equations for 67 parameters and "), "{log:?}");
    assert!(
        lines[2].starts_with("1/3 ") && lines[2].contains(" left, trained loss ") && lines[2].contains("residual"),
        "{log:?}"
    );
    assert_eq!(lines.last(), Some(&"all 3 iterations done"));

    let out = succeed(folder.path(), &format!("solve reaction {TINY} --out events --json"));
    let events: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).expect("an object per line")).collect();
    let names: Vec<&str> = events.iter().map(|event| event["event"].as_str().expect("a name")).collect();
    assert_eq!(names, ["start", "phase", "choice", "step", "step", "step", "finish"]);
    assert_eq!(events[4]["iteration"], 2);
    assert_eq!(events[6]["rmse"], json(&folder.path().join("events/result.json"))["rmse"]);

    let silent = ropinn(folder.path(), &format!("solve reaction {TINY} --out silent --quiet"));
    assert_eq!((silent.code, silent.stdout.as_str(), silent.stderr.as_str()), (Some(0), "", ""));
}

#[test]
fn seeds_are_an_experiment() {
    let folder = here();
    let out = succeed(folder.path(), &format!("solve reaction {TINY} --seeds 0..2 --success 10"));
    let experiment = folder.path().join("runs/reaction-fls-region-s0-2");
    assert!(out.contains("3 of 3 seeds solved (100 %): rMSE below 10"), "{out}");
    let summary = json(&experiment.join("summary.json"));
    assert_eq!((summary["solved"].as_u64(), summary["success_rate"].as_f64()), (Some(3), Some(1.0)));
    let mut errors: Vec<f64> = Vec::new();
    for seed in 0..3 {
        let run = experiment.join(format!("seed-{seed}"));
        assert_eq!(files(&run), RUN_FILES[1..], "the lock is on the experiment");
        errors.push(json(&run.join("result.json"))["rmse"].as_f64().expect("an error"));
    }
    errors.sort_by(f64::total_cmp);
    let statistics = &summary["rmse"];
    let found = ["best", "median", "worst"].map(|key| statistics[key].as_f64().expect("a number"));
    assert_eq!(found.to_vec(), errors);
    let mean = errors.iter().sum::<f64>() / 3.0;
    let std = (errors.iter().map(|error| (error - mean).powi(2)).sum::<f64>() / 2.0).sqrt();
    assert!((statistics["mean"].as_f64().expect("a mean") - mean).abs() < 1e-12);
    assert!((statistics["std"].as_f64().expect("a deviation") - std).abs() < 1e-12);
    assert_eq!(fs::read_to_string(experiment.join("summary.csv")).expect("a table").lines().count(), 4);
    assert!(fs::read_to_string(experiment.join("summary.md")).expect("a page").contains("| rMSE"));

    // One of the runs on its own gives the same bits.
    succeed(folder.path(), &format!("solve reaction {TINY} --seed 1 --quiet"));
    let weights = |path: &str| fs::read(folder.path().join(path)).expect("weights");
    let alone = weights("runs/reaction-fls-region-s1/model.safetensors");
    assert_eq!(weights("runs/reaction-fls-region-s0-2/seed-1/model.safetensors"), alone);

    // A smaller experiment in its place leaves nothing of the larger one.
    succeed(
        folder.path(),
        &format!("solve reaction {TINY} --seeds 5,7 --out runs/reaction-fls-region-s0-2 --overwrite --quiet"),
    );
    let left: Vec<String> = files(&experiment).into_iter().filter(|name| !name.contains('/')).collect();
    assert_eq!(left, [".lock", "cells.json", "seed-5", "seed-7", "summary.csv", "summary.json", "summary.md"]);
}

#[test]
fn overwriting_spares_what_is_not_ours() {
    let folder = here();
    succeed(folder.path(), &format!("solve reaction {TINY} --out run --quiet"));
    fs::write(folder.path().join("run/notes.txt"), "mine").expect("writable");
    succeed(folder.path(), &format!("solve reaction {TINY} --objective point --out run --overwrite --quiet"));
    assert_eq!(fs::read_to_string(folder.path().join("run/notes.txt")).expect("still there"), "mine");
    assert!(!folder.path().join("run/region.png").exists(), "the old run's picture is gone");
}

#[test]
fn presets_and_settings_reach_the_configuration() {
    let folder = here();
    let tiny_points = "--set points.interior=grid:5x5 --set points.evaluation=grid:5x5";
    let words =
        format!("solve convection --preset paper --model kan --iterations 2 {tiny_points} --set region.r=1e-5 --quiet");
    succeed(folder.path(), &words);
    let text =
        fs::read_to_string(folder.path().join("runs/convection-kan-region-s0/config.toml")).expect("a configuration");
    let config: toml::Table = text.parse().expect("TOML");
    assert_eq!(config["model"]["hidden"].to_string(), "[5, 5]");
    assert_eq!(config["objective"]["region"]["past"].as_integer(), Some(15));
    assert_eq!(config["objective"]["region"]["r"].as_float(), Some(1e-5));
    assert_eq!(config["stop"]["on_convergence"].as_bool(), Some(false));
}

#[test]
fn numbers_that_run_away_are_a_failure_in_words() {
    let folder = here();
    let finished = command(folder.path(), &format!("solve reaction {} --out run", TINY.replace("--iterations 3", "")))
        .args(["--optimizer", "adam 50 lr=1e200"])
        .output()
        .expect("the binary starts");
    assert_eq!(finished.status.code(), Some(1), "{finished:?}");
    let result = json(&folder.path().join("run/result.json"));
    let reason = result["stop_reason"].as_str().expect("words");
    assert!(reason.starts_with("non-finite "), "{reason}");
}
