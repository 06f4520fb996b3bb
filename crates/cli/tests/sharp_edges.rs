//! Edges somebody cut themselves on: each test is named after what it guards.

mod common;

use common::{TINY, assert_refused, command, here, json, ropinn, succeed};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("writable");
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// `u'' = 0` on an annulus in the plane.
const RING: &str = r#"
    name = "ring"
    coordinates = { x = [-1, 1], y = [-1, 1] }
    unknowns = ["u"]
    geometry = { shape = { disk = { center = [0, 0], radius = 1 } }, minus = [{ disk = { center = [0, 0], radius = 0.5 } }] }
    equations = { laplace = "u_xx + u_yy" }
    conditions = [{ kind = "dirichlet", at = "boundary", value = "x" }]
    points = { interior = { layout = "halton", count = 30 }, boundary = { layout = "halton", count = 10 } }
    reference = { u = "x" }
"#;

#[test]
fn evaluate_refuses_weights_of_another_model() {
    let folder = here();
    succeed(folder.path(), &format!("solve wave {TINY} --model fls --out run --quiet"));
    assert_refused(
        folder.path(),
        "evaluate wave --model pinn --init-from run/model.safetensors",
        "error: `run/model.safetensors` holds the weights of a model `fls`, not of a `pinn`; drop --model, or write \
         --model fls\n",
    );
    // Both have the same tensors, so that nothing else would tell.
    assert_refused(
        folder.path(),
        &format!("solve wave {TINY} --model pinn --init-from run/model.safetensors"),
        "error: the weights are those of a model `fls`, not of a `pinn`; choose the model they belong to\n",
    );
    assert_refused(
        folder.path(),
        "evaluate wave",
        "error: `wave` is a problem and has no weights; name a run, or the weights with --init-from\n",
    );
}

#[test]
fn evaluate_of_a_run_alone_repeats_its_errors_in_its_precision() {
    let folder = here();
    for precision in ["f32", "f64"] {
        succeed(folder.path(), &format!("solve wave {TINY} --precision {precision} --out {precision} --quiet"));
        let result = json(&folder.path().join(precision).join("result.json"));
        let weights =
            format!("evaluate wave --init-from {precision}/model.safetensors --set points.evaluation=grid:9x9");
        for words in [&format!("evaluate {precision}"), &weights] {
            let report: Value =
                serde_json::from_str(&succeed(folder.path(), &format!("{words} --json"))).expect("JSON");
            for key in ["precision", "model", "parameters", "rmae", "rmse"] {
                assert_eq!(report[key], result[key], "{words}: {key}");
            }
        }
    }
    let told = succeed(folder.path(), "evaluate f64 --precision f32 --json");
    assert!(told.contains("\"f32\""), "{told}");
}

#[test]
fn predictions_keep_all_columns_and_count_points_outside() {
    let folder = here();
    write(folder.path(), "ring.toml", RING);
    succeed(folder.path(), "solve ring.toml --width 4 --depth 1 --iterations 1 --threads 1 --out run --quiet");
    // Two in the hole, one beyond the edge, one on it but for rounding.
    let points = "y,who,x,u\n0,a b,0.1,7\n0,\"c,d\",0.75,8\n0.2,e,0,9\n3,,3,1\n0,f,1.0000001,2\n";
    write(folder.path(), "p.csv", points);
    let done = ropinn(folder.path(), "predict run --points p.csv --want u,u_x");
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let warning = "warning: 3 of 5 points lie outside the domain or in a hole, where the network was not trained\n";
    assert_eq!(done.stderr, warning);
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert_eq!((lines.len(), lines[0]), (6, "y,who,x,u,u_predicted,u_x"));
    for (line, given) in lines.iter().zip(points.lines()).skip(1) {
        assert!(line.starts_with(&format!("{given},")), "{line} / {given}");
    }
    write(folder.path(), "inside.csv", "x,y\n0.75,0\n");
    assert_eq!(ropinn(folder.path(), "predict run --points inside.csv").stderr, "");
}

#[test]
fn predictions_at_other_sites_are_bad_input() {
    let folder = here();
    succeed(folder.path(), &format!("solve reaction {TINY} --out run --quiet"));
    write(folder.path(), "p.csv", "x,t\n1,0.5\n");
    let mut words = command(folder.path(), "predict run --points p.csv --want");
    let done = words.arg("at(u, 1)").output().expect("the binary starts");
    assert_eq!(
        String::from_utf8_lossy(&done.stderr),
        "error: the prediction of `at(u, 1)` uses `at(…, 1)`; only periodic conditions have pairs of points, with the \
         sites 0 and 1\n"
    );
    assert_eq!(done.status.code(), Some(2));
}

#[test]
fn a_race_trains_the_network_of_solve() {
    let folder = here();
    let points = "--set points.interior=grid:5x5 --set points.evaluation=grid:5x5 --threads 1";
    succeed(folder.path(), &format!("solve wave --iterations 1 {points} --out run --quiet"));
    let race = "race wave --seconds 100 --seeds 0 --set iterations=1";
    succeed(folder.path(), &format!("{race} --optimizers lbfgs --objectives region,variational {points}"));
    let config = |path: &str| read(folder.path(), path).parse::<toml::Table>().expect("TOML");
    let solved = config("run/config.toml");
    for entrant in ["lbfgs-region", "lbfgs-variational"] {
        let raced = config(&format!("race/wave/{entrant}/seed-0/config.toml"));
        for key in ["model", "precision", "points", "init"] {
            assert_eq!(raced.get(key), solved.get(key), "{entrant}: {key}");
        }
    }
    succeed(folder.path(), &format!("{race} --optimizers adam --objectives point --model kan {points} --out other"));
    assert_eq!(config("other/wave/adam-point/seed-0/config.toml")["model"]["kind"].as_str(), Some("kan"));
}

#[test]
fn published_seconds_stand_beside_their_own_problem_only() {
    let folder = here();
    let words = "--width 4 --depth 1 --rounds 1 --threads 1 --set points.interior=grid:5x5";
    let published = succeed(folder.path(), &format!("costs reaction {words}"));
    assert!(published.contains("paper s") && published.contains("18.47"), "{published}");
    for other in ["wave", "reaction --model qres"] {
        let table = succeed(folder.path(), &format!("costs {other} {words}"));
        assert!(!table.contains("paper") && !table.contains("18.47"), "{other}: {table}");
        let json: Value =
            serde_json::from_str(&succeed(folder.path(), &format!("costs {other} {words} --json"))).expect("JSON");
        assert!(json[0]["published_seconds"].is_null() && json[0]["ratio"].is_number(), "{json}");
    }
}

#[test]
fn a_search_runs_over_seeds() {
    let folder = here();
    let words = format!("solve reaction {TINY} --search region.r=1e-4,1e-3 --seeds 0..1 --out found");
    let out = succeed(folder.path(), &words);
    assert!(out.contains("median rMSE") && out.ends_with("folder: found\n"), "{out}");
    let table = read(folder.path(), "found/search.csv");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0][..3], ["region.r", "seed", "rmse"]);
    let runs: Vec<(&str, &str)> = rows[1..].iter().map(|row| (row[0], row[1])).collect();
    assert_eq!(runs, [("1e-4", "0"), ("1e-4", "1"), ("1e-3", "0"), ("1e-3", "1")]);
    for value in ["1e-4", "1e-3"] {
        let home = folder.path().join(format!("found/region.r={value}"));
        assert!(home.join("summary.json").is_file() && home.join("seed-1/result.json").is_file());
    }
    // What is finished is kept.
    let weights = || fs::read(folder.path().join("found/region.r=1e-3/seed-1/model.safetensors")).expect("weights");
    let before = weights();
    succeed(folder.path(), &format!("{words} --resume --quiet"));
    assert!(weights() == before);
}

#[test]
fn resume_says_where_it_goes_on() {
    let folder = here();
    succeed(folder.path(), &format!("solve reaction {TINY} --out run --quiet"));
    let done = ropinn(folder.path(), "resume run --iterations 5 --threads 1");
    assert!(done.stderr.contains("\ngoes on after step 3 of 5\n"), "{}", done.stderr);
    let events = succeed(folder.path(), "resume run --iterations 6 --threads 1 --json");
    let start: Value = serde_json::from_str(events.lines().next().expect("an event")).expect("JSON");
    assert_eq!((start["iterations_done"].as_u64(), start["iterations"].as_u64()), (Some(5), Some(6)));
    let first = ropinn(folder.path(), &format!("solve wave {TINY}"));
    assert!(!first.stderr.contains("goes on"), "{}", first.stderr);
}

#[test]
fn a_run_out_of_time_says_how_to_give_it_more() {
    let folder = here();
    let out = succeed(folder.path(), &format!("solve reaction {TINY} --max-seconds 1e-9 --out run"));
    assert!(out.contains("  more time       ropinn resume run --max-seconds 0.000000002\n"), "{out}");
    assert!(!succeed(folder.path(), "resume run --max-seconds 1000").contains("more time"));
    let seeds = succeed(folder.path(), &format!("solve reaction {TINY} --max-seconds 1e-9 --seeds 0..1 --out seeds"));
    assert!(seeds.ends_with("more time: the same command with --resume --max-seconds 0.000000002\n"), "{seeds}");
}

#[test]
fn a_report_is_not_overwritten_and_takes_races_and_searches() {
    let folder = here();
    succeed(folder.path(), &format!("solve reaction {TINY} --out run --quiet"));
    assert_eq!(succeed(folder.path(), "report run"), "1 run: report.html\n");
    assert!(read(folder.path(), "report.html").contains("<h1>ropinn: 1 run</h1>"));
    assert_refused(
        folder.path(),
        "report run",
        "error: `report.html` exists already; choose another file with --out, or replace it with --overwrite\n",
    );
    let points = "--set points.interior=grid:5x5 --set points.evaluation=grid:5x5 --threads 1";
    let race = "race reaction --seconds 100 --seeds 0..1 --optimizers adam --objectives point";
    succeed(folder.path(), &format!("{race} {points} --set iterations=2 --set model.width=4"));
    succeed(folder.path(), &format!("solve reaction {TINY} --search region.r=1e-4,1e-3 --out found --quiet"));
    // A run of the race that did not end.
    fs::remove_file(folder.path().join("race/reaction/adam-point/seed-1/result.json")).expect("removable");
    let done = ropinn(folder.path(), "report race found run --overwrite");
    assert_eq!(
        (done.stdout.as_str(), done.stderr.as_str()),
        ("4 runs: report.html\n", "unfinished and left out: 1 run\n")
    );
    let page = read(folder.path(), "report.html");
    for label in ["race/reaction/adam-point/seed-0", "found/region.r=1e-4", "found/region.r=1e-3", "<td>run</td>"] {
        assert!(page.contains(label), "`{label}` is missing");
    }
    fs::create_dir(folder.path().join("empty")).expect("writable");
    assert_refused(
        folder.path(),
        "report empty --overwrite",
        "error: `empty` is not the folder of a finished run: it has no config.toml, and no folder in it is a finished run \
         either\n",
    );
}

#[test]
fn pictures_name_sensors_references_and_errors() {
    let folder = here();
    let labels = |problem: &str, options: &str| {
        let tiny = "--width 4 --depth 1 --iterations 1 --threads 1 --quiet --out run --overwrite";
        succeed(folder.path(), &format!("solve {problem} {tiny} {options}"));
        let svg = read(folder.path(), "run/fields.svg");
        svg.split("aria-label=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let has = |labels: &[String], wanted: &[&str]| {
        wanted.iter().for_each(|label| assert!(labels.iter().any(|own| own == label), "`{label}` in {labels:?}"));
    };
    // An ordinary differential equation with sensors has an error panel.
    let decay = r#"
        name = "decay"
        coordinates = { s = [0, 2] }
        unknowns = ["u"]
        equations = { decay = "u_s + u" }
        conditions = [{ kind = "data", columns = ["s", "u"], rows = [[0, 1], [1, 0.37]] }]
        points = { interior = { layout = "grid", counts = [9] } }
        REFERENCE
    "#;
    let formula = r#"reference = { u = "exp(-s)" }"#;
    write(folder.path(), "decay.toml", &decay.replace("REFERENCE", formula));
    let curves = labels("decay.toml", "");
    has(&curves, &["predicted", "exact", "sensors", "error of u (predicted − exact)"]);
    // The same from a file.
    write(folder.path(), "known.csv", "s,u\n0,1\n1,0.37\n2,0.14\n");
    write(folder.path(), "decay.toml", &decay.replace("REFERENCE", r#"reference = { file = "known.csv" }"#));
    let curves = labels("decay.toml", "");
    has(&curves, &["reference", "error of u (predicted − reference)"]);
    assert!(!curves.iter().any(|label| label.contains("exact")), "{curves:?}");
    assert!(read(folder.path(), "run/prediction.csv").starts_with("s,u,u_reference\n"));
    // Heat maps.
    let sensors = r#"at = "boundary", value = "x" }, { kind = "data", columns = ["x", "y", "u"], rows = [[0.7, 0, 0.7], [0, 0.8, 0]] }"#;
    let ring = RING.replace(r#"at = "boundary", value = "x" }"#, sensors);
    write(folder.path(), "ring.toml", &ring);
    has(&labels("ring.toml", ""), &["Predicted u", "dots: sensors", "Exact u", "predicted − exact"]);
    write(folder.path(), "table.csv", "x,y,u\n0.7,0,0.7\n0,0.8,0\n-0.6,0.1,-0.6\n");
    write(folder.path(), "ring.toml", &ring.replace(r#"{ u = "x" }"#, r#"{ file = "table.csv" }"#));
    let known = labels("ring.toml", "");
    has(&known, &["Reference u", "predicted − reference"]);
    assert!(!known.iter().any(|label| label.contains("Exact")), "{known:?}");
    // Slices inside the domain.
    let slices = labels("heat-2d-ms", "--set points.interior=halton:50 --set points.evaluation=halton:50");
    has(&slices, &["Predicted u at t = 1.25", "Exact u at t = 2.50", "Predicted u at t = 3.75"]);
}

#[test]
fn tables_do_not_wrap_at_80_columns() {
    let folder = here();
    let seeds = format!("solve reaction {TINY} --seeds 0..1 --out run");
    let points = "--set points.interior=grid:5x5 --set points.evaluation=grid:5x5 --threads 1 --set iterations=1";
    let race =
        format!("race reaction --seconds 100 --seeds 0 --optimizers adam,gauss-newton --set model.width=4 {points}");
    for words in ["list", &seeds, &race] {
        let out = succeed(folder.path(), words);
        // Lines of tables, not of paths or results.
        let mut lines = out.lines().skip_while(|line| !line.contains("──"));
        assert!(lines.clone().count() > 2, "{out}");
        assert!(lines.all(|line| line.chars().count() <= 80), "{out}");
    }
}
