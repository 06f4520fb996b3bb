//! What can be wrong with a weights file.

use std::path::PathBuf;
use thiserror::Error;

/// What is wrong with a weights file or does not fit the network.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum WeightsError {
    /// The file cannot be read.
    #[error("cannot read weights from `{}`: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The file cannot be written.
    #[error("cannot write weights to `{}`: {reason}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// More bytes than any weights file of this library has.
    #[error("`{}` has {bytes} bytes, more than the {max} a weights file may have", path.display())]
    FileTooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The most allowed.
        max: u64,
    },
    /// The header claims more bytes than any honest header has.
    #[error("`{}` claims a header of {bytes} bytes, more than the {max} a header may have; is it a safetensors file?", path.display())]
    HeaderTooLarge {
        /// The file.
        path: PathBuf,
        /// Claimed size of the header.
        bytes: u64,
        /// The most allowed.
        max: u64,
    },
    /// The bytes are not those of a safetensors file.
    #[error("`{}` is not a valid safetensors file: {reason}; save the weights again", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A tensor of numbers that are not floating-point.
    #[error("tensor `{tensor}` holds numbers of type {found}; save it as F32, F64, F16 or BF16")]
    NumberType {
        /// The tensor.
        tensor: String,
        /// Type of its numbers.
        found: String,
    },
    /// NaN or infinity among the weights.
    #[error("entry {index} of tensor `{tensor}` is {value}; weights must be finite")]
    NonFinite {
        /// The tensor.
        tensor: String,
        /// Which entry.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// θ of the wrong length.
    #[error("theta has {found} numbers, but the network has {expected} parameters")]
    ThetaLength {
        /// Parameters of the network.
        expected: usize,
        /// Numbers given.
        found: usize,
    },
    /// A tensor whose values do not fill its shape.
    #[error("tensor `{tensor}` of shape {shape:?} has {found} values")]
    ValueCount {
        /// The tensor.
        tensor: String,
        /// Its shape.
        shape: Vec<usize>,
        /// Values given.
        found: usize,
    },
    /// Tensors the network needs are not in the file.
    #[error("the weights lack {}{}; check the model and its sizes", list(missing), surplus(unexpected))]
    Missing {
        /// Names the network has and the file lacks.
        missing: Vec<String>,
        /// Names the file has and the network lacks.
        unexpected: Vec<String>,
    },
    /// Tensors in the file that the network does not have.
    #[error("the weights hold {}, which the network does not have; check the model and its sizes", list(unexpected))]
    Unexpected {
        /// Names the file has and the network lacks.
        unexpected: Vec<String>,
    },
    /// A tensor of another shape than the network's.
    #[error("tensor `{tensor}` has shape {found:?} in the weights, but {expected:?} in the network")]
    Shape {
        /// The tensor.
        tensor: String,
        /// Shape in the network.
        expected: Vec<usize>,
        /// Shape in the file.
        found: Vec<usize>,
    },
    /// A shape no model of that kind can have.
    #[error("tensor `{tensor}` has shape {found:?}; a model `{model}` has {expected} there")]
    Impossible {
        /// The kind of model.
        model: &'static str,
        /// The tensor.
        tensor: String,
        /// Shape in the file.
        found: Vec<usize>,
        /// What such a model has.
        expected: &'static str,
    },
}

/// Names for a message: the first three, and how many more.
fn list(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(3).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(shown.len()) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn surplus(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(" and hold {} instead", list(names)) }
}
