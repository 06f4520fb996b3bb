//! PINN and FLS: linear maps with one smooth activation, and what may stand in front of a network of linear maps.

use super::backbone::{Backbone, Check, MAX_DEPTH, MAX_WIDTH, Shapes, set};
use super::paper::Benchmark;
use super::{ModelError, ModelInputs, ModelKind};
use crate::weights::WeightsError;
use ropinn_domain::{Purpose, Stream};
use ropinn_engine::{Activation, NetworkBuilder, NodeId};
use serde::{Deserialize, Serialize};

/// Sizes of a fully connected network: `depth` hidden layers of `width` units, then a linear output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mlp {
    /// Units per hidden layer.
    pub width: usize,
    /// Hidden layers.
    pub depth: usize,
    /// Activation of the hidden layers.
    #[serde(with = "activation_name")]
    pub activation: Activation,
    /// Whether each coordinate is first mapped from its range to [−1, 1].
    pub normalise: bool,
    /// Random Fourier features in front of the first layer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fourier: Option<Fourier>,
}

impl Default for Mlp {
    fn default() -> Self {
        Self { width: 512, depth: 3, activation: Activation::Tanh, normalise: false, fourier: None }
    }
}

impl Backbone for Mlp {
    fn check(&self, check: &Check) -> Result<(), ModelError> {
        check.size("width", self.width, MAX_WIDTH)?;
        check.size("depth", self.depth, MAX_DEPTH)?;
        Fourier::check(self.fourier, check)
    }

    /// z ← σ(W z + b), `depth` times, then a linear output. Layers count as in a PyTorch `Sequential`, activations included.
    fn lay_out(&self, kind: ModelKind, net: &mut NetworkBuilder, inputs: &ModelInputs) -> Result<NodeId, ModelError> {
        let mut z = stem(net, self.normalise, self.fourier, inputs)?;
        for layer in 0..self.depth {
            let is_sine = layer == 0 && kind == ModelKind::Fls;
            z = net.linear(&format!("linear.{}", 2 * layer), z, self.width)?;
            z = net.activate(if is_sine { Activation::Sin } else { self.activation }, z)?;
        }
        Ok(net.linear(&format!("linear.{}", 2 * self.depth), z, inputs.unknowns)?)
    }

    fn read(&mut self, shapes: &Shapes<'_>) -> Result<(), WeightsError> {
        self.width = shapes.rows("linear.0.weight")?;
        let linear = shapes.count(|layer| format!("linear.{}.weight", 2 * layer));
        self.depth =
            linear.checked_sub(1).filter(|hidden| *hidden > 0).ok_or_else(|| shapes.missing("linear.2.weight"))?;
        Ok(())
    }

    /// The paper's PINN on PINNacle's problems; other models keep their default sizes there.
    fn take_paper(&mut self, kind: ModelKind, benchmark: Benchmark) {
        match (kind, benchmark) {
            (ModelKind::Pinn, Benchmark::Pinnacle) => (self.width, self.depth) = (100, 5),
            (ModelKind::Pinn, Benchmark::PinnacleInverse) => (self.width, self.depth) = (50, 5),
            _ => {}
        }
    }

    fn take_quick(&mut self) -> u64 {
        (self.width, self.depth, self.normalise) = (20, 3, true);
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

/// Random Fourier features `[sin 2πBz, cos 2πBz]` (Tancik et al. 2020), B fixed and drawn from the seed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fourier {
    /// Frequencies, rows of B; the network sees twice as many features.
    pub features: usize,
    /// Standard deviation of the entries of B.
    pub scale: f64,
}

impl Fourier {
    pub(super) fn check(fourier: Option<Self>, check: &Check) -> Result<(), ModelError> {
        let Some(Self { features, scale }) = fourier else { return Ok(()) };
        check.size("fourier.features", features, MAX_WIDTH)?;
        check.positive("fourier.scale", scale)
    }

    pub(super) fn numbers(fourier: Option<Self>) -> Vec<(&'static str, f64)> {
        fourier.iter().map(|fourier| ("model.fourier.scale", fourier.scale)).collect()
    }
}

/// The coordinates as the first layer sees them: normalised, then expanded in Fourier features, if asked for.
pub(super) fn stem(
    net: &mut NetworkBuilder,
    normalise: bool,
    fourier: Option<Fourier>,
    inputs: &ModelInputs,
) -> Result<NodeId, ModelError> {
    let mut x = net.input();
    if normalise {
        x = net.normalise(x, &inputs.ranges)?;
    }
    if let Some(Fourier { features, scale }) = fourier {
        x = net.fourier_features(x, &frequencies(features * inputs.coordinates, scale, inputs.seed))?;
    }
    Ok(x)
}

/// Entries of B ~ N(0, scale²). Evaluation 1 keeps them apart from the starting weights, which use evaluation 0.
fn frequencies(entries: usize, scale: f64, seed: u64) -> Vec<f64> {
    let mut drawn = vec![0.0; entries];
    Stream::new(seed, Purpose::Weights).at_evaluation(1).fill_normal(&mut drawn);
    drawn.iter().map(|normal| scale * normal).collect()
}

/// Activations by name.
pub(super) mod activation_name {
    use ropinn_engine::Activation;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(activation: &Activation, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(activation.name())
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Activation, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}
