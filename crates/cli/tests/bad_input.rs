//! Every refusal: one clear message, exit code 2, nothing left behind.

mod common;

use common::{TINY, assert_refused, here, ropinn, succeed};
use std::fs;
use std::path::Path;

/// A small problem; tests break one line of it.
const HEAT: &str = r#"name = "heat"
coordinates = { x = [0, 1], t = [0, 1] }
time = "t"
unknowns = ["u"]
[equations]
heat = "u_t - u_xx"
[[conditions]]
kind = "initial"
value = "x"
[points]
interior = { layout = "grid", counts = [5, 5] }
"#;

fn refuse_problem(folder: &Path, from: &str, to: &str, complaint: &str) {
    assert!(HEAT.contains(from), "{from}");
    fs::write(folder.join("mine.toml"), HEAT.replace(from, to)).expect("writable");
    assert_refused(folder, "solve mine.toml", complaint);
}

#[test]
fn problems() {
    let folder = here();
    let here = folder.path();
    let known = ropinn::problem::Problem::builtin_names().join(", ");
    let hint = "hint: `ropinn list` shows all problems; a file needs its ending `.toml`";
    let unknown = format!(
        "error: no built-in problem is named `reacton` (did you mean `reaction`?); built in are: {known}\n{hint}\n"
    );
    for verb in ["solve reacton", "show reacton"] {
        assert_refused(here, verb, &unknown);
    }
    assert_refused(here, "solve gone.toml", "error: cannot read `gone.toml`: No such file or directory (os error 2)\n");
    assert_refused(here, "solve .", "error: `.` is not the folder of a finished run: it has no config.toml\n");
    refuse_problem(
        here,
        "u_t - u_xx",
        "u_t - nu*u_xx",
        "error: mine.toml:6:15: equation `heat`: unknown symbol `nu`; did you mean `u`?\n  \
           heat = \"u_t - nu*u_xx\"\n                ^\n",
    );
    refuse_problem(
        here,
        "kind = \"initial\"",
        "kind = \"dirichlet\"\nat = \"x = 3\"",
        "error: mine.toml:9:6: condition `dirichlet x = 3` holds nowhere: the domain has no place `x = 3`; \
         its places are: t = 0, t = 1, x = 0, x = 1, boundary, outer, shape 1\n",
    );
    refuse_problem(
        here,
        "layout = \"grid\", counts = [5, 5]",
        "layout = \"sobol\", count = 0",
        "error: mine.toml:11:40: `count` must be a whole number above zero, found 0\n",
    );
}

#[test]
fn models_and_settings() {
    let folder = here();
    let refused = |words: &str, complaint: &str| assert_refused(folder.path(), words, complaint);
    refused(
        "solve reaction --model kann",
        "error: unknown model `kann`; did you mean `kan`? \
         The models are pinn, qres, fls, pinnsformer, pinnsformer-encoder, kan, features\n",
    );
    refused("solve reaction --set region.rr=1", "error: unknown setting `region.rr`; did you mean `region.r`?\n");
    refused("solve reaction --set wdith=3", "error: unknown setting `wdith`; did you mean `width`?\n");
    refused(
        "solve reaction --set width",
        "error: `width` changes nothing; write it as key=value, e.g. region.r=1e-5\n",
    );
    refused("solve reaction --width 0", "error: --width is 0; it must be at least 1\n");
    refused("solve reaction --iterations 0", "error: --iterations is 0; it must be at least 1\n");
    refused("solve reaction --threads 5000", "error: --threads is 5000; it can be at most 1024\n");
    refused(
        "solve reaction --optimizer adam10",
        "error: unknown optimiser `adam10` in the phase `adam10`; choose `adam`, `lbfgs`, `ssbfgs`, `ssbroyden`, `gauss-newton` or `polish`\n",
    );
    refused(
        "solve reaction --seeds 4..1",
        "error: `4..1` does not name seeds; write a range such as 0..9 (both ends included) or a list such as 0,3,7\n",
    );
    refused("solve reaction --seeds 0..1 --success -1", "error: --success is -1; it must be a positive number\n");
    refused(
        "solve reaction --set points.interior=grid:0x0",
        "error: `grid:0x0` does not describe points; write a grid as grid:101 or grid:101x101, scattered points as hammersley:8192\n",
    );
}

#[test]
fn contradictions() {
    let folder = here();
    let refused = |words: &str, complaint: &str| assert_refused(folder.path(), words, complaint);
    refused(
        "solve reaction --objective point --set region.r=1e-3",
        "error: `objective.region.r` has no effect with the `point` objective; \
         drop it or choose the `region` objective\n",
    );
    for (words, complaint) in [
        (
            "solve reaction --seed 1 --seeds 0..3",
            "error: the argument '--seed <SEED>' cannot be used with '--seeds <SEEDS>'\n",
        ),
        ("solve reaction --quiet --json", "error: the argument '--quiet' cannot be used with '--json'\n"),
        ("solve reaction --objective regoin", "error: invalid value 'regoin' for '--objective <OBJECTIVE>'\n"),
    ] {
        let finished = ropinn(folder.path(), words);
        assert_eq!((finished.code, finished.stderr.starts_with(complaint)), (Some(2), true), "{finished:?}");
    }
    let finished = common::command(folder.path(), "solve reaction --iterations 5 --optimizer")
        .arg("adam 10 then lbfgs 10")
        .output()
        .expect("the binary starts");
    assert_eq!(
        String::from_utf8_lossy(&finished.stderr),
        "error: --iterations 5 does not say which of the phases `adam 10 then lbfgs 10` it is for; \
         write the numbers in --optimizer, or change one with --set phases.1.iterations=5\n"
    );
    assert_eq!(finished.status.code(), Some(2));
}

#[test]
fn folders_and_weights() {
    let folder = here();
    let refused = |words: &str, complaint: &str| assert_refused(folder.path(), words, complaint);
    succeed(folder.path(), &format!("solve reaction {TINY} --out run --quiet"));
    fs::create_dir(folder.path().join("mine")).expect("writable");
    fs::write(folder.path().join("mine/thesis.txt"), "years of work").expect("writable");
    refused(
        &format!("solve reaction {TINY} --out run"),
        "error: `run` exists already; choose another folder with --out, replace the run with --overwrite, \
         or go on with it with --resume\n",
    );
    let not_ours = "exists and is not the folder of a run, so it is not overwritten; choose another folder with --out";
    refused(&format!("solve reaction {TINY} --out mine --overwrite"), &format!("error: `mine` {not_ours}\n"));
    refused(&format!("solve reaction {TINY} --out mine/thesis.txt"), &format!("error: `mine/thesis.txt` {not_ours}\n"));
    refused(
        &format!("solve reaction {TINY} --out mine/thesis.txt/run"),
        "error: cannot write to `mine/thesis.txt/run`: Not a directory (os error 20); choose another place with --out\n",
    );
    if cfg!(target_os = "linux") {
        refused(
            &format!("solve reaction {TINY} --out /proc/run"),
            "error: cannot write to `/proc/run`: No such file or directory (os error 2); choose another place with --out\n",
        );
    }
    refused(
        &format!("solve reaction {} --init-from run/model.safetensors", TINY.replace("--width 6", "--width 5")),
        "error: tensor `linear.0.weight` has shape [6, 2] in the weights, but [5, 2] in the network\n",
    );
    refused(
        "evaluate reaction --model kan --init-from run/model.safetensors",
        "error: `run/model.safetensors` holds the weights of a model `fls`, not of a `kan`; drop --model, or write --model fls\n",
    );
    refused(
        "evaluate reaction --model pinn --init-from gone.safetensors",
        "error: cannot read weights from `gone.safetensors`: No such file or directory (os error 2)\n",
    );
    refused(
        "solve run --preset paper",
        "error: --preset has no effect on `run/config.toml`, which is a complete configuration; \
         drop it or name the problem instead\n",
    );
    // A bad request does not cost the run that would have been replaced.
    refused(
        "solve reaction --out run --overwrite --set region.rr=1",
        "error: unknown setting `region.rr`; did you mean `region.r`?\n",
    );
}

#[test]
fn predictions_and_reports() {
    let folder = here();
    let refused = |words: &str, complaint: &str| assert_refused(folder.path(), words, complaint);
    succeed(folder.path(), &format!("solve reaction {TINY} --out run --quiet"));
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("writable");
    write("good.csv", "x,t\n1,0.5\n");
    write("no-t.csv", "x,y\n1,0.5\n");
    write("word.csv", "x,t\n1,0.5\n2,soon\n");
    write("short.csv", "x,t\n1\n");
    write("empty.csv", "x,t\n");
    refused(
        "predict run --points good.csv --want v_x",
        "error: cannot predict `v_x`: column 1: unknown symbol `v_x`; did you mean `u_x`?\n",
    );
    refused(
        "predict run --points no-t.csv",
        "error: `no-t.csv` has no column `t`; its first line must name the coordinates x, t, but it is: x,y\n",
    );
    refused(
        "predict run --points word.csv --out there.csv",
        "error: `word.csv` line 3: `soon` in column `t` is not a finite number\n",
    );
    refused(
        "predict run --points short.csv --out there.csv",
        "error: `short.csv` line 2: 1 values, but the first line names 2 columns\n",
    );
    refused(
        "predict run --points empty.csv --out there.csv",
        "error: `empty.csv` has no points; put one on each line after the names of the coordinates\n",
    );
    refused("predict run --points gone.csv", "error: cannot read `gone.csv`: No such file or directory (os error 2)\n");
    refused(
        "predict run --points good.csv --out word.csv",
        "error: `word.csv` exists already; choose another file with --out, or replace it with --overwrite\n",
    );
    refused(
        "predict nothing --points good.csv",
        "error: `nothing` is not the folder of a finished run: it has no config.toml\n",
    );
    refused(
        "report run --out run/config.toml",
        "error: `run/config.toml` does not end in .html; name the report's page, e.g. --out report.html\n",
    );
    fs::remove_file(folder.path().join("run/result.json")).expect("removable");
    refused("report run", "error: `run` is not the folder of a finished run: it has no result.json\n");
}
