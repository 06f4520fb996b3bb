//! Running a plan on tiles of samples, forward and backward, and over many tiles in parallel.

mod activation;
mod attention;
mod combine;
mod lanes;
mod linear;
mod matrix;
mod quadratic;
mod sink;
mod tile;

pub use matrix::gemm_peak;
pub(crate) use matrix::{View, matmul};
pub(crate) use sink::GradSink;
pub(crate) use tile::Tile;
