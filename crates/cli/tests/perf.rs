//! `ropinn perf`, run as users run it.

mod common;

use common::{assert_refused, here, succeed};
use serde_json::Value;

const QUICK: &str = "--points 64 --width 8 --depth 2 --repeat 2 --threads 2";

#[test]
fn every_built_in_problem_is_measured() {
    let problems = "reaction,wave,convection,burgers-1d,heat-2d,kuramoto-sivashinsky";
    let out = succeed(here().path(), &format!("perf --problem {problems} {QUICK} --json"));
    let records: Vec<Value> = serde_json::from_str(&out).expect("a JSON list");
    let names: Vec<_> = records.iter().map(|r| r["problem"].as_str().expect("a name")).collect();
    assert_eq!(names, ["reaction", "wave", "convection", "burgers-1d", "heat-2d-ms", "kuramoto-sivashinsky"]);
    // u and one collapsed operator; wave and the fourth-order equation carry tangents too.
    let channels = |k: usize| records[k]["channels"].as_u64().expect("a count");
    assert!(channels(0) == 2 && channels(5) > channels(0), "{out}");
}

#[test]
fn the_record_is_consistent() {
    let out = succeed(here().path(), &format!("perf --problem wave --model pinn {QUICK} --precision f64 --json"));
    let record: Value = serde_json::from_str(&out).expect("a JSON object");
    let number = |key: &str| record[key].as_f64().unwrap_or_else(|| panic!("no number `{key}` in {out}"));
    assert_eq!((number("width"), number("depth"), number("points"), number("threads")), (8.0, 2.0, 64.0, 2.0));
    assert_eq!((record["precision"].as_str(), number("repeats")), (Some("f64"), 2.0));
    assert_eq!(number("parameters"), f64::from(2 * 8 + 8 + 8 * 8 + 8 + 8 + 1));
    assert!(number("min_ms") <= number("median_ms") && number("median_ms") <= number("max_ms"));
    let rate = number("gflop") / (number("median_ms") * 1e-3);
    assert!((number("gflops") / rate - 1.0).abs() < 1e-9);
    assert!((number("peak_ratio") * number("gemm_peak_gflops") / rate - 1.0).abs() < 1e-9);
    assert!((number("limit_ratio") * number("limit_gflops") / rate - 1.0).abs() < 1e-9);
    assert_eq!(record["simd"].as_str(), Some(ropinn_engine::simd().name()));
    if cfg!(target_os = "linux") {
        assert!(number("peak_rss_mb") > 1.0);
    }
}

#[test]
fn a_gauss_newton_step_needs_its_matrix() {
    let record = |work: &str| -> Value {
        let words = format!("perf --problem wave {QUICK} --precision f64 --work {work} --json");
        serde_json::from_str(&succeed(here().path(), &words)).expect("a JSON object")
    };
    let (gradient, step) = (record("gradient"), record("gauss-newton"));
    let p = step["parameters"].as_f64().expect("a count");
    let extra = (64.0 * p * p + p.powi(3) / 3.0) / 1e9;
    let evaluation = gradient["gflop"].as_f64().expect("a number");
    let wanted = extra + evaluation * (2.0 + 4.0 / 3.0);
    assert!((step["gflop"].as_f64().expect("a number") / wanted - 1.0).abs() < 1e-12);
}

#[test]
fn every_model_stands_in_the_table() {
    let out =
        succeed(here().path(), &format!("perf --model pinn,qres,fls,pinnsformer,pinnsformer-encoder,kan {QUICK}"));
    // Two tables one below the other: all columns side by side would wrap at 80.
    let (machine, out) = out.split_once("\n\n").expect("the machine, then tables");
    assert!(machine.ends_with(ropinn_engine::simd().name()), "{machine}");
    let tables: Vec<Vec<&str>> = out.split("\n\n").map(|table| table.lines().collect()).collect();
    let heads: String = tables.iter().map(|table| table[0]).collect();
    assert!(heads.contains("GFLOP/s") && heads.ends_with("MB"), "{out}");
    for table in &tables {
        assert_eq!(table.len(), 2 + 6, "{out}");
        assert!(table[0].starts_with("problem ") && table[7].starts_with("reaction  kan"), "{out}");
        assert!(table.iter().all(|line| line.chars().count() <= 80), "{out}");
    }
}

#[test]
fn bad_input_is_refused() {
    let folder = here();
    let refused = |words: &str, complaint: &str| assert_refused(folder.path(), words, complaint);
    refused(
        "perf --problem wve",
        &format!(
            "error: no built-in problem is named `wve` (did you mean `wave`?); built in are: {}\n\
             hint: `ropinn list` shows all problems; a file needs its ending `.toml`\n",
            ropinn::problem::Problem::builtin_names().join(", ")
        ),
    );
    refused(
        "perf --model pinn,pin",
        "error: unknown model `pin`; did you mean `pinn`? \
         The models are pinn, qres, fls, pinnsformer, pinnsformer-encoder, kan, features\n",
    );
    refused("perf --points 0", "error: --points is 0; it must be at least 1\n");
    refused("perf --width 0", "error: --width is 0; it must be at least 1\n");
    refused("perf --depth 0", "error: --depth is 0; it must be at least 1\n");
    refused("perf --threads 0", "error: --threads is 0; it must be at least 1\n");
    refused("perf --repeat 0", "error: --repeat is 0; it must be at least 1\n");
    refused("perf --threads 100000", "error: --threads is 100000; it can be at most 1024\n");
    refused("perf --points 60000000", "error: --points is 60000000; it can be at most 50000000\n");
    refused("perf --width 100000", "error: model `pinn`: `width` is 100000; it can be at most 65536\n");
    refused("perf --problem gone.toml", "error: cannot read `gone.toml`: No such file or directory (os error 2)\n");
    refused(
        "perf --problem poisson-2d-c --model pinnsformer",
        "error: model `pinnsformer` works on sequences in time, but problem `poisson-2d-c` has no time coordinate; \
         choose another model\n",
    );
    refused(
        "perf --problem kuramoto-sivashinsky --model kan",
        "error: the residuals need derivatives of order 4, but the B-spline basis of degree 3 is smooth only to order 3; \
         use a smoother activation such as tanh or sin, or splines of higher degree\n",
    );
}
