//! The names of the models.

use super::{ModelConfig, ModelError};
use ropinn_expr::nearest;
use std::fmt;
use std::str::FromStr;

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
    /// Fully connected network.
    Pinn,
    /// Quadratic residual network.
    Qres,
    /// Fully connected network with a sine after the first layer.
    Fls,
    /// Transformer over pseudo-sequences, encoder and decoder.
    Pinnsformer,
    /// The same without its decoder.
    PinnsformerEncoder,
    /// Kolmogorov–Arnold network.
    Kan,
}

impl ModelKind {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Pinn, Self::Qres, Self::Fls, Self::Pinnsformer, Self::PinnsformerEncoder, Self::Kan];

    /// The name that [`FromStr`] reads, [`fmt::Display`] writes and configuration files use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pinn => "pinn",
            Self::Qres => "qres",
            Self::Fls => "fls",
            Self::Pinnsformer => "pinnsformer",
            Self::PinnsformerEncoder => "pinnsformer-encoder",
            Self::Kan => "kan",
        }
    }
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

impl ModelConfig {
    /// Which model this configures.
    pub fn kind(&self) -> ModelKind {
        match self {
            Self::Pinn(_) => ModelKind::Pinn,
            Self::Qres(_) => ModelKind::Qres,
            Self::Fls(_) => ModelKind::Fls,
            Self::Pinnsformer(_) => ModelKind::Pinnsformer,
            Self::PinnsformerEncoder(_) => ModelKind::PinnsformerEncoder,
            Self::Kan(_) => ModelKind::Kan,
        }
    }
}
