//! (JᵀJ + λD)⁻¹ applied to a vector, in each of the three forms.

use super::conjugate::Conjugate;
use super::{Form, GaussNewtonConfig};
use crate::vector::dot;
use crate::{LeastSquares, State};
use ropinn_linalg::Cholesky;

/// The linearised problem at one θ and the means to solve with it.
#[derive(Debug, Clone)]
pub(super) enum Solver {
    /// JᵀJ and the factor of JᵀJ + λD.
    Parameters { gram: Vec<f64>, diagonal: Vec<f64>, factor: Factored },
    /// J, JJᵀ-like kernel and its factor.
    Kernel { residuals: Vec<f64>, rows: Vec<f64>, diagonal: Vec<f64>, kernel: Vec<f64>, factor: Factored },
    /// Products only.
    MatrixFree(Conjugate),
}

/// A factor and the λ it was made for.
#[derive(Debug, Clone, Default)]
pub(super) struct Factored {
    cholesky: Cholesky,
    lambda: Option<f64>,
}

impl Solver {
    pub fn new(form: Form, config: &GaussNewtonConfig) -> Self {
        let factor = Factored::default();
        match form {
            Form::Parameters => Self::Parameters { gram: Vec::new(), diagonal: Vec::new(), factor },
            Form::Kernel => Self::Kernel {
                residuals: Vec::new(),
                rows: Vec::new(),
                diagonal: Vec::new(),
                kernel: Vec::new(),
                factor,
            },
            Form::MatrixFree => Self::MatrixFree(Conjugate::new(config)),
        }
    }

    /// Linearises at θ: returns f and writes ∇f.
    pub fn prepare(&mut self, theta: &[f64], world: &mut dyn LeastSquares, grad: &mut [f64]) -> f64 {
        let p = theta.len();
        match self {
            Self::Parameters { gram, diagonal, factor } => {
                factor.lambda = None;
                let loss = world.normal_equations(theta, grad, gram);
                diagonal.clear();
                diagonal.extend((0..p).map(|i| gram[i * p + i]));
                loss
            }
            Self::Kernel { residuals, rows, diagonal, factor, .. } => {
                factor.lambda = None;
                let loss = world.jacobian(theta, residuals, rows);
                grad.fill(0.0);
                diagonal.clear();
                diagonal.resize(p, 0.0);
                for (row, r) in rows.chunks_exact(p).zip(residuals.iter()) {
                    for ((g, d), j) in grad.iter_mut().zip(diagonal.iter_mut()).zip(row) {
                        *g += 2.0 * r * j;
                        *d += j * j;
                    }
                }
                loss
            }
            Self::MatrixFree(conjugate) => conjugate.prepare(theta, world, grad),
        }
    }

    /// The diagonal of JᵀJ; an estimate if matrix-free.
    pub fn diagonal(&self) -> &[f64] {
        match self {
            Self::Parameters { diagonal, .. } | Self::Kernel { diagonal, .. } => diagonal,
            Self::MatrixFree(conjugate) => conjugate.diagonal(),
        }
    }

    pub fn mean_diagonal(&self) -> f64 {
        let diagonal = self.diagonal();
        (diagonal.iter().sum::<f64>() / diagonal.len().max(1) as f64).max(f64::MIN_POSITIVE)
    }

    /// Overwrites `x` with (JᵀJ + λD)⁻¹x; false if the matrix could not be factored. An empty `scale` is D = 1.
    pub fn solve(
        &mut self,
        lambda: f64,
        scale: &[f64],
        theta: &[f64],
        world: &mut dyn LeastSquares,
        x: &mut [f64],
    ) -> bool {
        let p = theta.len();
        let weight = |i: usize| scale.get(i).copied().unwrap_or(1.0);
        match self {
            Self::Parameters { gram, factor, .. } => {
                if !factor.at(lambda, |cholesky| cholesky.factor(p, gram, |i| lambda * weight(i))) {
                    return false;
                }
                factor.cholesky.solve(x);
            }
            Self::Kernel { rows, kernel, factor, residuals, .. } => {
                let n = residuals.len();
                let made = factor.at(lambda, |cholesky| {
                    make_kernel(rows, n, p, &weight, kernel);
                    cholesky.factor(n, kernel, |_| lambda)
                });
                if !made {
                    return false;
                }
                // (JᵀJ + λD)⁻¹ = (D⁻¹ − D⁻¹Jᵀ(JD⁻¹Jᵀ + λ)⁻¹JD⁻¹)/λ (Woodbury).
                x.iter_mut().enumerate().for_each(|(i, x)| *x /= weight(i));
                let mut inner: Vec<f64> = rows.chunks_exact(p).map(|row| dot(row, x)).collect();
                factor.cholesky.solve(&mut inner);
                for (row, w) in rows.chunks_exact(p).zip(&inner) {
                    x.iter_mut().zip(row).enumerate().for_each(|(i, (x, j))| *x -= w * j / weight(i));
                }
                x.iter_mut().for_each(|x| *x /= lambda);
            }
            Self::MatrixFree(conjugate) => conjugate.solve(lambda, scale, theta, world, x),
        }
        x.iter().all(|x| x.is_finite())
    }

    /// What the next step depends on beyond θ.
    pub fn memory(&self) -> &[f64] {
        match self {
            Self::MatrixFree(conjugate) => conjugate.diagonal(),
            Self::Parameters { .. } | Self::Kernel { .. } => &[],
        }
    }

    /// Length a saved memory may have.
    pub fn memory_length(&self, dimension: usize, state: &State) -> usize {
        let empty = state.vectors.get("preconditioner").is_none_or(Vec::is_empty);
        if matches!(self, Self::MatrixFree(_)) && !empty { dimension } else { 0 }
    }

    pub fn restore(&mut self, memory: &[f64]) {
        if let Self::MatrixFree(conjugate) = self {
            conjugate.restore(memory);
        }
    }
}

impl Factored {
    /// The factor for λ, made by `make` unless it is at hand.
    fn at(&mut self, lambda: f64, make: impl FnOnce(&mut Cholesky) -> bool) -> bool {
        if self.lambda == Some(lambda) {
            return true;
        }
        self.lambda = None;
        let made = make(&mut self.cholesky);
        self.lambda = made.then_some(lambda);
        made
    }
}

/// Lower triangle of J D⁻¹ Jᵀ.
fn make_kernel(rows: &[f64], n: usize, p: usize, weight: &(impl Fn(usize) -> f64 + Sync), kernel: &mut Vec<f64>) {
    use rayon::prelude::*;
    kernel.resize(n * n, 0.0);
    kernel.par_chunks_mut(n).zip(rows.par_chunks(p)).enumerate().for_each(|(i, (out, row))| {
        let weighed: Vec<f64> = row.iter().enumerate().map(|(k, j)| j / weight(k)).collect();
        for (k, other) in out[..=i].iter_mut().zip(rows.chunks_exact(p)) {
            *k = dot(&weighed, other);
        }
    });
}
