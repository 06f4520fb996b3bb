//! Balls cut out of a cube.

use super::{Checked, known};
use ropinn_reference::SolveError;
use ropinn_reference::immersed::{Ball, Immersed, solve};
use std::f64::consts::PI;

pub fn poisson_3d_cg() -> Result<Checked, SolveError> {
    let ball = |x: f64, y: f64, z: f64, radius: f64| Ball { center: [x, y, z], radius };
    let source = |x: &[f64]| {
        let squared: f64 = x.iter().map(|x| x * x).sum();
        let waves = [(PI * x[0]).sin(), (10.0 * PI * x[1]).sin(), (5.0 * PI * x[2]).sin()];
        20.0 * waves.iter().sum::<f64>().exp() * (squared - 1.0) / (squared + 1.0)
            + 100.0 * waves.iter().product::<f64>()
    };
    let problem = Immersed {
        low: [0.0; 3],
        high: [1.0; 3],
        balls: vec![
            ball(0.4, 0.3, 0.6, 0.2),
            ball(0.6, 0.7, 0.6, 0.2),
            ball(0.2, 0.8, 0.7, 0.1),
            ball(0.6, 0.2, 0.3, 0.1),
        ],
        diffusivity: &|_| 1.0,
        decay: &|x| if x[2] < 0.5 { 64.0 } else { 100.0 },
        source: &source,
        flux: None,
    };
    let wanted = [[0.5, 0.5, 0.5], [0.1, 0.1, 0.1], [0.9, 0.5, 0.2], [0.5, 0.5, 0.9]].map(|point| (point, [f64::NAN]));
    Ok((solve(&problem, 48)?, known(&wanted)))
}
