//! `ropinn reference`, `--variant` and `--table`, run as users run them.

mod common;

use common::{Finished, command, here, succeed};
use serde_json::Value;
use std::fs;
use std::path::Path;

const SQUARE: &str = r#"
coordinates = { x = [0, 1], y = [0, 1] }
unknowns = ["u"]
equations = { poisson = "a*(u_xx + u_yy) + 1" }
conditions = [{ kind = "dirichlet", at = "boundary", value = 0 }]
tables = { a = { axes = { x = [0.25, 0.75], y = [0.25, 0.75] }, values = [1, 1, 1, 1], lookup = "nearest" } }
evaluation = { layout = "grid", counts = [5, 5] }
reference = { elements = { cells = [8, 8] } }
variants = { strong = { tables = { a = { axes = { x = [0, 1], y = [0, 1] }, values = [2, 2, 2, 2] } } } }
"#;

/// Runs a command that keeps its references in the folder.
fn ropinn(folder: &Path, words: &str) -> Finished {
    command(folder, words).env("ROPINN_CACHE", folder.join("kept")).output().expect("the binary starts").into()
}

fn told(folder: &Path, words: &str) -> Value {
    let finished = ropinn(folder, words);
    assert_eq!(finished.code, Some(0), "ropinn {words}: {}", finished.stderr);
    serde_json::from_str(&finished.stdout).expect("JSON")
}

#[test]
fn references_are_computed_kept_exported_and_compared() {
    let folder = here();
    let here = folder.path();
    fs::write(here.join("square.toml"), SQUARE).expect("writable");
    let first = told(here, "reference square.toml --npz u.npz --vtk u.vtk --json");
    assert_eq!((first["kept"].as_bool(), first["points"].as_u64()), (Some(false), Some(25)));
    assert!(first["error"].as_f64().is_some_and(|error| error > 0.0 && error < 0.05), "{first}");
    assert!(here.join("u.npz").is_file() && here.join("u.vtk").is_file());
    assert_eq!(told(here, "reference square.toml --json")["kept"].as_bool(), Some(true));
    assert_eq!(told(here, "reference square.toml --again --json")["kept"].as_bool(), Some(false));
    let top = |words: &str| told(here, words)["ranges"][0][1][1].as_f64().expect("a number");
    let (plain, strong) = (top("reference square.toml --json"), top("reference square.toml:strong --json"));
    assert!((plain / strong - 2.0).abs() < 1e-6);
    fs::write(here.join("a.dat"), "% four of them\n4 4\n4 4\n").expect("writable");
    assert!((plain / top("reference square.toml --table a=a.dat --json") - 4.0).abs() < 1e-6);
    fs::write(here.join("theirs.dat"), "% x y u\n0.5 0.5 0.0736713\n").expect("writable");
    let found = told(here, "reference square.toml --against theirs.dat --json");
    assert!(found["rmse"].as_f64().is_some_and(|rmse| rmse < 0.01), "{found}");
    // A run says what it waits for, unless it is kept, and keeps its variant.
    let solve = "solve square.toml --variant strong --iterations 2 --width 4 --depth 1 --threads 1 --out run";
    assert_eq!(ropinn(here, solve).code, Some(0));
    assert_eq!(ropinn(here, "evaluate run").code, Some(0));
    assert!(succeed(here, "show square.toml:strong").starts_with("chosen = { variant = \"strong\" }\n"));
}

#[test]
fn bad_input_is_refused() {
    let folder = here();
    let here = folder.path();
    fs::write(here.join("square.toml"), SQUARE).expect("writable");
    fs::write(here.join("bare.toml"), SQUARE.replace("reference =", "#")).expect("writable");
    fs::write(here.join("short.dat"), "1 2\n3\n").expect("writable");
    let refused = |words: &str, complaint: &str| {
        let finished = ropinn(here, words);
        assert_eq!((finished.stderr.as_str(), finished.code), (complaint, Some(2)), "ropinn {words}");
    };
    refused(
        "reference bare.toml",
        "error: `bare` has no reference; say in its file what to compare with, under [reference]\n",
    );
    refused("reference square.toml:weak", "error: the problem has no variant `weak`; its variants are: strong\n");
    refused(
        "reference square.toml --table a",
        "error: `--table a` does not name a table and a file; write e.g. --table a=numbers.dat\n",
    );
    refused(
        "solve square.toml --table a=short.dat",
        "error: `short.dat` line 2: 3 numbers up to here where table `a` takes 4 (2 x 2)\n",
    );
    refused(
        "reference poisson-nd --vtk u.vtk",
        "error: a VTK file has three coordinates at most, and `poisson-nd` has 5; export it with --npz\n",
    );
    assert!(!here.join("kept").exists());
}
