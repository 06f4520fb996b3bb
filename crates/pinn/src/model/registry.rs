//! A model and its sizes, for every model of the list.

use super::backbone::Backbone;
use super::kind::with_models;
use super::mlp::activation_name;
use super::{Custom, Kan, Mlp, ModelError, ModelKind, Qres, Transformer};
use ropinn_engine::Activation;
use ropinn_expr::nearest;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

macro_rules! configs {
    ($($(#[$doc:meta])* $kind:ident($sizes:ty) = $name:literal,)*) => {
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
            $($(#[$doc])* $kind($sizes),)*
            /// Custom in a program, by its name.
            Custom(Custom),
        }

        impl ModelConfig {
            /// Which model this configures.
            pub fn kind(&self) -> ModelKind {
                match self {
                    $(Self::$kind(_) => ModelKind::$kind,)*
                    Self::Custom(_) => ModelKind::Custom,
                }
            }

            /// A model of default size.
            pub fn new(kind: ModelKind) -> Self {
                match kind {
                    $(ModelKind::$kind => Self::$kind(Default::default()),)*
                    ModelKind::Custom => Self::Custom(Default::default()),
                }
            }

            pub(super) fn backbone(&self) -> &dyn Backbone {
                match self {
                    $(Self::$kind(sizes) => sizes,)*
                    Self::Custom(sizes) => sizes,
                }
            }

            pub(super) fn backbone_mut(&mut self) -> &mut dyn Backbone {
                match self {
                    $(Self::$kind(sizes) => sizes,)*
                    Self::Custom(sizes) => sizes,
                }
            }
        }
    };
}

with_models!(configs);

/// Numbers, kinds and scales of frozen features, and the network they correct.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Features {
    /// Features of the coordinates, in each patch.
    pub count: usize,
    /// σ.
    #[serde(with = "activation_name")]
    pub activation: Activation,
    /// The largest |entry| of w: one for all, or one for each input, of which a periodic coordinate has two (sine and cosine).
    /// None leaves them to the solver, which tries.
    pub scales: Vec<f64>,
    /// Frozen layers: 1 or 2.
    pub layers: usize,
    /// Patches along each coordinate; none for one that covers all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patches: Vec<usize>,
    /// Features of the last hidden layer of the network that is corrected.
    #[serde(skip_serializing_if = "is_zero")]
    pub hidden: usize,
    /// The network that is corrected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Box<ModelConfig>>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Default for Features {
    fn default() -> Self {
        Self {
            count: 4000,
            activation: Activation::Sin,
            scales: Vec::new(),
            layers: 1,
            patches: Vec::new(),
            hidden: 0,
            base: None,
        }
    }
}

impl ModelConfig {
    /// Whether the network has fixed numbers that depend on the seed.
    pub(crate) fn draws_features(&self) -> bool {
        match self {
            Self::Pinn(sizes) | Self::Fls(sizes) => sizes.fourier.is_some(),
            Self::Qres(sizes) => sizes.fourier.is_some(),
            _ => false,
        }
    }
}

impl FromStr for ModelKind {
    type Err = ModelError;

    fn from_str(name: &str) -> Result<Self, ModelError> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| ModelError::UnknownKind {
            name: name.to_owned(),
            nearest: nearest(name, Self::ALL.map(Self::name)).and_then(|known| known.parse().ok()),
        })
    }
}
