//! Waves in a square with mirrors for sides: u_tt = cΔu, or u_tt = ∇·(c∇u), at rest at t = 0.
//!
//! Spectral elements (Patera 1984): polynomials through Gauss and Lobatto's places in each cell, whose matrix of masses is diagonal if integrals use
//! the same places. c may have kinks and jumps at the sides of cells. Mirrors need nothing: no flux is what integrals say by themselves.
//! Steps in time are leapfrog's (Störmer 1907, Verlet 1967), of second order and a fixed part of what is stable.

mod element;
mod field;
mod problem;
mod solve;

pub use problem::{Form, Wave};
pub use solve::solve;
