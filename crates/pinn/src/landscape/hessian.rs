//! The Hessian H = ∇²L of the canonical loss as an operator: exact products Hv, and its largest eigenvalues.

use super::{CanonicalLoss, EigenPair, PowerIteration};
use crate::case::Case;
use crate::error::Error;
use ropinn_engine::Precision;

/// The Hessian of a case's canonical loss at one θ. It is never held as a matrix.
///
/// ```
/// use ropinn::{case::Case, config::RunConfig, landscape::Hessian};
/// use ropinn_engine::{Precision, Threads};
/// let mut config = RunConfig::default();
/// config.set_all(&["problem.name=wave", "model.width=4", "points.interior=grid:5x5"])?;
/// let case = Case::new(config, &Threads::new(1)?)?;
/// let mut hessian = Hessian::new(&case, &case.initial_theta(), Precision::F64)?;
/// let (mut first, mut second) = (vec![0.0; hessian.parameters()], vec![0.0; hessian.parameters()]);
/// (first[0], second[7]) = (1.0, 1.0);
/// let (mut column, mut other) = (Vec::new(), Vec::new());
/// hessian.apply(&first, &mut column)?;
/// hessian.apply(&second, &mut other)?;
/// assert!((column[7] - other[0]).abs() <= 1e-9 * column[7].abs().max(1.0)); // it is symmetric
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Hessian {
    loss: CanonicalLoss,
    theta: Vec<f64>,
}

impl Hessian {
    /// The Hessian at `theta`. Eigenvectors deserve [`Precision::F64`] whatever the model was trained in.
    pub fn new(case: &Case, theta: &[f64], precision: Precision) -> Result<Self, Error> {
        let (expected, found) = (case.parameters(), theta.len());
        if found != expected {
            return Err(Error::ThetaLength { expected, found });
        }
        Ok(Self { loss: CanonicalLoss::new(case, precision)?, theta: theta.to_vec() })
    }

    /// Rows, and columns: the length of θ.
    pub fn parameters(&self) -> usize {
        self.loss.parameters()
    }

    /// `out = H v`.
    pub fn apply(&mut self, v: &[f64], out: &mut Vec<f64>) -> Result<(), Error> {
        self.loss.hessian_product(&self.theta, v, out)
    }

    /// The eigenvalues of largest size, largest first, with their eigenvectors.
    pub fn largest(&mut self, count: usize, settings: &PowerIteration) -> Result<Vec<EigenPair>, Error> {
        settings.largest(self.parameters(), count, |v, out| self.apply(v, out))
    }
}
