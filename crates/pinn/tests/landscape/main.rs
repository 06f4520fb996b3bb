//! Curvature and loss surfaces of small cases.

mod hessian;
mod power;
mod surface;

use ropinn::case::Case;
use ropinn::config::RunConfig;
use ropinn_domain::{Purpose, Stream};
use ropinn_engine::Threads;

/// Reaction on a coarse grid with a small network in f64, and whatever else is asked for.
fn configuration(overrides: &[&str]) -> RunConfig {
    let mut config = RunConfig::default();
    config
        .set_all(&["problem.name=reaction", "points.interior=grid:7x5", "model.width=4", "depth=2", "precision=f64"])
        .expect("valid");
    config.set_all(overrides).expect("valid");
    config
}

fn case_of(config: RunConfig) -> Case {
    Case::new(config, &Threads::new(1).expect("threads")).expect("case")
}

fn case(overrides: &[&str]) -> Case {
    case_of(configuration(overrides))
}

/// Standard normal numbers.
fn normals(seed: u64, count: usize) -> Vec<f64> {
    let mut values = vec![0.0; count];
    Stream::new(seed, Purpose::Custom(1)).fill_normal(&mut values);
    values
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// a + factor·b.
fn moved(a: &[f64], factor: f64, b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + factor * b).collect()
}

/// Eigenvalues of a symmetric matrix by cyclic Jacobi rotations, largest in size first (Golub & Van Loan, §8.5).
fn jacobi_eigenvalues(mut a: Vec<f64>, n: usize) -> Vec<f64> {
    for _ in 0..60 {
        for p in 0..n {
            for q in p + 1..n {
                if a[p * n + q] == 0.0 {
                    continue;
                }
                let tau = (a[q * n + q] - a[p * n + p]) / (2.0 * a[p * n + q]);
                let t = tau.signum() / (tau.abs() + (1.0 + tau * tau).sqrt());
                let c = 1.0 / (1.0 + t * t).sqrt();
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (a[k * n + p], a[k * n + q]);
                    (a[k * n + p], a[k * n + q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p * n + k], a[q * n + k]);
                    (a[p * n + k], a[q * n + k]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    let mut values: Vec<f64> = (0..n).map(|k| a[k * n + k]).collect();
    values.sort_by(|a, b| b.abs().total_cmp(&a.abs()));
    values
}
