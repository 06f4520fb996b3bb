//! Models as they stand in a configuration file; every size defaults to the one of the RoPINN paper's benchmarks.

use ropinn_engine::Activation;
use serde::{Deserialize, Serialize};

/// A model and its sizes.
///
/// ```
/// use ropinn::model::{Mlp, ModelConfig};
/// let model: ModelConfig = toml::from_str("kind = 'pinn'\nwidth = 100\ndepth = 5")?;
/// assert_eq!(model, ModelConfig::Pinn(Mlp { width: 100, depth: 5, ..Mlp::default() }));
/// # Ok::<(), toml::de::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ModelConfig {
    /// Fully connected network.
    Pinn(Mlp),
    /// Quadratic residual network.
    Qres(Qres),
    /// Fully connected network with a sine (without a frequency factor) in place of the first activation.
    Fls(Mlp),
    /// Transformer over pseudo-sequences, encoder and decoder.
    Pinnsformer(Transformer),
    /// The same without its decoder.
    PinnsformerEncoder(Transformer),
    /// Kolmogorov–Arnold network.
    Kan(Kan),
}

impl ModelConfig {
    /// Settings that are not counts, by name; sizes are checked when the network is built.
    pub(crate) fn numbers(&self) -> Vec<(&'static str, f64)> {
        match self {
            Self::Pinn(Mlp { fourier, .. }) | Self::Fls(Mlp { fourier, .. }) | Self::Qres(Qres { fourier, .. }) => {
                fourier.iter().map(|fourier| ("model.fourier.scale", fourier.scale)).collect()
            }
            Self::Pinnsformer(sizes) | Self::PinnsformerEncoder(sizes) => vec![("model.step", sizes.step)],
            Self::Kan(sizes) => vec![("model.low", sizes.low), ("model.high", sizes.high)],
        }
    }
}

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

/// Sizes of a quadratic residual network: `depth` blocks of `width` units, then a linear output.
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

/// Random Fourier features `[sin 2πBz, cos 2πBz]` (Tancik et al. 2020), B fixed and drawn from the seed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fourier {
    /// Frequencies, rows of B; the network sees twice as many features.
    pub features: usize,
    /// Standard deviation of the entries of B.
    pub scale: f64,
}

/// Sizes of a PINNsFormer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Transformer {
    /// Width of the embedding.
    pub d_model: usize,
    /// Attention heads; they share the embedding equally.
    pub heads: usize,
    /// Width of the network after each attention.
    pub ff_width: usize,
    /// Width of the network that reads out the unknowns.
    pub out_width: usize,
    /// Encoder layers, and as many decoder layers.
    pub layers: usize,
    /// Elements of the pseudo-sequence each point becomes.
    pub sequence: usize,
    /// Time between them.
    pub step: f64,
}

impl Default for Transformer {
    fn default() -> Self {
        Self { d_model: 32, heads: 2, ff_width: 256, out_width: 512, layers: 1, sequence: 5, step: 1e-4 }
    }
}

/// Sizes of a Kolmogorov–Arnold network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Kan {
    /// Units of each hidden layer; the paper writes `[2, 5, 1]` for coordinates, `hidden = [5]` and unknowns.
    pub hidden: Vec<usize>,
    /// Intervals of the spline grid.
    pub grid: usize,
    /// Degree of the splines.
    pub degree: usize,
    /// Lower end of the grid.
    pub low: f64,
    /// Upper end of the grid.
    pub high: f64,
}

impl Default for Kan {
    fn default() -> Self {
        Self { hidden: vec![5], grid: 5, degree: 3, low: -1.0, high: 1.0 }
    }
}

/// Activations by name.
mod activation_name {
    use ropinn_engine::Activation;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(activation: &Activation, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(activation.name())
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Activation, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}
