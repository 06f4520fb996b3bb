//! Coefficients in five by five blocks, read from two files in the working directory (`poisson_a_coef.dat`, `poisson_f_coef.dat`).

use super::{Checked, known};
use ropinn_reference::elements::{Condition, Diffusion, Triangles, steady};
use ropinn_reference::{Function, SolveError};
use std::f64::consts::PI;

fn numbers(name: &str) -> Vec<f64> {
    let text = std::fs::read_to_string(name).unwrap_or_default();
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

fn blocks(divergence: bool, wanted: &[([f64; 2], [f64; 1])]) -> Result<Checked, SolveError> {
    let (a, f) = (numbers("poisson_a_coef.dat"), numbers("poisson_f_coef.dat"));
    if a.len() != 25 || f.len() != 100 {
        return Err(SolveError::Domain { reason: "its tables are not here".into() });
    }
    let width = (20.0 + 2e-5) / 5.0;
    let block = |x: f64| {
        let place = (x + 10.0 + 1e-5) / width;
        let number = place.floor().clamp(0.0, 4.0);
        (number as usize, place - number)
    };
    let a = |x: &[f64]| a[5 * block(x[0]).0 + block(x[1]).0];
    let f = |x: &[f64]| {
        let ((i, xi), (j, eta)) = (block(x[0]), block(x[1]));
        let own = &f[4 * (5 * i + j)..];
        own[0] + own[3] * (PI * xi).sin() * (PI * eta).sin()
    };
    let (one, quotient) = (|_: &[f64]| 1.0, |x: &[f64]| f(x) / a(x));
    let (p, source): (Function, Function) = if divergence { (&a, &f) } else { (&one, &quotient) };
    let conditions = vec![Condition::Flux { given: &|_| 0.0, transfer: 1.0 }; 4];
    let problem = Diffusion { diffusivity: p, decay: &|_| 0.0, source, conditions };
    // Each block has the same number of cells; the ends of the domain are a little inside those of the blocks.
    let line = |k: i32| (-10.0 - 1e-5 + width * f64::from(k) / 60.0).clamp(-10.0, 10.0);
    let lines: Vec<f64> = (0..=300).map(line).collect();
    Ok((steady(&problem, &Triangles::Lines(lines.clone(), lines))?, known(wanted)))
}

pub fn plain() -> Result<Checked, SolveError> {
    let wanted = [
        ([0.0, 0.0], [4.1935]),
        ([-8.0, -8.0], [1.4544]),
        ([4.0, 4.0], [-6.7731]),
        ([-4.0, 8.0], [0.7612]),
        ([8.0, -4.0], [0.8693]),
        ([-8.0, 0.0], [16.826]),
    ];
    blocks(false, &wanted)
}

pub fn divergence() -> Result<Checked, SolveError> {
    let wanted = [
        ([0.0, 0.0], [3.55]),
        ([-8.0, -8.0], [-0.0494]),
        ([4.0, 4.0], [-2.960]),
        ([-4.0, 8.0], [-2.399]),
        ([-8.0, 0.0], [9.32]),
    ];
    blocks(true, &wanted)
}
