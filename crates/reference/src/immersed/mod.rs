//! Diffusion in a box of three coordinates less balls, without flux through any of its surfaces: elements that balls cut through.
//!
//! −∇·(p∇u − G) + qu = f with (p∇u − G)·n = 0 on all faces and spheres. Functions are cubic along each axis of a grid of cells; integrals go over
//! the part of a cell that is in the domain only (`rule`), which is all that such a condition needs. In a cell that is cut, a small
//! part α of the whole cell's integrals is added, so that functions that hardly reach the domain are held (the finite cell method,
//! Parvizian, Düster & Rank 2007). Conjugate gradients solve the equations (`schwarz`); whole cells are products with one small matrix (`system`).
//! Errors are O(h⁴) where the solution is smooth.

mod basis;
mod problem;
mod rule;
mod schwarz;
mod solve;
mod system;

pub use problem::{Ball, Immersed};
pub use solve::solve;
