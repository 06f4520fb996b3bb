//! The base models: what each of them is, how large the paper makes it, how its parameters start.
//!
//! A [`ModelConfig`] is data: it reads from and writes to a configuration file, builds the [`Network`] the engine compiles,
//! and fills its parameter vector θ. Parameter tensors carry the names and shapes of the PyTorch modules the RoPINN paper
//! (Wu et al. 2024) published, so weights can be exchanged with them through [`crate::weights`].
//!
//! | kind | u(x, t; θ) | reference |
//! |---|---|---|
//! | `pinn` | linear layers with one smooth activation | Raissi, Perdikaris, Karniadakis 2019 |
//! | `fls` | the same with a sine after the first layer | Wong et al. 2022 |
//! | `qres` | blocks σ(H₂z ⊙ H₁z + H₁z) | Bu, Karpatne 2021 |
//! | `pinnsformer` | attention over a short pseudo-sequence in time | Zhao, Ding, Prakash 2024 |
//! | `kan` | sums of trained splines | Liu et al. 2024 |
//!
//! ```
//! use ropinn::model::{Init, ModelConfig, ModelInputs, ModelKind};
//! let model = ModelConfig::paper(ModelKind::Pinn, "reaction");
//! let network = model.build(&ModelInputs::new(2, 1))?;
//! assert_eq!(network.parameters(), 527_361);
//! let theta = model.initialise(&network, 0, &Init::paper("reaction"));
//! assert_eq!(theta.len(), network.parameters());
//! # Ok::<(), ropinn::model::ModelError>(())
//! ```

mod build;
mod config;
mod error;
mod from_weights;
mod init;
mod kan;
mod kind;
mod mlp;
mod paper;
mod sequence;
mod transformer;

pub use build::{HardConstraint, MAX_PARAMETERS, ModelInputs};
pub use config::{Fourier, Kan, Mlp, ModelConfig, Qres, Transformer};
pub use error::ModelError;
pub use init::{Init, Scheme};
pub use kind::ModelKind;
pub use sequence::{Sequence, expand_sequence};

#[cfg(doc)]
use ropinn_engine::Network;
