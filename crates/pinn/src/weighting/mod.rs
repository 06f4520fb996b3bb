//! Weights λ_t of the terms of a loss Σ λ_t L_t, from what the terms do to the parameters.
//!
//! - Neural tangent kernels: λ_t = Σ_j Tr K_j / Tr K_t with Tr K_t = Σ_i ‖∂r_{t,i}/∂θ‖², so that all terms are learnt at
//!   the same mean rate (Wang, Yu & Perdikaris, "When and why PINNs fail to train", 2022).
//! - Gradient balancing: λ_t follows the ratio of the sizes of the terms' gradients, smoothed in time (Wang, Teng &
//!   Perdikaris, "Understanding and mitigating gradient flow pathologies in PINNs", 2021, Algorithm 1).
//!
//! Rules are plain functions of numbers; [`part_traces`] is the one place that asks the engine.

mod error;
mod gradient;
mod ntk;
mod trace;

pub use error::WeightingError;
pub use gradient::{BalanceRule, GradientBalance, GradientSize, balance_targets, smoothed};
pub use ntk::{KernelOf, KernelTrace, Ntk, TraceScale, ntk_weights};
pub use trace::{Subset, part_traces};
