//! A run keeps what it needs: its folder can be moved, the files it was started with can go.

mod common;

use common::{Finished, assert_refused, command, here, json, ropinn, succeed};
use std::fs;
use std::path::{Path, PathBuf};

/// Reads a table, measurements and a reference, two of them under the same file name.
const PROBLEM: &str = r#"
name = "rod"
coordinates = { x = [0, 1] }
unknowns = ["u"]
[tables.k]
file = "soil/values.csv"
axes = ["x"]
[equations]
flow = "k*u_x - 1"
[[conditions]]
kind = "data"
file = "measured/values.csv"
[points]
interior = { layout = "grid", counts = [9] }
[reference]
file = "./exact.csv"
"#;

const OPTIONS: &str = "--width 4 --depth 1 --threads 1";

fn write(path: PathBuf, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
    fs::write(path, text).expect("writable");
}

/// A problem in `<here>/lab` that reads three files.
fn laboratory(here: &Path) {
    let lab = here.join("lab");
    write(lab.join("rod.toml"), PROBLEM);
    write(lab.join("soil/values.csv"), "x,k\n0,1\n1,2\n");
    write(lab.join("measured/values.csv"), "x,u\n0,0\n0.5,0.4\n");
    write(lab.join("exact.csv"), "x,u\n0,0\n0.5,0.405\n1,0.693\n");
}

/// Solves from within the laboratory, moves the run away and removes everything else.
fn moved_run(here: &Path) -> PathBuf {
    laboratory(here);
    succeed(&here.join("lab"), &format!("solve rod.toml {OPTIONS} --iterations 3 --out run --quiet"));
    let away = here.join("far/away");
    fs::create_dir_all(&away).expect("writable");
    fs::rename(here.join("lab/run"), away.join("moved")).expect("a move");
    fs::remove_dir_all(here.join("lab")).expect("removable");
    away
}

#[test]
fn a_moved_run_predicts_resumes_reports_evaluates_and_runs_again() {
    let folder = here();
    laboratory(folder.path());
    let lab = folder.path().join("lab");
    succeed(&lab, &format!("solve rod.toml {OPTIONS} --iterations 5 --out ../whole --quiet"));
    let away = moved_run(folder.path());
    fs::write(away.join("p.csv"), "x\n0.25\n").expect("writable");
    assert_eq!(succeed(&away, "predict moved --points p.csv --want u,k").lines().next(), Some("x,u,k"));
    succeed(&away, "report moved");
    let weights = "evaluate moved --model fls --init-from moved/model.safetensors --precision f64 --json";
    let report: serde_json::Value = serde_json::from_str(&succeed(&away, weights)).expect("JSON");
    let result = json(&away.join("moved/result.json"));
    for key in ["unweighted_loss", "rmse", "rmae"] {
        assert_eq!(report[key], result[key], "{key}");
    }
    assert!(result["rmse"].is_f64(), "the reference was read");
    succeed(&away, "resume moved --iterations 5 --quiet");
    let bytes = |path: PathBuf| fs::read(path).expect("weights");
    assert!(bytes(away.join("moved/model.safetensors")) == bytes(folder.path().join("whole/model.safetensors")));
    // A run of a run keeps the files too.
    succeed(&away, "solve moved --out again --quiet");
    fs::remove_dir_all(away.join("moved")).expect("removable");
    succeed(folder.path(), "resume far/away/again --iterations 6 --quiet");
}

#[test]
fn absolute_paths_and_several_seeds() {
    let folder = here();
    laboratory(folder.path());
    let path = folder.path().join("lab/rod.toml");
    let words = format!("solve {} {OPTIONS} --iterations 2 --seeds 0..1 --out runs --quiet", path.display());
    succeed(folder.path(), &words);
    fs::rename(folder.path().join("lab"), folder.path().join("gone")).expect("a move");
    fs::rename(folder.path().join("runs"), folder.path().join("gone/runs")).expect("a move");
    succeed(&folder.path().join("gone"), "resume runs/seed-1 --iterations 3 --quiet");
    succeed(folder.path(), "report gone/runs");
}

#[test]
fn predictions_need_neither_reference_nor_data() {
    let folder = here();
    let away = moved_run(folder.path());
    fs::write(away.join("p.csv"), "x\n0.25\n").expect("writable");
    fs::remove_file(away.join("moved/inputs/exact.csv")).expect("a copy");
    fs::remove_dir_all(away.join("moved/inputs/measured")).expect("a copy");
    succeed(&away, "predict moved --points p.csv");
}

#[test]
fn damaged_copies_are_named() {
    let folder = here();
    let away = moved_run(folder.path());
    let copy = away.join("moved/inputs/exact.csv");
    let refuse = |complaint: &str| {
        for words in [
            "resume moved",
            "solve moved --out other",
            "evaluate moved --model fls --init-from moved/model.safetensors",
        ] {
            assert_refused(&away, words, &format!("error: {complaint}\n"));
        }
    };
    fs::write(&copy, "x,u\n0,0\n0.5,0.406\n1,0.693\n").expect("writable");
    refuse(
        "`moved/inputs/exact.csv` is damaged: its checksum is not the one the run recorded; put the original file back",
    );
    fs::remove_file(&copy).expect("removable");
    refuse("cannot read `moved/inputs/exact.csv`: No such file or directory (os error 2)");
}

#[test]
fn a_resumed_run_has_the_data_it_started_with() {
    let folder = here();
    laboratory(folder.path());
    let lab = folder.path().join("lab");
    let words = format!("solve rod.toml {OPTIONS} --iterations 3 --out run --quiet");
    succeed(&lab, &words);
    write(lab.join("measured/values.csv"), "x,u\n0,0\n0.5,0.5\n");
    let refused: Finished = ropinn(&lab, &format!("{words} --resume"));
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("`problem.inputs.measured/values.csv` is "), "{}", refused.stderr);
    // Its own copies are still the old ones.
    succeed(&lab, "resume run --iterations 4 --quiet");
    // Replaced, it has the new ones.
    succeed(&lab, &format!("{words} --overwrite"));
    let copy = fs::read_to_string(lab.join("run/inputs/measured/values.csv")).expect("a copy");
    assert!(copy.ends_with("0.5,0.5\n"), "{copy}");
}

#[cfg(unix)]
#[test]
fn hostile_names_do_not_lead_out_of_the_folder() {
    let folder = here();
    let away = moved_run(folder.path());
    let here = away.as_path();
    write(here.join("secret.csv"), "x,u\n0,0\n0.5,0.405\n1,0.693\n");
    let config = here.join("moved/config.toml");
    let honest = fs::read_to_string(&config).expect("a configuration");
    let absolute = here.join("secret.csv").display().to_string();
    for name in ["../secret.csv", "../../secret.csv", absolute.as_str()] {
        let text_only = honest.replace("./exact.csv", name);
        let hostile = text_only.replace("\"exact.csv\"", &format!("\"{name}\""));
        for (text, complaint) in
            [(&text_only, "is not in the folder of the problem file"), (&hostile, "leads out of the run's folder")]
        {
            assert_ne!(*text, honest);
            fs::write(&config, text).expect("writable");
            let refused = ropinn(here, "resume moved");
            assert_eq!((refused.code, refused.stderr.contains(complaint)), (Some(2), true), "{name}: {refused:?}");
        }
        // Clearing the folder must not follow such a name either.
        let replaced =
            command(here, &format!("solve reaction {OPTIONS} --iterations 1 --out moved --overwrite --quiet"))
                .args(["--set", "points.interior=grid:5x5"])
                .output()
                .expect("the binary starts");
        assert!(replaced.status.success(), "{replaced:?}");
        assert!(here.join("secret.csv").is_file(), "{name} was removed");
        fs::remove_dir_all(here.join("moved")).expect("removable");
        fs::create_dir_all(here.join("moved/inputs")).expect("writable");
    }
    // A link in place of the copy, with the right content even.
    fs::write(&config, &honest).expect("writable");
    std::os::unix::fs::symlink(here.join("secret.csv"), here.join("moved/inputs/exact.csv")).expect("a link");
    let refused = ropinn(here, "resume moved");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("leads out of the run's folder"), "{refused:?}");
}
