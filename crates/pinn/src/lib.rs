//! Physics-informed neural networks with region optimisation.

pub mod model;
pub mod problem;
pub mod weights;
