//! The base models and their weight files, against PyTorch and against their definitions.

mod build;
mod custom;
mod exact;
mod golden;
mod init;
mod untrusted;
mod weights;

use ropinn::model::{Model, ModelConfig, ModelInputs};
use ropinn_engine::Network;

type Fallible<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// The network over (x, t) with one unknown.
fn network(model: &ModelConfig) -> Network {
    model.build(&ModelInputs::new(2, 1)).expect("a model of valid size")
}

/// A model from the text of a configuration file.
fn model(text: &str) -> ModelConfig {
    toml::from_str(text).expect("a valid configuration")
}
