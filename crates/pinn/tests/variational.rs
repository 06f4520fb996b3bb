//! Variational integrals against closed forms, the weak form against the strong one, and the adjoint identity.

use proptest::prelude::*;
use ropinn::variational::{Against, Form, Measure, Role, Variational, VariationalRule, Workspace};
use ropinn_domain::quadrature::{Quadrature, legendre_difference};

fn settings(elements: usize, tests: usize, quadrature: usize) -> Variational {
    Variational { elements, tests, quadrature, measure: Measure::Volume, ..Variational::default() }
}

fn at_points(rule: &VariationalRule, dim: usize, f: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    rule.points().chunks_exact(dim).flat_map(f).collect()
}

fn close(found: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(found.len(), wanted.len());
    for (i, (f, w)) in found.iter().zip(wanted).enumerate() {
        assert!((f - w).abs() < tolerance, "entry {i}: {f:e} for {w:e}");
    }
}

#[test]
fn integrals_of_products_are_products_of_integrals() {
    // r = x³ t² over an element grid of [1, 3] × [−1, 2]: separate one-dimensional integrals by a finer rule.
    let ranges = [(1.0, 3.0), (-1.0, 2.0)];
    let (elements, tests) = (3, 4);
    let rule = VariationalRule::new(&ranges, &settings(elements, tests, 7)).unwrap();
    assert_eq!((rule.elements(), rule.tests()), (9, 16));
    let found = rule.integrals(&Role::strong(1), &at_points(&rule, 2, |p| vec![p[0].powi(3) * p[1].powi(2)])).unwrap();
    let fine = Quadrature::gauss_legendre(20).unwrap();
    let integral = |axis: usize, element: usize, n: usize, power: i32| -> f64 {
        let (low, high) = ranges[axis];
        let h = (high - low) / elements as f64;
        let at = |xi: f64| low + h * (element as f64 + 0.5 * (xi + 1.0));
        fine.iter().map(|(xi, w)| 0.5 * h * w * at(xi).powi(power) * legendre_difference(n, xi).value).sum()
    };
    let mut wanted = Vec::new();
    for e in 0..9 {
        for k in 0..16 {
            wanted.push(integral(0, e % 3, k % 4 + 1, 3) * integral(1, e / 3, k / 4 + 1, 2));
        }
    }
    close(&found, &wanted, 1e-12);
}

#[test]
fn points_fill_the_box_element_by_element() {
    let rule = VariationalRule::new(&[(0.0, 2.0), (5.0, 6.0)], &settings(2, 1, 2)).unwrap();
    assert_eq!(rule.points()[..16], [0.0, 5.0, 1.0, 5.0, 0.0, 5.5, 1.0, 5.5, 1.0, 5.0, 2.0, 5.0, 1.0, 5.5, 2.0, 5.5]);
    assert_eq!(rule.points().len(), 32);
}

/// Powers of x, y, t up to 2 with these coefficients, and the derivative along an axis.
fn polynomial(c: &[f64], p: &[f64], along: Option<usize>) -> f64 {
    let power = |i: usize, axis: usize| {
        let k = (i / 3usize.pow(axis as u32) % 3) as i32;
        if along != Some(axis) {
            p[axis].powi(k)
        } else if k == 0 {
            0.0
        } else {
            f64::from(k) * p[axis].powi(k - 1)
        }
    };
    c.iter().enumerate().map(|(i, c)| c * (0..3).map(|axis| power(i, axis)).product::<f64>()).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// ∫ (∂_x f_x + ∂_t f_t + g) v = ∫ g v − f_x ∂_x v − f_t ∂_t v on every element, in three dimensions.
    #[test]
    fn weak_and_strong_integrals_agree(c in prop::collection::vec(-1.0..1.0f64, 81), high in 0.5..3.0f64) {
        let rule = VariationalRule::new(&[(-1.0, high), (0.0, 0.5), (2.0, 2.0 + high)], &settings(2, 3, 6)).unwrap();
        let parts: Vec<&[f64]> = c.chunks_exact(27).collect();
        let strong = at_points(&rule, 3, |p| {
            vec![polynomial(parts[0], p, Some(0)) + polynomial(parts[1], p, Some(2)) + polynomial(parts[2], p, None)]
        });
        let weak = at_points(&rule, 3, |p| parts.iter().map(|c| polynomial(c, p, None)).collect());
        let roles = [Against::Slope(0), Against::Slope(2), Against::Test].map(|against| Role { equation: 0, against });
        let (strong, weak) =
            (rule.integrals(&Role::strong(1), &strong).unwrap(), rule.integrals(&roles, &weak).unwrap());
        prop_assert!(strong.iter().zip(&weak).all(|(s, w)| (s - w).abs() < 1e-11), "{strong:?}\n{weak:?}");
    }

    /// ⟨∇m(x), y⟩ = 2⟨A x, A y⟩/count for the mean square m = ‖A x‖²/count: two equations, one of them in weak form.
    #[test]
    fn slopes_are_those_of_the_adjoint(seed in prop::collection::vec(-1.0..1.0f64, 64), volume in any::<bool>()) {
        let measure = if volume { Measure::Volume } else { Measure::Elements };
        let rule = VariationalRule::new(&[(0.0, 1.5), (1.0, 2.0)], &Variational { measure, ..settings(2, 3, 4) }).unwrap();
        let roles = [(1, Against::Slope(1)), (0, Against::Test), (1, Against::Test), (1, Against::Slope(0))]
            .map(|(equation, against)| Role { equation, against });
        let random = |n: usize, shift: usize| -> Vec<f64> {
            (0..n).map(|i| seed[(i + shift) % 64] * (1.0 + (i / 64) as f64).cos()).collect()
        };
        let (x, y) = (random(4 * 16 * 4, 0), random(4 * 16 * 4, 7));
        let (ax, ay) = (rule.integrals(&roles, &x).unwrap(), rule.integrals(&roles, &y).unwrap());
        prop_assert_eq!(ax.len(), 4 * 9 * 2);
        let mut slopes = x.clone();
        let mean = rule.mean_square(&roles, &mut slopes, &mut Workspace::default()).unwrap();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        prop_assert!((mean - dot(&ax, &ax) / 72.0).abs() < 1e-12);
        prop_assert!((dot(&slopes, &y) - dot(&ax, &ay) / 36.0).abs() < 1e-12);
    }
}

#[test]
fn mean_square_and_its_slopes() {
    let rule = VariationalRule::new(&[(0.0, 1.0)], &settings(3, 2, 5)).unwrap();
    let roles = [Against::Test, Against::Slope(0)].map(|against| Role { equation: 0, against });
    let values = at_points(&rule, 1, |p| vec![p[0].exp(), (3.0 * p[0]).sin()]);
    let mut workspace = Workspace::default();
    let mut slopes = values.clone();
    let mean = rule.mean_square(&roles, &mut slopes, &mut workspace).unwrap();
    let integrals = rule.integrals(&roles, &values).unwrap();
    assert!((mean - integrals.iter().map(|i| i * i).sum::<f64>() / 6.0).abs() < 1e-16);
    for i in 0..values.len() {
        let mut at = |shift: f64| {
            let mut moved = values.clone();
            moved[i] += shift;
            rule.mean_square(&roles, &mut moved, &mut workspace).unwrap()
        };
        let difference = (at(1e-3) - at(-1e-3)) / 2e-3; // exact: the mean is quadratic in the values
        assert!((slopes[i] - difference).abs() < 1e-11, "{i}: {} for {difference}", slopes[i]);
    }
}

#[test]
fn measures_differ_by_a_constant() {
    let ranges = [(0.0, 3.0), (0.0, 2.0)];
    let by = |measure| VariationalRule::new(&ranges, &Variational { measure, ..settings(2, 2, 4) }).unwrap();
    let (volume, elements) = (by(Measure::Volume), by(Measure::Elements));
    let values = at_points(&volume, 2, |p| vec![p[0] * p[1] + 1.0]);
    let wanted: Vec<f64> =
        elements.integrals(&Role::strong(1), &values).unwrap().iter().map(|i| i * 3.0 * 2.0 / 4.0).collect();
    close(&volume.integrals(&Role::strong(1), &values).unwrap(), &wanted, 1e-14);
    let published =
        Variational { form: Form::Strong, elements: 10, tests: 5, quadrature: 10, measure: Measure::Elements };
    assert_eq!(Variational::default(), published);
}

#[test]
fn refusals_name_the_culprit() {
    let refused = |ranges: &[(f64, f64)], s: Variational| VariationalRule::new(ranges, &s).unwrap_err().to_string();
    assert_eq!(
        refused(&[(0.0, 1.0), (2.0, 2.0)], settings(2, 2, 4)),
        "coordinate 1 runs from 2 to 2; elements need a finite range with the smaller number first"
    );
    assert_eq!(
        refused(&[(0.0, 1.0)], settings(2, 2, 1)),
        "setting `quadrature` of variational residuals is 1; it must be from 2 to 64"
    );
    assert_eq!(
        refused(&[(0.0, 1.0); 5], settings(64, 2, 4)),
        "64 elements along each of 5 axes are too many points; use fewer elements or another objective"
    );
    let rule = VariationalRule::new(&[(0.0, 1.0)], &settings(2, 2, 4)).unwrap();
    let message = |roles: &[Role], n: usize| rule.integrals(roles, &vec![0.0; n]).unwrap_err().to_string();
    assert_eq!(
        message(&Role::strong(1), 7),
        "7 values were given where the rule has 8; give one per point (or integral) and column"
    );
    assert_eq!(
        message(&[Role { equation: 0, against: Against::Slope(1) }], 8),
        "a column is the flux along axis 1, but there are 1 axes; number them from 0"
    );
    assert_eq!(
        message(&[Role { equation: 1, against: Against::Test }], 8),
        "equation 0 has no column of values; number equations from 0 without gaps"
    );
    assert_eq!(message(&[], 0), "equation 0 has no column of values; number equations from 0 without gaps");
    let short = rule.mean_square(&Role::strong(1), &mut [0.0; 3], &mut Workspace::default()).unwrap_err().to_string();
    assert_eq!(short, "3 values were given where the rule has 8; give one per point (or integral) and column");
}
