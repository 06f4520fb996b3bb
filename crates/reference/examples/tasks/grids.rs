//! Reactions, waves and fronts on even grids.

use super::{Checked, known};
use ropinn_reference::SolveError;
use ropinn_reference::burgers::{self, Burgers};
use ropinn_reference::random_fields::{gaussian_field, periodic_pair};
use ropinn_reference::spectral::{self, Reaction, Sides};
use ropinn_reference::wave::{self, Form, Wave};
use std::f64::consts::{PI, TAU};

pub fn gray_scott() -> Result<Checked, SolveError> {
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
    let instants: Vec<f64> = (0..=20).map(|k| 10.0 * f64::from(k)).collect();
    let wanted = [
        ([0.0, 0.0, 50.0], [0.448876, 0.176630]),
        ([0.0, 0.0, 100.0], [0.865524, 0.014066]),
        ([0.0, 0.0, 200.0], [0.99567, 0.000003]),
    ];
    Ok((spectral::solve(&reaction, &instants, 512, 800)?, known(&wanted)))
}

pub fn heat_2d_lt() -> Result<Checked, SolveError> {
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
    let instants: Vec<f64> = (0..=100).map(f64::from).collect();
    let wanted = [
        ([0.15625, 0.375, 1.0], [0.1844]),
        ([0.15625, 0.375, 5.0], [1.6070]),
        ([0.15625, 0.375, 10.0], [1.7724]),
        ([0.15625, 0.375, 20.0], [1.7719]),
        ([0.65625, 0.625, 1.0], [-1.7698]),
        ([0.65625, 0.625, 5.0], [-1.6313]),
    ];
    Ok((spectral::solve(&reaction, &instants, 256, 8000)?, known(&wanted)))
}

fn heterogeneous(form: Form, wanted: &[([f64; 3], [f64; 1])]) -> Result<Checked, SolveError> {
    let field = gaussian_field(20_220_722, 256, 4.0);
    let c = |x: &[f64]| {
        let place = |x: f64| {
            let place = 127.5 * (x + 1.0);
            let node = place.floor().clamp(0.0, 254.0);
            (node as usize, place - node)
        };
        let ((i, s), (j, t)) = (place(x[0]), place(x[1]));
        let at = |row: usize, column: usize| if field.at(row, column) > 0.0 { 12.0 } else { 1.0 };
        let along = |row: usize| (1.0 - s) * at(row, i) + s * at(row, i + 1);
        (1.0 - t) * along(j) + t * along(j + 1)
    };
    let initial = |x: &[f64]| (-((x[0] + 0.5).powi(2) + x[1] * x[1]) / 0.18).exp();
    let wave = Wave { low: [-1.0; 2], high: [1.0; 2], c: &c, form, initial: &initial };
    let instants: Vec<f64> = (0..=50).map(|k| 0.1 * f64::from(k)).collect();
    Ok((wave::solve(&wave, &instants, 255)?, known(wanted)))
}

pub fn wave_2d_cg() -> Result<Checked, SolveError> {
    let wanted = [
        ([-0.5, 0.0, 0.5], [-0.179]),
        ([0.0, 0.0, 0.5], [0.186]),
        ([0.5, 0.5, 0.5], [0.049]),
        ([0.5, -0.5, 0.5], [0.211]),
        ([-0.5, 0.0, 1.0], [0.396]),
        ([0.0, 0.0, 1.0], [0.226]),
        ([0.5, 0.5, 1.0], [0.295]),
        ([0.5, -0.5, 1.0], [0.219]),
        ([-0.5, 0.0, 2.0], [0.211]),
        ([0.0, 0.0, 2.0], [0.164]),
        ([0.5, 0.5, 2.0], [0.372]),
        ([0.5, -0.5, 2.0], [0.331]),
    ];
    heterogeneous(Form::Plain, &wanted)
}

pub fn wave_2d_cg_div() -> Result<Checked, SolveError> {
    let wanted = [
        ([-0.5, 0.0, 1.0], [0.39]),
        ([0.0, 0.0, 1.0], [0.377]),
        ([0.5, 0.5, 1.0], [0.056]),
        ([0.5, -0.5, 1.0], [0.242]),
    ];
    heterogeneous(Form::Divergence, &wanted)
}

pub fn burgers_2d() -> Result<Checked, SolveError> {
    let [u, v] = periodic_pair(20_220_722);
    let (u, v) = (|x: &[f64]| u.value(x[0], x[1]), |x: &[f64]| v.value(x[0], x[1]));
    let problem = Burgers { period: 1.0, viscosity: 1e-3, initial: [&u, &v] };
    let instants: Vec<f64> = (0..=10).map(|k| 0.1 * f64::from(k)).collect();
    let wanted = [[0.25, 0.5, 0.1], [0.25, 0.5, 0.5], [0.7, 0.1, 1.0]].map(|point| (point, [f64::NAN; 2]));
    Ok((burgers::solve(&problem, &instants, 1024)?, known(&wanted)))
}
