//! Finite elements: orders on manufactured solutions, other people's numbers on coarse triangles, refusals.

use ropinn_reference::elements::{Condition, Diffusion, Evolving, Triangles, heat, steady};
use ropinn_reference::plane::{Disc, Domain};
use ropinn_reference::{Function, Reference, SolveError};
use std::f64::consts::PI;

fn disc(x: f64, y: f64, radius: f64) -> Disc {
    Disc { center: [x, y], radius }
}

/// Root mean square of u − exact at places inside.
fn off(solution: &Reference, exact: &dyn Fn(&[f64]) -> f64, time: Option<f64>) -> f64 {
    let point = |k: usize| -> Vec<f64> {
        let place = [-0.985 + 0.0397 * (k % 50) as f64, -0.985 + 0.0397 * (k / 50) as f64];
        place.into_iter().chain(time).collect()
    };
    let squares = (0..2500).map(point).filter_map(|point| {
        let value = solution.values(&point)[0];
        (!value.is_nan()).then(|| (value - exact(&point)).powi(2))
    });
    let (sum, count) = squares.fold((0.0, 0.0), |(sum, count), square| (sum + square, count + 1.0));
    assert!(count > 1800.0, "{count}");
    (sum / count).sqrt()
}

#[test]
fn quadratic_elements_around_holes_converge_with_the_third_order() {
    // p = 1 + x²/2, q = 3: a value on one side, fluxes with and without transfer on the others, all kinds on rims.
    let domain =
        Domain::rectangle([-1.0, -1.0], [1.0, 1.0], vec![disc(0.3, 0.2, 0.35), disc(-0.5, -0.4, 0.2)]).unwrap();
    let exact = |x: &[f64]| (2.0 * x[0]).sin() * (3.0 * x[1]).cos();
    let slope =
        |x: &[f64]| [2.0 * (2.0 * x[0]).cos() * (3.0 * x[1]).cos(), -3.0 * (2.0 * x[0]).sin() * (3.0 * x[1]).sin()];
    let p = |x: &[f64]| 1.0 + 0.5 * x[0] * x[0];
    let source = |x: &[f64]| 13.0 * p(x) * exact(x) - x[0] * slope(x)[0] + 3.0 * exact(x);
    let low_x = |x: &[f64]| -slope(x)[0] + 2.0 * exact(x);
    let high_y = |x: &[f64]| slope(x)[1];
    let rim = |x: &[f64]| ((0.3 - x[0]) * slope(x)[0] + (0.2 - x[1]) * slope(x)[1]) / 0.35 + 5.0 * exact(x);
    let value = Condition::Value(&exact);
    let conditions = vec![
        value,
        value,
        Condition::Flux { given: &high_y, transfer: 0.0 },
        Condition::Flux { given: &low_x, transfer: 2.0 },
        Condition::Flux { given: &rim, transfer: 5.0 },
        value,
    ];
    let problem = Diffusion { diffusivity: &p, decay: &|_| 3.0, source: &source, conditions };
    let [coarse, fine] = [0.1, 0.05].map(|size| steady(&problem, &Triangles::Size(domain.clone(), size)).unwrap());
    let (a, b) = (off(&coarse, &exact, None), off(&fine, &exact, None));
    assert!(a / b > 7.0 && b < 2e-5, "errors {a:e} and {b:e}");
    assert!(fine.error() > b && fine.error() < 4e-4, "{:e}", fine.error());
    assert!(fine.values(&[0.3, 0.2])[0].is_nan(), "there is nothing in a hole");
}

#[test]
fn steps_converge_with_the_third_order() {
    let exact = |x: &[f64]| (3.0 * x[2]).sin() * (1.0 + x[0] * x[1]) + x[0] * x[0];
    // c = 2: 2u_t − Δu = f.
    let source = |x: &[f64]| 6.0 * (3.0 * x[2]).cos() * (1.0 + x[0] * x[1]) - 2.0;
    let problem = Diffusion {
        diffusivity: &|_| 1.0,
        decay: &|_| 0.0,
        source: &source,
        conditions: vec![Condition::Value(&exact); 4],
    };
    let lines = || (0..9).map(|k| 0.25 * f64::from(k) - 1.0).collect::<Vec<f64>>();
    let errors = [20, 40, 80].map(|steps| {
        let evolving =
            Evolving { capacity: &|_| 2.0, initial: &|x| x[0] * x[0], start: 0.0, instants: vec![1.0, 2.0], steps };
        off(&heat(&problem, &evolving, &Triangles::Lines(lines(), lines())).unwrap(), &exact, Some(2.0))
    });
    assert!(errors[1] / errors[2] > 6.0 && errors[2] < 1e-4, "{errors:?}");
}

#[test]
fn a_square_with_four_discs_has_the_values_of_another_solver() {
    let holes = vec![disc(0.5, 0.5, 0.2), disc(0.4, -0.4, 0.4), disc(-0.2, -0.7, 0.1), disc(-0.6, 0.5, 0.3)];
    let domain = Domain::rectangle([-1.0, -1.0], [1.0, 1.0], holes).unwrap();
    let source = |x: &[f64]| 10.0 * (17.0 + x[0] * x[0] + x[1] * x[1]) * (PI * x[0]).sin() * (4.0 * PI * x[1]).sin();
    let (outer, rim) = (Condition::Value(&|_| 0.2), Condition::Value(&|_| 1.0));
    let conditions = [vec![outer; 4], vec![rim; 4]].concat();
    let problem = Diffusion { diffusivity: &|_| 1.0, decay: &|_| 64.0, source: &source, conditions };
    let solution = steady(&problem, &Triangles::Size(domain, 0.02)).unwrap();
    let expected = [
        (0.0, 0.0, 0.29031),
        (0.0, 0.5, 0.13255),
        (-0.5, -0.3, -0.40384),
        (0.8, 0.8, -0.16098),
        (-0.8, -0.8, -0.20497),
    ];
    for (x, y, value) in expected {
        let found = solution.values(&[x, y])[0];
        assert!(
            (found - value).abs() < 5e-5 && (found - value).abs() < solution.error(),
            "u({x}, {y}) = {found}, not {value}"
        );
    }
}

#[test]
fn seventeen_discs_that_heat_a_plate_have_the_values_of_another_solver() {
    let large = [(0.0, 0.0), (0.0, 6.0), (0.0, -6.0)].into_iter();
    let large = large.chain([-9.0, -3.0, 3.0, 9.0].into_iter().flat_map(|y| [(4.0, y), (-4.0, y)]));
    let small = [-6.0, 0.0, 6.0].into_iter().flat_map(|y| [(3.2, y), (-3.2, y)]);
    let holes = large.map(|(x, y)| disc(x, y, 1.0)).chain(small.map(|(x, y)| disc(x, y, 0.4))).collect();
    let domain = Domain::rectangle([-8.0, -12.0], [8.0, 12.0], holes).unwrap();
    let flux = |given: Function<'static>| Condition::Flux { given, transfer: 1.0 };
    let conditions = [vec![flux(&|_| 0.1); 4], vec![flux(&|_| 5.0); 11], vec![flux(&|_| 1.0); 6]].concat();
    let problem = Diffusion { diffusivity: &|_| 1.0, decay: &|_| 0.0, source: &|_| 0.0, conditions };
    let (capacity, initial): (Function, Function) = (&|_| 1.0, &|_| 0.0);
    let evolving = Evolving { capacity, initial, start: 0.0, instants: vec![1.0, 3.0], steps: 30 };
    let solution = heat(&problem, &evolving, &Triangles::Size(domain, 0.35)).unwrap();
    let expected = [
        ([2.0, 0.0, 1.0], 0.931),
        ([0.0, 3.0, 1.0], 0.378),
        ([-4.0, 0.0, 1.0], 0.533),
        ([6.0, 6.0, 1.0], 0.129),
        ([2.0, 0.0, 3.0], 2.1486),
        ([0.0, 3.0, 3.0], 1.842),
        ([-4.0, 0.0, 3.0], 1.471),
        ([6.0, 6.0, 3.0], 0.850),
    ];
    // The other solver's linear elements are off by about 10⁻³ themselves.
    for (point, value) in expected {
        let found = solution.values(&point)[0];
        assert!((found - value).abs() < 2.5e-3, "{found} at {point:?}, not {value}; error {:e}", solution.error());
    }
    assert!(solution.error() < 1e-2, "{:e}", solution.error());
}

#[test]
fn what_does_not_fit_is_refused_with_the_reason() {
    let domain = |hole: Disc| Domain::rectangle([0.0, 0.0], [1.0, 1.0], vec![hole]);
    assert_eq!(
        domain(disc(0.9, 0.5, 0.2)).unwrap_err().to_string(),
        "the domain cannot be solved on: the hole of radius 0.2 at (0.9, 0.5) must lie inside, apart from the others"
    );
    let good = domain(disc(0.5, 0.5, 0.2)).unwrap();
    let mut problem = Diffusion { diffusivity: &|_| 1.0, decay: &|_| 0.0, source: &|_| 1.0, conditions: Vec::new() };
    let refused =
        |problem: &Diffusion, size| steady(problem, &Triangles::Size(good.clone(), size)).err().unwrap().to_string();
    assert_eq!(
        refused(&problem, 0.1),
        "the boundary has 5 pieces, but 0 have a condition; give one for each side, then one for each hole"
    );
    assert!(refused(&problem, 1e-9).starts_with("`size` of the reference is 0.000000002; it must be "));
    problem.conditions = vec![Condition::Value(&|_| f64::NAN); 5];
    assert!(refused(&problem, 0.1).starts_with("a boundary value is not finite near ["));
    problem.conditions = vec![Condition::Value(&|_| 0.0); 5];
    let evolving = Evolving { capacity: &|_| 1.0, initial: &|_| 0.0, start: 1.0, instants: vec![0.5], steps: 1 };
    let late = heat(&problem, &evolving, &Triangles::Size(good.clone(), 0.1)).err();
    assert_eq!(late, Some(SolveError::Instants { start: 1.0, at: 0.5 }));
}
