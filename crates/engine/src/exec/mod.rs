//! Running a plan on tiles of samples, forward and backward, and over many tiles in parallel.

mod activation;
mod attention;
mod combine;
mod lanes;
mod linear;
mod parameters;
mod quadratic;
mod sequence;
mod sink;
mod tile;

pub(crate) use parameters::Parameters;
pub(crate) use sink::GradSink;
pub(crate) use tile::Tile;
