//! Variants of a file, other numbers for its tables, random tables: what they make of a problem, and what is refused.

use ropinn::problem::{Choices, Problem};
use ropinn_expr::Env;
use std::path::Path;

const ROD: &str = r#"name = "rod"
coordinates = { x = [0, 1], t = [0, 1] }
time = "t"
unknowns = ["u"]
constants = { k = 1, twice = "2*k" }
equations = { heat = "u_t - twice*u_xx - a" }
conditions = [
    { name = "start", kind = "initial", value = "sin(pi*x)" },
    { name = "ends", kind = "dirichlet", at = "boundary", value = 0 },
]

[tables.a]
axes = { x = [0, 0.5, 1] }
values = [1, 2, 3]

[variants.stiff]
constants = { k = 50 }

[variants.other]
title = "Another rod"
tables = { b = { axes = { x = [0, 1] }, values = [7, 9] } }
equations = { heat = "u_t - u_xx - b", more = "u_x" }
conditions = [
    { name = "ends", kind = "neumann", at = "boundary", value = 0 },
    { name = "middle", kind = "data", columns = ["x", "t", "u"], rows = [[0.5, 1, 0]] },
]
"#;

fn opened(name: &str, choices: &Choices) -> Result<Problem, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rod.toml");
    std::fs::write(&path, ROD).unwrap();
    let name = format!("{}{}", path.display(), name);
    Problem::open_with(&name, choices)
        .map_err(|error| error.to_string().replace(&*path.display().to_string(), "rod.toml"))
}

/// The residual of the first equation where u_t = 0, u_xx = 1 and x = 0.5.
fn residual(problem: &Problem) -> f64 {
    let (_, residual) = problem.equations().next().unwrap();
    residual.eval(&Env::at(&[0.5, 0.0]).with_unknowns(|_, alpha, _| f64::from(u8::from(alpha.get(0) == 2))))
}

#[test]
fn variants_replace_constants_in_place_and_conditions_by_name() {
    let plain = opened("", &Choices::default()).unwrap();
    assert_eq!(
        (plain.name.as_str(), residual(&plain), plain.variants().join(" ")),
        ("rod", -4.0, "stiff other".into())
    );
    let stiff = opened(":stiff", &Choices::default()).unwrap();
    assert_eq!((stiff.name.as_str(), residual(&stiff)), ("rod-stiff", -102.0));
    let other = opened("", &Choices { variant: Some("other".to_owned()), ..Choices::default() }).unwrap();
    assert_eq!((other.title.as_str(), residual(&other)), ("Another rod", -9.0));
    let names: Vec<String> = other.terms(0).unwrap().into_iter().map(|term| term.name).collect();
    assert_eq!(names.join(" "), "residual start ends middle");
    // Whoever has the text has the variant.
    let again = Problem::from_toml(stiff.source_text(), Path::new("rod.toml")).unwrap();
    assert_eq!((again.name.as_str(), residual(&again)), ("rod-stiff", -102.0));
}

#[test]
fn what_is_built_in_has_variants_too_and_keeps_its_settings() {
    let corrected = Problem::open("wave-2d-ms:corrected").unwrap();
    assert_eq!((corrected.name.as_str(), corrected.builtin_name()), ("wave-2d-ms-corrected", Some("wave-2d-ms")));
    assert_eq!(Problem::open("wave-2d-ms").unwrap().variants(), ["corrected"]);
    let message = Problem::open("wave-2d-ms:corected").unwrap_err().to_string();
    assert_eq!(
        message,
        "the problem has no variant `corected` (did you mean `corrected`?); its variants are: corrected"
    );
    let message = Problem::open("wave:div").unwrap_err().to_string();
    assert_eq!(message, "the problem has no variant `div`; its variants are: none");
}

#[test]
fn mistakes_keep_their_lines_behind_a_choice() {
    let text = ROD.replace("twice*u_xx", "twise*u_xx");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rod.toml");
    std::fs::write(&path, text).unwrap();
    let plain = Problem::open(&path.display().to_string()).unwrap_err().to_string();
    let chosen = Problem::open(&format!("{}:stiff", path.display())).unwrap_err().to_string();
    let place = format!("{}:6:29: equation `heat`: ", path.display());
    assert!(plain.starts_with(&place) && chosen.starts_with(&place), "{plain}\n{chosen}");
}

/// The rod with the numbers of a file in place of those of its table.
fn with_numbers(table: &str, text: &str) -> Result<Problem, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("numbers.dat");
    std::fs::write(&path, text).unwrap();
    let choices = Choices { tables: vec![(table.to_owned(), path.clone())], ..Choices::default() };
    opened("", &choices).map_err(|error| error.replace(&*path.display().to_string(), "numbers.dat"))
}

#[test]
fn tables_take_numbers_of_a_file() {
    let problem = with_numbers("a", "% made elsewhere\r\n1.5, 40 # and\r\n\r\n-2e0\r\n").unwrap();
    assert_eq!(residual(&problem), -42.0);
    let again = Problem::from_toml(problem.source_text(), Path::new("rod.toml")).unwrap();
    assert_eq!(residual(&again), -42.0);
}

#[test]
fn numbers_that_do_not_fit_are_refused_by_line() {
    let message = |table: &str, text: &str| with_numbers(table, text).unwrap_err();
    assert_eq!(message("a", "1\n2\n\n"), "`numbers.dat` line 2: 2 numbers up to here where table `a` takes 3 (3)");
    assert_eq!(message("a", "1\n2 3 4\n5"), "`numbers.dat` line 2: 4 numbers up to here where table `a` takes 3 (3)");
    assert_eq!(message("a", ""), "`numbers.dat` line 0: 0 numbers up to here where table `a` takes 3 (3)");
    assert_eq!(
        message("a", "1\nNaN\n3"),
        "`numbers.dat` line 2: `NaN` is not a finite number; table `a` takes 3 numbers (3)"
    );
    assert_eq!(
        message("a", "1 two 3"),
        "`numbers.dat` line 1: `two` is not a finite number; table `a` takes 3 numbers (3)"
    );
    assert_eq!(message("b", "1 2 3"), "there is no table `b` to take other numbers for; the tables are: a");
}

fn refused(change: &str, by: &str) -> String {
    assert!(ROD.contains(change));
    Problem::from_toml(&ROD.replace(change, by), Path::new("rod.toml")).unwrap_err().to_string()
}

#[test]
fn tables_that_cannot_be_are_refused() {
    let values = |by: &str| refused("values = [1, 2, 3]", by);
    assert_eq!(values("values = [1, 2]"), "rod.toml:12:9: table `a`: a table of shape [3] has 3 values, found 2");
    assert_eq!(
        values("values = \"1/(x - 0.5)\""),
        "rod.toml:12:9: table `a`: the value at [1] is inf; values must be finite"
    );
    assert_eq!(
        values("values = \"u\""),
        "rod.toml:14:10: values of table `a` contains an unknown; write a condition of kind `operator` with the whole residual instead"
    );
    assert_eq!(
        values("values = \"1 + t\""),
        "rod.toml:12:9: table `a`: the value at [0] is NaN; values must be finite"
    );
    assert_eq!(
        values("values = { uniform = { low = 1, high = 1, seed = 0 } }"),
        "rod.toml:12:9: table `a`: random values between 1 and 1 are not possible; the first number must be the smaller one"
    );
    assert_eq!(
        values("values = { log-uniform = { low = 0, high = 1, seed = 0 } }"),
        "rod.toml:12:9: table `a`: log-uniform values begin at 0; they must begin above zero"
    );
    assert_eq!(
        values("values = { gaussian-field = { exponent = 4, seed = 0 } }"),
        "rod.toml:12:9: table `a`: a gaussian-field needs two axes with the same number of nodes, a power of two up to 2048, found [3]"
    );
    assert_eq!(
        values("values = { uniform = { low = 0, high = 1, seed = -1 } }"),
        "rod.toml:14:50: `seed` must be a whole number, found -1"
    );
    assert_eq!(
        values("values = { uniform = { low = 0, high = 1 } }"),
        "rod.toml:14:12: `uniform` needs `seed`, for example: seed = 1"
    );
    assert_eq!(
        values("values = {}"),
        "rod.toml:14:1: `values` must be one law in each pair of braces (uniform, log-uniform, gaussian-field), found 0 of them"
    );
    let axes = |by: &str| refused("axes = { x = [0, 0.5, 1] }", by);
    assert_eq!(
        axes("axes = { x = { low = 0, high = 1, count = 3_000_000_000 } }"),
        "rod.toml:12:9: table `a` has 3000000000 points, the limit is 50000000; ask for fewer"
    );
    assert_eq!(
        axes("axes = { x = { low = 1, high = 0, count = 3 } }"),
        "rod.toml:12:9: table `a`: axis `x`: node 1 (0.5) is not above node 0 (1); sort the nodes and drop repeats"
    );
}

#[test]
fn variants_that_cannot_be_are_refused() {
    assert_eq!(
        refused("[variants.stiff]\n", "[variants.stiff]\nvariants = {}\n"),
        "rod.toml:17:1: unknown key `variants` in [variants.stiff]; its keys are: name, title, coordinates, time, unknowns, constants, tables, \
         trainable, fields, definitions, equations, geometry, conditions, points, evaluation, reference"
    );
    assert_eq!(
        refused("name = \"rod\"\n", "chosen = { variant = 'soft' }\n"),
        "the problem has no variant `soft`; its variants are: stiff, other"
    );
    assert_eq!(
        refused("name = \"rod\"\n", "chosen = { tables = { c = [1] } }\n"),
        "rod.toml:1:23: there is no table `c` to take other numbers for; the tables are: a"
    );
    let message = refused("[variants.stiff]", "[variants.\"\\u001b[31m\"]");
    assert_eq!(
        message,
        "rod.toml:16:11: `\\u{1b}[31m` must be a name of letters, digits, `-`, `_` and `.`, found others"
    );
}
