//! What a run says of its numbers, in the log, the summary, the files and the report: which loss is which, each equation and
//! unknown, trained numbers, and numbers that are none.

mod common;

use common::{TINY, here, json, ropinn, succeed};
use std::fs;
use std::path::Path;

/// The problem of one coordinate with these equations.
fn write(folder: &Path, name: &str, unknowns: &str, equations: &str, more: &str) {
    let text = format!(
        "name = 'mine'\ncoordinates = {{ x = [0, 1] }}\nunknowns = {unknowns}\nequations = {equations}\n\
         points = {{ interior = {{ layout = 'grid', counts = [9] }}, boundary = {{ layout = 'grid', counts = [1] }} }}\n{more}\n"
    );
    fs::write(folder.join(name), text).expect("writable");
}

const SMALL: &str = "--width 6 --depth 1 --threads 1";

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path.as_ref()).unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

#[test]
fn a_loss_that_is_not_finite_exits_with_1_and_the_reason() {
    let folder = here();
    let start = "conditions = [{ kind = 'dirichlet', at = 'x = 1', value = 1 }]";
    write(folder.path(), "half.toml", "['u']", "{ e = 'abs(x - 0.5)*u_xx/(x - 0.5)' }", start);
    write(folder.path(), "never.toml", "['u']", "{ e = 'log(x - 2)*u_x' }", start);
    let at_points =
        "after 5 iterations the loss is not finite at the fixed points: term `residual` is undefined at x = 0.5";
    let cases = [
        ("half.toml", "5", at_points),
        ("never.toml", "1", "non-finite loss in iteration 1, first in term `residual`"),
        (
            "never.toml",
            "3",
            "non-finite loss in iteration 3, first in term `residual`, after 2 retries with shorter steps",
        ),
    ];
    for (problem, steps, reason) in cases {
        let words = format!("solve {problem} {SMALL} --iterations {steps} --out run --overwrite");
        let finished = ropinn(folder.path(), &words);
        assert_eq!(finished.code, Some(1), "{words}: {finished:?}");
        assert!(finished.stderr.contains(reason) && finished.stdout.contains(reason), "{words}: {finished:?}");
        // Nothing is lost.
        let run = folder.path().join("run");
        assert_eq!(json(&run.join("result.json"))["stop_reason"], reason);
        assert!(["model.safetensors", "metrics.csv", "prediction.csv"].iter().all(|file| run.join(file).is_file()));
    }
}

#[test]
fn log_summary_files_and_report_name_both_losses() {
    let folder = here();
    let run = ropinn(folder.path(), &format!("solve reaction {TINY} --objective gradient --weighting ntk --out run"));
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stderr.contains(" left, trained loss "), "{run:?}");
    let line = |name: &str| {
        let line = run.stdout.lines().find_map(|line| line.trim_start().strip_prefix(name));
        line.unwrap_or_else(|| panic!("`{name}` is missing in {run:?}")).trim().to_owned()
    };
    assert!(line("trained loss").contains("residual d/dx"), "{run:?}");
    assert!(line("unweighted loss").contains(" at fixed points (residual "), "{run:?}");
    assert!(!line("unweighted loss").contains("d/dx"), "{run:?}");
    let result = json(&folder.path().join("run/result.json"));
    for (total, terms) in [("trained_loss", "trained_terms"), ("unweighted_loss", "terms")] {
        let sum: f64 = result[terms].as_object().expect("terms").values().filter_map(serde_json::Value::as_f64).sum();
        let total = result[total].as_f64().expect("a number");
        assert!((sum - total).abs() < 1e-9 * total, "{terms} add up to {sum}, not {total}");
    }
    assert!(read(folder.path().join("run/training.svg")).contains("trained loss"));
    succeed(folder.path(), "report run --out page.html");
    let page = read(folder.path().join("page.html"));
    assert!(
        ["Trained loss", "trained loss", "unweighted loss at fixed points"].iter().all(|words| page.contains(words))
    );
}

#[test]
fn systems_show_each_equation_and_each_unknown() {
    let folder = here();
    let more = "conditions = [{ kind = 'dirichlet', at = 'x = 0', value = { u = 0, v = 1 } }]\n\
                reference = { u = 'sin(x)', v = 'cos(x)' }";
    let equations = "{ speed = 'u_x - v', swing = { residual = 'v_x + u', weight = 4 } }";
    write(folder.path(), "swing.toml", "['u', 'v']", equations, more);
    let run = ropinn(folder.path(), &format!("solve swing.toml {SMALL} --iterations 3 --out run"));
    assert_eq!(run.code, Some(0), "{run:?}");
    let last = run.stderr.lines().rfind(|line| line.contains("trained loss")).expect("a line");
    assert!(last.contains("residual ") && last.contains(" [speed ") && last.contains(", swing "), "{last}");
    assert!(last.contains("rMSE ") && last.contains(" [u "), "{last}");
    assert!(
        run.stdout.contains("equations       speed ") && run.stdout.contains("unknowns        rMSE of u "),
        "{run:?}"
    );
    let result = json(&folder.path().join("run/result.json"));
    assert!(result["equations"]["swing"].is_f64() && result["rmse_by_unknown"]["v"].is_f64(), "{result}");
    assert_eq!(result["weights"]["residual swing"], 4.0);
    let metrics = read(folder.path().join("run/metrics.csv"));
    assert!(
        metrics.starts_with(
            "iteration,phase,trained_loss,term residual,term dirichlet x = 0,equation speed,equation swing,"
        ),
        "{metrics}"
    );
    assert!(metrics.lines().next().is_some_and(|header| header.ends_with(",rmse,rmse u,rmse v")), "{metrics}");
    succeed(folder.path(), "report run --out page.html");
    let page = read(folder.path().join("page.html"));
    assert!(["Equations", "swing", "Unknowns"].iter().all(|words| page.contains(words)), "{page}");
}

const DECAY: &str = "trainable = { k = 0.5 }\nconditions = [{ kind = 'data', columns = ['x', 'u'], rows = [[0, 1], [0.5, 0.36788], [1, 0.13534]] }]";

#[test]
fn evaluate_and_init_from_take_trained_numbers() {
    let folder = here();
    write(folder.path(), "rate.toml", "['u']", "{ decay = 'u_x + k*u' }", DECAY);
    succeed(folder.path(), &format!("solve rate.toml {SMALL} --iterations 20 --out run --quiet"));
    let result = json(&folder.path().join("run/result.json"));
    assert!((result["trained"]["k"]["value"].as_f64().expect("a number") - 0.5).abs() > 0.1, "{result}");
    let words = "evaluate run --model fls --init-from run/model.safetensors --precision f64 --json";
    let report: serde_json::Value = serde_json::from_str(&succeed(folder.path(), words)).expect("JSON");
    assert_eq!(report["unweighted_loss"], result["unweighted_loss"]);
    let still = "--optimizer adam --iterations 1 --set phases.0.lr=1e-12 --objective point";
    succeed(
        folder.path(),
        &format!("solve rate.toml {SMALL} {still} --init-from run/model.safetensors --out again --quiet"),
    );
    let again = json(&folder.path().join("again/result.json"));
    let difference = again["trained"]["k"]["value"].as_f64().expect("a number")
        - result["trained"]["k"]["value"].as_f64().expect("a number");
    assert!(difference.abs() < 1e-9, "{again}");
}

#[test]
fn the_course_of_trained_numbers_is_in_log_table_picture_and_report() {
    let folder = here();
    write(folder.path(), "rate.toml", "['u']", "{ decay = 'u_x + k*u' }", DECAY);
    let run = ropinn(folder.path(), &format!("solve rate.toml {SMALL} --iterations 4 --out run"));
    let k = json(&folder.path().join("run/result.json"))["trained"]["k"]["value"].as_f64().expect("a number");
    let last = run.stderr.lines().rfind(|line| line.contains("trained loss")).expect("a line");
    let logged = last.split(", k ").nth(1).and_then(|rest| rest.split(',').next()).expect("k is logged");
    assert!((logged.parse::<f64>().expect("a number") - k).abs() < 1e-3 * k.abs(), "{last}, but {k}");
    let metrics = read(folder.path().join("run/metrics.csv"));
    let column = metrics.lines().next().and_then(|header| header.split(',').position(|name| name == "trained k"));
    let column = column.unwrap_or_else(|| panic!("{metrics}"));
    let course: Vec<f64> = metrics
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(column).expect("a cell").parse().expect("a number"))
        .collect();
    assert_eq!((course.len(), course.last()), (4, Some(&k)));
    assert!(read(folder.path().join("run/training.svg")).contains("trained numbers"));
    succeed(folder.path(), "report run --out page.html");
    let page = read(folder.path().join("page.html"));
    assert!(page.contains("Trained numbers") && page.contains("Trained number k"), "{page}");
}
