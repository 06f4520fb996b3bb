//! Models that are composed in a program: a network of one's own, under a name that configurations keep.

use super::backbone::{Backbone, Check, Shapes};
use super::{Model, ModelError, ModelInputs, ModelKind};
use crate::weights::WeightsError;
use ropinn_engine::{Network, NetworkBuilder, NodeId};
use serde::{Deserialize, Serialize};

/// What a configuration keeps of a model that only a program can build.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Custom {
    /// The name its program gives it.
    pub name: String,
}

/// A network at hand as a model. Its tensors start as [`super::Init`] says.
///
/// ```
/// use ropinn::{case::Case, config::RunConfig, model::Composed, problem::Problem};
/// use ropinn_engine::{Activation, NetworkBuilder, Threads};
/// let mut net = NetworkBuilder::new(2);
/// let z = net.linear("first", net.input(), 8)?;
/// let z = net.activate(Activation::Sin, z)?;
/// let u = net.linear("last", z, 1)?;
/// let model = Composed::new("one sine layer", net.build(u)?);
/// let case = Case::with_model(RunConfig::default(), Problem::builtin("wave")?, model, &Threads::new(1)?)?;
/// assert_eq!(case.parameters(), 3 * 8 + 9);
/// assert!(case.config().to_toml().contains("kind = \"custom\"\nname = \"one sine layer\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Composed {
    name: String,
    network: Network,
}

impl Composed {
    /// Names a network.
    pub fn new(name: impl Into<String>, network: Network) -> Self {
        Self { name: name.into(), network }
    }
}

impl Model for Composed {
    fn name(&self) -> &str {
        &self.name
    }

    fn build(&self, _: &ModelInputs) -> Result<Network, ModelError> {
        Ok(self.network.clone())
    }
}

impl Backbone for Custom {
    fn check(&self, _: &Check) -> Result<(), ModelError> {
        Ok(())
    }

    fn lay_out(&self, _: ModelKind, _: &mut NetworkBuilder, _: &ModelInputs) -> Result<NodeId, ModelError> {
        Err(ModelError::NotHere { name: self.name.clone() })
    }

    fn read(&mut self, _: &Shapes<'_>) -> Result<(), WeightsError> {
        Ok(())
    }

    fn take_quick(&mut self) -> u64 {
        300
    }

    fn width_and_depth(&self) -> (usize, usize) {
        (0, 0)
    }

    fn resize(&mut self, _: Option<usize>, _: Option<usize>) {}
}
