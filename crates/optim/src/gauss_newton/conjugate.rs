//! Matrix-free solves: conjugate gradients on (JᵀJ + λD)x = b with a diagonal preconditioner.
//!
//! The diagonal of JᵀJ is estimated without rows: for random signs w, E[(Jᵀw)²] = diag(JᵀJ). The estimate is carried from step
//! to step as a running mean, since the matrix changes slowly.

use super::GaussNewtonConfig;
use crate::LeastSquares;
use crate::vector::{axpy, dot};

/// Random sign vectors per step, and at the first.
const PROBES: usize = 2;
const FIRST_PROBES: usize = 12;
/// Share of the old estimate kept.
const MEMORY: f64 = 0.8;

/// Conjugate gradients with their memory.
#[derive(Debug, Clone)]
pub(super) struct Conjugate {
    tolerance: f64,
    iterations: usize,
    diagonal: Vec<f64>,
}

impl Conjugate {
    pub fn new(config: &GaussNewtonConfig) -> Self {
        Self { tolerance: config.cg_tolerance, iterations: config.cg_iterations, diagonal: Vec::new() }
    }

    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    pub fn restore(&mut self, diagonal: &[f64]) {
        self.diagonal = diagonal.to_vec();
    }

    /// ∇f, and the diagonal's estimate brought up to date. The signs depend on f's bits alone, so runs repeat.
    pub fn prepare(&mut self, theta: &[f64], world: &mut dyn LeastSquares, grad: &mut [f64]) -> f64 {
        let loss = world.gradient(theta, grad);
        let fresh = self.diagonal.is_empty();
        let probes = if fresh { FIRST_PROBES } else { PROBES };
        let mut estimate = vec![0.0; theta.len()];
        let (mut signs, mut slope) = (vec![0.0; world.residual_count()], Vec::new());
        let mut state = loss.to_bits();
        for _ in 0..probes {
            signs.iter_mut().for_each(|s| *s = random_sign(&mut state));
            world.pull_back(theta, &signs, &mut slope);
            estimate.iter_mut().zip(&slope).for_each(|(e, s)| *e += s * s / probes as f64);
        }
        if fresh {
            self.diagonal = estimate;
        } else {
            let mix = |(d, e): (&mut f64, &f64)| *d = MEMORY * *d + (1.0 - MEMORY) * e;
            self.diagonal.iter_mut().zip(&estimate).for_each(mix);
        }
        loss
    }

    /// Overwrites `x` with (JᵀJ + λD)⁻¹x, to the relative tolerance or the iteration limit.
    pub fn solve(&self, lambda: f64, scale: &[f64], theta: &[f64], world: &mut dyn LeastSquares, x: &mut [f64]) {
        let weight = |i: usize| lambda * scale.get(i).copied().unwrap_or(1.0);
        let inverse: Vec<f64> = self.diagonal.iter().enumerate().map(|(i, d)| 1.0 / (d + weight(i))).collect();
        let mut residual = x.to_vec();
        x.fill(0.0);
        let mut z: Vec<f64> = residual.iter().zip(&inverse).map(|(r, m)| r * m).collect();
        let mut direction = z.clone();
        let mut fall = dot(&residual, &z);
        let target = self.tolerance * self.tolerance * fall;
        let (mut ahead, mut product) = (Vec::new(), Vec::new());
        for _ in 0..self.iterations {
            if fall.is_nan() || fall <= target {
                break;
            }
            world.push_forward(theta, &direction, &mut ahead);
            world.pull_back(theta, &ahead, &mut product);
            product.iter_mut().zip(&direction).enumerate().for_each(|(i, (a, d))| *a += weight(i) * d);
            let curvature = dot(&direction, &product);
            if curvature.is_nan() || curvature <= 0.0 {
                break;
            }
            let length = fall / curvature;
            axpy(length, &direction, x);
            axpy(-length, &product, &mut residual);
            z.iter_mut().zip(&residual).zip(&inverse).for_each(|((z, r), m)| *z = r * m);
            let next = dot(&residual, &z);
            let turn = next / fall;
            fall = next;
            direction.iter_mut().zip(&z).for_each(|(d, z)| *d = z + turn * *d);
        }
    }
}

/// ±1 from a SplitMix64 sequence.
fn random_sign(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    if (z ^ (z >> 31)) & 1 == 0 { 1.0 } else { -1.0 }
}
