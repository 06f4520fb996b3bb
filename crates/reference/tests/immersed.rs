//! Balls cut out of a cube: order on a manufactured solution, what has no flux, refusals.

use ropinn_reference::immersed::{Ball, Immersed, solve};
use ropinn_reference::{Function, Reference};

fn ball(x: f64, y: f64, z: f64, radius: f64) -> Ball {
    Ball { center: [x, y, z], radius }
}

/// Root mean square of u − exact at places outside the balls.
fn off(solution: &Reference, exact: &dyn Fn(&[f64]) -> f64) -> f64 {
    let place = |k: u32| 0.013 + 0.0648 * f64::from(k);
    let points = (0..15 * 15 * 15).map(|k| [place(k % 15), place(k / 15 % 15), place(k / 225)]);
    let squares = points.filter_map(|point| {
        let value = solution.values(&point)[0];
        (!value.is_nan()).then(|| (value - exact(&point)).powi(2))
    });
    let (sum, count) = squares.fold((0.0, 0.0), |(sum, count), square| (sum + square, count + 1.0));
    assert!(count > 2500.0, "{count}");
    (sum / count).sqrt()
}

#[test]
fn cells_that_balls_cut_converge_with_the_fourth_order() {
    // With G = p∇u the source is qu.
    let exact = |x: &[f64]| (9.0 * x[0]).sin() * (7.0 * x[1]).cos() * (x[2] * 2.0).exp();
    let p = |x: &[f64]| if x[2] < 0.5 { 1.0 } else { 2.0 };
    let gx = |x: &[f64]| p(x) * 9.0 * (9.0 * x[0]).cos() * (7.0 * x[1]).cos() * (x[2] * 2.0).exp();
    let gy = |x: &[f64]| p(x) * -7.0 * (9.0 * x[0]).sin() * (7.0 * x[1]).sin() * (x[2] * 2.0).exp();
    let gz = |x: &[f64]| p(x) * 2.0 * exact(x);
    let source = |x: &[f64]| 20.0 * exact(x);
    let flux: [Function; 3] = [&gx, &gy, &gz];
    let problem = Immersed {
        low: [0.0; 3],
        high: [1.0; 3],
        balls: vec![ball(0.4, 0.3, 0.6, 0.2), ball(0.6, 0.7, 0.55, 0.23)],
        diffusivity: &p,
        decay: &|_| 20.0,
        source: &source,
        flux: Some(flux),
    };
    let [coarse, fine] = [8, 16].map(|cells| off(&solve(&problem, cells).unwrap(), &exact));
    assert!(coarse / fine > 11.0 && fine < 1e-4, "{coarse:e} and {fine:e}");
}

#[test]
fn without_flux_a_source_is_met_by_the_decay() {
    let problem = Immersed {
        low: [0.0; 3],
        high: [1.0; 3],
        balls: vec![ball(0.45, 0.5, 0.5, 0.3)],
        diffusivity: &|_| 3.0,
        decay: &|_| 2.0,
        source: &|_| 5.0,
        flux: None,
    };
    let solution = solve(&problem, 8).unwrap();
    assert!(off(&solution, &|_| 2.5) < 1e-5, "{:e}", off(&solution, &|_| 2.5));
    assert!(solution.values(&[0.45, 0.5, 0.5])[0].is_nan() && solution.values(&[1.1, 0.5, 0.5])[0].is_nan());
    let refused = solve(&problem, 10).err().unwrap().to_string();
    assert_eq!(refused, "`cells` of the reference is 10; it must be a multiple of 8, up to 96");
    let flat = Immersed { high: [1.0, 1.0, 2.0], ..problem };
    let refused = solve(&flat, 8).err().unwrap().to_string();
    assert_eq!(refused, "the domain cannot be solved on: balls are cut out of a cube, whose sides are equal");
}
