//! Conditions, geometry, tables and data: each kind against a solution that satisfies it.

mod problem_common;

use std::path::Path;

use problem_common::worst_residual;
use proptest::prelude::*;
use ropinn::problem::{Condition, Problem, ProblemBuilder, Shape, Spread, TermGroup};
use ropinn_domain::Layout;

fn read(text: &str) -> Problem {
    Problem::from_toml(text, Path::new("test.toml")).unwrap_or_else(|error| panic!("{error}"))
}

fn assert_solved(problem: &Problem, trainables: &[f64]) {
    let exact = problem.exact().expect("the test gives the exact solution");
    for term in problem.terms(11).unwrap() {
        let worst = worst_residual(problem, &term, exact, trainables);
        assert!(worst < 1e-9, "{}: `{}` leaves {worst:e}", problem.name, term.name);
    }
}

fn halton(count: usize) -> Spread {
    Spread::scattered(Layout::Halton, count)
}

#[test]
fn builder_and_file_state_the_same_problem() {
    let from_file = Problem::builtin("wave").unwrap();
    let built = ProblemBuilder::new("wave")
        .title("1-D wave")
        .coordinate("x", 0.0, 1.0)
        .coordinate("t", 0.0, 1.0)
        .time("t")
        .unknown("u")
        .constant("c", 2.0)
        .equation("wave", "u_tt - c^2*u_xx")
        .condition(Condition::initial("sin(pi*x) + sin(3*pi*x)/2").named("initial"))
        .condition(Condition::initial_derivative("t", 0.0).named("initial velocity"))
        .condition(Condition::dirichlet("x = 1", 0.0).named("right end"))
        .condition(Condition::dirichlet("x = 0", 0.0).named("left end"))
        .exact("u", "sin(pi*x)*cos(c*pi*t) + sin(3*pi*x)*cos(3*c*pi*t)/2")
        .interior(Spread::grid([101, 101]))
        .success(0.1)
        .build()
        .unwrap();
    assert_eq!(built.terms(5).unwrap(), from_file.terms(5).unwrap());
    assert_eq!(built.evaluation().unwrap(), from_file.evaluation().unwrap());
    assert_eq!((&built.title, built.geometry()), (&from_file.title, from_file.geometry()));
    assert_eq!((built.ranges(), built.time_axis()), (from_file.ranges(), Some(1)));
}

#[test]
fn neumann_normals_point_into_a_hole_and_out_of_the_square() {
    let problem = read(
        r#"
        name = "plate"
        coordinates = { x = [0, 2], y = [0, 1] }
        unknowns = ["u"]
        equations = { laplace = "u_xx + u_yy" }
        geometry = { minus = [{ disk = { center = ["a", 0.5], radius = 0.25 } }] }
        constants = { a = 0.75 }
        # u = x² − y² has ∂u/∂n = 2(n_x x − n_y y).
        conditions = [
            { kind = "neumann", at = "hole 1", value = "2*((a - x)*x - (0.5 - y)*y)/0.25" },
            { kind = "neumann", at = "x = 2", value = "2*x" },
            { kind = "neumann", at = "y = min", value = "2*y" },
            { kind = "operator", at = "boundary", residual = "n_x*u_x + n_y*u_y - 2*(n_x*x - n_y*y)" },
            { kind = "robin", at = ["x = 0", "y = 1"], flux = "where(x == 0, 0, -2) + u - (x^2 - y^2)" },
        ]
        reference = { u = "x^2 - y^2" }
        [points]
        interior = { layout = "sobol", count = 64 }
        boundary = { layout = "sobol", count = 256 }
        "#,
    );
    assert_solved(&problem, &[]);
    let terms = problem.terms(0).unwrap();
    let hole = &terms[1];
    assert_eq!(hole.data.len(), hole.points.len());
    for (point, normal) in hole.points.chunks(2).zip(hole.data.chunks(2)) {
        let inward = [(0.75 - point[0]) / 0.25, (0.5 - point[1]) / 0.25];
        assert!((normal[0] - inward[0]).abs() < 1e-12 && (normal[1] - inward[1]).abs() < 1e-12);
    }
    // A single face has a constant normal, so no data is needed.
    assert!(terms[2].data.is_empty() && terms[3].data.is_empty());
    assert!(!terms[5].data.is_empty() && terms[5].name == "robin x = 0, y = 1");
}

#[test]
fn normals_have_no_time_component() {
    let problem = read(
        r#"
        name = "cooling"
        coordinates = { x = [0, 1], y = [0, 1], t = [0, 1] }
        time = "t"
        unknowns = ["u"]
        equations = { heat = "u_t - u_xx - u_yy" }
        conditions = [{ kind = "neumann", at = "boundary", value = "where(x == 0 or y == 0, 0, 2)" }]
        reference = { u = "x^2 + y^2 + 4*t" }
        points = { interior = { layout = "grid", counts = [4, 5, 6] } }
        "#,
    );
    assert_solved_away_from_edges(&problem);
    let terms = problem.terms(0).unwrap();
    // Four faces with the grid's counts along the other two coordinates.
    assert_eq!(terms[1].samples(3), 2 * 5 * 6 + 2 * 4 * 6);
    assert_eq!(terms[1].data.len(), 2 * terms[1].samples(3));
    assert!(terms[1].data.chunks(2).all(|n| n[0].abs() + n[1].abs() == 1.0), "faces keep their own normals at edges");
}

/// On the edge x = 0, y = 1 both faces hold, with different values: only the equation is compared.
fn assert_solved_away_from_edges(problem: &Problem) {
    let terms = problem.terms(0).unwrap();
    assert!(worst_residual(problem, &terms[0], problem.exact().unwrap(), &[]) < 1e-9);
}

#[test]
fn periodic_pairs_match_in_values_and_slopes() {
    let problem = read(
        r#"
        name = "ring"
        coordinates = { x = [-1, 3], y = [0, 1], t = [0, 2] }
        time = "t"
        unknowns = ["u", "v"]
        equations = { a = "u_t - u_xx", b = "v_t - v_xx" }
        conditions = [
            { kind = "periodic", along = "x", orders = [0, 1] },
            { kind = "periodic", along = "y", unknown = "v", points = { layout = "halton", count = 30 } },
            { kind = "periodic", along = "x", residual = "at(u, 0)*at(v, 1) - at(u, 1)*at(v, 0)" },
        ]
        reference = { u = "sin(pi*x/2)*exp(-(pi/2)^2*t)", v = "cos(pi*x/2)*exp(-(pi/2)^2*t)" }
        [points]
        interior = { layout = "halton", count = 50 }
        boundary = { layout = "halton", count = 100 }
        "#,
    );
    assert_solved(&problem, &[]);
    let terms = problem.terms(0).unwrap();
    assert_eq!(terms[1].labels, ["u", "u_x", "v", "v_x"]);
    for pair in terms[1].points.chunks(6) {
        assert_eq!((pair[0], pair[3], &pair[1..3]), (3.0, -1.0, &pair[4..6]));
    }
    for pair in terms[2].points.chunks(6) {
        assert_eq!((pair[1], pair[4], pair[0], pair[2]), (1.0, 0.0, pair[3], pair[5]));
    }
    // Both faces across x are 1/5 of the boundary each, both across y 4/5 in all.
    assert_eq!((terms[1].samples(3) / 2, terms[2].samples(3) / 2), (10, 15));
}

#[test]
fn several_unknowns_are_told_apart() {
    let problem = read(
        r#"
        name = "pair"
        coordinates = { x = [0, 1], t = [0, 1] }
        time = "t"
        unknowns = ["u", "v"]
        equations = { a = "u_t - v_x", b = "v_t - u_x" }
        conditions = [
            { kind = "initial", value = { u = "sin(x)", v = 0 } },
            { kind = "dirichlet", at = "x = 0", unknown = "u", value = 0, weight = 2.5 },
            { kind = "initial", unknown = "v", derivative = "t", value = "cos(x)" },
        ]
        reference = { u = "sin(x)*cos(t)", v = "cos(x)*sin(t)" }
        points = { interior = { layout = "grid", counts = [6, 4] } }
        "#,
    );
    assert_solved(&problem, &[]);
    let terms = problem.terms(0).unwrap();
    let names: Vec<&str> = terms.iter().map(|term| term.name.as_str()).collect();
    assert_eq!(names, ["residual", "initial", "initial d/dt", "dirichlet x = 0"]);
    assert_eq!((terms[0].labels.as_slice(), terms[3].weight), (&["a".to_owned(), "b".to_owned()][..], 2.5));
    assert_eq!([terms[1].first_element_only, terms[2].first_element_only], [true, false]);
}

#[test]
fn shapes_combine_in_the_order_of_the_file() {
    let problem = read(
        r#"
        name = "channel"
        coordinates = { x = [0, 4], y = [0, 2] }
        unknowns = ["u"]
        equations = { laplace = "u_xx + u_yy" }
        conditions = [
            { name = "inlet", kind = "dirichlet", at = "x = 0", value = 1 },
            { name = "step", kind = "dirichlet", at = ["x = 2", "y = 1"], value = 0, points = { layout = "sobol", count = 40 } },
            { name = "round", kind = "dirichlet", at = "hole 2", value = 0 },
        ]
        [geometry]
        minus = [{ box = { low = [0, 1], high = [2, 2] } }, { disk = { center = [3, 1], radius = 0.5 } }]
        [points]
        interior = { layout = "grid", counts = [41, 21] }
        boundary = { layout = "uniform", count = 400 }
        "#,
    );
    let terms = problem.terms(0).unwrap();
    assert!(terms[0].points.chunks(2).all(|p| problem.geometry().contains(p, 1e-12)) && terms[0].samples(2) < 41 * 21);
    assert!(terms[1].points.chunks(2).all(|p| p[0] == 0.0 && p[1] <= 1.0), "the step hides the upper half");
    // Faces of length 1 and 2 share 40 points.
    let vertical = terms[2].points.chunks(2).filter(|p| p[0] == 2.0).count();
    assert_eq!((vertical, terms[2].samples(2)), (13, 40));
    assert!(terms[3].points.chunks(2).all(|p| ((p[0] - 3.0).hypot(p[1] - 1.0) - 0.5).abs() < 1e-12));
}

#[test]
fn grids_leave_out_what_is_not_in_the_domain() {
    let problem = read(
        r#"
        name = "notched"
        coordinates = { x = [0, 4], y = [0, 2], t = [0, 1] }
        time = "t"
        unknowns = ["u"]
        equations = { heat = "u_t - u_xx - u_yy" }
        geometry = { minus = [{ box = { low = [-1, 1], high = [2, 3] } }] }
        conditions = [
            { kind = "initial", value = "x" },
            { kind = "dirichlet", at = "x = 0", value = 0 },
            { kind = "neumann", at = ["y = 0", "y = 2"], value = 0 },
            { kind = "dirichlet", at = "t = 1", value = "x" },
        ]
        reference = { u = "x" }
        points = { interior = { layout = "grid", counts = [9, 5, 3] }, residual_everywhere = true }
        "#,
    );
    assert_solved(&problem, &[]);
    let samples: Vec<usize> = problem.terms(0).unwrap().iter().map(|term| term.samples(3)).collect();
    // The open notch takes four columns of two rows; its walls at x = 2 and y = 1 stay.
    assert_eq!(samples, [3 * (45 - 8), 45 - 8, 45 - 8, 3 * 3, 3 * (9 + 5)]);
    assert_eq!(problem.evaluation().unwrap().len(), 3 * (45 - 8));
}

#[test]
fn polygons_have_numbered_and_straight_edges() {
    let built = ProblemBuilder::new("triangle")
        .coordinate("x", 0.0, 1.0)
        .coordinate("y", 0.0, 1.0)
        .unknown("u")
        .shape(Shape::polygon(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
        .equation("laplace", "u_xx + u_yy")
        .condition(Condition::dirichlet("edge 2", "1 - 2*x*y").with_points(halton(20)))
        .condition(Condition::neumann("edge 2", 0.0).with_points(halton(20)))
        .condition(Condition::dirichlet("x = 0", "y^2").also_at("y = 0").with_points(halton(20)))
        .interior(halton(30));
    // u = (x + y)² − 4xy = (x − y)² has Δu = 4.
    let problem = built.equation("scaled", "u_xx + u_yy - 4").build().unwrap();
    let terms = problem.terms(0).unwrap();
    assert!(terms[1].points.chunks(2).all(|p| (p[0] + p[1] - 1.0).abs() < 1e-12));
    let diagonal = 0.5f64.sqrt();
    assert!(terms[2].data.iter().all(|n| (n - diagonal).abs() < 1e-12));
    assert!(terms[3].points.chunks(2).all(|p| p[0] == 0.0 || p[1] == 0.0));
}

#[test]
fn intervals_without_time_have_two_ends() {
    let problem = read(
        r#"
        name = "ode"
        coordinates = { x = [0, 2] }
        unknowns = ["u"]
        equations = { growth = "u_x - u" }
        conditions = [{ kind = "dirichlet", at = "x = 0", value = 1 }, { kind = "neumann", at = "boundary", value = "where(x < 1, -1, exp(2))" }]
        reference = { u = "exp(x)" }
        points = { interior = { layout = "grid", counts = [11] } }
        "#,
    );
    assert_solved(&problem, &[]);
    assert_eq!(problem.terms(0).unwrap()[1].points, [0.0]);
}

#[test]
fn trainable_scalars_and_observed_rows_make_an_inverse_problem() {
    let problem = read(
        r#"
        name = "decay rate"
        coordinates = { x = [0, 1], t = [0, 1] }
        time = "t"
        unknowns = ["u"]
        trainable = { k = 0.5, m = "1/4" }
        equations = { decay = "u_t + k*u + (m - 1)*u_x" }
        conditions = [
            { kind = "data", columns = ["t", "u", "x", "u_t"], rows = [[0, 1, 0.5, -2], [0.5, 0.36787944117144233, 0.1, -0.7357588823428847]] },
            { name = "made", kind = "data", value = "exp(-2*t)", noise = 0, points = { layout = "halton", count = 12 } },
        ]
        reference = { u = "exp(-2*t)" }
        points = { interior = { layout = "halton", count = 10 } }
        "#,
    );
    let found: Vec<_> = problem.trainables().iter().map(|own| (own.name.as_str(), own.first, own.start())).collect();
    assert_eq!(found, [("k", 0.5, 0.5), ("m", 0.25, 0.25)]);
    assert_solved(&problem, &[2.0, 1.0]);
    let terms = problem.terms(0).unwrap();
    assert_eq!((terms[1].group, terms[1].points.as_slice()), (TermGroup::Data, &[0.5, 0.0, 0.1, 0.5][..]));
    assert_eq!((terms[1].labels.as_slice(), terms[2].samples(2)), (&["u".to_owned(), "u_t".to_owned()][..], 12));
}

#[test]
fn made_data_has_the_asked_noise() {
    let problem = ProblemBuilder::new("noisy")
        .coordinate("x", 0.0, 1.0)
        .unknown("u")
        .equation("flat", "u_x")
        .condition(Condition::made_data("3", 0.1, halton(4000)))
        .interior(halton(10))
        .build()
        .unwrap();
    let data = &problem.terms(4).unwrap()[1].data;
    let mean = data.iter().sum::<f64>() / 4000.0;
    let deviation = (data.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / 4000.0).sqrt();
    assert!((mean - 3.0).abs() < 0.01 && (deviation - 0.1).abs() < 0.01, "mean {mean}, deviation {deviation}");
    assert_ne!(*data, problem.terms(5).unwrap()[1].data);
}

#[test]
fn files_for_data_tables_and_reference_are_found_next_to_the_problem() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("observed.csv", "x,y,u\n0.5,0.5,1.25\n1,0,1\n");
    // a = 1 + x + 2y, rows in no particular order.
    write("a.csv", "# coefficient\ny x a\n0 0 1\n1 0 3\n0 1 2\n1 1 4\n");
    write("solution.csv", "u,x,y\n0,0,0\n5,1,2\nNaN,9,9\n");
    write(
        "plate.toml",
        r#"
        name = "plate"
        coordinates = { x = [0, 1], y = [0, 2] }
        unknowns = ["u"]
        tables = { a = { file = "a.csv", axes = ["x", "y"] }, b = { axes = { y = [0, 1, 2] }, values = [1, 3, 3], lookup = "nearest" } }
        equations = { e = "a*u_xx + a_y*u + b" }
        conditions = [{ kind = "data", file = "observed.csv" }]
        points = { interior = { layout = "halton", count = 10 } }
        reference = { file = "solution.csv" }
        "#,
    );
    let problem = Problem::load(folder.path().join("plate.toml")).unwrap();
    let at = [0.25, 0.5];
    let env = ropinn_expr::Env::at(&at);
    let value = |text: &str| problem.scope().parse(text).unwrap().eval(&env);
    assert_eq!((value("a"), value("a_y"), value("b")), (2.25, 2.0, 1.0));
    let terms = problem.terms(0).unwrap();
    assert_eq!((terms[1].points.as_slice(), terms[1].data.as_slice()), (&[0.5, 0.5, 1.0, 0.0][..], &[1.25, 1.0][..]));
    let set = problem.evaluation().unwrap();
    assert_eq!((set.points, set.reference), (vec![0.0, 0.0, 1.0, 2.0], Some(vec![0.0, 5.0])));
}

#[test]
fn overrides_replace_every_set_of_their_kind() {
    use ropinn::problem::PointOverrides;
    let overrides = PointOverrides {
        interior: Some("sobol:64".parse().unwrap()),
        boundary: Some(halton(40)),
        evaluation: Some("grid:5x5".parse().unwrap()),
        ..PointOverrides::default()
    };
    let problem = Problem::builtin("poisson-2d-c").unwrap().with_points(&overrides);
    let terms = problem.terms(0).unwrap();
    let counts: Vec<usize> = terms.iter().map(|term| term.samples(2)).collect();
    assert_eq!((counts[0], counts[1] + counts[2]), (104, 40));
    // Of the 5 × 5 grid, (±0.25, ±0.25) lie in the holes.
    assert_eq!(problem.evaluation().unwrap().len(), 21);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn drawn_coefficients_leave_no_residual(c in -3.0..3.0f64, d in 0.1..2.0f64, low in -2.0..0.0f64, length in 0.5..4.0f64) {
        // Heat with drift: u = exp(−d w² t) sin(w (x − c t)), w = 2π/length, is periodic on any window of that length.
        let problem = ProblemBuilder::new("drift")
            .coordinate("x", low, low + length)
            .coordinate("t", 0.0, 0.5)
            .time("t")
            .unknown("u")
            .constant("c", c)
            .constant("kappa", d)
            .constant("w", format!("2*pi/{length:?}"))
            .definition("wave", "exp(-kappa*w^2*t)*sin(w*(x - c*t))")
            .equation("drift", "u_t + c*u_x - kappa*u_xx")
            .condition(Condition::initial("sin(w*x)"))
            .condition(Condition::periodic("x").matching_orders(&[0, 1, 2]))
            .condition(Condition::neumann("x = max", "wave_x"))
            .condition(Condition::robin("x = min", "u - wave - wave_x"))
            .condition(Condition::operator("boundary", "n_x*(u_x - wave_x) + u - wave"))
            .exact("u", "wave")
            .interior(Spread::grid([7, 5]))
            .build()
            .unwrap();
        let scale = 1.0 + (std::f64::consts::TAU / length).powi(2) * (1.0 + d) + c.abs() * 20.0;
        for term in problem.terms(1).unwrap() {
            let worst = worst_residual(&problem, &term, problem.exact().unwrap(), &[]);
            prop_assert!(worst < 1e-11 * scale * scale, "{}: {worst:e}", term.name);
        }
    }

    /// Spreads survive being written and read again.
    #[test]
    fn spreads_round_trip(a in 1usize..200, b in 1usize..200, count in 1usize..100_000) {
        for spread in [Spread::grid([a, b]), Spread::interior_grid([a, b]), halton(count), Spread::scattered(Layout::LatinHypercube, count)] {
            prop_assert_eq!(spread.to_string().parse::<Spread>().unwrap(), spread);
        }
    }
}

#[test]
fn columns_of_words_are_ignored_and_others_can_be_renamed() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("stations.csv", "station,lon,t,temperature,quality\n\"Oslo, NO\",0.5,1,0.25,good\nKiruna,1,2,0.5,bad\n");
    write("soil.csv", "depth;kind;conductivity\n0;clay;2\n1;sand;3\n");
    write("exact.csv", "lon,t,T,who\n0.5,0.5,1,me\n1,1,NaN,you\n");
    let problem = |columns: &str| {
        let text = format!(
            "name = 'p'\ntime = 't'\ncoordinates = {{ x = [0, 1], t = [0, 2] }}\nunknowns = ['u', 'v']\n\
             equations = {{ a = 'u_t - k*u_xx', b = 'v_t - u' }}\n\
             [tables.k]\nfile = 'soil.csv'\naxes = ['x']\ncolumns = {{ k = 'conductivity', x = 'depth' }}\n\
             [[conditions]]\nkind = 'data'\nfile = 'stations.csv'\ncolumns = {{ {columns} }}\n\
             [reference]\nfile = 'exact.csv'\ncolumns = {{ x = 'lon', u = 'T', v = 'T' }}"
        );
        Problem::from_toml(&text, &folder.path().join("p.toml"))
    };
    let read = problem("x = 'lon', 'u + v' = 'temperature'").unwrap();
    let terms = read.terms(0).unwrap();
    let data = terms.last().unwrap();
    assert_eq!((&data.labels[..], &data.points[..]), (&["u + v".to_owned()][..], &[0.5, 1.0, 1.0, 2.0][..]));
    assert_eq!(data.data, [0.25, 0.5]);
    let evaluation = read.evaluation().unwrap();
    assert_eq!((evaluation.points, evaluation.reference), (vec![0.5, 0.5], Some(vec![1.0, 1.0])));
    let message = |columns: &str| problem(columns).unwrap_err().to_string();
    let shown = folder.path().join("stations.csv").display().to_string();
    assert_eq!(
        message("x = 'lon', u = 'station'"),
        format!("`{shown}` line 2, column `station`: `Oslo, NO` is not a finite number")
    );
    assert!(
        message("x = 'lon'").contains("has a column `temperature` that means nothing here"),
        "{}",
        message("x = 'lon'")
    );
    assert!(message("x = 'lon', w = 'temperature'").contains("unknown symbol `w`"));
    assert_eq!(
        message("x = 'longitude', u = 'temperature'"),
        format!(
            "`{shown}` line 1: there is no column `longitude`; its columns are: station, lon, t, temperature, quality"
        )
    );
}

#[test]
fn ordinary_differential_equations_have_time_and_initial_values() {
    for time in ["time = 't'", ""] {
        let problem = read(&format!(
            "name = 'spring'\n{time}\ncoordinates = {{ t = [0, 2] }}\nunknowns = ['x', 'v']\n\
             equations = {{ position = 'x_t - v', velocity = 'v_t + x' }}\n\
             conditions = [{{ kind = 'initial', value = {{ x = 1, v = 0 }} }}, \
                           {{ kind = 'initial', unknown = 'x', derivative = 't', value = 0 }}, \
                           {{ kind = 'dirichlet', at = 'final', unknown = 'x', value = 'cos(2)' }}]\n\
             points = {{ interior = {{ layout = 'sobol', count = 16 }} }}\n\
             reference = {{ x = 'cos(t)', v = '-sin(t)' }}"
        ));
        assert_solved(&problem, &[]);
        let counts: Vec<usize> = problem.terms(0).unwrap().iter().map(|term| term.samples(1)).collect();
        assert_eq!(counts, [16, 1, 1, 1]);
    }
}

#[test]
fn a_problem_without_points_has_as_many_as_it_needs() {
    // Only coordinates, unknowns, equations and conditions; the file gives the name.
    let problem = read(
        "coordinates = { x = [0, 1], y = [0, 1], t = [0, 1] }\ntime = 't'\nunknowns = ['u']\n\
         [geometry]\nminus = { disk = { center = [0.5, 0.5], radius = 0.05 } }\n\
         [equations]\nheat = 'u_t - u_xx - u_yy'\n\
         [[conditions]]\nkind = 'initial'\nvalue = 0\n\
         [[conditions]]\nkind = 'dirichlet'\nat = 'outer'\nvalue = 0\n\
         [[conditions]]\nkind = 'neumann'\nat = 'x = 1'\nvalue = 0\n\
         [[conditions]]\nkind = 'dirichlet'\nat = 'hole 1'\nvalue = 1\n",
    );
    assert_eq!(problem.name, "test");
    let counts: Vec<usize> = problem.terms(0).unwrap().iter().map(|term| term.samples(3)).collect();
    let [interior, initial, outer, right, hole] = counts[..] else { panic!("five terms: {counts:?}") };
    assert!(interior >= 3000 && initial >= 400, "{counts:?}");
    // The four sides have four times the points of one; the small hole still has some.
    assert!((3.5..4.5).contains(&(outer as f64 / right as f64)) && hole >= right / 5, "{counts:?}");
    // Fewer for each of several equations, and none to be counted at the ends of an interval.
    let system = read(
        "coordinates = { t = [0, 1] }\nunknowns = ['u', 'v']\nequations = { a = 'u_t - v', b = 'v_t + u' }\n\
         conditions = [{ kind = 'initial', value = { u = 0, v = 1 } }]",
    );
    let terms = system.terms(0).unwrap();
    let counts: Vec<usize> = terms.iter().map(|term| term.samples(1)).collect();
    assert!((1000..2000).contains(&counts[0]) && counts[1] == 1, "{counts:?}");
    // The equations hold at the ends too, where they can.
    assert_eq!((terms[0].points.first(), terms[0].points.last()), (Some(&0.0), Some(&1.0)));
}
