//! The one thing that can go wrong here: a name that is not an activation.

use crate::Activation;

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
    pub(crate) fn unknown_activation(name: &str) -> Self {
        let word = name.to_lowercase();
        let nearest = Activation::ALL.into_iter().min_by_key(|known| strsim::levenshtein(&word, known.name()));
        let nearest = nearest.expect("there are activations");
        Error::UnknownActivation { name: name.to_owned(), nearest }
    }
}
