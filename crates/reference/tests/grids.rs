//! Solvers on even grids: orders on closed forms, other people's numbers, refusals.

use ropinn_reference::burgers::{self, Burgers};
use ropinn_reference::cole_hopf::burgers_from_sine;
use ropinn_reference::spectral::{self, Reaction, Sides};
use ropinn_reference::wave::{self, Form, Wave};
use ropinn_reference::{Function, Reference};
use std::f64::consts::{PI, TAU};

fn off(solution: &Reference, time: f64, (low, high): (f64, f64), exact: &dyn Fn(&[f64]) -> f64) -> f64 {
    let place = |k: u32| low + (high - low) * (f64::from(k) + 0.3) / 31.0;
    let square = |k: u32| {
        let point = [place(k % 31), place(k / 31), time];
        (solution.values(&point)[0] - exact(&point)).powi(2)
    };
    ((0..31 * 31).map(square).sum::<f64>() / 961.0).sqrt()
}

#[test]
fn exponential_steps_converge_with_the_fourth_order() {
    // u = sin(πx) sin(πy) (1 + sin(t)/2) with a cubic decay and the source that belongs to it.
    let (d, shape) = (0.05, |x: &[f64]| (PI * x[0]).sin() * (PI * x[1]).sin());
    let exact = |x: &[f64]| shape(x) * (1.0 + 0.5 * x[2].sin());
    let rates = |x: &[f64; 3], u: &[f64], rates: &mut [f64]| {
        let source = 0.5 * shape(x) * x[2].cos() + (2.0 * d * PI * PI + 0.3) * exact(x) + exact(x).powi(3);
        rates[0] = source - u[0].powi(3);
    };
    let reaction = Reaction {
        low: [0.0; 2],
        high: [1.0; 2],
        sides: Sides::Zero,
        diffusivities: vec![d],
        linear: vec![-0.3],
        rates: &rates,
        initial: vec![&shape],
    };
    let error = |steps| off(&spectral::solve(&reaction, &[1.0, 4.0], 32, steps).unwrap(), 4.0, (0.0, 1.0), &exact);
    let errors = [8, 16, 32].map(error);
    assert!((10.0..24.0).contains(&(errors[0] / errors[1])), "{errors:?}");
    assert!(errors[2] < 1e-6, "{errors:?}");
    let refused = spectral::solve(&reaction, &[1.0], 100, 10).err().unwrap().to_string();
    assert_eq!(refused, "`nodes` of the reference is 100; it must be a power of two from 32 to 2048");
}

#[test]
fn spots_of_gray_and_scott_have_the_values_of_another_solver() {
    let rates = |_: &[f64; 3], u: &[f64], rates: &mut [f64]| {
        let eaten = u[0] * u[1] * u[1];
        (rates[0], rates[1]) = (0.04 - eaten, eaten);
    };
    let bump = |x: &[f64], shift: f64| (-80.0 * ((x[0] - shift * 0.05).powi(2) + (x[1] - shift * 0.02).powi(2))).exp();
    let (food, eater) = (|x: &[f64]| 1.0 - bump(x, -1.0), |x: &[f64]| bump(x, 1.0));
    let reaction = Reaction {
        low: [-1.0; 2],
        high: [1.0; 2],
        sides: Sides::Periodic,
        diffusivities: vec![1e-5, 5e-6],
        linear: vec![-0.04, -0.1],
        rates: &rates,
        initial: vec![&food, &eater],
    };
    let solution = spectral::solve(&reaction, &[50.0, 100.0], 128, 100).unwrap();
    for (time, expected) in [(50.0, [0.448876, 0.176630]), (100.0, [0.865524, 0.014066])] {
        let found = solution.values(&[0.0, 0.0, time]);
        let close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < solution.error().min(2e-4));
        assert!(close, "{found:?} at {time}, not {expected:?}; error {:e}", solution.error());
    }
}

#[test]
fn plateaus_of_a_driven_reaction_have_the_values_of_another_solver() {
    let rates = |x: &[f64; 3], u: &[f64], rates: &mut [f64]| {
        let drive = (1.0 + 2.0 * (0.25 * PI * x[2]).sin()) * (4.0 * PI * x[0]).sin() * (TAU * x[1]).sin();
        rates[0] = 5.0 * (u[0] * u[0]).sin() * drive;
    };
    let first = |x: &[f64]| (4.0 * PI * x[0]).sin() * (3.0 * PI * x[1]).sin();
    let reaction = Reaction {
        low: [0.0; 2],
        high: [1.0; 2],
        sides: Sides::Zero,
        diffusivities: vec![1e-3],
        linear: vec![0.0],
        rates: &rates,
        initial: vec![&first],
    };
    let solution = spectral::solve(&reaction, &[1.0], 128, 100).unwrap();
    for (x, y, expected) in [(0.15625, 0.375, 0.1844), (0.65625, 0.625, -1.7698)] {
        let found = solution.values(&[x, y, 1.0])[0];
        assert!((found - expected).abs() < 1e-4, "{found} at ({x}, {y}), not {expected}");
    }
}

#[test]
fn waves_converge_with_the_second_order_of_their_steps_in_both_forms() {
    // Standing waves; c = 4 is the same in both forms.
    let exact = |x: &[f64]| (PI * x[0]).cos() * (2.0 * PI * x[1]).cos() * (2.0 * 5.0_f64.sqrt() * PI * x[2]).cos();
    let first = |x: &[f64]| exact(&[x[0], x[1], 0.0]);
    for form in [Form::Plain, Form::Divergence] {
        let wave = Wave { low: [0.0; 2], high: [1.0; 2], c: &|_| 4.0, form, initial: &first };
        let [coarse, fine] =
            [16, 32].map(|cells| off(&wave::solve(&wave, &[0.3, 1.0], cells).unwrap(), 1.0, (0.0, 1.0), &exact));
        assert!(coarse / fine > 3.6 && fine < 1e-3, "{form:?}: {coarse:e} and {fine:e}");
    }
}

#[test]
fn waves_in_a_medium_that_jumps_are_those_of_their_form() {
    // Along x on [0, 1], c = 1 to the left of ½ and 4 to the right. Slopes are continuous in the plain form, c times them in the
    // other; the first standing wave is A cos(ωx) to the left and B cos(ω(1 − x)/2) to the right.
    for form in [Form::Plain, Form::Divergence] {
        // ω tan(ω/2) = −k (ω/2) tan(ω/4), k = 1 for the plain form, and 4.
        let k = if form == Form::Plain { 1.0 } else { 4.0 };
        let misfit = |w: f64| w * (0.5 * w).sin() * (0.25 * w).cos() + k * 0.5 * w * (0.25 * w).sin() * (0.5 * w).cos();
        let (mut low, mut high) = (PI, TAU);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if misfit(middle) > 0.0 { low = middle } else { high = middle }
        }
        let w = low;
        let shape = |x: f64| {
            if x < 0.5 { (w * x).cos() } else { (0.5 * w).cos() / (0.25 * w).cos() * (0.5 * w * (1.0 - x)).cos() }
        };
        let exact = |x: &[f64]| shape(x[0]) * (w * x[2]).cos();
        let first = |x: &[f64]| shape(x[0]);
        let c = |x: &[f64]| if x[0] < 0.5 { 1.0 } else { 4.0 };
        let wave = Wave { low: [0.0; 2], high: [1.0; 2], c: &c, form, initial: &first };
        let [coarse, fine] =
            [8, 16].map(|cells| off(&wave::solve(&wave, &[1.5], cells).unwrap(), 1.5, (0.0, 1.0), &exact));
        assert!(coarse / fine > 3.6 && fine < 1e-3, "{form:?}: {coarse:e} and {fine:e}");
    }
}

#[test]
fn a_front_of_burgers_equation_is_that_of_the_closed_form() {
    // v = 0 and u of one coordinate: Cole and Hopf's solution on a period of 2, fifth order and third.
    let nu = 0.02;
    let first = |x: &[f64]| -(PI * (x[0] - 1.0)).sin();
    let problem = Burgers { period: 2.0, viscosity: nu, initial: [&first, &|_| 0.0] };
    let exact = |x: &[f64]| burgers_from_sine(x[0] - 1.0, x[2], nu);
    let errors = [64, 128, 256]
        .map(|nodes| off(&burgers::solve(&problem, &[0.0, 0.25, 0.5], nodes).unwrap(), 0.5, (0.0, 2.0), &exact));
    assert!(errors[1] / errors[2] > 16.0 && errors[2] < 1e-4, "{errors:?}");
    let turned = Burgers { initial: [&|_| 0.0, &|x| -(PI * (x[1] - 1.0)).sin()], ..problem };
    let solution = burgers::solve(&turned, &[0.5], 96).unwrap();
    let found = solution.values(&[0.7, 0.9, 0.5]);
    assert!(found[0].abs() < 1e-14 && (found[1] - exact(&[0.9, 0.0, 0.5])).abs() < 1e-3, "{found:?}");
    let again = solution.values(&[2.7, -1.1, 0.5]);
    assert!((again[1] - found[1]).abs() < 1e-12, "it repeats");
    let bad: Function = &|_| f64::NAN;
    let refused = burgers::solve(&Burgers { initial: [bad, bad], ..turned }, &[0.5], 64).err().unwrap().to_string();
    assert!(refused.starts_with("a first value is not finite near ["), "{refused}");
}
