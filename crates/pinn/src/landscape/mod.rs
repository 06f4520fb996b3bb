//! The shape of the loss around a solution: exact Hessian products, the largest eigenvalues, and loss surfaces.
//!
//! All of it is about one [`CanonicalLoss`], the mean squares of the problem's terms at its own points, so that models trained
//! in different ways can be compared. A surface L(θ + α v₁ + β v₂) along the two eigenvectors of largest curvature shows how
//! sharp the minimum is (Wu et al., "Region Optimized Physics-Informed Neural Networks", 2024, draw such pictures).
//!
//! ```
//! use ropinn::{case::Case, config::RunConfig};
//! use ropinn::landscape::{CanonicalLoss, Hessian, PowerIteration, Surface, SurfaceGrid};
//! use ropinn_engine::{Precision, Threads};
//! let mut config = RunConfig::default();
//! config.set_all(&["problem.name=reaction", "model.width=4", "depth=2", "points.interior=grid:5x5"])?;
//! let case = Case::new(config, &Threads::new(1)?)?;
//! let theta = case.initial_theta(); // or trained parameters
//! let pairs = Hessian::new(&case, &theta, Precision::F64)?.largest(2, &PowerIteration::default())?;
//!
//! let mut loss = CanonicalLoss::new(&case, Precision::F64)?;
//! let mut surface = Surface::new(&mut loss, &theta, SurfaceGrid { places: 5, ..SurfaceGrid::default() })?;
//! while !surface.is_complete() {
//!     surface.add_row(&mut loss, &theta, [&pairs[0].vector, &pairs[1].vector])?;
//! }
//! let sharpness = surface.sharpness(&[pairs[0].value, pairs[1].value]);
//! assert!(sharpness.rim_rise >= sharpness.mean_rise && pairs[0].value.abs() >= pairs[1].value.abs());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod hessian;
mod loss;
mod power;
mod surface;

pub use crate::error::LandscapeError;
pub use hessian::Hessian;
pub use loss::CanonicalLoss;
pub use power::{EigenPair, PowerIteration};
pub use surface::{Sharpness, Surface, SurfaceGrid, TermSurface};
