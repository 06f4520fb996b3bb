//! The base models: what each of them is, how large the paper makes it, how its parameters start.
//!
//! A [`ModelConfig`] is data: it reads from and writes to a configuration file, builds the [`Network`] the engine compiles,
//! and fills its parameter vector θ. Parameter tensors carry the names and shapes of the PyTorch modules the RoPINN paper
//! (Wu et al. 2024) published, so weights can be exchanged with them through [`crate::weights`]. A network of one's own is
//! a [`Composed`] model, or implements [`Model`].
//!
//! | kind | u(x, t; θ) | reference |
//! |---|---|---|
//! | `pinn` | linear layers with one smooth activation | Raissi, Perdikaris, Karniadakis 2019 |
//! | `fls` | the same with a sine after the first layer | Wong et al. 2022 |
//! | `qres` | blocks σ(H₂z ⊙ H₁z + H₁z) | Bu, Karpatne 2021 |
//! | `pinnsformer` | attention over a short pseudo-sequence in time | Zhao, Ding, Prakash 2024 |
//! | `kan` | sums of trained splines | Liu et al. 2024 |
//! | `features` | frozen random functions with trained coefficients, alone or beside a network | Chen et al. 2022 |
//!
//! ```
//! use ropinn::model::{Init, Model, ModelConfig, ModelInputs, ModelKind};
//! let model = ModelConfig::paper(ModelKind::Pinn, "reaction");
//! let network = model.build(&ModelInputs::new(2, 1))?;
//! assert_eq!(network.parameters(), 527_361);
//! let theta = model.initialise(&network, 0, &Init::paper("reaction"));
//! assert_eq!(theta.len(), network.parameters());
//! # Ok::<(), ropinn::model::ModelError>(())
//! ```

mod backbone;
mod build;
mod custom;
mod error;
mod features;
mod fields;
mod grow;
mod init;
mod inputs;
mod kan;
mod kind;
mod mlp;
mod paper;
mod qres;
mod registry;
mod sequence;
mod transformer;

pub use build::MAX_PARAMETERS;
pub(crate) use build::MODEL_KEY;
pub use custom::{Composed, Custom};
pub use error::ModelError;
pub(crate) use grow::graft;
pub use init::{Init, Scheme};
pub use inputs::{HardConstraint, ModelInputs, Piece};
pub use kan::Kan;
pub use kind::ModelKind;
pub use mlp::{Fourier, Mlp};
pub use qres::Qres;
pub use registry::{Features, ModelConfig};
pub use sequence::{Sequence, expand_sequence};
pub use transformer::Transformer;

use ropinn_engine::Network;
use std::fmt::Debug;

/// What a [`crate::case::Case`] needs of a model: those of a configuration have it, and so may yours.
pub trait Model: Debug + Send + Sync {
    /// The name by which configurations, weights and records know it.
    fn name(&self) -> &str;

    /// The network u(x; θ) for a problem.
    fn build(&self, inputs: &ModelInputs) -> Result<Network, ModelError>;

    /// Whether [`Self::build`] follows what its inputs say of periods, hard constraints and pieces.
    fn builds_conditions_in(&self) -> bool {
        false
    }

    /// Starting parameters of a network that [`Self::build`] made.
    fn initialise(&self, network: &Network, seed: u64, init: &Init) -> Vec<f64> {
        init.fill(network, seed, |_, _, _| false)
    }

    /// The pseudo-sequence each point becomes; `None` if the network acts on each point alone.
    fn sequence(&self) -> Option<Sequence> {
        None
    }
}
