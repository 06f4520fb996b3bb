//! `docs/problem-file.md` says what the parser says.

use crate::common::here;
use crate::page::{Page, code};
use ropinn::problem::Problem;
use std::collections::BTreeSet;
use std::path::Path;

const PAGE: &str = "docs/problem-file.md";

/// What examples leave out.
const REST: [(&str, &str); 4] = [
    ("coordinates", "coordinates = { x = [0, 1], t = [0, 1] }"),
    ("time", "time = 't'"),
    ("unknowns", "unknowns = ['u']"),
    ("equations", "equations = { heat = 'u_t - u_xx' }"),
];

/// The example with all that it leaves out; a file that has coordinates says which of them is time.
fn completed(example: &str) -> String {
    let own: toml::Table = example.parse().unwrap_or_else(|error| panic!("{error}\n{example}"));
    let missing = |key: &str| !(own.contains_key(key) || key == "time" && own.contains_key("coordinates"));
    let rest = REST.iter().filter(|(key, _)| missing(key)).map(|(_, line)| format!("{line}\n"));
    rest.collect::<String>() + example
}

/// The problem of an example whose files are in a folder; panics with the parser's complaint.
fn problem(example: &str, folder: &Path) -> Problem {
    let text = completed(example);
    Problem::from_toml(&text, &folder.join("example.toml")).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The words the parser offers when it is given `zzz`.
fn known(stray: &str) -> BTreeSet<String> {
    let error = Problem::from_toml(&completed(stray), Path::new("probe.toml")).expect_err(stray).to_string();
    let lists = ["its keys are: ", "choose one of: ", "the functions are: ", "its places are: "];
    let list = lists.iter().find_map(|start| error.split_once(start)).unwrap_or_else(|| panic!("{stray}: {error}")).1;
    list.lines().next().unwrap_or_default().split(", ").map(str::to_owned).collect()
}

#[test]
fn every_example_of_the_problem_file_page_is_a_problem() {
    let (page, folder) = (Page::read(PAGE), here());
    page.write_files(folder.path());
    assert!(page.blocks("toml").count() > 20);
    let (readme, inverse) = (Page::read("README.md"), Page::read("docs/inverse.md"));
    inverse.write_files(folder.path());
    for block in page.blocks("toml").chain(readme.blocks("toml")).chain(inverse.blocks("toml")) {
        let problem = problem(&block.text, folder.path());
        problem.terms(0).unwrap_or_else(|error| panic!("{error}\n{}", block.text));
        problem.evaluation().unwrap_or_else(|error| panic!("{error}\n{}", block.text));
    }
}

#[test]
fn the_problem_file_page_lists_what_the_parser_knows_and_shows_it() {
    let page = Page::read(PAGE);
    let lists = [
        ("Constants, definitions and numbers to be found", "key", 0, "trainable = { k = { zzz = 1 } }"),
        (
            "Constants, definitions and numbers to be found",
            "transform",
            0,
            "trainable = { k = { init = 1, transform = 'zzz' } }",
        ),
        ("Fields", "key", 0, "fields = { a = { zzz = 1 } }"),
        ("Fields", "transform", 0, "fields = { a = { of = 'x', transform = 'zzz' } }"),
        ("Fields", "kind", 0, "fields = { a = { of = 'x', smooth = { zzz = 1 } } }"),
        ("Tables", "key", 0, "tables = { a = { zzz = 1 } }"),
        ("Tables", "look-up", 0, "tables = { a = { lookup = 'zzz' } }"),
        ("Tables", "law", 0, "tables = { a = { axes = { x = [0, 1] }, values = { zzz = 1 } } }"),
        ("Variants", "key", 0, "chosen = { zzz = 1 }"),
        ("Equations", "key", 0, "equations = { heat = { zzz = 1 } }"),
        ("Shapes", "key", 0, "geometry = { zzz = 1 }"),
        ("Shapes", "shape", 0, "geometry = { shape = { zzz = 1 } }"),
        ("Conditions", "kind", 0, "conditions = [{ kind = 'zzz' }]"),
        ("Points", "key", 0, "points = { zzz = 1 }"),
        ("Points", "key", 1, "points = { interior = { zzz = 1 } }"),
        ("Points", "layout", 0, "points = { interior = { layout = 'zzz' } }"),
        ("Evaluation", "key", 0, "evaluation = { zzz = 1 }"),
    ];
    for (title, header, which, stray) in lists {
        let section = page.section(title);
        let told: BTreeSet<String> = section.tables(header)[which].names().into_iter().map(str::to_owned).collect();
        assert_eq!(told, known(stray), "{title}, {header}");
        let whole_page = |name: &str| page.sections.iter().any(|section| section.shows(name));
        let shown = |name: &str| section.shows(name) || header == "kind" && whole_page(name);
        let hidden: Vec<&String> = told.iter().filter(|name| !shown(name)).collect();
        assert!(hidden.is_empty(), "{title} has no example of {hidden:?}");
    }
    let told: BTreeSet<String> = page.section("Keys").tables("key")[0].names().into_iter().map(str::to_owned).collect();
    assert_eq!(told, known("zzz = 1"));
    let unseen: Vec<&String> = told.iter().filter(|key| !page.sections.iter().any(|part| part.shows(key))).collect();
    assert!(unseen.is_empty(), "no example has {unseen:?}");
    for law in ["uniform", "log-uniform", "gaussian-field"] {
        let settings = "low = 0, high = 1, exponent = 4, seed = 1, zzz = 1";
        let stray =
            format!("tables = {{ a = {{ axes = {{ x = [0, 1] }}, values = {{ {law} = {{ {settings} }} }} }} }}");
        let hidden: Vec<String> = known(&stray).into_iter().filter(|key| !page.section("Tables").shows(key)).collect();
        assert!(hidden.is_empty(), "no example of {hidden:?}");
    }
    for parts in ["shape = { box = { zzz = 1 } }", "shape = { disk = { zzz = 1 } }", "shape = { ball = { zzz = 1 } }"] {
        let hidden: Vec<String> = known(&format!("geometry = {{ {parts} }}"))
            .into_iter()
            .filter(|key| !page.section("Shapes").shows(key))
            .collect();
        assert!(hidden.is_empty(), "no example of {hidden:?}");
    }
}

#[test]
fn the_problem_file_page_lists_the_keys_of_every_condition_and_shows_them() {
    let page = Page::read(PAGE);
    let conditions = page.section("Conditions");
    let common = conditions.tables("key")[0].names();
    for kind in known("conditions = [{ kind = 'zzz' }]") {
        let section = page.section(&kind);
        let own = section.tables("key")[0].names();
        let told: BTreeSet<String> = own.iter().chain(&common).map(|name| (*name).to_owned()).collect();
        assert_eq!(told, known(&format!("conditions = [{{ kind = '{kind}', zzz = 1 }}]")), "{kind}");
        let hidden: Vec<&&str> = own.iter().filter(|key| !section.shows(key)).collect();
        assert!(section.shows(&kind) && hidden.is_empty(), "{kind} has no example of {hidden:?}");
    }
    let hidden: Vec<&&str> = common.iter().filter(|key| !conditions.shows(key)).collect();
    assert!(hidden.is_empty(), "no example of {hidden:?}");
}

#[test]
fn the_problem_file_page_lists_the_keys_of_references_and_shows_them() {
    let page = Page::read(PAGE);
    let section = page.section("Reference");
    let told: BTreeSet<String> = section.tables("key")[0].names().into_iter().map(str::to_owned).collect();
    let slow = ["elements", "flow", "reaction", "wave", "burgers", "immersed"];
    let solvers = ["cole-hopf", "fourier", "laplace", "ode"].into_iter().chain(slow).collect::<Vec<_>>();
    let keys = solvers.iter().map(|solver| format!("reference = {{ {solver} = {{}}, zzz = 1 }}")).collect::<Vec<_>>();
    let keys = keys
        .iter()
        .map(String::as_str)
        .chain(["reference = { file = 'a.csv', zzz = 1 }", "reference = { built-in = 'cavity-re100', zzz = 1 }"]);
    assert_eq!(told, keys.flat_map(known).collect());
    let inner = solvers.iter().flat_map(|solver| known(&format!("reference = {{ {solver} = {{ zzz = 1 }} }}")));
    assert!(told.iter().cloned().chain(inner).all(|key| section.shows(&key)));
}

#[test]
fn the_problem_file_page_lists_functions_that_parse() {
    let (page, folder) = (Page::read(PAGE), here());
    let functions = page.section("Formulas").tables("function")[0];
    let told: BTreeSet<String> = functions.names().into_iter().map(str::to_owned).collect();
    assert_eq!(told, known("equations = { heat = 'u_t - zzz(u)' }"));
    for row in &functions.rows {
        let (name, example) = (code(&row[0]), code(&row[2]));
        assert!(example.contains(&format!("{name}(")), "{example} is no example of {name}");
        let residual = format!("u - at(u, 1) + {example}");
        problem(
            &format!("conditions = [{{ kind = 'periodic', along = 'x', residual = '{residual}' }}]"),
            folder.path(),
        );
    }
}

#[test]
fn the_problem_file_page_lists_shapes_that_exist() {
    let (page, folder) = (Page::read(PAGE), here());
    for row in &page.section("Shapes").tables("shape")[0].rows {
        let (name, example) = (code(&row[0]), code(&row[2]));
        let z = if name == "ball" { ", z = [-2, 2]" } else { "" };
        problem(
            &format!(
                "coordinates = {{ x = [-2, 2], y = [-2, 2]{z} }}\nequations = {{ laplace = 'u_xx + u_yy' }}\ngeometry = {{ shape = {example} }}"
            ),
            folder.path(),
        );
    }
}

#[test]
fn the_problem_file_page_lists_places_that_exist() {
    let (page, folder) = (Page::read(PAGE), here());
    // A square as a polygon, with a hole, over time: it has places of every kind.
    let with_condition = |at: &str| {
        format!(
            "coordinates = {{ x = [0, 1], y = [0, 1], t = [0, 1] }}\ntime = 't'\nequations = {{ heat = 'u_t - u_xx - u_yy' }}\n\
             geometry = {{ shape = {{ polygon = [[0, 0], [1, 0], [1, 1], [0, 1]] }}, minus = [{{ disk = {{ center = [0.5, 0.5], radius = 0.1 }} }}] }}\n\
             conditions = [{{ kind = 'dirichlet', at = '{at}', value = 0 }}]"
        )
    };
    let places = page.section("Places").tables("place")[0].names();
    for place in &places {
        problem(&with_condition(place), folder.path());
    }
    // `edge 4` is told of by `edge 1`, `y = 1` by `x = 0`.
    let word = |place: &str| {
        if place.contains('=') { "=".to_owned() } else { place.split(' ').next().unwrap_or_default().to_owned() }
    };
    let told: BTreeSet<String> = places.iter().map(|place| word(place)).collect();
    // Messages tell of these as `t = 0`, `t = 1` and `hole 1`.
    let others = ["initial", "final", "holes"].map(str::to_owned);
    let known = known(&with_condition("zzz")).into_iter().chain(others).map(|place| word(&place));
    let missing: Vec<String> = known.filter(|word| !told.contains(word)).collect();
    assert!(missing.is_empty(), "the page does not tell of {missing:?}");
}
