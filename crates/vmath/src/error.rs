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
        let mut nearest = Activation::ALL[0];
        for candidate in Activation::ALL {
            if edit_distance(name, candidate.name()) < edit_distance(name, nearest.name()) {
                nearest = candidate;
            }
        }
        Error::UnknownActivation { name: name.to_owned(), nearest }
    }
}

/// Insertions, deletions and substitutions that turn `a` into `b`, ignoring case (Wagner & Fischer, 1974).
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, a) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &b) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
