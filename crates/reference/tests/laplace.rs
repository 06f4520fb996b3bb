//! Laplace's equation around holes: closed forms, other people's numbers, and more and more terms.

use ropinn_expr::{Expr, Scope};
use ropinn_reference::laplace::{Hole, LaplaceError, Rectangle};

fn expr(text: &str) -> Expr {
    Scope::new(["x", "y"], ["u"]).unwrap().parse(text).unwrap()
}

fn four_holes() -> Rectangle {
    let hole = |x: f64, y: f64| Hole { center: [x, y], radius: 0.1, value: expr("0") };
    let holes = vec![hole(0.3, 0.3), hole(-0.3, 0.3), hole(0.3, -0.3), hole(-0.3, -0.3)];
    Rectangle::new([-0.5, -0.5], [0.5, 0.5], [1, 1, 1, 1].map(|one| expr(&one.to_string())), holes).unwrap()
}

#[test]
fn four_holes_have_the_values_of_another_solver() {
    let solution = four_holes().solve(24).unwrap();
    assert!(solution.error() < 1e-7, "{:e}", solution.error());
    let expected = [
        (0.0, 0.0, 0.2335849),
        (0.4, 0.0, 0.6351274),
        (0.0, 0.15, 0.2433461),
        (0.45, 0.45, 0.8601325),
        (0.2, 0.0, 0.2641444),
        (0.25, 0.1, 0.2431677),
    ];
    for (x, y, value) in expected {
        let found = solution.values(&[x, y])[0];
        assert!((found - value).abs() < 1e-7, "u({x}, {y}) = {found}, not {value}");
    }
}

#[test]
fn more_terms_are_better_and_the_misfit_bounds_the_error() {
    let best = four_holes().solve(24).unwrap();
    let points: Vec<f64> =
        (0..400).flat_map(|k| [(k % 20) as f64 / 19.0 - 0.5, (k / 20) as f64 / 19.0 - 0.5]).collect();
    let outside = |x: f64, y: f64| (x.abs() - 0.3).hypot(y.abs() - 0.3) > 0.1;
    let mut last = f64::INFINITY;
    for terms in [8, 12, 16, 20] {
        let solution = four_holes().solve(terms).unwrap();
        let pairs = solution.values(&points).into_iter().zip(best.values(&points)).zip(points.chunks(2));
        let inside = pairs.filter(|(_, point)| outside(point[0], point[1]));
        let error = inside.map(|((a, b), _)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error <= 1.5 * solution.error(), "{terms} terms: {error:e} above {:e}", solution.error());
        assert!(solution.error() < last / 4.0, "{terms} terms: {:e} after {last:e}", solution.error());
        last = solution.error();
    }
}

#[test]
fn what_does_not_fit_is_refused_with_the_reason() {
    let sides = || [0; 4].map(|_| expr("0"));
    let hole = |x: f64, radius: f64| Hole { center: [x, 0.5], radius, value: expr("1") };
    let shape = |holes| Rectangle::new([0.0, 0.0], [1.0, 1.0], sides(), holes);
    assert_eq!(shape(vec![hole(0.9, 0.2)]), Err(LaplaceError::Shape));
    assert_eq!(
        shape(vec![hole(0.4, 0.2), hole(0.6, 0.1)]).unwrap_err().to_string(),
        "a Laplace reference needs a rectangle, less discs that touch neither it nor each other"
    );
    let good = shape(vec![hole(0.5, 0.2)]).unwrap();
    assert_eq!(
        good.solve(0).unwrap_err().to_string(),
        "`terms` of the Laplace reference is 0, which makes 2 functions; at least one term and at most 2000 functions are possible"
    );
    let [a, b, c, _] = sides();
    let lid = Rectangle::new([0.0, 0.0], [1.0, 1.0], [a, b, c, expr("1")], Vec::new()).unwrap();
    let message = lid.solve(10).unwrap_err().to_string();
    assert!(
        message.starts_with("the Laplace reference is not accurate: with 10 terms it misses the boundary values by "),
        "{message}"
    );
    assert!(
        message.ends_with(" of their size; raise `terms`, or look for values that do not fit at corners"),
        "{message}"
    );
}
