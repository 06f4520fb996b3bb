//! References that are kept: used for their own problem and points alone, never when damaged; files of others beside them; exports.

use ropinn::problem::Problem;
use ropinn_runs::export;
use ropinn_runs::reference_file::Comparison;
use ropinn_runs::references::References;
use ropinn_runs::watch::Remark;
use std::fs;

const SQUARE: &str = r#"
name = "square"
coordinates = { x = [0, 1], y = [0, 1] }
unknowns = ["u"]
equations = { poisson = "u_xx + u_yy + 2*pi^2*sin(pi*x)*sin(pi*y)" }
conditions = [{ kind = "dirichlet", at = "boundary", value = 0 }]
evaluation = { layout = "grid", counts = [5, 4] }
reference = { elements = { size = 0.1 }, seconds = 7 }
"#;

fn square() -> Problem {
    Problem::from_toml(SQUARE, "square.toml".as_ref()).unwrap()
}

#[test]
fn a_kept_reference_serves_its_problem_and_points_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let references = References::in_folder(folder.path());
    let (problem, points) = (square(), square().evaluation_places().unwrap());
    let pending = references.pending(&problem).unwrap().unwrap();
    assert!(matches!(&pending, Remark::Reference { method: "finite elements", seconds: 7.0, .. }), "{pending}");
    let (values, kept) = references.values(&problem, &points).unwrap().unwrap();
    assert!(!kept && values.error.is_some_and(|error| error > 0.0 && error < 1e-2));
    // Another day.
    let later = square();
    assert_eq!(references.pending(&later).unwrap(), None);
    assert_eq!(references.values(&later, &points).unwrap().unwrap(), (values.clone(), true));
    assert_eq!(references.error_of(&square()), values.error);
    // Another problem, other points.
    let other = Problem::from_toml(&SQUARE.replace("size = 0.1", "size = 0.2"), "square.toml".as_ref()).unwrap();
    assert!(references.pending(&other).unwrap().is_some());
    assert!(!references.values(&square(), &points[..2]).unwrap().unwrap().1);
    // Damage of any byte.
    let path = references.path(&problem, &points).unwrap();
    let whole = fs::read(&path).unwrap();
    for at in [0, 30, whole.len() / 2, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        fs::write(&path, bytes).unwrap();
        let damage = references.damage(&square(), &points).unwrap().to_string();
        assert!(damage.ends_with("is not used: it is damaged: its checksum does not fit"), "{damage}");
        assert!(references.pending(&square()).unwrap().is_some());
    }
    fs::write(&path, &whole[..20]).unwrap();
    assert!(references.damage(&square(), &points).is_some());
    assert_eq!(references.values(&square(), &points).unwrap().unwrap(), (values, false));
    assert_eq!(fs::read(&path).unwrap(), whole, "computed again to the same bits");
}

#[test]
fn what_is_not_accurate_is_neither_kept_nor_used() {
    let folder = tempfile::tempdir().unwrap();
    let references = References::in_folder(folder.path());
    let text = SQUARE.replace("sin(pi*x)*sin(pi*y)", "sin(31*pi*x)*sin(29*pi*y)").replace("size = 0.1", "size = 0.2");
    let problem = Problem::from_toml(&text, "square.toml".as_ref()).unwrap();
    let message = references.prepare(&problem).unwrap_err().to_string();
    assert!(message.contains("the reference is not accurate: it differs by"), "{message}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// The complaint about a file beside the square.
fn complaint(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("theirs.dat");
    fs::write(&path, text).unwrap();
    let compared = Comparison::new(&square(), &References::in_folder(folder.path()), &path, &mut |_| ());
    compared.unwrap_err().to_string().replace(&*path.display().to_string(), "theirs.dat")
}

#[test]
fn files_of_others_are_compared_or_refused_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("theirs.dat");
    fs::write(&path, "% x y u\n0.5 0.5 1.01\n0.25 0.5 NaN\n0.5 0.25 0.70711\n").unwrap();
    let mut told = Vec::new();
    let references = References::in_folder(folder.path());
    let found = Comparison::new(&square(), &references, &path, &mut |remark| told.push(remark.to_string())).unwrap();
    assert_eq!((found.places, found.instants, found.left_out, told.len()), (3, 1, 1, 1));
    assert!((found.rmse - 0.01 / 1.5f64.sqrt()).abs() < 1e-3, "{}", found.rmse);
    let needed = "a row has 2 coordinates in space (x, y) and a value of u at each instant";
    assert_eq!(
        complaint("% x y u\n0.5 0.5 1\n0.5 0.5\n"),
        "`theirs.dat` line 3: 2 columns where the rows before have 3"
    );
    assert_eq!(complaint("0.5 0.5\n"), format!("`theirs.dat` line 1: 2 columns, but {needed}"));
    assert_eq!(complaint("0.5 0.5 1 2\n"), format!("`theirs.dat` line 1: 4 columns, but {needed}"));
    assert_eq!(complaint("\n0.5 half 1\n"), format!("`theirs.dat` line 2: `half` is not a number; {needed}"));
    assert_eq!(
        complaint("0.5 0.5 1\n1.5 0.5 1\n"),
        "`theirs.dat` line 2: (1.5, 0.5) is outside the domain, which lies in [0, 1] x [0, 1]"
    );
    assert_eq!(complaint("% nothing\n"), "`theirs.dat` line 1: no row of numbers");
    assert_eq!(complaint("0.5 0.5 NaN\n"), "`theirs.dat` line 1: no row has all its values: they are NaN");
}

#[test]
fn columns_are_unknowns_within_instants() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("theirs.dat");
    let burgers = Problem::builtin("burgers-1d").unwrap();
    // Instants that the remark names, and evenly many without it.
    let value = |x: f64, t: f64| burgers.reference_at(&[x, t]).unwrap()[0];
    for (remark, times) in [("% x u @ t=0.1 u @ t=0.5 u @ t=1", [0.1, 0.5, 1.0]), ("% x u", [0.0, 0.5, 1.0])] {
        let row = |x: f64| format!("{x} {} {} {}\n", value(x, times[0]), value(x, times[1]), value(x, times[2]));
        fs::write(&path, format!("{remark}\n{}{}", row(-0.5), row(0.3))).unwrap();
        let found = Comparison::new(&burgers, &References::in_folder(folder.path()), &path, &mut |_| ()).unwrap();
        assert!(found.rmse < 1e-12 && found.instants == 3, "{remark}: {}", found.rmse);
    }
}

#[test]
fn exports_hold_points_and_values() {
    let folder = tempfile::tempdir().unwrap();
    let problem = square();
    let set = problem.evaluation().unwrap();
    let (npz, vtk) = (folder.path().join("square.npz"), folder.path().join("square.vtk"));
    export::npz(&npz, &problem, &set).unwrap();
    export::vtk(&vtk, &problem, &set).unwrap();
    let bytes = fs::read(npz).unwrap();
    let has = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
    assert!(bytes.starts_with(b"PK\x03\x04") && has(b"points.npy") && has(b"u.npy") && has(b"'shape': (20, 2)"));
    let text = fs::read_to_string(vtk).unwrap();
    assert!(text.contains("DATASET RECTILINEAR_GRID\nDIMENSIONS 5 4 1\n"));
    assert!(text.contains("POINT_DATA 20\nSCALARS u double 1"));
    assert_eq!(text.lines().last().unwrap().split(' ').count(), 20);
    let mut high = set.clone();
    high.axes = 5;
    let refused = export::vtk(&folder.path().join("nd.vtk"), &Problem::builtin("poisson-nd").unwrap(), &high);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "a VTK file has three coordinates at most, and `poisson-nd` has 5; export it with --npz"
    );
}
