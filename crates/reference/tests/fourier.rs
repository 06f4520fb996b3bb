//! Evolutions against closed forms, other people's numbers, and themselves at other resolutions.

use ropinn_expr::{Expr, Scope};
use ropinn_reference::fourier::{Evolution, FourierError, Resolution, Solution};
use std::f64::consts::{PI, TAU};

fn evolution(
    unknowns: &[&str],
    equations: &[&str],
    initial: &[&str],
    space: (f64, f64),
    end: f64,
) -> Result<Evolution, FourierError> {
    let scope = Scope::new(["x", "t"], unknowns.iter().copied()).unwrap();
    let parse = |texts: &[&str]| texts.iter().map(|text| scope.parse(text).unwrap()).collect::<Vec<Expr>>();
    let equations = parse(equations);
    let named: Vec<(&str, &Expr)> = ["first", "second"].into_iter().zip(&equations).collect();
    Evolution::new(&scope, &named, parse(initial), &[space, (0.0, end)])
}

fn solve(evolution: &Evolution, modes: usize, steps: usize) -> Solution {
    evolution.solve(Resolution { modes, steps }).unwrap_or_else(|error| panic!("{error}"))
}

/// max |u − exact| over a grid that has nothing to do with that of the solver.
fn worst(solution: &Solution, (low, high): (f64, f64), end: f64, exact: &dyn Fn(f64, f64) -> f64) -> f64 {
    let place = |i: usize| low + (high - low) * i as f64 / 37.0;
    let points: Vec<f64> = (0..=37 * 11).flat_map(|i| [place(i % 38), end * (i / 38) as f64 / 10.0]).collect();
    let unknowns = solution.values(&points).len() / (points.len() / 2);
    let values: Vec<f64> = solution.values(&points).into_iter().step_by(unknowns).collect();
    let off = points.chunks(2).zip(&values).map(|(point, value)| (value - exact(point[0], point[1])).abs());
    off.fold(0.0, |a, b| if b.is_nan() { f64::INFINITY } else { a.max(b) })
}

#[test]
fn linear_waves_are_exact_at_any_time() {
    let linear = evolution(&["u"], &["2*u_t + 6*u_x - 0.2*u_xx + 0.02*u_xxx"], &["sin(2*x)"], (0.0, TAU), 1.0).unwrap();
    let exact = |x: f64, t: f64| (-0.4 * t).exp() * (2.0 * (x - 3.0 * t) + 0.08 * t).sin();
    assert!(worst(&solve(&linear, 16, 1), (0.0, TAU), 1.0, &exact) < 1e-12);
    // A source and a varying coefficient go where N is, and so are only as good as the steps.
    let forced = evolution(
        &["u"],
        &["u_t - u_xx + (2 + sin(x + t))*u - (2 + sin(x + t))*cos(x)*exp(-t)"],
        &["cos(x)"],
        (0.0, TAU),
        1.0,
    )
    .unwrap();
    let exact = |x: f64, t: f64| x.cos() * (-t).exp();
    assert!(worst(&solve(&forced, 32, 1024), (0.0, TAU), 1.0, &exact) < 1e-10);
}

#[test]
fn systems_are_solved_for_their_rates_and_coupled_exactly() {
    // u_t + v_t = …, u_t − v_t = …: a wave equation in disguise, u_tt = 4u_xx.
    let wave = evolution(
        &["u", "v"],
        &["u_t + v_t - 2*u_x - 2*v_x", "u_t - v_t - 2*v_x + 2*u_x"],
        &["cos(3*x)", "0"],
        (0.0, TAU),
        2.0,
    )
    .unwrap();
    let exact = |x: f64, t: f64| (3.0 * x).cos() * (6.0 * t).cos();
    assert!(worst(&solve(&wave, 32, 1), (0.0, TAU), 2.0, &exact) < 1e-11);
}

#[test]
fn a_soliton_of_the_korteweg_de_vries_equation_keeps_its_shape() {
    // u = 3c sech²(√(c/4ν)(x − ct)), so narrow that its images do not matter.
    let (c, nu) = (0.6_f64, 4e-4_f64);
    let soliton = |x: f64| 3.0 * c / ((c / (4.0 * nu)).sqrt() * x).cosh().powi(2);
    let text = format!("3*{c}/cosh(sqrt({c}/(4*{nu}))*x)^2");
    let kdv = evolution(&["u"], &["u_t + u*u_x + 4e-4*u_xxx"], &[&text], (-1.0, 1.0), 0.5).unwrap();
    let solution = solve(&kdv, 512, 4096);
    let error = worst(&solution, (-1.0, 1.0), 0.5, &|x, t| soliton(x - c * t));
    assert!(error < 2e-7 && solution.error() < 2e-6, "{error:e}, {:e}", solution.error());
}

#[test]
fn a_pulse_of_the_schroedinger_equation_keeps_its_shape() {
    // h = sech(x) e^(it/2).
    let equations = ["u_t + v_xx/2 + (u^2 + v^2)*v", "v_t - u_xx/2 - (u^2 + v^2)*u"];
    let pulse = evolution(&["u", "v"], &equations, &["1/cosh(x)", "0"], (-20.0, 20.0), 2.0).unwrap();
    let error = worst(&solve(&pulse, 256, 2048), (-20.0, 20.0), 2.0, &|x, t| (t / 2.0).cos() / x.cosh());
    assert!(error < 2e-8, "{error:e}");
}

#[test]
fn the_kuramoto_sivashinsky_equation_has_the_values_of_another_solver() {
    let equation = "u_t + 100/16*u*u_x + 100/16^2*u_xx + 100/16^4*u_xxxx";
    let ks = evolution(&["u"], &[equation], &["cos(x)*(1 + sin(x))"], (0.0, TAU), 0.5).unwrap();
    let solution = solve(&ks, 512, 4096);
    let values = solution.values(&[0.0, 0.1, 0.0, 0.25, 0.0, 0.5, PI, 0.5, PI / 2.0, 0.5, 0.0, 0.6]);
    for (value, expected) in values.iter().zip([0.587968, 0.355456, -0.913150, 0.913150, 0.0]) {
        assert!((value - expected).abs() < 6e-7, "{value} is not {expected}");
    }
    assert!(values[5].is_nan(), "there is nothing beyond the last instant");
    assert!(solution.error() < 1e-6, "{:e}", solution.error());
}

#[test]
fn steps_converge_with_the_fourth_order() {
    let driven = evolution(&["u"], &["u_t - u_xx - u + u^3 - sin(t + x)"], &["0"], (0.0, TAU), 200.0).unwrap();
    let [coarse, fine, limit] = [2048, 4096, 32_768].map(|steps| solve(&driven, 32, steps).values(&[1.0, 20.0])[0]);
    let ratio = (coarse - limit) / (fine - limit);
    assert!((11.0..22.0).contains(&ratio), "errors {:e} and {:e}", coarse - limit, fine - limit);
}

#[test]
fn what_does_not_fit_is_refused_with_the_reason() {
    let line = (0.0, 1.0);
    let said = |unknowns: &[&str], equations: &[&str]| {
        let initial = vec!["0"; unknowns.len()];
        evolution(unknowns, equations, &initial, line, 1.0).unwrap_err().to_string()
    };
    assert_eq!(
        said(&["u"], &["u_tt - u_xx"]),
        "a Fourier reference needs equations of first order in time, but equation `first` has a derivative of `u` of order 2; make its rate an unknown of its own"
    );
    assert_eq!(
        said(&["u"], &["(1 + x)*u_t - u_xx"]),
        "a Fourier reference needs time derivatives by themselves or times a number, but equation `first` has `x*u_t`"
    );
    assert_eq!(
        said(&["u"], &["sin(u_t) - u_xx"]),
        "a Fourier reference needs time derivatives by themselves or times a number, but equation `first` has `sin(u_t)`"
    );
    assert_eq!(
        said(&["u", "v"], &["u_t - v_x", "v - u_x"]),
        "a Fourier reference needs the time derivative of every unknown; the equations do not give them all"
    );
    assert_eq!(
        said(&["u", "v"], &["u_t - v_x"]),
        "a Fourier reference needs as many equations as unknowns; there are 1 for 2"
    );
    let heat = evolution(&["u"], &["u_t - u_xx"], &["sin(x)"], (0.0, TAU), 1.0).unwrap();
    let refused =
        |evolution: &Evolution, modes, steps| evolution.solve(Resolution { modes, steps }).unwrap_err().to_string();
    assert_eq!(
        refused(&heat, 100, 10),
        "`modes` of the Fourier reference is 100; it must be a power of two from 16 to 16384"
    );
    assert_eq!(
        refused(&heat, 64, 0),
        "`steps` of the Fourier reference is 0; it must be at least 1, and with `modes` a product of at most 67108864"
    );
    let kink = evolution(&["u"], &["u_t - 1e-9*u_xx"], &["x"], line, 1.0).unwrap();
    let message = refused(&kink, 64, 1);
    assert!(message.starts_with("the Fourier reference is not accurate: 64 modes and 1 steps differ by "), "{message}");
    assert!(message.ends_with("e-1 from half of them; raise `modes` or `steps`"), "{message}");
    let explosion = evolution(&["u"], &["u_t - u^2"], &["2 + sin(x)"], (0.0, TAU), 2.0).unwrap();
    let message = refused(&explosion, 64, 1);
    assert!(message.starts_with("the Fourier reference grows beyond all bounds near t = 0."), "{message}");
    assert!(message.ends_with("; raise its `steps`, 1024"), "{message}");
}
