//! Power iteration with deflation: v ← Hv/‖Hv‖ tends to the eigenvector whose eigenvalue is largest in size; kept orthogonal
//! to those already found, to the next one.
//!
//! The steps, the guards 10⁻⁶ against division by zero and the stopping rule are those of PyHessian (Yao et al., "PyHessian:
//! Neural Networks Through the Lens of the Hessian", 2020), which landscapes of PINNs are commonly made with.

use super::LandscapeError;
use crate::setting::{require, require_positive};
use ropinn_domain::{Purpose, Stream};
use serde::{Deserialize, Serialize};

/// Keeps quotients finite.
const GUARD: f64 = 1e-6;

/// How eigenvalues are searched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PowerIteration {
    /// Most products with the matrix for one eigenvalue.
    pub iterations: usize,
    /// Stops when |λ − λ_old| / (|λ_old| + 10⁻⁶) is below this.
    pub tolerance: f64,
    /// Seed of the vectors that start it.
    pub seed: u64,
}

impl Default for PowerIteration {
    fn default() -> Self {
        Self { iterations: 100, tolerance: 1e-3, seed: 0 }
    }
}

/// An eigenvalue and its eigenvector, as far as they were found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EigenPair {
    /// The eigenvalue, with its sign.
    pub value: f64,
    /// The eigenvector, of length 1 and orthogonal to those found before.
    pub vector: Vec<f64>,
    /// Products with the matrix it took.
    pub iterations: usize,
    /// Whether the estimate settled before the iterations were used up.
    pub converged: bool,
}

impl PowerIteration {
    /// The `count` eigenvalues of largest size of a symmetric operator, largest first.
    ///
    /// ```
    /// use ropinn::landscape::{LandscapeError, PowerIteration};
    /// let diagonal = [1.0, -9.0, 3.0];
    /// let found = PowerIteration::default().largest(3, 2, |v, out| {
    ///     out.clear();
    ///     out.extend(v.iter().zip(diagonal).map(|(v, d)| d * v));
    ///     Ok::<_, LandscapeError>(())
    /// })?;
    /// assert!((found[0].value + 9.0).abs() < 0.05 && (found[1].value - 3.0).abs() < 0.05);
    /// # Ok::<(), LandscapeError>(())
    /// ```
    pub fn largest<E: From<LandscapeError>>(
        &self,
        dimension: usize,
        count: usize,
        mut apply: impl FnMut(&[f64], &mut Vec<f64>) -> Result<(), E>,
    ) -> Result<Vec<EigenPair>, E> {
        let mut found = Vec::with_capacity(count);
        for _ in 0..count {
            let next = self.next(dimension, &found, &mut apply)?;
            found.push(next);
        }
        Ok(found)
    }

    /// The eigenvalue of largest size among eigenvectors orthogonal to those found before.
    pub fn next<E: From<LandscapeError>>(
        &self,
        dimension: usize,
        found: &[EigenPair],
        mut apply: impl FnMut(&[f64], &mut Vec<f64>) -> Result<(), E>,
    ) -> Result<EigenPair, E> {
        self.validate()?;
        if found.len() >= dimension {
            return Err(LandscapeError::NoDirectionLeft { dimension }.into());
        }
        let mut v = vec![0.0; dimension];
        Stream::new(self.seed, Purpose::Direction).at_step(found.len() as u64).fill_normal(&mut v);
        scale_to_unit(&mut v, GUARD);
        let mut iterate = v.clone();
        let (mut image, mut value, mut iterations, mut converged) = (Vec::new(), None, 0, false);
        while iterations < self.iterations && !converged {
            iterations += 1;
            orthogonalise(&mut v, found);
            scale_to_unit(&mut v, GUARD);
            if is_about_unit(&v) {
                iterate.clone_from(&v);
            }
            apply(&v, &mut image)?;
            let estimate = dot(&v, &image);
            if !estimate.is_finite() {
                return Err(LandscapeError::NonFinite { iteration: iterations, value: estimate }.into());
            }
            let settled = |old: f64| (estimate - old).abs() / (old.abs() + GUARD) < self.tolerance;
            converged = value.replace(estimate).is_some_and(settled);
            if image.iter().all(|&x| x == 0.0) {
                converged = true; // v is in the null space, where every vector is an eigenvector
            } else {
                v.clone_from(&image);
                scale_to_unit(&mut v, GUARD);
            }
        }
        orthogonalise(&mut v, found);
        if !is_about_unit(&v) {
            v = iterate; // the image is next to nothing, and its direction rounding errors
        }
        // Twice: the first pass leaves the rounding errors of large components behind.
        for _ in 0..2 {
            orthogonalise(&mut v, found);
            scale_to_unit(&mut v, 0.0);
        }
        Ok(EigenPair { value: value.unwrap_or_default(), vector: v, iterations, converged })
    }

    fn validate(&self) -> Result<(), LandscapeError> {
        require_positive("the landscape", "iterations", self.iterations)?;
        let tolerance = self.tolerance;
        Ok(require("the landscape", "tolerance", tolerance, "finite and at least 0", tolerance >= 0.0)?)
    }
}

/// v − Σ (v·e) e over eigenvectors e of length 1.
fn orthogonalise(v: &mut [f64], found: &[EigenPair]) {
    for EigenPair { vector, .. } in found {
        let along = dot(v, vector);
        v.iter_mut().zip(vector).for_each(|(v, e)| *v -= along * e);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Whether the guard has not made a vector short.
fn is_about_unit(v: &[f64]) -> bool {
    dot(v, v) > 0.25
}

/// v/(‖v‖ + guard).
fn scale_to_unit(v: &mut [f64], guard: f64) {
    let length = dot(v, v).sqrt() + guard;
    v.iter_mut().for_each(|v| *v /= length);
}
