//! The activation functions by name; what they are made of is in `tower`, their loops over slices in `towers`.

use std::fmt;
use std::str::FromStr;

/// The enum, its list and its names from one table.
macro_rules! activations {
    ($(#[$about:meta])* enum { $($(#[$formula:meta])* $variant:ident $name:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Activation {
            $($(#[$formula])* $variant,)*
        }

        impl Activation {
            /// Every activation, in the order of [`Activation::names`].
            pub const ALL: [Activation; [$($name),*].len()] = [$(Activation::$variant),*];

            /// The name that [`FromStr`] reads and [`fmt::Display`] writes.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Activation::$variant => $name,)*
                }
            }
        }
    };
}

activations! {
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
    enum {
        /// tanh z.
        Tanh "tanh",
        /// 1/(1 + e^−z).
        Sigmoid "sigmoid",
        /// sin z.
        Sin "sin",
        /// cos z.
        Cos "cos",
        /// z/(1 + e^−z), also called swish.
        Silu "silu",
        /// z·Φ(z), the exact form with erf.
        Gelu "gelu",
        /// ln(1 + e^z).
        Softplus "softplus",
        /// e^z.
        Exp "exp",
        /// e^(−z²/2).
        Gaussian "gaussian",
        /// z.
        Identity "identity",
    }
}

impl Activation {
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
#[expect(missing_docs, reason = "messages name every field")]
pub enum Error {
    /// A name that no activation has.
    #[error("unknown activation `{name}`; did you mean `{nearest}`? The choices are {}", Activation::names().join(", "))]
    UnknownActivation { name: String, nearest: Activation },
}

impl Error {
    fn unknown_activation(name: &str) -> Self {
        let word = name.to_lowercase();
        let nearest = Activation::ALL.into_iter().min_by_key(|known| strsim::levenshtein(&word, known.name()));
        let nearest = nearest.expect("there are activations");
        Error::UnknownActivation { name: name.to_owned(), nearest }
    }
}
