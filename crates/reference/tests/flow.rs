//! Flows: orders on manufactured solutions, other people's numbers on coarse triangles, refusals.

use ropinn_reference::flow::{Flow, FlowCondition, steady, unsteady};
use ropinn_reference::plane::Domain;
use ropinn_reference::{Reference, SolveError};

const STILL: FlowCondition<'static> = FlowCondition::Velocity([&|_| 0.0, &|_| 0.0]);

/// Root mean squares of the velocity's and the pressure's distance from what is exact.
fn off(solution: &Reference, exact: &dyn Fn(&[f64]) -> [f64; 3], time: Option<f64>) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for k in 0..400 {
        let place = [0.013 + 0.0487 * f64::from(k % 20), 0.013 + 0.0487 * f64::from(k / 20)];
        let point: Vec<f64> = place.into_iter().chain(time).collect();
        let (found, wanted) = (solution.values(&point), exact(&point));
        sums[0] += (found[0] - wanted[0]).powi(2) + (found[1] - wanted[1]).powi(2);
        sums[1] += (found[2] - wanted[2]).powi(2);
    }
    sums.map(|sum| (sum / 400.0).sqrt())
}

#[test]
fn steady_flow_converges_with_the_third_order_and_its_pressure_with_the_second() {
    // ψ = sin(2x)·cos(3y)/3: u = ψ_y, v = −ψ_x; p = x²y.
    let exact = |x: &[f64]| {
        let ((s, c), (t, d)) = ((2.0 * x[0]).sin_cos(), (3.0 * x[1]).sin_cos());
        [-s * t, -2.0 / 3.0 * c * d, x[0] * x[0] * x[1]]
    };
    let nu = 0.05;
    let force = |x: &[f64], axis: usize| {
        let ((s, c), (t, d)) = ((2.0 * x[0]).sin_cos(), (3.0 * x[1]).sin_cos());
        let [u, v, _] = exact(x);
        let slopes = [[-2.0 * c * t, -3.0 * s * d], [4.0 / 3.0 * s * d, 2.0 * c * t]][axis];
        let pressure = [2.0 * x[0] * x[1], x[0] * x[0]][axis];
        u * slopes[0] + v * slopes[1] + pressure + 13.0 * nu * [u, v][axis]
    };
    let (fx, fy) = (|x: &[f64]| force(x, 0), |x: &[f64]| force(x, 1));
    let (u, v) = (|x: &[f64]| exact(x)[0], |x: &[f64]| exact(x)[1]);
    let flow = Flow {
        domain: Domain::rectangle([0.0, 0.0], [1.0, 1.0], Vec::new()).unwrap(),
        viscosity: nu,
        force: [&fx, &fy],
        conditions: vec![FlowCondition::Velocity([&u, &v]); 4],
        pressure_zero_at: Some([0.0, 0.0]),
    };
    let [coarse, fine] = [0.1, 0.05].map(|size| off(&steady(&flow, size).unwrap(), &exact, None));
    assert!(coarse[0] / fine[0] > 6.5 && fine[0] < 2e-5, "velocities {:e} and {:e}", coarse[0], fine[0]);
    assert!(coarse[1] / fine[1] > 3.0 && fine[1] < 2e-3, "pressures {:e} and {:e}", coarse[1], fine[1]);
}

#[test]
fn steps_converge_with_the_second_order() {
    // u = sin(t)·(y², x²), p = xy: in the space of the elements, so that only steps are off.
    let exact = |x: &[f64]| [x[2].sin() * x[1] * x[1], x[2].sin() * x[0] * x[0], x[0] + 2.0 * x[1]];
    let nu = 0.1;
    let (fx, fy) = (
        |x: &[f64]| {
            x[2].cos() * x[1] * x[1] + 2.0 * x[2].sin().powi(2) * x[0] * x[0] * x[1] + 1.0 - 2.0 * nu * x[2].sin()
        },
        |x: &[f64]| {
            x[2].cos() * x[0] * x[0] + 2.0 * x[2].sin().powi(2) * x[1] * x[1] * x[0] + 2.0 - 2.0 * nu * x[2].sin()
        },
    );
    let (u, v) = (|x: &[f64]| exact(x)[0], |x: &[f64]| exact(x)[1]);
    let flow = Flow {
        domain: Domain::rectangle([0.0, 0.0], [1.0, 1.0], Vec::new()).unwrap(),
        viscosity: nu,
        force: [&fx, &fy],
        conditions: vec![FlowCondition::Velocity([&u, &v]); 4],
        pressure_zero_at: Some([0.0, 0.0]),
    };
    let errors = [20, 40, 80].map(|steps| off(&unsteady(&flow, &[1.0, 2.0], steps, 0.2).unwrap(), &exact, Some(2.0)));
    for kind in 0..2 {
        let ratio = errors[1][kind] / errors[2][kind];
        assert!((3.3..5.0).contains(&ratio), "{kind}: {errors:?}");
    }
}

#[test]
fn a_cavity_under_a_smooth_lid_has_the_values_of_another_solver() {
    let lid = FlowCondition::Velocity([&|x| 4.0 * x[0] * (1.0 - x[0]), &|_| 0.0]);
    let flow = Flow {
        domain: Domain::rectangle([0.0, 0.0], [1.0, 1.0], Vec::new()).unwrap(),
        viscosity: 0.01,
        force: [&|_| 0.0, &|_| 0.0],
        conditions: vec![STILL, STILL, lid, STILL],
        pressure_zero_at: Some([0.0, 0.0]),
    };
    let solution = steady(&flow, 0.04).unwrap();
    for (point, expected) in
        [([0.5, 0.5], [-0.17876, 0.05439, -0.02762]), ([0.24657, 0.5], [-0.07233, 0.15390, -0.01752])]
    {
        let found = solution.values(&point);
        let close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < solution.error().min(3e-4));
        assert!(close, "{found:?} at {point:?}, not {expected:?}; error {:e}", solution.error());
    }
}

#[test]
fn flow_over_a_step_has_the_values_of_another_solver_that_resists_its_return() {
    let inlet = FlowCondition::Velocity([&|x| 4.0 * x[1] * (1.0 - x[1]), &|_| 0.0]);
    let outline = vec![[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [2.0, 2.0], [2.0, 1.0], [0.0, 1.0]];
    let mut flow = Flow {
        domain: Domain::new(outline, Vec::new()).unwrap(),
        viscosity: 0.01,
        force: [&|_| 0.0, &|_| 0.0],
        conditions: vec![STILL, FlowCondition::ResistingOutlet { suction: 1.5 }, STILL, STILL, STILL, inlet],
        pressure_zero_at: None,
    };
    let solution = steady(&flow, 0.06).unwrap();
    let expected = [
        ([2.00306, 0.48935], [0.98428, 0.04156, -0.03368]),
        ([2.98834, 0.50686], [0.87764, 0.08307, -0.03148]),
        ([3.00965, 1.50158], [-0.05246, -0.02091, -0.05068]),
    ];
    // How the other solver resists is known by its effect only.
    for (point, expected) in expected {
        let found = solution.values(&point);
        assert!(
            found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 2e-3),
            "{found:?} at {point:?}, not {expected:?}"
        );
    }
    assert!(solution.error() < 1e-2, "{:e}", solution.error());
    let refused = unsteady(&flow, &[1.0], 10, 0.2).err().unwrap().to_string();
    assert!(refused.ends_with("an outlet that resists is for steady flow; use a plain one"), "{refused}");
    flow.conditions[1] = FlowCondition::Outlet;
    let free = steady(&flow, 0.06).unwrap();
    let [u, v, p] = free.values(&[4.0, 1.8])[..] else { panic!("three unknowns") };
    assert!(u < -0.08 && v.abs() < 1e-12 && p.abs() < 2e-3, "normal flow back in, without pressure: {u}, {v}, {p}");
}

#[test]
fn what_leaves_a_channel_enters_it() {
    // Poiseuille's flow, which an outlet must not disturb: p = 8ν(2 − x).
    let inlet = FlowCondition::Velocity([&|x| 4.0 * x[1] * (1.0 - x[1]), &|_| 0.0]);
    let mut flow = Flow {
        domain: Domain::rectangle([0.0, 0.0], [2.0, 1.0], Vec::new()).unwrap(),
        viscosity: 0.02,
        force: [&|_| 0.0, &|_| 0.0],
        conditions: vec![STILL, FlowCondition::Outlet, STILL, inlet],
        pressure_zero_at: None,
    };
    let exact = |x: &[f64]| [4.0 * x[1] * (1.0 - x[1]), 0.0, 0.16 * (2.0 - x[0])];
    let solution = steady(&flow, 0.2).unwrap();
    let [velocity, pressure] = off(&solution, &exact, None);
    assert!(velocity < 1e-12 && pressure < 1e-12, "{velocity:e}, {pressure:e}");
    flow.conditions[1] = STILL;
    assert_eq!(steady(&flow, 0.2).err(), Some(SolveError::Singular));
}
