//! Random trees over every kind of node: simplification, expansion, text and derivatives against plain evaluation.

mod common;

use common::{Raw, World, raw, scope, world};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use ropinn_expr::Expr;

/// Runs `check` on random trees where the plain value is defined, and insists that most of them are.
fn on_defined_trees(check: impl Fn(&Raw, &World, f64, f64) -> Result<(), TestCaseError>) {
    let cases = 4000;
    let defined = std::cell::Cell::new(0);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let result = runner.run(&(raw(), world()), |(raw, world)| {
        let Some(plain) = raw.eval(&world) else {
            return Ok(());
        };
        defined.set(defined.get() + 1);
        let tolerance = 1e4 * plain.error + 1e-13 * plain.value.abs();
        check(&raw, &world, plain.value, tolerance)
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
    assert!(defined.get() > cases / 2, "only {} trees are defined", defined.get());
}

fn close(what: &str, expr: &Expr, got: f64, want: f64, tolerance: f64) -> Result<(), TestCaseError> {
    prop_assert!((got - want).abs() <= tolerance, "{what} gives {got}, want {want} ± {tolerance:e}: {expr}");
    Ok(())
}

#[test]
fn simplification_keeps_the_value() {
    on_defined_trees(|raw, world, want, tolerance| {
        let expr = raw.build();
        close("simplified", &expr, expr.eval(&world.env()), want, tolerance)
    });
}

#[test]
fn expansion_keeps_the_value() {
    on_defined_trees(|raw, world, want, tolerance| {
        let expr = raw.build().expand();
        // Multiplying out trades one cancellation for another: bound it by the terms' own size.
        let scale = match expr.node() {
            ropinn_expr::Node::Add(terms) => terms.iter().map(|t| t.eval(&world.env()).abs()).sum(),
            _ => 0.0,
        };
        let tolerance = 10.0 * tolerance + 1e-9 * scale;
        close("expanded", &expr, expr.eval(&world.env()), want, tolerance)
    });
}

#[test]
fn text_parses_back_to_an_equal_expression() {
    let scope = scope();
    on_defined_trees(|raw, world, _, _| {
        let expr = raw.build();
        let text = expr.display(&scope).to_string();
        let parsed = match scope.parse(&text) {
            Ok(parsed) => parsed,
            Err(error) => return Err(TestCaseError::fail(error.render(&text))),
        };
        let (got, want) = (parsed.eval(&world.env()), expr.eval(&world.env()));
        close("parsed", &parsed, got, want, 1e-12 * want.abs())?;
        prop_assert_eq!(&parsed, &expr, "printed as {}", text);
        Ok(())
    });
}

#[test]
fn moving_to_a_site_moves_the_whole_world() {
    on_defined_trees(|raw, world, _, _| {
        let expr = raw.build().at(0);
        let moved = World { point: [world.coord(0, 1), world.coord(1, 1)], ..world.clone() };
        let (got, want) = (expr.at(1).eval(&world.env()), expr.eval(&moved.env()));
        if want.is_finite() {
            close("moved", &expr, got, want, 1e-9 * (1.0 + want.abs()))?;
        }
        Ok(())
    });
}

#[test]
fn equal_trees_have_equal_hash_and_order() {
    on_defined_trees(|raw, _, _, _| {
        let (a, b) = (raw.build(), raw.build());
        prop_assert_eq!(&a, &b);
        prop_assert_eq!(a.cmp(&b), std::cmp::Ordering::Equal);
        let other = &a + 1.0;
        prop_assert_ne!(&a, &other);
        prop_assert_eq!(a.cmp(&other), other.cmp(&a).reverse());
        Ok(())
    });
}

/// (derivative, uncertainty) by central differences with one Richardson step; None at a kink, a jump or a pole.
fn difference_quotient(expr: &Expr, world: &World, axis: usize) -> Option<(f64, f64)> {
    let h = 1e-3;
    let f = |by: f64| expr.eval(&world.moved(axis, by).env());
    let central = |h: f64| (f(h) - f(-h)) / (2.0 * h);
    let (wide, narrow) = (central(h), central(h / 2.0));
    let (right, left) = ((f(h) - f(0.0)) / h, (f(0.0) - f(-h)) / h);
    let best = (4.0 * narrow - wide) / 3.0;
    let size = 1.0 + best.abs();
    let smooth = (wide - narrow).abs() < 1e-3 * size && (right - left).abs() < 0.1 * size;
    let rounding = 1e-15 * f(0.0).abs() / h;
    smooth.then_some((best, 0.1 * (wide - narrow).abs() + 100.0 * rounding + 1e-7 * size))
}

#[test]
fn derivative_matches_differences() {
    let compared = std::cell::Cell::new(0);
    on_defined_trees(|raw, world, _, _| {
        let expr = raw.build();
        for axis in 0..common::COORDS {
            let Some((want, uncertainty)) = difference_quotient(&expr, world, axis) else {
                continue;
            };
            let slope = expr.derivative(axis);
            let got = slope.eval(&world.env());
            // The formula may be 0/0 where the function itself is smooth, as |x|'s powers are at 0.
            if got.is_finite() {
                compared.set(compared.get() + 1);
                close("derivative", &slope, got, want, uncertainty)?;
            }
        }
        Ok(())
    });
    assert!(compared.get() > 2000, "only {} slopes", compared.get());
}

#[test]
fn second_derivatives_commute_and_match_differences() {
    let compared = std::cell::Cell::new(0);
    on_defined_trees(|raw, world, _, _| {
        let slope = raw.build().derivative(0);
        let Some((want, uncertainty)) = difference_quotient(&slope, world, 1) else {
            return Ok(());
        };
        let mixed = slope.derivative(1);
        let got = mixed.eval(&world.env());
        let swapped = raw.build().derivative(1).derivative(0).eval(&world.env());
        if got.is_finite() && swapped.is_finite() {
            compared.set(compared.get() + 1);
            close("mixed derivative", &mixed, got, want, 10.0 * uncertainty)?;
            close("swapped derivative", &mixed, swapped, want, 10.0 * uncertainty)?;
        }
        Ok(())
    });
    assert!(compared.get() > 1000, "only {} slopes", compared.get());
}

#[test]
fn substituting_coordinates_composes() {
    on_defined_trees(|raw, world, _, _| {
        let expr = raw.build().at(0);
        if expr.depends_on_unknowns() {
            return Ok(());
        }
        let inner = [Expr::coord(0) * Expr::coord(1), Expr::coord(0) + 0.25 * Expr::coord(1).sin()];
        let point = [inner[0].eval(&world.env()), inner[1].eval(&world.env())];
        let there = World { point, ..world.clone() };
        let got = expr.substitute_coords(&inner).eval(&world.env());
        let want = expr.eval(&there.env());
        if want.is_finite() {
            close("substituted", &expr, got, want, 1e-6 * (1.0 + want.abs()))?;
        }
        Ok(())
    });
}

proptest! {
    /// Long products differentiate by halves; here every factor is different.
    #[test]
    fn long_products_differentiate(shifts in prop::collection::vec(1.0..3.0_f64, 9..40), world in world()) {
        let x = Expr::coord(0);
        let product = Expr::product(shifts.iter().enumerate().map(|(k, shift)| (&x * 0.01 * k as f64 + *shift).log()));
        let slope = product.derivative(0).eval(&world.env());
        // (Π f)' = Π f Σ f'/f.
        let at = world.point[0];
        let logarithmic = shifts.iter().enumerate().map(|(k, shift)| {
            let (rate, inner) = (0.01 * k as f64, 0.01 * k as f64 * at + shift);
            rate / inner / inner.ln()
        });
        let want = product.eval(&world.env()) * logarithmic.sum::<f64>();
        prop_assert!((slope - want).abs() <= 1e-9 * want.abs(), "{slope} or {want}");
    }

    /// Text printed without a scope parses in the numbered one.
    #[test]
    fn numbered_names_parse_back(raw in raw()) {
        let expr = raw.build();
        let text = expr.to_string();
        if !text.contains("table") {
            prop_assert_eq!(scope().parse(&text).unwrap(), expr);
        }
    }
}
