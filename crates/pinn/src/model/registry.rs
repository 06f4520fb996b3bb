//! The table of built-in models: the one place that lists them.

use super::backbone::Backbone;
use super::{Custom, Kan, Mlp, ModelError, Qres, Transformer};
use ropinn_expr::nearest;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

macro_rules! models {
    ($($(#[$doc:meta])* $kind:ident($sizes:ty) = $name:literal,)*) => {
        /// Which base model.
        ///
        /// ```
        /// use ropinn::model::ModelKind;
        /// assert_eq!("kan".parse(), Ok(ModelKind::Kan));
        /// let error = "pinformer".parse::<ModelKind>().unwrap_err();
        /// assert_eq!(
        ///     error.to_string(),
        ///     "unknown model `pinformer`; did you mean `pinnsformer`? \
        ///      The models are pinn, qres, fls, pinnsformer, pinnsformer-encoder, kan"
        /// );
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ModelKind {
            $($(#[$doc])* $kind,)*
            /// Custom in a program.
            Custom,
        }

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

        impl ModelKind {
            /// Every kind that can be built from its sizes alone.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$kind),*];

            /// The name that [`FromStr`] reads, [`fmt::Display`] writes and configuration files use.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                    Self::Custom => "custom",
                }
            }
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

models! {
    /// Fully connected network.
    Pinn(Mlp) = "pinn",
    /// Quadratic residual network.
    Qres(Qres) = "qres",
    /// Fully connected network with a sine (without a frequency factor) in place of the first activation.
    Fls(Mlp) = "fls",
    /// Transformer over pseudo-sequences, encoder and decoder.
    Pinnsformer(Transformer) = "pinnsformer",
    /// The same without its decoder.
    PinnsformerEncoder(Transformer) = "pinnsformer-encoder",
    /// Kolmogorov–Arnold network.
    Kan(Kan) = "kan",
}

impl fmt::Display for ModelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
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
