//! `ropinn export` and `ropinn watch`: what they write and what they refuse. Other programs read the files in `.ci/clients`.

mod common;

use common::{TINY, assert_refused, here, ropinn, succeed};
use std::fs;
use std::path::Path;

fn run(folder: &Path, more: &str) {
    succeed(folder, &format!("solve wave {TINY} --quiet --out run {more}"));
}

#[test]
fn endings_and_options_say_the_format() {
    let folder = here();
    let here = folder.path();
    run(here, "");
    let export = |words: &str| succeed(here, &format!("export run --no-estimate {words}"));
    assert_eq!(export("--out u.csv --grid 5x3"), "u.csv\n");
    let table = fs::read_to_string(here.join("u.csv")).expect("a table");
    assert_eq!((table.lines().next(), table.lines().count()), (Some("x,t,u,residual_wave"), 1 + 5 * 3));
    // It is what `predict` says of the same points, to the last digit.
    let again = succeed(here, "predict run --points u.csv --want u");
    for line in again.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[2], cells[4], "{line}");
    }
    assert_eq!(export("--out u.npz --grid 5x3"), "u.npz\n");
    assert!(fs::read(here.join("u.npz")).expect("an archive").starts_with(b"PK"));
    assert_eq!(export("--out u.onnx"), "u.onnx\n");
    assert_eq!(export("--out u.vti --grid 5x3 --derivatives u_x,u*u_t"), "u.vti\n");
    let image = fs::read(here.join("u.vti")).expect("an image");
    let head = String::from_utf8_lossy(&image);
    assert!(head.contains("WholeExtent=\"0 4 0 2 0 0\"") && head.contains("Name=\"u*u_t\""), "{head}");
    // A name without an ending is given the one that suits.
    assert_eq!(export("--vtk --out series --grid 5x3"), "series.pvd and 3 files in its folder\n");
    let files = |name: &str| fs::read_dir(here.join(name)).expect("a folder").count();
    assert_eq!(files("series"), 3);
    // A shorter series takes the place of a longer one.
    assert_eq!(export("--out series.pvd --grid 5x2 --overwrite"), "series.pvd and 2 files in its folder\n");
    assert_eq!(files("series"), 2);
    assert!(export("--tensorboard --out logs").starts_with("logs/events.out.tfevents."));
    assert_eq!(files("logs"), 1);
}

#[test]
fn refusals_leave_nothing_behind() {
    let folder = here();
    let here = folder.path();
    run(here, "");
    fs::write(here.join("mine.csv"), "mine").expect("written");
    let refused = |words: &str, complaint: &str| {
        assert_refused(here, &format!("export {words}"), &format!("error: {complaint}\n"))
    };
    refused("none --out u.csv", "`none` is not the folder of a finished run: it has no config.toml");
    refused(
        "run --out u.txt",
        "`u.txt` does not end in .vti, .vtu, .pvd, .onnx, .npz or .csv; name the format with --vtk, --onnx, --npz, --csv or --tensorboard",
    );
    refused(
        "run --out mine.csv",
        "`mine.csv` exists already; choose another file with --out, or replace it with --overwrite",
    );
    refused("run --out u.vtk --vtk", "`u.vtk` cannot hold the XML of VTK; end it in .vti, .vtu or .pvd");
    refused(
        "run --out u.csv --grid 5",
        "the grid 5 has 1 numbers, and `wave` has the coordinates x, t; write one number for each",
    );
    refused(
        "run --out u.csv --grid 5y5",
        "`5y5` is no grid; write the number of nodes along each coordinate, at least 2 each, e.g. 101x101",
    );
    refused(
        "run --out u.npz --grid 99999x99999",
        "the grid 99999x99999 has more than 50000000 nodes; choose a coarser one with --grid",
    );
    refused("run --out u.onnx --grid 5x5", "a grid has no effect on ONNX files; drop it");
    refused("run --out u.csv --double", "double precision has no effect on CSV files; drop it");
    refused(
        "run --tensorboard --out logs --derivatives u_x",
        "a list of derivatives has no effect on TensorBoard files; drop it",
    );
    let unknown = ropinn(here, "export run --out u.csv --derivatives u_y");
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("unknown symbol `u_y`"), "{}", unknown.stderr);
    let nowhere = ropinn(here, "export run --out none/u.onnx");
    assert_eq!(nowhere.code, Some(1));
    assert!(nowhere.stderr.starts_with("error: cannot write `none/u.onnx`: "), "{}", nowhere.stderr);
    assert!(nowhere.stderr.ends_with("; choose another place with --out\n"), "{}", nowhere.stderr);
    fs::remove_file(here.join("run/metrics.csv")).expect("removed");
    refused("run --tensorboard --out logs", "`run` has no metrics.csv, so there is no history to write");
    assert_refused(here, "watch none", "error: `none` is not the folder of a run: it has no config.toml\n");
}

#[test]
fn domains_and_endings_suit_each_other() {
    let folder = here();
    let here = folder.path();
    let still = "coordinates = { x = [-1, 1], y = [-1, 1] }\nunknowns = ['u']\nequations = { poisson = 'u_xx + u_yy + 1' }\n\
         geometry = { shape = { disk = { center = [0, 0], radius = 1 } } }\n\
         conditions = [{ kind = 'dirichlet', at = 'boundary', value = 'x' }]";
    let many = "coordinates = { a = [0, 1], b = [0, 1], c = [0, 1], w = [0, 1] }\nunknowns = ['u']\nequations = { sum = 'u_a + u_b + u_c + u_w' }\n\
         conditions = [{ kind = 'dirichlet', at = 'a = 0', value = 'b' }]";
    for (name, text) in [("still", still), ("many", many)] {
        fs::write(here.join(format!("{name}.toml")), text).expect("written");
        let size = "--width 4 --depth 1 --iterations 2 --set points.interior=halton:30 --threads 1 --quiet";
        succeed(here, &format!("solve {name}.toml {size} --out {name}"));
    }
    let refused = |words: &str, complaint: &str| {
        assert_refused(here, &format!("export {words}"), &format!("error: {complaint}\n"))
    };
    refused("still --out u.vti", "`u.vti` cannot hold a domain that is no box; end it in .vtu");
    refused("still --out u.pvd", "`u.pvd` cannot hold a solution without time; end it in .vtu");
    refused(
        "still --out u.vtu --grid 2x2",
        "no cell of the grid 2x2 lies in the domain; choose a finer one with --grid",
    );
    refused(
        "many --out u.vtu",
        "a VTK file has three coordinates beside time at most, and `many` has 4; export it as NPZ or CSV",
    );
    assert_eq!(succeed(here, "export still --vtk --out u --grid 11x11 --no-estimate"), "u.vtu\n");
    assert_eq!(succeed(here, "export many --out u.npz --grid 3x3x3x3 --no-estimate"), "u.npz\n");
}

#[test]
fn events_do_not_change_a_run_and_plots_are_printed() {
    let folder = here();
    let here = folder.path();
    run(here, "--tensorboard logs");
    fs::write(here.join("file"), "").expect("written");
    let refused = ropinn(here, &format!("solve wave {TINY} --out none --tensorboard file"));
    assert_eq!((refused.code, here.join("none").exists()), (Some(2), false));
    assert!(refused.stderr.starts_with("error: cannot write events to `file`: "), "{}", refused.stderr);
    assert!(refused.stderr.ends_with("; choose another folder with --tensorboard\n"), "{}", refused.stderr);
    succeed(here, &format!("solve wave {TINY} --quiet --out plain"));
    let weights = |run: &str| fs::read(here.join(run).join("model.safetensors")).expect("weights");
    assert!(weights("run") == weights("plain"));
    let plot = succeed(here, "watch run");
    assert!(plot.starts_with("run, step 3, ") && plot.contains("[loss]") && plot.contains("━ total"), "{plot}");
    assert!(plot.chars().any(|sign| ('\u{2801}'..='\u{28ff}').contains(&sign)) && !plot.contains('\u{1b}'), "{plot}");
}
