//! The problems that come with the library: exact solutions, term counts and order, evaluation sets.

mod problem_common;

use std::f64::consts::PI;
use std::path::Path;

use problem_common::worst_residual;
use ropinn::problem::{Problem, TermGroup};

fn builtin(name: &str) -> Problem {
    Problem::builtin(name).unwrap_or_else(|error| panic!("{error}"))
}

/// (name, group, samples, sites, residuals, first element only) of every term.
fn outline(problem: &Problem) -> Vec<(String, TermGroup, usize, usize, usize, bool)> {
    let axes = problem.coordinate_names().len();
    let terms = problem.terms(0).unwrap();
    let row = |term: ropinn::problem::Term| {
        let samples = term.samples(axes);
        (term.name, term.group, samples, term.sites, term.residuals.len(), term.first_element_only)
    };
    terms.into_iter().map(row).collect()
}

fn row(
    name: &str,
    group: TermGroup,
    samples: usize,
    sites: usize,
    first: bool,
) -> (String, TermGroup, usize, usize, usize, bool) {
    (name.to_owned(), group, samples, sites, 1, first)
}

#[test]
fn exact_solutions_leave_no_residual() {
    let mut checked = Vec::new();
    for name in Problem::builtin_names() {
        let problem = builtin(name);
        // What the benchmark states of this one is not a solution (`tests/tasks.rs`); inverse problems are in `tests/inverse`.
        let elsewhere = name == "wave-2d-ms" || name.ends_with("-inverse");
        let Some(exact) = problem.exact().filter(|_| !elsewhere) else { continue };
        for term in problem.terms(3).unwrap() {
            let worst = worst_residual(&problem, &term, exact, &[]);
            assert!(worst < 1e-8, "{name}: the exact solution leaves {worst:e} in `{}`", term.name);
        }
        checked.push(name);
    }
    let all = "reaction wave convection heat-2d-ms wave-1d-c poisson-nd heat-nd fisher-kpp sine-gordon klein-gordon helmholtz-2d poisson-l-shape boundary-layer \
               elasticity kovasznay taylor-green black-scholes poisson-square poisson-disk heat-rod heat-square";
    assert_eq!(checked.join(" "), all);
}

#[test]
fn names_match_files_and_aliases_resolve() {
    for name in Problem::builtin_names() {
        assert_eq!(builtin(name).name, name);
        assert_eq!(Some(builtin(name).source_text()), Problem::builtin_source(name));
        if name.ends_with("-inverse") {
            continue; // How well noise lets them be solved differs.
        }
        // Problems of the literature have its threshold.
        let published = builtin(name).source_text().contains("[points]");
        assert_eq!(builtin(name).success_threshold(), Some(if published { 0.1 } else { 0.01 }), "{name}");
    }
    assert_eq!(builtin("heat-2d").name, "heat-2d-ms");
}

#[test]
fn unknown_names_get_a_suggestion() {
    let message = Problem::builtin("burger-1d").unwrap_err().to_string();
    assert_eq!(
        message,
        format!(
            "no built-in problem is named `burger-1d` (did you mean `burgers-1d`?); built in are: {}",
            Problem::builtin_names().join(", ")
        )
    );
}

#[test]
fn paper_benchmarks_have_the_published_terms() {
    use TermGroup::{Boundary, Initial, Residual};
    let periodic = [
        row("residual", Residual, 10201, 1, false),
        row("initial", Initial, 101, 1, true),
        row("periodic", Boundary, 101, 2, false),
    ];
    assert_eq!(outline(&builtin("reaction")), periodic);
    assert_eq!(outline(&builtin("convection")), periodic);
    assert_eq!(
        outline(&builtin("wave")),
        [
            row("residual", Residual, 10201, 1, false),
            row("initial", Initial, 101, 1, true),
            row("initial velocity", Initial, 101, 1, false),
            row("right end", Boundary, 101, 1, false),
            row("left end", Boundary, 101, 1, false),
        ]
    );
}

#[test]
fn paper_grids_run_over_x_first_and_include_all_ends() {
    let convection = builtin("convection");
    let terms = convection.terms(0).unwrap();
    let (step_x, step_t) = (2.0 * PI / 100.0, 1.0 / 100.0);
    for i_t in 0..101 {
        for i_x in 0..101 {
            let at = 2 * (101 * i_t + i_x);
            let (x, t) = (terms[0].points[at], terms[0].points[at + 1]);
            assert!((x - i_x as f64 * step_x).abs() < 1e-13 && (t - i_t as f64 * step_t).abs() < 1e-13);
        }
    }
    let initial: Vec<f64> = terms[1].points.chunks(2).map(|point| point[1]).collect();
    assert_eq!(initial, [0.0; 101]);
    for (i, pair) in terms[2].points.chunks(4).enumerate() {
        let t = i as f64 * step_t;
        assert!(pair[0] == 2.0 * PI && pair[2] == 0.0 && pair[1] == pair[3] && (pair[1] - t).abs() < 1e-15);
    }
    assert_eq!(convection.evaluation().unwrap().points, terms[0].points);
}

#[test]
fn pinnacle_tasks_have_the_published_counts() {
    use TermGroup::{Boundary, Initial, Residual};
    assert_eq!(
        outline(&builtin("burgers-1d")),
        [
            row("residual", Residual, 12288, 1, false),
            row("initial", Initial, 2048, 1, true),
            row("ends", Boundary, 2048, 1, false),
        ]
    );
    assert_eq!(
        outline(&builtin("kuramoto-sivashinsky")),
        [row("residual", Residual, 12288, 1, false), row("initial", Initial, 2048, 1, true),]
    );
    assert_eq!(
        outline(&builtin("heat-2d")),
        [
            row("residual", Residual, 49152, 1, false),
            row("initial", Initial, 8192, 1, true),
            row("sides", Boundary, 8192, 1, false),
        ]
    );
    assert_eq!(
        outline(&builtin("poisson-2d-c")),
        [
            row("residual", Residual, 10240, 1, false),
            row("square", Boundary, 128, 1, false),
            row("circles", Boundary, 1920, 1, false),
        ]
    );
}

#[test]
fn points_follow_the_seed_and_nothing_else() {
    for name in Problem::builtin_names() {
        let problem = builtin(name);
        assert_eq!(problem.terms(7).unwrap(), problem.terms(7).unwrap());
        if problem.source_text().contains("from = \"reference\"") {
            continue;
        }
        // Without the reference, which may take its time.
        let text = problem.source_text().split("[reference]").next().unwrap_or_default();
        let bare = || Problem::from_toml(text, Path::new("bare.toml")).unwrap();
        assert_eq!(bare().evaluation().unwrap(), bare().evaluation().unwrap());
    }
    let random = r#"
        name = "random"
        coordinates = { x = [0, 1], y = [0, 1] }
        unknowns = ["u"]
        equations = { e = "u_x" }
        conditions = [
            { kind = "dirichlet", at = "x = 0", value = 0, points = { layout = "uniform", count = 50 } },
            { kind = "dirichlet", at = "x = 1", value = 0, points = { layout = "uniform", count = 50 } },
        ]
        points = { interior = { layout = "latin-hypercube", count = 100 } }
    "#;
    let random = Problem::from_toml(random, "random.toml".as_ref()).unwrap();
    let (one, two) = (random.terms(1).unwrap(), random.terms(2).unwrap());
    assert!(one.iter().zip(&two).all(|(a, b)| a.points != b.points));
    let heights = |points: &[f64]| points.chunks(2).map(|point| point[1]).collect::<Vec<_>>();
    assert_ne!(heights(&one[1].points), heights(&one[2].points), "faces are drawn independently");
}

#[test]
fn evaluation_sets_are_the_published_ones() {
    let burgers = builtin("burgers-1d").evaluation().unwrap();
    let grid = burgers.grid.as_ref().unwrap();
    assert_eq!((burgers.len(), grid.counts.as_slice()), (1111, &[101, 11][..]));
    assert!((grid.nodes[0][75] - 0.5).abs() < 1e-15 && grid.nodes[1][10] == 1.0);
    // Cole–Hopf at (0.5, 1).
    assert!((burgers.reference.unwrap()[10 * 101 + 75] + 0.376181396).abs() < 2e-9);

    let heat = builtin("heat-2d").evaluation().unwrap();
    assert_eq!(heat.len(), 20_032);
    assert_eq!((heat.points[0], heat.points[2]), (1.0 / 9.0, 5.0 / 313.0));

    let holes = builtin("poisson-2d-c").evaluation().unwrap();
    let grid = holes.grid.clone().unwrap();
    assert_eq!(grid.cells.len(), holes.len());
    // Four discs of radius 10 grid steps hold π·10² points each, give or take their rims.
    let removed = 101 * 101 - holes.len();
    assert!((1200..1300).contains(&removed), "{removed} points removed");
    for (point, &cell) in holes.points.chunks(2).zip(&grid.cells) {
        assert_eq!(point, [grid.nodes[0][cell % 101], grid.nodes[1][cell / 101]]);
    }
}

#[test]
fn examples_in_messages_have_the_coordinates_of_the_problem() {
    let line = "name = 'p'\ncoordinates = { s = [0, 1] }\nunknowns = ['u']\nequations = { a = 'u_s' }\n[[conditions]]\nkind = 'data'";
    let message = |text: &str| Problem::from_toml(text, Path::new("p.toml")).unwrap_err().to_string();
    assert_eq!(message(line), "p.toml:5:1: condition 1 needs `rows`, for example: rows = [[0.5, 0.3]]");
    assert_eq!(
        message(&format!("{line}\nrows = [[1, 2]]")),
        "p.toml:5:1: condition 1 needs `columns`, for example: columns = [\"s\", \"u\"]"
    );
}
