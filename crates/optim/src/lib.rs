//! First-order and quasi-Newton optimisers on plain slices.
//!
//! The crate knows nothing of networks: an [`Oracle`] answers "loss and gradient at θ", an [`Optimizer`] moves θ and
//! reports what happened in a [`StepOutcome`]. Stalls, tolerances and non-finite numbers are data in the outcome, never
//! errors and never silence; [`OptimError`] is reserved for bad settings and foreign checkpoints.
//!
//! ```
//! use ropinn_optim::{Lbfgs, LbfgsConfig, Optimizer};
//!
//! // f(x, y) = (x − 1)² + 10 (y + 2)²
//! let mut bowl = |theta: &[f64], grad: &mut [f64]| {
//!     let (a, b) = (theta[0] - 1.0, theta[1] + 2.0);
//!     grad.copy_from_slice(&[2.0 * a, 20.0 * b]);
//!     a * a + 10.0 * b * b
//! };
//! let mut theta = [0.0, 0.0];
//! let mut lbfgs = Lbfgs::new(LbfgsConfig::default(), theta.len())?;
//! let outcome = lbfgs.step(&mut theta, &mut bowl);
//! assert!(outcome.loss < 1e-6);
//! assert!((theta[0] - 1.0).abs() < 1e-3 && (theta[1] + 2.0).abs() < 1e-3);
//! # Ok::<(), ropinn_optim::OptimError>(())
//! ```

mod adam;
mod descent;
mod error;
mod gauss_newton;
mod history;
mod lbfgs;
mod line_search;
mod optimizer;
mod oracle;
mod outcome;
mod schedule;
mod self_scaled;
mod state;
mod vector;

pub use adam::{Adam, AdamConfig};
pub use error::OptimError;
pub use gauss_newton::{Form, GaussNewton, GaussNewtonConfig, Scaling};
pub use lbfgs::{Lbfgs, LbfgsConfig, ToleranceSetting};
pub use line_search::StrongWolfe;
pub use optimizer::Optimizer;
pub use oracle::{LeastSquares, Oracle};
pub use outcome::{GradNorm, Quantity, StepOutcome, StepStatus, Tolerance};
pub use schedule::{Decay, Schedule};
pub use self_scaled::{Memory, SelfScaled, SelfScaledConfig, SelfScaledVariant};
pub use state::State;
