//! Incompressible flow in the plane by the elements of Taylor & Hood (1973): quadratic velocities, linear pressures.
//!
//! u_t + (u·∇)u + ∇p − νΔu = f, ∇·u = 0. Velocities are given on pieces of the boundary, but for outlets: there the flow is along
//! the normal and p = 0. Both follow from leaving the normal velocity free: ν∂uₙ/∂n − p = 0 then holds by itself, and ∂uₙ/∂n = 0 because
//! the velocity along the side vanishes and the flow has no sources. Nothing keeps the flow from coming back in.
//!
//! [`steady`] uses Newton's method; [`unsteady`] steps of second order that take the convection from the past (`unsteady`).

mod element;
mod problem;
mod rest;
mod unsteady;

pub use problem::{Flow, FlowCondition};
pub use rest::steady;
pub use unsteady::unsteady;
