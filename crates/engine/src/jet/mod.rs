//! Jets: the derivative channels a program carries forward, and the rules that combine them.
//!
//! A *channel* is one linear differential operator `L = Σ c_α ∂^α` applied to every intermediate quantity of the network.
//! Channel 0 is the value itself. Plain channels have a single `∂^α`; a *collapsed* channel carries a whole combination
//! (a direction `β·∂x + ∂t`, a wave operator `∂tt − 4∂xx`, a variable-coefficient Laplacian) at the price of one channel,
//! as in the forward Laplacian and collapsed Taylor mode (Li et al. 2024; Dangel et al. 2025).

mod alpha;
mod channels;
mod rules;

pub(crate) use alpha::JET_ORDER;
pub use alpha::{Alpha, MAX_ORDER};
pub use channels::{ChannelSet, Coef, Operator};
pub use rules::{compose_terms, product_terms};
