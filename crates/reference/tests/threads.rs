//! The same bits for any number of threads.

use rayon::ThreadPoolBuilder;
use ropinn_reference::burgers::{self, Burgers};
use ropinn_reference::elements::{Condition, Diffusion, Triangles, steady};
use ropinn_reference::flow::{self, Flow, FlowCondition};
use ropinn_reference::immersed::{self, Ball, Immersed};
use ropinn_reference::plane::{Disc, Domain};
use ropinn_reference::spectral::{self, Reaction, Sides};
use ropinn_reference::wave::{self, Form, Wave};
use ropinn_reference::{Reference, SolveError};

/// Values here and there, and the estimated error, as bits.
fn bits(solution: Result<Reference, SolveError>, rest: &[f64]) -> Vec<u64> {
    let solution = solution.unwrap();
    let place = |k: u32| [0.017 * f64::from(k % 57), 0.0171 * f64::from(k * 7 % 57)];
    let point = |k: u32| place(k).into_iter().chain(rest.iter().copied()).collect::<Vec<f64>>();
    let values = (0..57).flat_map(|k| solution.values(&point(k)));
    values.chain([solution.error()]).map(f64::to_bits).collect()
}

fn all() -> Vec<Vec<u64>> {
    let hole = Disc { center: [0.5, 0.4], radius: 0.2 };
    let square = |holes| Domain::rectangle([0.0; 2], [1.0; 2], holes).unwrap();
    let conditions = vec![Condition::Value(&|x| x[0] - x[1]); 5];
    let diffusion = Diffusion { diffusivity: &|x| 1.0 + x[0], decay: &|_| 1.0, source: &|x| x[1].sin(), conditions };
    let still = FlowCondition::Velocity([&|_| 0.0, &|_| 0.0]);
    let flow = Flow {
        domain: square(Vec::new()),
        viscosity: 0.02,
        force: [&|_| 0.0, &|_| 0.0],
        conditions: vec![still, still, FlowCondition::Velocity([&|x| x[0] * (1.0 - x[0]), &|_| 0.0]), still],
        pressure_zero_at: Some([0.0; 2]),
    };
    let immersed = Immersed {
        low: [0.0; 3],
        high: [1.0; 3],
        balls: vec![Ball { center: [0.4, 0.5, 0.5], radius: 0.25 }],
        diffusivity: &|_| 1.0,
        decay: &|_| 50.0,
        source: &|x| (3.0 * x[0]).sin() * x[1] + x[2],
        flux: None,
    };
    let turn = std::f64::consts::TAU;
    let bump = |x: &[f64]| (turn * x[0]).sin() * (turn * x[1]).cos();
    let reaction = Reaction {
        low: [0.0; 2],
        high: [1.0; 2],
        sides: Sides::Periodic,
        diffusivities: vec![0.01],
        linear: vec![-1.0],
        rates: &|_, u, rates| rates[0] = u[0] * u[0],
        initial: vec![&bump],
    };
    let wave = Wave { low: [0.0; 2], high: [1.0; 2], c: &|x| 1.0 + x[0], form: Form::Divergence, initial: &bump };
    let burgers = Burgers { period: 1.0, viscosity: 0.02, initial: [&bump, &|_| 0.5] };
    vec![
        bits(steady(&diffusion, &Triangles::Size(square(vec![hole]), 0.03)), &[]),
        bits(flow::steady(&flow, 0.05), &[]),
        bits(immersed::solve(&immersed, 8), &[0.33]),
        bits(spectral::solve(&reaction, &[0.2], 128, 4), &[0.2]),
        bits(wave::solve(&wave, &[0.1], 80), &[0.1]),
        bits(burgers::solve(&burgers, &[0.02], 144), &[0.02]),
    ]
}

#[test]
fn one_thread_and_three_give_the_same_bits() {
    let [one, three] =
        [1, 3].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(all));
    for (k, (one, three)) in one.iter().zip(&three).enumerate() {
        assert_eq!(one, three, "solver {k}");
    }
}
