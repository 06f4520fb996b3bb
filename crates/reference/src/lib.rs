//! Reference solutions: what networks are compared with, by methods that know nothing of them.
//!
//! | module | equation | method |
//! |---|---|---|
//! | [`elements`] | −∇·(p∇u) + qu = f and c u_t = ∇·(p∇u) − qu + f around round holes | quadratic triangles, Alexander's steps |
//! | [`flow`] | Navier and Stokes' equations, at rest or from rest | Taylor & Hood's triangles |
//! | [`immersed`] | −∇·(p∇u) + qu = f in a cube less balls | cubic cells that balls cut |
//! | [`spectral`] | reactions that diffuse, periodic or zero on the sides | cas or sine series, exponential steps |
//! | [`wave`] | u_tt = cΔu, u_tt = ∇·(c∇u) between mirrors | spectral elements, leapfrog |
//! | [`burgers`] | two velocities in a periodic square | differences of fifth order |
//! | [`fourier`] | any evolution in one periodic coordinate | Fourier series, exponential steps |
//! | [`laplace`] | Δu = 0 around round holes | harmonic functions |
//! | [`cavity`] | flow under a sliding lid | finite differences |
//! | [`ode`] | F(t, u, u′) = 0 | Runge–Kutta steps |
//! | [`cole_hopf`] | Burgers' equation from a sine | its closed form |
//!
//! All but the last five take plain functions of a point ([`Function`], time last) and give a [`Reference`]: values anywhere in the
//! domain, at the instants that were asked for, with an error estimated from two resolutions. What fails its own check is a
//! [`SolveError`]. Domains of the plane and their triangles are in [`plane`]; [`random_fields`] rebuilds random coefficients and first
//! values from their seeds. Nothing depends on the number of threads.

pub mod burgers;
pub mod cavity;
pub mod cole_hopf;
pub mod elements;
mod error;
pub mod flow;
pub mod fourier;
mod grid;
pub mod immersed;
pub mod laplace;
mod least_squares;
pub mod ode;
pub mod plane;
pub mod random_fields;
mod solution;
mod sparse;
pub mod spectral;
mod steps;
pub mod wave;

pub use error::SolveError;
pub use solution::{Field, Function, Reference};
