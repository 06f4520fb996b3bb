//! Reference solutions: what networks are compared with, by methods that know nothing of them.
//!
//! [`fourier`] solves evolutions in one periodic coordinate, whatever their equations; [`laplace`] solves Laplace's
//! equation around round holes; [`cavity`] finds the flow in a box under a sliding lid; [`cole_hopf`] has
//! the closed form of one evolution. [`random_fields`] rebuilds random coefficients and first values from their seeds.
//!
//! The solvers below take plain functions of a point (`&(dyn Fn(&[f64]) -> f64 + Sync)`, time last) and give a [`Reference`]:
//! values anywhere in the domain, at the instants that were asked for, with an error estimated from two resolutions. What fails its
//! own check is a [`SolveError`].
//!
//! ```text
//! plane::Domain { outline: Vec<[f64; 2]>, holes: Vec<Disc> }   counter-clockwise polygon less discs; its pieces are the
//!     Domain::rectangle(low, high), .with_holes(..)             sides in order (side k from corner k to k + 1), then the holes
//! plane::Mesh::new(&domain, size)                               unstructured, or Mesh::grid(&xs, &ys): given lines, coefficients may jump there
//!
//! elements::Diffusion { domain, diffusivity: p, decay: q, source: f, conditions: Vec<Condition> }
//!     -div(p grad u) + q u = f;  Condition::Value(g) | Condition::Flux { given: g, transfer: h }   (du/dn = g - h u)
//!     a lap(u) + f = 0 is p = 1 and the source f/a
//! elements::steady(&diffusion, Resolution) -> Result<Reference, SolveError>
//! elements::heat(&diffusion, capacity: c, initial, instants, steps, Resolution)     c u_t = div(p grad u) - q u + f(x, y, t)
//!
//! flow::Flow { domain, viscosity, force: [f; 2], conditions: Vec<Wall | Outlet>, pressure_zero_at }   unknowns u, v, p
//! flow::steady(&flow, size), flow::unsteady(&flow, instants, steps, size)            at rest at t = 0
//!
//! spectral::Reaction { low, high, ends: Periodic | Zero, diffusivities, linear, reaction: N(place, t, &u, &mut rates), initial }
//! spectral::solve(&reaction, instants, nodes, steps)             u_i,t = d_i lap(u_i) + l_i u_i + N_i
//! wave::solve(&Wave { low, high, c, form: Plain | Divergence, initial }, instants, nodes)   at rest at t = 0, mirrors at the sides
//! burgers::solve(&Burgers { period, viscosity, initial: [f; 2] }, instants, nodes)
//! immersed::solve(&Immersed { low, high, balls, diffusivity, decay, source }, cells)      three coordinates, no flux anywhere
//! ```

pub mod burgers;
pub mod cavity;
pub mod cole_hopf;
pub mod elements;
mod error;
pub mod flow;
pub mod fourier;
mod grid;
pub mod laplace;
mod least_squares;
pub mod plane;
pub mod random_fields;
mod solution;
mod sparse;
pub mod spectral;
mod steps;
pub mod wave;

pub use error::SolveError;
pub use solution::{Field, Function, Reference};
