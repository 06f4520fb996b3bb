//! Which of the equivalent linear systems is solved.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The system behind a Gauss–Newton step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// P×P normal equations.
    Parameters,
    /// N×N kernel system.
    Kernel,
    /// Conjugate gradients: no matrix at all.
    MatrixFree,
}

/// A dense matrix of this many rows takes 0.5 GB, and seconds to factor.
const DENSE_ROWS: usize = 8000;

impl Form {
    /// The cheapest form that fits: the smaller dense system, if it is small enough. The kernel form also holds J, so its
    /// N must be clearly smaller than P.
    pub fn fitting(parameters: usize, residuals: usize) -> Self {
        let kernel_fits = residuals < parameters && residuals.saturating_mul(parameters) <= DENSE_ROWS * DENSE_ROWS;
        match (kernel_fits, parameters <= DENSE_ROWS) {
            (true, _) => Self::Kernel,
            (false, true) => Self::Parameters,
            (false, false) => Self::MatrixFree,
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Parameters => "normal equations",
            Self::Kernel => "kernel",
            Self::MatrixFree => "matrix-free",
        })
    }
}

/// A form by its name, or `auto` for none.
pub(super) mod or_auto {
    use super::Form;
    use serde::de::{Error, IntoDeserializer, value};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(form: &Option<Form>, out: S) -> Result<S::Ok, S::Error> {
        match form {
            None => out.serialize_str("auto"),
            Some(form) => form.serialize(out),
        }
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Option<Form>, D::Error> {
        let word = String::deserialize(from)?;
        let form: Result<Form, value::Error> = Form::deserialize(word.as_str().into_deserializer());
        match form {
            Ok(form) => Ok(Some(form)),
            Err(_) if word == "auto" => Ok(None),
            Err(_) => Err(D::Error::unknown_variant(&word, &["auto", "parameters", "kernel", "matrix-free"])),
        }
    }
}
