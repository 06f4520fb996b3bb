//! Weak forms: the examples of the textbooks, the identity R = Σ ∂F + G, integrals against test functions, refusals.
//! Also the derivatives of the benchmark residuals that gradient-enhanced PINNs use.

mod common;

use common::world;
use proptest::prelude::*;
use ropinn_expr::{Env, Lookup, MultiIndex, Scope, Table, TableAxis, WeakForm};

fn scope() -> Scope {
    let mut scope = Scope::new(["x", "t"], ["u", "a"]).unwrap();
    scope.trainable("lambda").unwrap();
    scope.data("y").unwrap();
    let axis = |name: &str| TableAxis { name: name.into(), nodes: vec![0.0, 0.4, 1.0] };
    for (name, lookup) in [("near", Lookup::Nearest), ("lin", Lookup::Linear)] {
        scope.table(name, Table::new(vec![axis("x")], vec![1.0, 2.0, 0.5], lookup).unwrap()).unwrap();
    }
    scope
}

fn weak(text: &str) -> WeakForm {
    scope().parse(text).unwrap().weak_form(&scope()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// (residual, fluxes by axis, source).
type Form = (&'static str, &'static [(usize, &'static str)], &'static str);
const FORMS: &[Form] = &[
    ("u_t - 5*u*(1 - u)", &[(1, "u")], "-5*u*(1 - u)"),
    ("u_t + 50*u_x", &[(0, "50*u"), (1, "u")], "0"),
    ("u_tt - 4*u_xx", &[(0, "-4*u_x"), (1, "u_t")], "0"),
    ("u_t + u*u_x", &[(0, "u^2/2"), (1, "u")], "0"),
    ("u_t + u*u_x - 0.01*u_xx", &[(0, "u^2/2 - 0.01*u_x"), (1, "u")], "0"),
    ("d(a*u_x, x) + sin(x)", &[(0, "a*u_x")], "sin(x)"),
    ("d((1 + x^2)*u_x, x)", &[(0, "u_x + x^2*u_x")], "0"),
    ("exp(x)*u_xx", &[(0, "exp(x)*u_x")], "-exp(x)*u_x"),
    ("exp(x)*u_tt", &[(1, "exp(x)*u_t")], "0"),
    ("u_xx + x*u_x", &[(0, "u_x")], "x*u_x"),
    ("u_xx + u^3*u_t^2", &[(0, "u_x")], "u^3*u_t^2"),
    ("(1 + u^2)*u_xx", &[(0, "u_x + u^2*u_x")], "-2*u*u_x^2"),
    ("u_x*u_xx", &[(0, "u_x^2/2")], "0"),
    ("lambda*u_xx - y*u", &[(0, "lambda*u_x")], "-y*u"),
    ("u_xx/(1 + t)", &[(0, "u_x/(1 + t)")], "0"),
    ("x*u_xt", &[(1, "x*u_x")], "0"),
    ("near*u_tt + u", &[(1, "near*u_t")], "u"),
    ("u_xx + near*u_x", &[(0, "u_x")], "near*u_x"),
    ("abs(u)*u_xx", &[(0, "abs(u)*u_x")], "-sign(u)*u_x^2"),
    ("u_xxx + u*a_x", &[(0, "u_xx")], "u*a_x"),
    ("u_t + d(a*u, x)", &[(0, "a*u"), (1, "u")], "0"),
    ("u_xx + 3*d(a*u, t) + a*u_x", &[(0, "u_x"), (1, "3*a*u")], "a*u_x"),
    ("d(u_x*a_x, x)", &[(0, "u_x*a_x")], "0"),
    ("d(u_x*a_x*x, x) - d(u*a_t, t)", &[(0, "x*u_x*a_x"), (1, "-u*a_t")], "0"),
    ("u - sin(x)", &[], "u - sin(x)"),
];

#[test]
fn forms_as_written_by_hand() {
    let scope = scope();
    for (residual, fluxes, source) in FORMS {
        let found = weak(residual);
        let wanted: Vec<_> = fluxes.iter().map(|(axis, f)| (*axis, scope.parse(f).unwrap().expand())).collect();
        assert_eq!(found.fluxes, wanted, "{residual}");
        assert_eq!(found.source, scope.parse(source).unwrap().expand(), "{residual}");
    }
}

#[test]
fn a_term_that_keeps_its_order_is_named() {
    let scope = scope();
    let message = |text: &str| scope.parse(text).unwrap().weak_form(&scope).unwrap_err().to_string();
    let wanted = |term: &str, order: u32| {
        format!(
            "the term `{term}` of order {order} cannot be integrated by parts to a lower order; write it as a derivative of lower-order terms, or use the strong form"
        )
    };
    assert_eq!(message("u_t + u_xx^2"), wanted("u_xx^2", 2));
    assert_eq!(message("u_tt + sin(u_xx)"), wanted("sin(u_xx)", 2));
    assert_eq!(message("u_t + a*u_x"), wanted("u_x*a", 1));
    assert_eq!(message("u_tt - a_xx*u_xx"), wanted("-u_xx*a_xx", 2));
    // Coefficients that jump, or whose change from point to point is unknown, have no derivative to pay with.
    assert_eq!(message("where(x < 0.5, 1, 2)*u_xx"), wanted("u_xx*where(x < 0.5, 1, 2)", 2));
    assert_eq!(message("near*u_xx"), wanted("u_xx*near(x)", 2));
    assert_eq!(message("y*u_xx"), wanted("y*u_xx", 2));
    assert_eq!(message("sign(u)*u_xx"), wanted("u_xx*sign(u)", 2));
    assert_eq!(message("at(u_xx, 1) + u"), wanted("at(u_xx, 1)", 2));
}

/// P_{n+1} − P_{n−1} for n = 1, 2, 3 and their slopes: they vanish at ±1.
fn test_function(n: usize, s: f64) -> (f64, f64) {
    match n {
        0 => (1.5 * (s * s - 1.0), 3.0 * s),
        1 => (2.5 * s * (s * s - 1.0), 2.5 * (3.0 * s * s - 1.0)),
        _ => ((35.0 * s.powi(4) - 42.0 * s * s + 7.0) / 8.0, 7.0 * (5.0 * s.powi(3) - 3.0 * s) / 2.0),
    }
}

/// Gauss–Legendre nodes and weights on [−1, 1] by Newton's method, 24 of them.
fn gauss() -> Vec<(f64, f64)> {
    let n = 24;
    let p =
        |x: f64| (1..n).fold((1.0, x), |(a, b), k| (b, ((2 * k + 1) as f64 * x * b - k as f64 * a) / (k + 1) as f64));
    let root = |i: usize| {
        let slope = |x: f64| n as f64 * (p(x).0 - x * p(x).1) / (1.0 - x * x);
        let start = (std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
        let x = (0..20).fold(start, |x, _| x - p(x).1 / slope(x));
        (x, 2.0 / ((1.0 - x * x) * slope(x).powi(2)))
    };
    (0..n).map(root).collect()
}

/// Smooth residuals of every kind the rules know.
const SMOOTH: &[&str] = &[
    "u_t - 5*u*(1 - u)",
    "u_tt - 4*u_xx",
    "u_t + u*u_x - 0.3*u_xx",
    "d(a*u_x, x) + d(a*u_t, t) - x*t",
    "exp(x*t)*u_xx + cos(t)*u_xt + u_x*u_t",
    "(1 + u^2)*u_xx + a*u_t",
    "u_x*u_xx + x^2*u^2*u_tt + lambda*a_tt*u",
    "u_xxx + sin(x)*u_xxt + u*u_xx + u_xx*u_t/(2 + cos(x))",
    "u^2*u_x + a*a_t + sin(u)",
    "u_xx*exp(u) + tanh(a)*u_tt",
    "a_t + d(a*u, x) + cos(x)*u",
    "d(u_x*a_x, x) + d(u*a_x, t)",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// ∫ R v = ∫ (G v − Σ F_k ∂_k v) over the square [c − ½, c + ½]², for sines u and a and products v of test functions.
    #[test]
    fn weak_and_strong_integrals_agree(world in world(), n in 0..3usize, m in 0..3usize) {
        let rule = gauss();
        for text in SMOOTH {
            let residual = scope().parse(text).unwrap();
            let form = weak(text);
            prop_assert!(form.source.max_order() < residual.max_order(), "{text}");
            prop_assert!(form.fluxes.iter().all(|(_, flux)| flux.max_order() < residual.max_order()), "{text}");
            let (mut strong, mut by_parts, mut scale) = (0.0, 0.0, 1.0);
            for &(s, w_s) in &rule {
                for &(r, w_r) in &rule {
                    let mut here = world.clone();
                    (here.point[0], here.point[1]) = (world.point[0] + 0.5 * s, world.point[1] + 0.5 * r);
                    let ((v, v_x), (q, q_t)) = (test_function(n, s), test_function(m, r));
                    // ∂_x = 2 ∂_s, ∂_t = 2 ∂_r on an element of side 1.
                    let slopes = [2.0 * v_x * q, 2.0 * v * q_t];
                    let weight = 0.25 * w_s * w_r;
                    let env = here.env();
                    let density = residual.eval(&env) * v * q;
                    strong += weight * density;
                    scale += weight * density.abs();
                    by_parts += weight * form.source.eval(&env) * v * q;
                    for (axis, flux) in &form.fluxes {
                        by_parts -= weight * flux.eval(&env) * slopes[*axis];
                    }
                }
            }
            prop_assert!((strong - by_parts).abs() < 1e-10 * scale, "{text}: {strong} and {by_parts}");
        }
    }

    /// R = Σ ∂_k F_k + G at every place.
    #[test]
    fn derivatives_of_the_fluxes_give_the_residual_back(world in world()) {
        for text in SMOOTH.iter().chain(FORMS.iter().map(|(text, ..)| text)) {
            let form = weak(text);
            let total = form.fluxes.iter().fold(form.source.clone(), |sum, (axis, flux)| sum + flux.derivative(*axis));
            let (found, wanted) = (total.eval(&world.env()), scope().parse(text).unwrap().eval(&world.env()));
            prop_assert!((found - wanted).abs() < 1e-10 * (1.0 + wanted.abs()), "{text}: {found} for {wanted}");
        }
    }

    /// Residual gradients of reaction, wave and convection against those derived by hand.
    #[test]
    fn residual_gradients_of_the_benchmarks(world in world()) {
        let scope = scope();
        let by_hand = [
            ("u_t - 5*u*(1 - u)", ["u_xt - 5*(1 - 2*u)*u_x", "u_tt - 5*(1 - 2*u)*u_t"]),
            ("u_tt - 4*u_xx", ["u_ttx - 4*u_xxx", "u_ttt - 4*u_xxt"]),
            ("u_t + 50*u_x", ["u_tx + 50*u_xx", "u_tt + 50*u_xt"]),
        ];
        for (residual, gradients) in by_hand {
            for (axis, wanted) in gradients.iter().enumerate() {
                let (found, wanted) = (scope.parse(residual).unwrap().derivative(axis), scope.parse(wanted).unwrap());
                prop_assert_eq!(found.expand(), wanted.expand());
                // And along the unknown itself, by a central difference of the residual.
                let at = |by: f64| scope.parse(residual).unwrap().eval(&world.moved(axis, by).env());
                let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                let value = found.eval(&world.env());
                prop_assert!((value - difference).abs() < 1e-5 * (1.0 + value.abs() + 100.0), "{value} or {difference}");
            }
        }
    }
}

/// A polynomial u has integrals the rule finds exactly.
#[test]
fn polynomial_unknowns_agree_to_rounding() {
    // u = x³ t² and a = 1 + x t.
    let unknown = |p: [f64; 2], field: usize, alpha: MultiIndex| -> f64 {
        let power = |x: f64, k: u8, d: u8| match k.checked_sub(d) {
            Some(rest) => (rest + 1..=k).map(f64::from).product::<f64>() * x.powi(rest.into()),
            None => 0.0,
        };
        let one = |k: u8, l: u8| power(p[0], k, alpha.get(0)) * power(p[1], l, alpha.get(1));
        if field == 0 { one(3, 2) } else { one(0, 0) + one(1, 1) }
    };
    let residual = scope().parse("d(a*u_x, x) + u*u_t - u_tt + x*a_tt").unwrap();
    let form = residual.weak_form(&scope()).unwrap();
    let (mut strong, mut by_parts) = (0.0, 0.0);
    for (s, w_s) in gauss() {
        for (r, w_r) in gauss() {
            let point = [s, r];
            let env = Env::at(&point).with_unknowns(|field, alpha, _| unknown(point, field, alpha));
            let ((v, v_x), (q, q_t)) = (test_function(1, s), test_function(0, r));
            strong += w_s * w_r * residual.eval(&env) * v * q;
            by_parts += w_s * w_r * form.source.eval(&env) * v * q;
            for (axis, flux) in &form.fluxes {
                by_parts -= w_s * w_r * flux.eval(&env) * [v_x * q, v * q_t][*axis];
            }
        }
    }
    assert!(strong.abs() > 0.1 && (strong - by_parts).abs() < 1e-12, "{strong} and {by_parts}");
}
