//! References that are computed: they solve the equations and conditions of their problems, and say what they cannot.

use ropinn::problem::Problem;
use ropinn_expr::{Env, MultiIndex};
use std::collections::BTreeMap;

/// Weights of the derivative of some order at zero from values at −4h, …, 4h (Fornberg 1988).
fn weights(order: usize, h: f64) -> Vec<f64> {
    let nodes: Vec<f64> = (-4..=4).map(|k| f64::from(k) * h).collect();
    let mut c = vec![vec![0.0; order + 1]; nodes.len()];
    c[0][0] = 1.0;
    let mut product = 1.0;
    for i in 1..nodes.len() {
        let mut next = 1.0;
        for j in 0..i {
            let apart = nodes[i] - nodes[j];
            next *= apart;
            if j == i - 1 {
                for k in (0..=order).rev() {
                    let lower = if k > 0 { k as f64 * c[i - 1][k - 1] } else { 0.0 };
                    c[i][k] = product * (lower - nodes[i - 1] * c[i - 1][k]) / next;
                }
            }
            for k in (0..=order).rev() {
                let lower = if k > 0 { k as f64 * c[j][k - 1] } else { 0.0 };
                c[j][k] = (nodes[i] * c[j][k] - lower) / apart;
            }
        }
        product = next;
    }
    c.iter().map(|row| row[order]).collect()
}

/// The largest residual of any equation at some points, the derivatives of the reference taken by differences of this width.
fn worst_residual(problem: &Problem, points: &[[f64; 2]], width: [f64; 2]) -> f64 {
    let unknowns = problem.unknown_names().len();
    let needed: Vec<(usize, MultiIndex)> =
        problem.equations().flat_map(|(_, expr)| expr.unknowns()).map(|(field, alpha, _)| (field, alpha)).collect();
    let mut worst: f64 = 0.0;
    for point in points {
        let along = |axis: usize| -> Vec<f64> {
            let moved = |k: i32| {
                let mut moved = *point;
                moved[axis] += f64::from(k) * width[axis];
                moved
            };
            problem.reference_at(&(-4..=4).flat_map(moved).collect::<Vec<f64>>()).unwrap()
        };
        let lines = [along(0), along(1)];
        let mut values = BTreeMap::new();
        for (field, alpha) in &needed {
            let axis = usize::from(alpha.get(1) > 0);
            let order = alpha.order() as usize;
            assert_eq!(usize::from(alpha.get(axis)), order, "a derivative along one axis");
            let line = lines[axis].iter().skip(*field).step_by(unknowns);
            let sum: f64 = weights(order, width[axis]).iter().zip(line).map(|(weight, value)| weight * value).sum();
            values.insert((*field, *alpha), sum);
        }
        for (_, equation) in problem.equations() {
            let env = Env::at(point).with_unknowns(|field, alpha, _| values[&(field, alpha)]);
            let residual = equation.eval(&env).abs();
            worst = if residual.is_nan() { f64::INFINITY } else { worst.max(residual) };
        }
    }
    worst
}

#[test]
fn evolutions_of_the_gallery_solve_their_equations_and_conditions() {
    // Estimated error of half the resolution, residual by differences, and the width of these.
    let limits = [
        ("allen-cahn", 5e-6, 1e-5, [2e-3, 1e-3]),
        ("kdv", 1e-7, 1e-4, [4e-3, 5e-4]),
        // The kink of its initial values at the ends spreads as waves that are too rough for differences.
        ("schroedinger", 2e-5, f64::INFINITY, [2e-2, 2e-3]),
        ("ks-periodic", 1e-6, 1e-3, [1e-2, 2e-4]),
    ];
    for (name, error, residual, width) in limits {
        let problem = Problem::builtin(name).unwrap();
        let [(low, high), (start, end)] = problem.ranges()[..] else { panic!("two coordinates") };
        let estimate = problem.reference_error().unwrap().unwrap();
        assert!(estimate < error, "{name}: half the resolution is off by {estimate:e}");
        let place = |x: f64, t: f64| [low + x * (high - low), start + t * (end - start)];
        let points = [place(0.31, 0.4), place(0.52, 0.7), place(0.77, 0.23)];
        let left = worst_residual(&problem, &points, width);
        assert!(left < residual, "{name}: the reference leaves {left:e}");
        let at = |x: f64, t: f64| problem.reference_at(&place(x, t)).unwrap();
        let apart = at(0.0, 0.6).iter().zip(at(1.0, 0.6)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-12, "{name}: its ends are {apart:e} apart");
        let initial = problem.terms(0).unwrap().into_iter().find(|term| term.name.starts_with("initial")).unwrap();
        for point in initial.points.chunks(2).step_by(17) {
            let values = problem.reference_at(point).unwrap();
            let env = Env::at(point).with_unknowns(|field, _, _| values[field]);
            assert!(initial.residuals.iter().all(|residual| residual.eval(&env).abs() < 1e-12), "{name} at {point:?}");
        }
    }
}

#[test]
fn the_pulse_of_the_schroedinger_equation_is_almost_that_on_the_whole_line() {
    // Satsuma & Yajima 1974: h = 4(cosh 3x + 3e^(4it) cosh x)e^(it/2)/(cosh 4x + 4 cosh 2x + 3 cos 4t).
    let problem = Problem::builtin("schroedinger").unwrap();
    for (x, t) in [(0.0, 0.3), (0.0, std::f64::consts::FRAC_PI_4), (0.4, 1.1), (-0.7, 1.5)] {
        let below = (4.0_f64 * x).cosh() + 4.0 * (2.0_f64 * x).cosh() + 3.0 * (4.0_f64 * t).cos();
        let (real, imaginary) =
            ((3.0_f64 * x).cosh() + 3.0 * (4.0_f64 * t).cos() * x.cosh(), 3.0 * (4.0_f64 * t).sin() * x.cosh());
        let (c, s) = ((t / 2.0).cos(), (t / 2.0).sin());
        let h = [4.0 * (real * c - imaginary * s) / below, 4.0 * (real * s + imaginary * c) / below];
        let found = problem.reference_at(&[x, t]).unwrap();
        let apart = (found[0] - h[0]).hypot(found[1] - h[1]);
        assert!(apart < 3e-2, "at {x}, {t}: {found:?} is {apart:e} from {h:?}");
    }
}

#[test]
fn the_chaotic_problem_without_ends_is_taken_as_periodic() {
    let values = Problem::builtin("kuramoto-sivashinsky").unwrap().reference_at(&[0.0, 0.5, 0.0, 1.0]).unwrap();
    assert!((values[0] + 0.913150).abs() < 1e-6 && (values[1] + 0.982566).abs() < 2e-6, "{values:?}");
}

#[test]
fn the_square_with_four_holes_has_its_series() {
    let problem = Problem::builtin("poisson-2d-c").unwrap();
    assert!(problem.reference_error().unwrap().unwrap() < 1e-7);
    let values = problem.reference_at(&[0.4, 0.0, 0.45, 0.45, -0.5, 0.2, 0.2, 0.3]).unwrap();
    for (value, expected) in values.iter().zip([0.6351274, 0.8601325, 1.0, 0.0]) {
        assert!((value - expected).abs() < 1e-7, "{value} is not {expected}");
    }
    assert!(worst_residual(&problem, &[[0.1, 0.2], [-0.45, 0.3]], [2e-3, 2e-3]) < 1e-6);
}

const PLATE: &str = r#"
coordinates = { x = [0, 1], y = [0, 2] }
unknowns = ["u"]
equations = { laplace = "3*(u_xx + u_yy)" }
conditions = [{ kind = "dirichlet", at = "outer", value = "x*y" }, { kind = "dirichlet", at = "hole 1", value = "x*y" }]
geometry = { minus = [{ disk = { center = [0.5, 1], radius = 0.2 } }] }
reference = { laplace = true }
"#;

#[test]
fn plates_are_solved_or_refused() {
    let read = |text: &str| Problem::from_toml(text, "plate.toml".as_ref());
    let plate = read(PLATE).unwrap();
    assert!((plate.reference_at(&[0.2, 0.4]).unwrap()[0] - 0.08).abs() < 1e-12);
    let exact = PLATE.replace("geometry = { minus = [{ disk = { center = [0.5, 1], radius = 0.2 } }] }\n", "");
    let exact = exact.replace(
        "at = \"outer\", value = \"x*y\" }, { kind = \"dirichlet\", at = \"hole 1\"",
        "at = \"boundary\", exact = true",
    );
    assert!((read(&exact).unwrap().reference_at(&[0.2, 0.4]).unwrap()[0] - 0.08).abs() < 1e-12);
    let refusal = |from: &str, to: &str| {
        assert!(PLATE.contains(from), "{from}");
        read(&PLATE.replace(from, to)).and_then(|problem| problem.evaluation()).unwrap_err().to_string()
    };
    assert_eq!(
        refusal("u_xx + u_yy", "u_xx + 2*u_yy"),
        "plate.toml:7:1: a Laplace reference solves u_xx + u_yy = 0 for one unknown of two coordinates, and nothing else"
    );
    assert_eq!(
        refusal(", radius = 0.2", ", radius = 0.5"),
        "plate.toml:7:1: a Laplace reference needs a rectangle, less discs that touch neither it nor each other"
    );
    assert_eq!(
        refusal("disk = { center = [0.5, 1], radius = 0.2 }", "box = { low = [0.4, 0.9], high = [0.6, 1.1] }"),
        "plate.toml:7:1: a Laplace reference needs a rectangle, less discs that touch neither it nor each other"
    );
    assert_eq!(
        refusal("{ kind = \"dirichlet\", at = \"hole 1\"", "{ kind = \"neumann\", at = \"hole 1\""),
        "plate.toml:7:1: a Laplace reference needs the value of `u` at hole 1; add a condition of kind \"dirichlet\""
    );
    assert_eq!(
        refusal("at = \"outer\"", "at = [\"x = 0\", \"x = 1\", \"y = 0\"]"),
        "plate.toml:7:1: a Laplace reference needs the value of `u` at y = 2; add a condition of kind \"dirichlet\""
    );
    assert_eq!(
        refusal("laplace = true", "laplace = { terms = 1000 }"),
        "plate.toml:7:1: `terms` of the Laplace reference is 1000, which makes 7002 functions; at least one term and at most \
         2000 functions are possible"
    );
}

/// The extremum of a smooth function known at evenly spaced nodes, and where: through the five around the largest.
fn extremum(values: &[(f64, f64)], sign: f64) -> (f64, f64) {
    let height = |k: usize| sign * values[k].1;
    let top = (2..values.len() - 2).max_by(|&a, &b| height(a).total_cmp(&height(b))).unwrap();
    let near = &values[top - 2..top + 3];
    let through = |x: f64| {
        let weight = |(i, &(own, value)): (usize, &(f64, f64))| {
            let others = near.iter().enumerate().filter(|(j, _)| *j != i);
            others.map(|(_, (other, _))| (x - other) / (own - other)).product::<f64>() * value
        };
        near.iter().enumerate().map(weight).sum::<f64>()
    };
    let places = (0..=4000).map(|k| near[1].0 + (near[3].0 - near[1].0) * f64::from(k) / 4000.0);
    places.map(|x| (x, through(x))).max_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1))).unwrap()
}

#[test]
fn the_tables_of_the_cavity_have_the_extrema_of_the_literature() {
    // Botella & Peyret 1998 at Re 100; Ghia et al. 1982 and later work at Re 400: place, value and what may be missing.
    let literature = [
        ("cavity", 1e-5, [(0.4581, -0.2140424), (0.2370, 0.1795728), (0.8104, -0.2538030)]),
        ("cavity-re400", 2e-4, [(0.2801, -0.3287), (0.2253, 0.3038), (0.8620, -0.4541)]),
    ];
    for (name, tolerance, expected) in literature {
        let problem = Problem::builtin(name).unwrap();
        assert_eq!(problem.referenced(), [true, true, false]);
        let set = problem.evaluation().unwrap();
        let rows = || set.points.chunks(2).zip(set.reference.as_ref().unwrap().chunks(3));
        let upright: Vec<_> = rows().filter(|(at, _)| at[0] == 0.5).map(|(at, flow)| (at[1], flow[0])).collect();
        let level: Vec<_> = rows().filter(|(at, _)| at[1] == 0.5).map(|(at, flow)| (at[0], flow[1])).collect();
        let found = [extremum(&upright, -1.0), extremum(&level, 1.0), extremum(&level, -1.0)];
        for ((place, value), (at, known)) in found.into_iter().zip(expected) {
            assert!((place - at).abs() < 2e-4, "{name}: at {place}, not at {at}");
            assert!((value - known).abs() < tolerance, "{name}: {value} at {place}, not {known}");
        }
    }
}

#[test]
fn a_coarse_grid_of_the_cavity_agrees_with_the_table_within_its_error() {
    let set = Problem::builtin("cavity").unwrap().evaluation().unwrap();
    let distance = |cells: usize| {
        let flow = ropinn_reference::cavity::Flow::new(100.0, cells).unwrap();
        let (mut off, mut size) = (0.0, 0.0);
        for (at, known) in set.points.chunks(2).zip(set.reference.as_ref().unwrap().chunks(3)) {
            let [i, j] = [at[0], at[1]].map(|x| (x * cells as f64).round());
            // Nodes of this grid, away from the lid's corners.
            if (i / cells as f64 - at[0]).abs() > 1e-9 || (j / cells as f64 - at[1]).abs() > 1e-9 || at[1] > 0.9 {
                continue;
            }
            let [u, v] = flow.velocity(i as usize, j as usize);
            off += (u - known[0]).powi(2) + (v - known[1]).powi(2);
            size += known[0].powi(2) + known[1].powi(2);
        }
        (off / size).sqrt()
    };
    let (coarse, fine) = (distance(25), distance(50));
    assert!(fine < 3e-2 && (3.0..6.0).contains(&(coarse / fine)), "{coarse:e} and {fine:e}");
}

#[test]
fn a_table_may_have_some_of_the_unknowns() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("known.csv"), "x,u\n0,1\n1,2\n").unwrap();
    let text = "coordinates = { x = [0, 1] }\nunknowns = ['u', 'v']\nequations = { a = 'u_x - v', b = 'v_x' }\n\
                conditions = [{ kind = 'dirichlet', at = 'x = 0', unknown = 'u', value = 1 }]\n\
                reference = { file = 'known.csv', unknowns = ['u'] }";
    let read = |text: &str| Problem::from_toml(text, &folder.path().join("p.toml"));
    let problem = read(text).unwrap();
    assert_eq!(problem.referenced(), [true, false]);
    let reference = problem.evaluation().unwrap().reference.unwrap();
    assert!(reference[0] == 1.0 && reference[1].is_nan() && reference[2] == 2.0);
    let errors = ropinn::metrics::relative_errors(&[1.0, 7.0, 2.5, 9.0], &reference);
    assert_eq!(errors.rmae, 0.5 / 3.0);
    let said = |text: String| read(&text).unwrap_err().to_string().replace(folder.path().to_str().unwrap(), "");
    assert_eq!(said(text.replace("['u'] }", "['w'] }")), "/p.toml:5:47: no unknown is named `w` (unknowns: u, v)");
    assert_eq!(
        said(text.replace(", unknowns = ['u'] }", " }")),
        "`/known.csv` line 1: there is no column `v`; its columns are: x, u"
    );
    assert_eq!(
        said(text.replace("file = 'known.csv', unknowns = ['u']", "built-in = 'cavity-re10'")),
        "/p.toml:5:26: `cavity-re10` is not a table (did you mean `cavity-re100`?); choose one of: cavity-re100, cavity-re400"
    );
}

const RING: &str = r#"
name = "ring"
coordinates = { x = [0, 1], t = [0, 1] }
time = "t"
unknowns = ["u"]
equations = { heat = "u_t - u_xx" }
conditions = [{ kind = "initial", value = "sin(2*pi*x)" }, { kind = "periodic", along = "x" }]
reference = { fourier = true }
evaluation = { layout = "grid", counts = [5, 3] }
"#;

/// What is said about the ring with some words replaced, when it is read or when it is evaluated.
fn refusal(from: &str, to: &str) -> String {
    assert!(RING.contains(from), "{from}");
    let read = Problem::from_toml(&RING.replace(from, to), "ring.toml".as_ref());
    read.and_then(|problem| problem.evaluation()).unwrap_err().to_string()
}

#[test]
fn a_ring_needs_no_settings_whatever_way_its_conditions_are_written() {
    let ways = [
        ("kind = \"initial\"", "kind = \"initial\", exact = true"),
        ("along = \"x\"", "along = \"x\", exact = false"),
        ("fourier = true", "fourier = { modes = 32 }"),
        ("fourier = true", "fourier = { steps = 50 }"),
    ];
    for (from, to) in ways {
        let ring = Problem::from_toml(&RING.replace(from, to), "ring.toml".as_ref()).unwrap();
        let value = ring.reference_at(&[0.25, 0.01]).unwrap()[0];
        let exact = (-0.04 * std::f64::consts::PI.powi(2)).exp();
        assert!((value - exact).abs() < 1e-13, "{to}: {value} is not {exact}");
        assert!(ring.has_reference() && ring.reference_error().unwrap().unwrap() < 1e-12);
    }
}

#[test]
fn rings_that_are_none_are_refused() {
    assert_eq!(
        refusal("{ kind = \"periodic\", along = \"x\" }", "{ kind = \"dirichlet\", at = \"x = 0\", value = 0 }"),
        "ring.toml:8:1: a Fourier reference is periodic along `x`, but condition `dirichlet x = 0` holds at its ends; \
         give the reference as a formula or a file"
    );
    assert_eq!(
        refusal("along = \"x\"", "along = \"x\", residual = \"u + at(u, 1)\", name = \"turned\""),
        "ring.toml:8:1: a Fourier reference is periodic along `x`, but condition `turned` holds at its ends; \
         give the reference as a formula or a file"
    );
    assert_eq!(
        refusal("{ kind = \"initial\", value = \"sin(2*pi*x)\" }, ", ""),
        "ring.toml:8:1: a Fourier reference needs the initial value of `u`; add a condition of kind \"initial\""
    );
    assert_eq!(
        refusal("time = \"t\"\n", "\n"),
        "ring.toml:7:15: condition `initial` is initial, but no coordinate is time; add, if that is what it is: time = \"t\""
    );
    assert_eq!(
        refusal("t = [0, 1] }", "y = [0, 1], t = [0, 1] }"),
        "ring.toml:8:1: a Fourier reference needs one coordinate in space and then time; the coordinates are: x, y, t"
    );
    assert_eq!(
        refusal("u_t - u_xx", "u_tt - u_xx"),
        "ring.toml:8:1: a Fourier reference needs equations of first order in time, but equation `heat` has a derivative of \
         `u` of order 2; make its rate an unknown of its own"
    );
    assert_eq!(
        refusal("fourier = true", "fourier = { modes = 100 }"),
        "ring.toml:8:1: `modes` of the Fourier reference is 100; it must be a power of two from 16 to 16384"
    );
    assert_eq!(
        refusal("fourier = true", "fourier = { nodes = 64 }"),
        "ring.toml:8:27: unknown key `nodes` in `fourier` (did you mean `modes`?); its keys are: modes, steps"
    );
    assert_eq!(
        refusal("fourier = true", "fourier = false"),
        "ring.toml:8:25: `fourier` must be true or a table of settings, found false"
    );
    assert_eq!(
        refusal("\"u_t - u_xx\"", "\"u_t - u^3\""),
        "ring.toml:8:1: the Fourier reference grows beyond all bounds near t = 0.5005; raise its `steps`, 2048"
    );
}
