//! The activation functions by name; what they are made of is in `tower`, their loops over slices in `towers`.

use std::fmt;
use std::str::FromStr;

/// A scalar nonlinearity σ with closed-form derivatives.
///
/// ```
/// use ropinn_vmath::Activation;
///
/// let activation: Activation = "tanh".parse()?;
/// let z = [0.0_f64, 1.0];
/// let mut s = [0.0; 6];
/// activation.tower(2, &z, &mut s); // rows σ, σ′, σ″
/// assert_eq!(s[0], 0.0);
/// assert_eq!(s[2], 1.0);
/// assert!((s[5] + 0.6397).abs() < 1e-4); // tanh″(1)
/// # Ok::<(), ropinn_vmath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activation {
    /// tanh z.
    Tanh,
    /// 1/(1 + e^−z).
    Sigmoid,
    /// sin z.
    Sin,
    /// cos z.
    Cos,
    /// z/(1 + e^−z), also called swish.
    Silu,
    /// z·Φ(z), the exact form with erf.
    Gelu,
    /// ln(1 + e^z).
    Softplus,
    /// e^z.
    Exp,
    /// z.
    Identity,
}

impl Activation {
    /// Every activation, in the order of [`Activation::names`].
    pub const ALL: [Activation; 9] = [
        Activation::Tanh,
        Activation::Sigmoid,
        Activation::Sin,
        Activation::Cos,
        Activation::Silu,
        Activation::Gelu,
        Activation::Softplus,
        Activation::Exp,
        Activation::Identity,
    ];

    /// The name that [`FromStr`] reads and [`fmt::Display`] writes.
    pub const fn name(&self) -> &'static str {
        match self {
            Activation::Tanh => "tanh",
            Activation::Sigmoid => "sigmoid",
            Activation::Sin => "sin",
            Activation::Cos => "cos",
            Activation::Silu => "silu",
            Activation::Gelu => "gelu",
            Activation::Softplus => "softplus",
            Activation::Exp => "exp",
            Activation::Identity => "identity",
        }
    }

    /// All names.
    pub fn names() -> [&'static str; Self::ALL.len()] {
        Self::ALL.map(|activation| activation.name())
    }

    /// How many continuous derivatives there are; `None` means infinitely many, as for all of these.
    pub fn smoothness(&self) -> Option<u8> {
        None
    }
}

impl fmt::Display for Activation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Activation {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|activation| activation.name() == name)
            .ok_or_else(|| Error::unknown_activation(name))
    }
}

/// What this crate reports.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A name that no activation has.
    #[error("unknown activation `{name}`; did you mean `{nearest}`? The choices are {}", Activation::names().join(", "))]
    UnknownActivation {
        /// The name as given.
        name: String,
        /// The activation whose name is closest to it.
        nearest: Activation,
    },
}

impl Error {
    fn unknown_activation(name: &str) -> Self {
        let word = name.to_lowercase();
        let nearest = Activation::ALL.into_iter().min_by_key(|known| strsim::levenshtein(&word, known.name()));
        let nearest = nearest.expect("there are activations");
        Error::UnknownActivation { name: name.to_owned(), nearest }
    }
}
