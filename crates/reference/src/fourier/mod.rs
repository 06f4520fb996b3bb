//! Evolutions in one periodic coordinate: Fourier series in x, exponential Runge–Kutta steps in t.
//!
//! The equations A u_t + r(u, u_x, …, x, t) = 0 become u_t = Lu + N(u), where L has every term that is linear with constant
//! coefficients ([`Evolution`]). L is one small matrix for each wave number; N is evaluated on a grid, of whose wave numbers the
//! upper third is left out (`transform`). A step is that of Cox & Matthews (2002), exact for L alone (`step`, `phi`). How far the
//! result is off is estimated from a second one with half the modes and half the steps ([`Solution::error`]).

mod error;
mod evolution;
mod fft;
mod phi;
mod solution;
mod step;
mod transform;

pub use error::FourierError;
pub use evolution::Evolution;
pub(crate) use fft::Fft;
pub(crate) use phi::phi_of_number;
pub use solution::{Resolution, Solution};
