//! Which model: the list of the built-in ones, and their names.

use std::fmt;

/// Hands the list of built-in models to a macro: variant, type of its sizes, name.
macro_rules! with_models {
    ($take:ident) => {
        $take! {
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
            /// Random features with a trained output layer, on their own or beside a network.
            Features(Features) = "features",
        }
    };
}
pub(super) use with_models;

macro_rules! kinds {
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
        ///      The models are pinn, qres, fls, pinnsformer, pinnsformer-encoder, kan, features"
        /// );
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ModelKind {
            $($(#[$doc])* $kind,)*
            /// Custom in a program.
            Custom,
        }

        impl ModelKind {
            /// Every kind that can be built from its sizes alone.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$kind),*];

            /// The name that [`std::str::FromStr`] reads, [`fmt::Display`] writes and configuration files use.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                    Self::Custom => "custom",
                }
            }
        }
    };
}

with_models!(kinds);

impl fmt::Display for ModelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
