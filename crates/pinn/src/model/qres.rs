//! QRes (Bu & Karpatne 2021): blocks whose pre-activation is quadratic in their input.

use super::backbone::{Backbone, Check, MAX_DEPTH, MAX_WIDTH, Shapes, set};
use super::mlp::stem;
use super::{Fourier, ModelError, ModelInputs, ModelKind};
use crate::weights::WeightsError;
use ropinn_engine::{Activation, NetworkBuilder, NodeId};
use serde::{Deserialize, Serialize};

/// Sizes of a quadratic residual network: `depth` blocks of `width` units, then a linear output.
///
/// The published region-optimisation scripts have 2 blocks where their point-optimisation scripts have 4, so the published
/// QRes numbers compare networks of different depth; [`super::ModelConfig::paper`] gives 4 blocks to both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Qres {
    /// Units per block.
    pub width: usize,
    /// Blocks, the one on the input included.
    pub depth: usize,
    /// Whether each coordinate is first mapped from its range to [−1, 1].
    pub normalise: bool,
    /// Random Fourier features in front of the first block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fourier: Option<Fourier>,
}

impl Default for Qres {
    fn default() -> Self {
        Self { width: 256, depth: 4, normalise: false, fourier: None }
    }
}

impl Backbone for Qres {
    fn check(&self, check: &Check) -> Result<(), ModelError> {
        check.size("width", self.width, MAX_WIDTH)?;
        check.size("depth", self.depth, MAX_DEPTH)?;
        Fourier::check(self.fourier, check)
    }

    /// z ← sigmoid(H₂z ⊙ H₁z + H₁z), `depth` times, then a linear output (eq. 5).
    fn lay_out(&self, _: ModelKind, net: &mut NetworkBuilder, inputs: &ModelInputs) -> Result<NodeId, ModelError> {
        let mut z = stem(net, self.normalise, self.fourier, inputs)?;
        for block in 0..self.depth {
            let name = if block == 0 { "inlayer".to_owned() } else { format!("layers.{}", block - 1) };
            let h1 = net.linear(&format!("{name}.H1"), z, self.width)?;
            let h2 = net.linear(&format!("{name}.H2"), z, self.width)?;
            let product = net.mul(h2, h1)?;
            let sum = net.sum(&[product, h1])?;
            z = net.activate(Activation::Sigmoid, sum)?;
        }
        Ok(net.linear("outlayer", z, inputs.unknowns)?)
    }

    fn read(&mut self, shapes: &Shapes<'_>) -> Result<(), WeightsError> {
        self.width = shapes.rows("inlayer.H1.weight")?;
        self.depth = 1 + shapes.count(|block| format!("layers.{block}.H1.weight"));
        Ok(())
    }

    fn take_quick(&mut self) -> u64 {
        (self.width, self.depth, self.normalise) = (16, 3, true);
        300
    }

    fn width_and_depth(&self) -> (usize, usize) {
        (self.width, self.depth)
    }

    fn resize(&mut self, width: Option<usize>, depth: Option<usize>) {
        set(&mut self.width, width);
        set(&mut self.depth, depth);
    }

    fn numbers(&self) -> Vec<(&'static str, f64)> {
        Fourier::numbers(self.fourier)
    }
}
