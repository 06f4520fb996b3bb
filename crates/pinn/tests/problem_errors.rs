//! Every mistake in a problem file gets the documented message, with the place where it was made.

use std::path::Path;

use proptest::prelude::*;
use ropinn::problem::{Condition, MAX_PROBLEM_BYTES, Problem, ProblemBuilder, Spread};

/// A sound problem into which the tests put their mistakes.
const SOUND: &str = r#"name = "heat"
coordinates = { x = [0, 1], t = [0, 2] }
time = "t"
unknowns = ["u"]
constants = { k = 0.5 }
equations = { heat = "u_t - k*u_xx" }
conditions = [
    { name = "start", kind = "initial", value = "sin(pi*x)" },
    { name = "ends", kind = "dirichlet", at = "boundary", value = 0 },
]
points = { interior = { layout = "grid", counts = [11, 21] } }
reference = { u = "sin(pi*x)*exp(-k*pi^2*t)" }
"#;

fn read(text: &str) -> Result<Problem, String> {
    Problem::from_toml(text, Path::new("heat.toml")).map_err(|error| error.to_string())
}

/// The message after replacing part of the sound problem.
#[track_caller]
fn refusal(from: &str, to: &str) -> String {
    assert!(SOUND.contains(from), "the sound problem has no {from}");
    match read(&SOUND.replacen(from, to, 1)) {
        Err(message) => message,
        Ok(problem) => match problem.terms(0).and(problem.evaluation()) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("accepted: {to}"),
        },
    }
}

#[test]
fn the_sound_problem_is_accepted() {
    assert_eq!(read(SOUND).unwrap().terms(0).unwrap().len(), 3);
}

#[test]
fn syntax_errors_show_the_line() {
    let message = refusal("time = \"t\"", "time = = \"t\"");
    assert!(message.starts_with("heat.toml:3:8: "), "{message}");
    assert!(message.ends_with("\n  time = = \"t\"\n         ^"), "{message}");
}

#[test]
fn keys_are_checked() {
    assert_eq!(
        refusal("unknowns = [\"u\"]", "unknown = [\"u\"]"),
        "heat.toml:4:1: unknown key `unknown` in the problem (did you mean `unknowns`?); its keys are: name, title, \
         coordinates, time, unknowns, constants, tables, trainable, fields, definitions, equations, geometry, conditions, points, \
         evaluation, reference, variants, chosen"
    );
    assert_eq!(
        refusal("at = \"boundary\"", "at = \"boundary\", wieght = 2"),
        "heat.toml:9:59: unknown key `wieght` in condition 2 (did you mean `weight`?); its keys are: kind, name, weight, \
         points, exact, at, unknown, value"
    );
    assert_eq!(
        refusal("unknowns = [\"u\"]\n", ""),
        "heat.toml:1:1: the problem needs `unknowns`, for example: unknowns = [\"u\"]"
    );
    assert_eq!(
        refusal("kind = \"dirichlet\", ", ""),
        "heat.toml:9:5: condition 2 needs `kind`, for example: kind = \"dirichlet\""
    );
    assert_eq!(
        refusal("at = \"boundary\", ", ""),
        "heat.toml:9:5: condition `ends` needs `at`, for example: at = \"boundary\""
    );
    assert_eq!(
        refusal("counts = [11, 21]", "counts = [11, 21], count = 3"),
        "heat.toml:11:42: `interior` has both `count` and `counts`; keep one of them"
    );
}

#[test]
fn values_are_checked() {
    assert_eq!(refusal("name = \"heat\"", "name = 3"), "heat.toml:1:8: `name` must be a text, found 3");
    assert_eq!(refusal("[11, 21]", "[11, 0]"), "heat.toml:11:56: `counts` must be a whole number above zero, found 0");
    assert_eq!(
        refusal("\"dirichlet\"", "\"dirichlett\""),
        "heat.toml:9:29: `dirichlett` is not a kind of condition (did you mean `dirichlet`?); choose one of: initial, \
         dirichlet, neumann, robin, periodic, operator, data"
    );
    assert_eq!(
        refusal("\"grid\"", "\"lattice\""),
        "heat.toml:11:34: `lattice` is not a layout; choose one of: grid, interior-grid, uniform, latin-hypercube, sobol, \
         scrambled-sobol, halton, hammersley"
    );
    assert_eq!(
        refusal("value = 0", "value = 0, weight = -1"),
        "heat.toml:9:5: the weight of condition `ends` is -1; it must be zero or more, and finite"
    );
    assert_eq!(
        refusal("value = 0", "value = 0, weight = nan"),
        "heat.toml:9:79: `weight` must be a finite number, found nan"
    );
}

#[test]
fn formulas_point_into_the_file() {
    assert_eq!(
        refusal("u_t - k*u_xx", "u_t - k*u_yy"),
        "heat.toml:6:31: equation `heat`: unknown symbol `u_yy`: `yy` is not a coordinate (coordinates: x, t)\n  equations = { heat = \"u_t - k*u_yy\" }\n                                ^"
    );
    assert_eq!(
        refusal("\"sin(pi*x)\" }", "\"\"\"\n  sin(pi*x)\n  + sn(x)\"\"\" }"),
        "heat.toml:10:5: value of condition `start`: unknown function `sn` (did you mean `sin`?); the functions are: sin, cos, tan, exp, log, sqrt, tanh, sinh, cosh, atan, erf, abs, sign, min, max, where, d, at\n    + sn(x)\"\"\" },\n      ^"
    );
    // An escape moves the letters, so the message points at the value and shows the text.
    assert_eq!(
        refusal("\"u_t - k*u_xx\"", r#""u_t \u002d kk*u_xx""#),
        "heat.toml:6:22: equation `heat`: unknown symbol `kk`; did you mean `k`?\n  u_t - kk*u_xx\n        ^"
    );
    let built = ProblemBuilder::new("built").coordinate("x", 0.0, 1.0).unknown("u").equation("e", "u_x + y");
    assert_eq!(
        built.build().unwrap_err().to_string(),
        "problem `built`: equation `e`: unknown symbol `y`\n  u_x + y\n        ^"
    );
}

#[test]
fn numbers_must_be_numbers() {
    assert_eq!(
        refusal("k = 0.5", "k = \"x\""),
        "heat.toml:5:19: constant `k` must be a finite number made of numbers and constants, but it is `x`"
    );
    assert_eq!(
        refusal("k = 0.5", "k = nan"),
        "heat.toml:5:19: constant `k` must be a finite number made of numbers and constants, but it is NaN"
    );
    assert_eq!(
        refusal("k = 0.5", "k = \"1/0\""),
        "heat.toml:5:19: constant `k` must be a finite number made of numbers and constants, but it is inf"
    );
    assert_eq!(
        refusal("value = 0", "value = inf"),
        "heat.toml:9:67: value of condition `ends` must be a finite number made of numbers and constants, but it is inf"
    );
}

#[test]
fn coordinates_are_checked() {
    assert_eq!(
        refusal("x = [0, 1]", "x = [1, \"2*k\"]"),
        "heat.toml:2:17: coordinate `x` runs from 1 to 1; the first number must be the smaller one"
    );
    assert_eq!(refusal("x = [0, 1]", "x = [0]"), "heat.toml:2:17: the range of `x` has 1 numbers where 2 are needed");
    assert_eq!(
        refusal("time = \"t\"", "time = \"x\""),
        "heat.toml:3:1: time `x` must be the last coordinate; the coordinates are: x, t"
    );
    assert_eq!(
        refusal("k = 0.5", "u = 0.5"),
        "heat.toml:5:15: `u` is already declared as an unknown; choose another name"
    );
    assert_eq!(
        refusal("x = [0, 1]", "sin = [0, 1]"),
        "heat.toml:2:17: `sin` is reserved: it is a function; choose another name"
    );
    assert_eq!(refusal("[11, 21]", "[11, 21, 3]"), "heat.toml:1:1: the interior grid has 3 numbers where 2 are needed");
    assert_eq!(
        refusal("time = \"t\"\n", ""),
        "heat.toml:7:5: condition `start` is initial, but no coordinate is time; add, if that is what it is: time = \"t\""
    );
}

#[test]
fn places_must_exist() {
    let nowhere = |place: &str| {
        format!(
            "heat.toml:9:47: condition `ends` holds nowhere: the domain has no place `{place}`; its places are: t = 0, t = 2, \
             x = 0, x = 1, boundary, outer, shape 1"
        )
    };
    for place in ["x = 0.5", "y = 0", "hole 1", "t = 1", "edge 1", "somewhere", "shape 2", "edge 0"] {
        assert_eq!(refusal("\"boundary\"", &format!("{place:?}")), nowhere(place));
    }
    assert_eq!(
        refusal("kind = \"dirichlet\", at = \"boundary\"", "kind = \"neumann\", at = \"t = 0\""),
        "heat.toml:9:5: condition `ends` needs the normal at `t = 0`, which has none; for a rate of change use \
         kind = \"initial\" with `derivative`"
    );
}

#[test]
fn residuals_and_values_must_make_sense() {
    assert_eq!(
        refusal("u_t - k*u_xx", "x + t"),
        "heat.toml:6:15: equation `heat` contains no unknown, so training cannot change it; use at least one of: u"
    );
    assert_eq!(
        refusal("value = 0", "value = \"u_x\""),
        "heat.toml:9:67: value of condition `ends` contains an unknown; write a condition of kind `operator` with the whole \
         residual instead"
    );
    assert_eq!(
        refusal("u_t - k*u_xx", "u_t - at(u, 1)"),
        "heat.toml:6:15: equation `heat` uses `at(…, 1)`; only periodic conditions have pairs of points, with the sites 0 \
         and 1"
    );
    assert_eq!(
        refusal("equations = { heat = \"u_t - k*u_xx\" }\n", ""),
        "heat.toml:1:1: the problem has no equation; add one, for example: heat = \"u_t - u_xx\" under [equations]"
    );
    assert_eq!(
        refusal("name = \"ends\"", "name = \"start\""),
        "heat.toml:9:5: two conditions are named `start`; give each its own name"
    );
    assert_eq!(
        refusal("unknowns = [\"u\"]", "unknowns = [\"u\", \"v\"]"),
        "heat.toml:8:5: condition `start` does not say for which unknown it holds; add `unknown`, one of: u, v"
    );
    assert_eq!(
        refusal("value = 0", "value = 0, unknown = \"w\""),
        "heat.toml:9:5: no unknown is named `w` (unknowns: u)"
    );
    assert_eq!(
        refusal(
            "kind = \"dirichlet\", at = \"boundary\", value = 0",
            "kind = \"periodic\", along = \"x\", orders = [5]"
        ),
        "heat.toml:9:5: condition `ends` matches derivatives of order 5; the highest order is 4"
    );
}

#[test]
fn geometry_is_checked() {
    let with = |geometry: &str| refusal("points = {", &format!("geometry = {geometry}\npoints = {{"));
    assert_eq!(
        with("{ minus = [{ disk = { center = [0, 0], radius = 0.1 } }] }"),
        "heat.toml:11:1: the geometry is not possible: the second shape has 2 coordinates where 1 are needed; give it one \
         number per axis"
    );
    assert_eq!(
        with("{ shape = { ball = { center = [0.5], radius = 2 } } }"),
        "heat.toml:11:1: the geometry spans x from -1.5 to 2.5, beyond the range (0.0, 1.0); widen the range"
    );
    assert_eq!(
        with("{ shape = { disk = { center = [0.5, 0.5], radius = 0.1 } } }"),
        "heat.toml:11:1: the geometry has 2 coordinates where 1 are needed"
    );
    assert_eq!(with("{ shape = \"circle\" }"), "heat.toml:11:22: `circle` is not a shape; choose one of: box");
    assert_eq!(
        with("{ minus = [{ disc = { center = [0.5], radius = 0.1 } }] }"),
        "heat.toml:11:25: unknown key `disc` in a shape (did you mean `disk`?); its keys are: box, disk, ball, polygon"
    );
    assert_eq!(
        with("{ minus = [{}] }"),
        "heat.toml:11:23: `minus` must be one shape in each pair of braces (box, disk, ball, polygon), found 0 of them"
    );
    assert_eq!(
        with("{ shape = { polygon = [[0, 0], [1]] } }"),
        "heat.toml:11:43: a corner of the polygon has 1 numbers where 2 are needed"
    );
    assert_eq!(
        with("{ minus = [{ box = { low = [-1], high = [2] } }] }"),
        "condition `start`: none of the 11 grid points lies inside the domain; check its shapes, or use more points"
    );
}

#[test]
fn points_are_limited() {
    assert_eq!(
        refusal("[11, 21]", "[100000, 100000]"),
        "interior has 10000000000 points, the limit is 50000000; ask for fewer"
    );
    assert_eq!(
        refusal("[11, 21]", "[4294967296, 4294967296]"),
        "interior has 18446744073709551615 points, the limit is 50000000; ask for fewer"
    );
    assert_eq!(
        refusal("value = 0", "value = 0, points = { layout = \"halton\", count = 60000000 }"),
        "condition `ends` has 60000000 points, the limit is 50000000; ask for fewer"
    );
    let lone_point = SOUND.replace("\"boundary\"", "\"x = 0\"");
    let lone_point =
        lone_point.replace("counts = [11, 21] }", "counts = [11, 21] }, boundary = { layout = \"halton\", count = 1 }");
    assert_eq!(
        read(&lone_point).unwrap().terms(0).unwrap_err().to_string(),
        "condition `ends`: none of the 1 boundary points lies where it holds; give it `points` of its own"
    );
    for text in ["grid", "grid:", "grid:3x", "sobol:3x3", "spiral:10", "sobol:0", "sobol:-1"] {
        assert_eq!(
            text.parse::<Spread>().unwrap_err().to_string(),
            format!(
                "`{text}` does not describe points; write a grid as grid:101 or grid:101x101, scattered points as hammersley:8192"
            )
        );
    }
    assert_eq!(
        "sobol:50000001".parse::<Spread>().unwrap_err().to_string(),
        "sobol:50000001 has 50000001 points, the limit is 50000000; ask for fewer"
    );
}

#[test]
fn references_are_checked() {
    assert_eq!(
        refusal("u = \"sin(pi*x)*exp", "w = \"sin(pi*x)*exp"),
        "heat.toml:12:15: no unknown is named `w` (unknowns: u)"
    );
    assert_eq!(
        refusal("reference = { u = \"sin(pi*x)*exp(-k*pi^2*t)\" }", "reference = {}"),
        "heat.toml:12:1: the reference says nothing about unknown `u`; give it for some of the unknowns: u"
    );
    assert_eq!(
        refusal("sin(pi*x)*exp(-k*pi^2*t)", "log(x)"),
        "the reference of `u` is -inf at x = 0, t = 0; it must be finite wherever errors are measured"
    );
    assert_eq!(
        refusal("sin(pi*x)*exp(-k*pi^2*t)", "u_x"),
        "heat.toml:12:19: reference of `u` contains an unknown or a trainable scalar; write it in coordinates and constants \
         only"
    );
    assert_eq!(
        refusal("u = \"sin(pi*x)*exp(-k*pi^2*t)\"", "cole-hopf = { viscosity = -1 }"),
        "heat.toml:12:41: viscosity above zero must be a finite number made of numbers and constants, but it is -1"
    );
}

#[test]
fn files_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("observed.csv");
    let shown = data.display().to_string();
    let text =
        SOUND.replace("kind = \"dirichlet\", at = \"boundary\", value = 0", "kind = \"data\", file = \"observed.csv\"");
    let message = || Problem::from_toml(&text, &folder.path().join("heat.toml")).unwrap_err().to_string();
    assert_eq!(message(), format!("cannot read `{shown}`: No such file or directory (os error 2)"));
    std::fs::create_dir(&data).unwrap();
    assert_eq!(message(), format!("cannot read `{shown}`: it is not a regular file"));
    std::fs::remove_dir(&data).unwrap();
    std::fs::write(&data, [b'x', b',', 0xff]).unwrap();
    assert_eq!(message(), format!("cannot read `{shown}`: it is not UTF-8 text"));
    std::fs::write(&data, "x,time,u\n1,2,3\n").unwrap();
    assert_eq!(message(), format!("`{shown}` line 1: there is no column `t`; its columns are: x, time, u"));
    std::fs::write(&data, "x,t\n1,2\n").unwrap();
    assert_eq!(message(), format!("`{shown}` line 1: there is no column `u`; its columns are: x, t"));
    std::fs::write(&data, "x,t,u\n1,2,\n").unwrap();
    let empty = "has no value of `u` in any row; leave the column out, or name another under `columns`";
    assert!(message().ends_with(&format!("`{shown}` {empty}")), "{}", message());
    std::fs::write(&data, "x,t,w\n1,2,3\n").unwrap();
    let strange = format!("`{shown}` has a column `w` that means nothing here (unknown symbol `w`); ");
    let hint = "say which column is what, for example: columns = { u = \"w\" }";
    assert!(message().ends_with(&format!("{strange}{hint}")), "{}", message());
    assert_eq!(
        Problem::load(folder.path().join("none.toml")).unwrap_err().to_string(),
        format!("cannot read `{}`: No such file or directory (os error 2)", folder.path().join("none.toml").display())
    );
}

#[test]
fn inline_rows_are_checked() {
    let with = |rows: &str| {
        refusal(
            "kind = \"dirichlet\", at = \"boundary\", value = 0",
            &format!("kind = \"data\", columns = [\"x\", \"t\", \"u\"], rows = {rows}"),
        )
    };
    assert_eq!(with("[[1, 2]]"), "heat.toml:9:72: the row has 2 numbers where 3 are needed");
    assert_eq!(with("[[1, 2, nan]]"), "heat.toml:9:79: `rows` must be a finite number, found nan");
    assert_eq!(with("[]"), "heat.toml:9:5: the last row of condition `ends` has 0 numbers where 3 are needed");
}

#[test]
fn tables_are_checked() {
    let with =
        |table: &str| refusal("constants = { k = 0.5 }", &format!("constants = {{ k = 0.5 }}\ntables.a = {table}"));
    assert_eq!(
        with("{ axes = { x = [0, 1] }, values = [1, 2, 3] }"),
        "heat.toml:6:8: table `a`: a table of shape [2] has 2 values, found 3"
    );
    assert_eq!(
        with("{ axes = { x = [0, 1] }, values = [1, 2], lookup = \"cubic\" }"),
        "heat.toml:6:63: `cubic` is not a look-up; choose one of: linear, nearest"
    );
}

#[test]
fn large_and_deep_files_are_refused_without_harm() {
    let large = " ".repeat(MAX_PROBLEM_BYTES as usize + 1);
    assert_eq!(read(&large).unwrap_err(), "`heat.toml` is larger than 4194304 bytes, the most that is read");
    for text in ["[".repeat(100_000), format!("a = {}", "[".repeat(100_000)), format!("a = {}", "{b=".repeat(50_000))] {
        assert!(read(&text).is_err());
    }
}

#[test]
fn builders_are_checked_like_files() {
    let start = || ProblemBuilder::new("p").coordinate("x", 0.0, 1.0).unknown("u").interior(Spread::grid([5]));
    let message = |builder: ProblemBuilder| builder.build().unwrap_err().to_string();
    assert_eq!(
        message(start()),
        "problem `p`: the problem has no equation; add one, for example: heat = \"u_t - u_xx\" under [equations]"
    );
    assert_eq!(
        message(start().equation("a", "u_x").equation("a", "u_xx")),
        "problem `p`: two equations are named `a`; give each its own name"
    );
    assert_eq!(
        message(start().equation("a", "u_x").condition(Condition::dirichlet("x = 2", 0.0))),
        "problem `p`: condition `dirichlet x = 2` holds nowhere: the domain has no place `x = 2`; its places are: x = 0, \
         x = 1, boundary, outer, shape 1"
    );
    assert_eq!(
        message(ProblemBuilder::new("p").coordinate("x", 0.0, f64::NAN).unknown("u")),
        "problem `p`: range of coordinate `x` must be a finite number made of numbers and constants, but it is NaN"
    );
}

proptest! {
    /// Whatever stands in a file, reading it ends with a problem or a message.
    #[test]
    fn damaged_files_are_read_or_refused_by_name(cut in 0..SOUND.len(), length in 0usize..30, junk in "[ -~\\n]{0,12}") {
        let end = (cut + length).min(SOUND.len());
        let damaged = format!("{}{junk}{}", &SOUND[..cut], &SOUND[end..]);
        match Problem::from_toml(&damaged, Path::new("heat.toml")) {
            Ok(problem) => {
                prop_assert!(!problem.unknown_names().is_empty() && problem.equations().next().is_some());
                // What is accepted can be drawn and measured, or says why not.
                let count = problem.evaluation().map(|set| set.len()).map_err(|error| error.to_string());
                prop_assert!(count.as_ref().map_or_else(|why| !why.is_empty(), |count| *count > 0), "{:?}", count);
            }
            Err(error) => prop_assert!(error.to_string().contains("heat.toml"), "{}", error),
        }
    }
}

#[test]
fn terms_that_are_never_numbers_are_refused() {
    for (text, what) in [
        ("u_t - k*u_xx + u*(0/0)", "equation `heat`"),
        ("u_t - k*u_xx + 0*(x + 1/0)", "equation `heat`"),
        ("u_t - k*u_xx/0", "equation `heat`"),
        ("u_t - k*u_xx + sqrt(-1)", "equation `heat`"),
        ("u_t - u_xx*log(0 - k)", "equation `heat`"),
        ("u_t - u_xx + 1/0 - 1/0", "equation `heat`"),
    ] {
        let message = refusal("u_t - k*u_xx", text);
        let complaint = format!("{what} is never a number; look for a division by zero, ");
        assert!(message.contains(&complaint), "{text}: {message}");
    }
    // These have values.
    for text in ["u_t - k*u_xx + 0*u/x", "u_t - k*u_xx + where(x < 2, u, 0/0)", "u_t - k*u_xx*1e200*1e-200"] {
        Problem::from_toml(&SOUND.replace("u_t - k*u_xx", text), Path::new("heat.toml")).expect(text);
    }
}

#[test]
fn problems_without_a_condition_are_doubted() {
    let doubts = |text: &str| Problem::from_toml(text, Path::new("p.toml")).unwrap().doubts();
    let bare =
        "name = 'p'\ncoordinates = { x = [0, 1] }\nunknowns = ['u', 'v']\nequations = { a = 'u_x - v', b = 'v - x' }";
    let [doubt] = &doubts(bare)[..] else { panic!("one doubt") };
    assert!(doubt.to_string().starts_with("the problem has no condition at all: many functions solve"), "{doubt}");
    assert!(doubt.to_string().ends_with("what is known of `u`, `v`"), "{doubt}");
    assert!(doubts(&bare.replace("u_x", "u")).is_empty(), "no derivative, nothing to add");
    assert!(doubts(&format!("{bare}\nconditions = [{{ kind = 'initial', unknown = 'u', value = 0 }}]")).is_empty());
}

#[cfg(unix)]
#[test]
fn links_to_data_outside_the_problems_folder_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (inside, outside) = (folder.path().join("problem"), folder.path().join("outside"));
    [&inside, &outside].iter().for_each(|path| std::fs::create_dir(path).unwrap());
    std::fs::write(outside.join("secret.csv"), "x,t,u\n1,1,0\n").unwrap();
    std::fs::write(inside.join("own.csv"), "x,t,u\n1,1,0\n").unwrap();
    std::os::unix::fs::symlink("../outside/secret.csv", inside.join("file.csv")).unwrap();
    std::os::unix::fs::symlink("../outside", inside.join("folder")).unwrap();
    std::os::unix::fs::symlink("own.csv", inside.join("fine.csv")).unwrap();
    let read = |file: &str| {
        let data = format!("kind = \"data\", file = \"{file}\"");
        let text = SOUND.replace("kind = \"dirichlet\", at = \"boundary\", value = 0", &data);
        Problem::from_toml(&text, &inside.join("heat.toml"))
    };
    for file in ["file.csv", "folder/secret.csv"] {
        let message = read(file).unwrap_err().to_string();
        let complaint = format!("`{}` is not in the folder of the problem file", inside.join(file).display());
        assert!(message.contains(&complaint), "{message}");
    }
    read("fine.csv").expect("a link that stays inside");
}
