//! Running a plan on tiles of samples, forward and backward, and over many tiles in parallel.

/// A closure that is always inlined, so that [`dispatch`](ropinn_vmath::dispatch()) compiles it for the instruction set at hand.
macro_rules! inlined {
    (|| $body:expr) => {
        #[inline(always)]
        || $body
    };
    (|$lane:ident| $body:expr) => {
        #[inline(always)]
        |$lane| $body
    };
}

mod activation;
mod attention;
mod combine;
mod lanes;
mod linear;
mod matrix;
mod quadratic;
mod sequence;
mod sink;
mod tile;

pub use matrix::gemm_peak;
pub(crate) use matrix::{View, matmul};
pub(crate) use sink::GradSink;
pub(crate) use tile::Tile;
