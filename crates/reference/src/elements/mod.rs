//! Diffusion in the plane by finite elements on triangles: linear or quadratic functions, sides bent along round holes.
//!
//! c u_t = ∇·(p∇u) − qu + f with u = g or ∂u/∂n = g − hu on each piece of the boundary; at rest c = 0 ([`steady`], [`heat`]). The
//! equation a Δu + f = 0, without a slope of a, is that of p = 1 and the source f/a; u_t = a Δu + f that of c = 1/a as well.
//!
//! Quadratic elements are off by O(h³) where the solution is smooth (Strang & Fix 1973), steps by O(Δt³) (Alexander 1977).

mod assembly;
mod diffusion;
mod evolution;
mod field;
mod rest;

pub(crate) use assembly::{at, finite, right_side, without_given};
pub use diffusion::{Condition, Diffusion, Triangles};
pub use evolution::{Evolving, heat};
pub(crate) use field::{Component, MeshField};
pub use rest::steady;
