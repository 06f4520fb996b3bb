//! Exactness on polynomials, published nodes, and the identities behind the test functions.

use super::*;
use proptest::prelude::*;

/// ∫ x^k over [−1, 1].
fn monomial(k: usize) -> f64 {
    if k % 2 == 1 { 0.0 } else { 2.0 / (k + 1) as f64 }
}

fn apply(rule: &Quadrature, f: impl Fn(f64) -> f64) -> f64 {
    rule.iter().map(|(x, w)| w * f(x)).sum()
}

fn both(n: usize) -> Vec<(Quadrature, usize)> {
    let legendre = (Quadrature::gauss_legendre(n).unwrap(), 2 * n - 1);
    match n {
        1 => vec![legendre],
        _ => vec![legendre, (Quadrature::gauss_lobatto(n).unwrap(), 2 * n - 3)],
    }
}

#[test]
fn polynomials_up_to_the_stated_degree_are_exact_and_the_next_even_one_is_not() {
    for n in 1..=80 {
        for (rule, degree) in both(n) {
            for k in 0..=degree {
                let found = apply(&rule, |x| x.powi(k as i32));
                assert!((found - monomial(k)).abs() < 4e-15, "n {n}, x^{k}: {found:e} for {:e}", monomial(k));
            }
            if n <= 12 {
                let found = apply(&rule, |x| x.powi(degree as i32 + 1));
                assert!((found - monomial(degree + 1)).abs() > 1e-9, "n {n}: {degree} is not the best degree");
            }
        }
    }
}

#[test]
fn orthogonality_of_high_legendre_polynomials() {
    for n in [64, 129, 200] {
        for (rule, degree) in both(n) {
            for (a, b) in [(n - 2, n - 3), (n - 2, n - 2), (n / 2, n - 4), (0, n - 2)] {
                assert!(a + b <= degree);
                let wanted = if a == b { 2.0 / (2 * a + 1) as f64 } else { 0.0 };
                let found = apply(&rule, |x| legendre(a, x).value * legendre(b, x).value);
                assert!((found - wanted).abs() < 1e-14, "n {n}, ⟨P_{a}, P_{b}⟩ = {found:e}");
            }
        }
    }
}

#[test]
fn nodes_rise_mirror_each_other_and_weights_sum_to_two() {
    for n in 1..=200 {
        for (rule, _) in both(n) {
            assert!(rule.nodes().windows(2).all(|pair| pair[0] < pair[1]), "n {n}");
            assert!(rule.weights().iter().all(|&w| w > 0.0), "n {n}");
            assert!((rule.weights().iter().sum::<f64>() - 2.0).abs() < 1e-14, "n {n}");
            for i in 0..n {
                assert_eq!(rule.nodes()[i], -rule.nodes()[n - 1 - i]);
                assert_eq!(rule.weights()[i], rule.weights()[n - 1 - i]);
            }
        }
    }
}

#[test]
fn published_nodes_and_weights() {
    let three = Quadrature::gauss_legendre(3).unwrap();
    let close = |found: &[f64], wanted: &[f64], tolerance: f64| {
        assert_eq!(found.len(), wanted.len());
        found.iter().zip(wanted).for_each(|(f, w)| assert!((f - w).abs() < tolerance, "{found:?} for {wanted:?}"));
    };
    close(three.nodes(), &[-(0.6f64.sqrt()), 0.0, 0.6f64.sqrt()], 2e-16);
    close(three.weights(), &[5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0], 3e-16);
    // Abramowitz & Stegun, table 25.6, n = 10.
    let ten = Quadrature::gauss_lobatto(10).unwrap();
    let nodes = [0.165278957666, 0.477924949810, 0.738773865106, 0.919533908166, 1.0];
    let weights = [0.327539761184, 0.292042683680, 0.224889342063, 0.133305990851, 0.022222222222];
    close(&ten.nodes()[5..], &nodes, 6e-13);
    close(&ten.weights()[5..], &weights, 6e-13);
    assert_eq!(Quadrature::gauss_lobatto(2).unwrap().nodes(), [-1.0, 1.0]);
}

#[test]
fn an_interval_keeps_its_ends() {
    let rule = Quadrature::gauss_lobatto(7).unwrap().on(0.1, 0.7);
    assert_eq!((rule.nodes()[0], rule.nodes()[6]), (0.1, 0.7));
    assert!((rule.weights().iter().sum::<f64>() - 0.6).abs() < 1e-15);
}

#[test]
fn differences_vanish_at_the_ends_and_are_what_they_say() {
    for n in 1..=20 {
        for end in [-1.0, 1.0] {
            let v = legendre_difference(n, end);
            assert_eq!(v.value, 0.0);
            assert_eq!(v.slope, (2 * n + 1) as f64 * f64::powi(end, n as i32));
        }
        for x in [-0.9, -0.3, 0.0, 0.41, 0.77] {
            let (v, above, below) = (legendre_difference(n, x), legendre(n + 1, x), legendre(n - 1, x));
            assert!((v.value - (above.value - below.value)).abs() < 1e-15);
            assert!((v.slope - (above.slope - below.slope)).abs() < 1e-12);
            assert!((v.curvature - (above.curvature - below.curvature)).abs() < 1e-10);
        }
    }
}

proptest! {
    /// Legendre's equation ties the three numbers together: (1 − x²) P″ − 2x P′ + n(n + 1) P = 0.
    #[test]
    fn legendre_solves_its_equation(n in 0..60usize, x in -1.0..1.0f64) {
        let p = legendre(n, x);
        let degree = (n * (n + 1)) as f64;
        let parts = [(1.0 - x * x) * p.curvature, -2.0 * x * p.slope, degree * p.value];
        let scale: f64 = 1.0 + degree + parts.iter().map(|part| part.abs()).sum::<f64>();
        prop_assert!(parts.iter().sum::<f64>().abs() < 1e-12 * scale);
    }

    /// Random polynomials in three variables.
    #[test]
    fn tensor_rules_are_exact(coefficients in prop::collection::vec(-2.0..2.0f64, 4 * 6 * 2)) {
        let axes = [Quadrature::gauss_legendre(2).unwrap(), Quadrature::gauss_legendre(3).unwrap(),
            Quadrature::gauss_lobatto(2).unwrap()];
        let rule = TensorQuadrature::product(&axes).unwrap();
        let powers = |i: usize| [i % 4, i / 4 % 6, i / 24];
        let value = |p: &[f64]| coefficients.iter().enumerate()
            .map(|(i, c)| c * powers(i).iter().zip(p).map(|(&k, x)| x.powi(k as i32)).product::<f64>()).sum::<f64>();
        let found: f64 = rule.iter().map(|(p, w)| w * value(p)).sum();
        let wanted: f64 = coefficients.iter().enumerate()
            .map(|(i, c)| c * powers(i).iter().map(|&k| monomial(k)).product::<f64>()).sum();
        prop_assert!((found - wanted).abs() < 1e-12, "{found} for {wanted}");
    }
}

#[test]
fn tensor_nodes_vary_the_first_axis_fastest() {
    let axes = [Quadrature::gauss_lobatto(2).unwrap(), Quadrature::gauss_legendre(1).unwrap().on(0.0, 4.0)];
    let rule = TensorQuadrature::product(&axes).unwrap();
    assert_eq!((rule.dim(), rule.len()), (2, 2));
    assert_eq!(rule.nodes(), [-1.0, 2.0, 1.0, 2.0]);
    assert_eq!(rule.weights(), [4.0, 4.0]);
}

#[test]
fn refusals_name_the_culprit() {
    let message = |result: Result<Quadrature>| result.unwrap_err().to_string();
    assert_eq!(
        message(Quadrature::gauss_legendre(0)),
        "the Gauss-Legendre rule needs at least 1 nodes, 0 were asked for; ask for more"
    );
    assert_eq!(
        message(Quadrature::gauss_lobatto(1)),
        "the Gauss-Lobatto rule needs at least 2 nodes, 1 were asked for; ask for more"
    );
    let ten = Quadrature::gauss_legendre(10).unwrap();
    assert_eq!(
        TensorQuadrature::power(&ten, 8).unwrap_err().to_string(),
        "a product rule with [10, 10, 10, 10, 10, 10, 10, 10] nodes per axis is too large (at most 16777216 nodes in all); use fewer nodes or random samples"
    );
    assert_eq!(
        TensorQuadrature::power(&ten, 0).unwrap_err().to_string(),
        "a quadrature rule has no coordinates; give at least one axis"
    );
}
