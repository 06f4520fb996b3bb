//! Physics-informed neural networks with region optimisation.
