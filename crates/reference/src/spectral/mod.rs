//! Reaction and diffusion in a rectangle: u_i,t = dᵢΔuᵢ + lᵢuᵢ + Nᵢ(u, x, y, t), periodic or zero on the sides.
//!
//! Values on a grid are sums of products of cas (= cos + sin) or sine functions, for which Δ is a number (`transform`; Hartley 1942).
//! Steps are those of Cox & Matthews (2002), exact for the linear part and of fourth order for the rest (`step`).

mod reaction;
mod solve;
mod step;
mod transform;

pub use reaction::{Rates, Reaction, Sides};
pub use solve::solve;
