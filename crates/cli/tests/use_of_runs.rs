//! What is done with finished runs: predict, evaluate, report, list.

mod common;

use common::{TINY, here, json, ropinn, succeed};
use serde_json::Value;
use std::fs;
use std::path::Path;

#[test]
fn predictions_repeat_the_run_and_differentiate_it() {
    let folder = here();
    succeed(folder.path(), &format!("solve reaction {TINY} --precision f64 --out run --quiet"));
    // Columns in any order, others beside them; the run's own table is such a file.
    let stored = fs::read_to_string(folder.path().join("run/prediction.csv")).expect("a table");
    let again = succeed(folder.path(), "predict run --points run/prediction.csv");
    assert_eq!(again.lines().next(), Some("x,t,u,u_exact,u_predicted"));
    for (stored, again) in stored.lines().zip(again.lines()).skip(1) {
        let u = stored.split(',').nth(2).expect("u");
        assert_eq!(again, format!("{stored},{u}"));
    }
    assert_eq!(stored.lines().count(), again.lines().count());

    let h = 1e-5;
    fs::write(folder.path().join("p.csv"), format!("t,note,x\n0.5,a,1\n0.5,b,{}\n0.5,c,{}\n", 1.0 + h, 1.0 - h))
        .expect("writable");
    succeed(folder.path(), "predict run --points p.csv --want u,u_x,u_xx,min(u,0) --out out.csv");
    let text = fs::read_to_string(folder.path().join("out.csv")).expect("predictions");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("t,note,x,u,u_x,u_xx,\"min(u,0)\""));
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect()).collect();
    let (at, right, left) = (&rows[0], &rows[1], &rows[2]);
    assert_eq!((at[0], at[2]), (0.5, 1.0));
    assert!(((right[3] - left[3]) / (2.0 * h) - at[4]).abs() < 1e-8, "u_x");
    assert!(((right[4] - left[4]) / (2.0 * h) - at[5]).abs() < 1e-8, "u_xx");
    assert_eq!(at[6], at[3].min(0.0));
}

#[test]
fn a_solution_in_pieces_is_a_run_like_any_other() {
    let folder = here();
    let pieces = "--set pieces=[0.3,0.6] --set precision=f64 --quiet";
    succeed(folder.path(), &format!("solve wave {TINY} {pieces} --out run"));
    let stored = fs::read_to_string(folder.path().join("run/prediction.csv")).expect("a table");
    let again = succeed(folder.path(), "predict run --points run/prediction.csv");
    for (stored, again) in stored.lines().zip(again.lines()).skip(1) {
        assert_eq!(again, format!("{stored},{}", stored.split(',').nth(2).expect("u")));
    }
    let report: Value = serde_json::from_str(&succeed(folder.path(), "evaluate run --json")).expect("JSON");
    let result = json(&folder.path().join("run/result.json"));
    for key in ["unweighted_loss", "terms", "grad_norm", "rmse", "parameters"] {
        assert_eq!(report[key], result[key], "{key}");
    }
    assert_eq!(succeed(folder.path(), "report run"), "1 run: report.html\n");
    assert!(folder.path().join("run/fields.png").is_file());
    // It goes on, and others start from it.
    succeed(folder.path(), "resume run --iterations 5 --quiet");
    assert_eq!(json(&folder.path().join("run/result.json"))["iterations"], 5);
    let start = format!("solve wave {TINY} {pieces} --init-from run/model.safetensors --out next");
    succeed(folder.path(), &start);
    assert!(!folder.path().join("run/solution.toml").exists());
}

#[test]
fn evaluation_of_saved_weights_repeats_the_result() {
    let folder = here();
    // Other points than the problem's own would give another loss: evaluate takes the problem as it is.
    succeed(folder.path(), "solve reaction --preset paper --width 6 --depth 2 --iterations 2 --out run --quiet");
    let out = succeed(folder.path(), "evaluate reaction --model pinn --init-from run/model.safetensors --json");
    let report: Value = serde_json::from_str(&out).expect("JSON");
    let result = json(&folder.path().join("run/result.json"));
    for key in ["unweighted_loss", "terms", "grad_norm", "rmae", "rmse", "parameters"] {
        assert_eq!(report[key], result[key], "{key}");
    }
    let text = succeed(folder.path(), "evaluate run --model pinn --init-from run/model.safetensors");
    assert!(
        text.starts_with("reaction, pinn, 67 parameters, f32\n  unweighted loss ") && text.contains("rMSE"),
        "{text}"
    );
}

#[test]
fn evaluation_of_pytorch_weights_gives_pytorch_numbers() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../pinn/tests/golden/losses");
    let folder = here();
    for (model, problem) in [("pinnsformer", "wave"), ("kan", "reaction")] {
        let file = format!("{model}.safetensors");
        fs::copy(golden.join(&file), folder.path().join(&file)).expect("weights saved by PyTorch");
        let wanted = &json(&golden.join(format!("{model}.json")))[problem];
        let entries =
            wanted["gradient"].as_object().expect("tensors").values().flat_map(|t| t.as_array().expect("entries"));
        let grad_norm = entries.map(|g| g.as_f64().expect("a number").powi(2)).sum::<f64>().sqrt();
        for (precision, tolerance) in [("f32", 1e-5), ("f64", 1e-12)] {
            let words =
                format!("evaluate {problem} --model {model} --init-from {file} --set points.interior=grid:11x11");
            let out = succeed(folder.path(), &format!("{words} --precision {precision} --threads 2 --json"));
            let report: Value = serde_json::from_str(&out).expect("JSON");
            let close = |what: &str, found: &Value, wanted: f64| {
                let error = (found.as_f64().unwrap_or(f64::NAN) / wanted - 1.0).abs();
                assert!(
                    error <= tolerance,
                    "{model} on {problem} in {precision}: {what} is {found} instead of {wanted}"
                );
            };
            close("loss", &report["unweighted_loss"], wanted["loss"].as_f64().expect("a loss"));
            close("grad_norm", &report["grad_norm"], grad_norm);
            let terms = wanted["terms"].as_object().expect("terms");
            assert_eq!(report["terms"].as_object().map(|found| found.len()), Some(terms.len()));
            for (name, term) in terms {
                close(name, &report["terms"][name], term.as_f64().expect("a term"));
            }
        }
    }
}

#[test]
fn a_report_stands_alone() {
    let folder = here();
    succeed(folder.path(), &format!("solve reaction {TINY} --seeds 0..1 --quiet"));
    succeed(folder.path(), &format!("solve reaction {TINY} --objective point --quiet"));
    let out = succeed(folder.path(), "report runs/reaction-fls-region-s0-1 runs/reaction-fls-point-s0");
    assert_eq!(out, "3 runs: report.html\n");
    let page = fs::read_to_string(folder.path().join("report.html")).expect("a page");
    for text in ["Over seeds", "reaction-fls-region-s0-1/seed-1", "reaction-fls-point-s0", "objective.kind", "rMSE"] {
        assert!(page.contains(text), "`{text}` is missing");
    }
    // Loss, error and region; then the field of each run and what its loss is made of.
    for (place, count) in [("<section data-chart=", 3), ("<div data-fields=", 3), ("<div data-terms=", 3)] {
        assert_eq!(page.matches(place).count(), count, "{place}");
    }
    // Its own scripts alone, and the name of SVG, which nobody fetches.
    assert_eq!(page.matches("<script").count(), 2);
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for fetched in ["http://", "https://", " src=", "<link", "@import", "url(", "import(", "fetch(", "eval("] {
        assert!(!page.contains(fetched), "the page fetches something: {fetched}");
    }
    let data = page.split("type=\"application/json\">").nth(1).and_then(|rest| rest.split("</script>").next());
    let data: Value = serde_json::from_str(data.expect("data")).expect("JSON");
    for run in data["runs"].as_array().expect("runs") {
        let columns = run["columns"].as_array().map(Vec::len);
        assert!(columns > Some(5) && columns == run["values"].as_array().map(Vec::len), "{run}");
        assert_eq!((run["values"][0].as_array().map(Vec::len), run["fields"][0][0].as_u64()), (Some(3), Some(3)));
    }
}

#[test]
fn a_report_of_ten_runs_is_small_enough_to_send() {
    let folder = here();
    let long = "--width 6 --depth 2 --optimizer adam\u{a0}400 --set points.interior=grid:9x9 --threads 2";
    succeed(folder.path(), &format!("solve reaction {long} --out run --quiet"));
    let run = folder.path().join("run");
    for seed in 0..10 {
        let copy = folder.path().join(format!("runs/seed-{seed}"));
        fs::create_dir_all(copy.join("snapshots")).expect("writable");
        for name in ["config.toml", "result.json", "metrics.csv"] {
            fs::copy(run.join(name), copy.join(name)).expect("copied");
        }
        // As many fields as a long run keeps.
        for step in 369..=400 {
            let field = copy.join(format!("snapshots/{step:010}.field"));
            fs::copy(run.join("snapshots/0000000400.field"), field).expect("copied");
        }
    }
    succeed(folder.path(), "report runs");
    let size = fs::metadata(folder.path().join("report.html")).expect("a page").len();
    assert!((500_000..3_000_000).contains(&size), "{size} bytes");
}

#[test]
fn names_from_files_cannot_inject_markup() {
    let folder = here();
    let nasty = "a<script>alert(1)</script>";
    succeed(folder.path(), &format!("solve reaction {TINY} --out run --quiet"));
    let path = folder.path().join("run/result.json");
    let text = fs::read_to_string(&path).expect("a result").replace("\"reaction\"", &format!("\"{nasty}\""));
    fs::write(&path, text).expect("writable");
    succeed(folder.path(), "report run");
    let page = fs::read_to_string(folder.path().join("report.html")).expect("a page");
    assert!(!page.contains("a<script") && page.contains("a&lt;script&gt;"));
    // Nor can the name of a folder, which is among the data of the page.
    let run = folder.path().join("<").join("script><b>");
    fs::create_dir_all(&run).expect("writable");
    for name in ["config.toml", "result.json", "metrics.csv"] {
        fs::copy(folder.path().join("run").join(name), run.join(name)).expect("copied");
    }
    let done = ropinn(folder.path(), "report < --overwrite");
    assert_eq!(done.code, Some(0), "{done:?}");
    let page = fs::read_to_string(folder.path().join("report.html")).expect("a page");
    assert_eq!((page.matches("</script>").count(), page.contains("<b>")), (2, false));
}

#[test]
fn problems_are_listed() {
    let folder = here();
    let table = succeed(folder.path(), "list");
    assert!(table.starts_with("problem ") && table.contains("\nwave ") && table.contains("u(x, y, t)"), "{table}");
    let entries: Vec<Value> = serde_json::from_str(&succeed(folder.path(), "list --json")).expect("JSON");
    let reaction = entries.iter().find(|entry| entry["name"] == "reaction").expect("listed");
    assert_eq!((reaction["has_reference"].as_bool(), reaction["success_threshold"].as_f64()), (Some(true), Some(0.1)));
    for entry in &entries {
        let name = entry["name"].as_str().expect("a name");
        assert!(succeed(folder.path(), &format!("show {name}")).contains(&format!("name = \"{name}\"")));
    }
}
