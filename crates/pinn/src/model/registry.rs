//! A model and its sizes, for every model of the list.

use super::backbone::Backbone;
use super::kind::with_models;
use super::{Custom, Features, Kan, Mlp, ModelError, ModelKind, Qres, Transformer};
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
