//! Geometry, point layouts and counter-based random numbers.
//!
//! A few ideas, each in its own module:
//! - [`rng`]: every random number is a pure function of (seed, purpose, step, evaluation, position);
//! - [`sequence`]: a [`Layout`] says how points spread over the unit cube (grids, Sobol, Hammersley, …);
//! - [`geometry`]: a [`Geometry`] is a Boolean rule over solids, optionally × time; it carries layouts over to its
//!   interior and to the named pieces of its boundary, normals included;
//! - [`quadrature`]: Gauss rules on intervals and boxes, and the Legendre polynomials behind them;
//! - [`estimator`]: an [`Estimator`] chooses the places in a region whose mean stands for the region's integral.
//!
//! ```
//! use ropinn_domain::{BoundaryPart, Geometry, Layout};
//! // The unit square without a disc, over the time span 0 … 2.
//! let square = Geometry::cuboid(&[0.0, 0.0], &[1.0, 1.0])?;
//! let domain = square.minus(Geometry::ball(&[0.5, 0.5], 0.2)?)?.over_time(0.0, 2.0)?;
//! let inside = domain.sample_interior(100, &Layout::Hammersley, 7)?;
//! let hole = domain.sample_boundary(BoundaryPart::Hole(1), 50, &Layout::Hammersley, 7)?;
//! assert_eq!((inside.len(), inside.dim(), hole.len()), (100, 3, 50));
//! // Normals leave the domain, so on a hole they point to its centre; they have no time component.
//! let (p, n) = (hole.row(0), hole.normal(0).unwrap());
//! assert!((p[0] - 0.5) * n[0] + (p[1] - 0.5) * n[1] < 0.0 && n[2] == 0.0);
//! # Ok::<(), ropinn_domain::DomainError>(())
//! ```

pub mod error;
pub mod estimator;
pub mod geometry;
mod part;
pub mod points;
pub mod quadrature;
pub mod rng;
pub mod sequence;

pub use error::DomainError;
pub use estimator::{Estimator, Offsets};
pub use geometry::{BoundaryPart, BoundaryTag, Face, Geometry, Side};
pub use points::Points;
pub use rng::{Purpose, Stream};
pub use sequence::{Layout, Scramble};
