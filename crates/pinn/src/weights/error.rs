//! What can be wrong with a weights file.

use std::path::PathBuf;
use thiserror::Error;

/// What is wrong with a weights file or does not fit the network.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages name every field")]
pub enum WeightsError {
    /// The file cannot be read.
    #[error("cannot read weights from `{}`: {reason}", path.display())]
    Read { path: PathBuf, reason: String },
    /// The file cannot be written.
    #[error("cannot write weights to `{}`: {reason}", path.display())]
    Write { path: PathBuf, reason: String },
    /// More bytes than any weights file of this library has.
    #[error("`{}` has {bytes} bytes, more than the {max} a weights file may have", path.display())]
    FileTooLarge { path: PathBuf, bytes: u64, max: u64 },
    /// The header claims more bytes than any honest header has.
    #[error("`{}` claims a header of {bytes} bytes, more than the {max} a header may have; is it a safetensors file?", path.display())]
    HeaderTooLarge { path: PathBuf, bytes: u64, max: u64 },
    /// The bytes are not those of a safetensors file.
    #[error("`{}` is not a valid safetensors file: {reason}; save the weights again", path.display())]
    Malformed { path: PathBuf, reason: String },
    /// A tensor of numbers that are not floating-point.
    #[error("tensor `{tensor}` holds numbers of type {found}; save it as F32, F64, F16 or BF16")]
    NumberType { tensor: String, found: String },
    /// NaN or infinity among the weights.
    #[error("entry {index} of tensor `{tensor}` is {value}; weights must be finite")]
    NonFinite { tensor: String, index: usize, value: f64 },
    /// θ of the wrong length.
    #[error("theta has {found} numbers, but the network has {expected} parameters")]
    ThetaLength { expected: usize, found: usize },
    /// A tensor whose values do not fill its shape.
    #[error("tensor `{tensor}` of shape {shape:?} has {found} values")]
    ValueCount { tensor: String, shape: Vec<usize>, found: usize },
    /// Tensors the network needs are not in the file.
    #[error("the weights lack {}{}; check the model and its sizes", list(missing), surplus(unexpected))]
    Missing { missing: Vec<String>, unexpected: Vec<String> },
    /// Tensors in the file that the network does not have.
    #[error("the weights hold {}, which the network does not have; check the model and its sizes", list(unexpected))]
    Unexpected { unexpected: Vec<String> },
    /// A tensor of another shape than the network's.
    #[error("tensor `{tensor}` has shape {found:?} in the weights, but {expected:?} in the network")]
    Shape { tensor: String, expected: Vec<usize>, found: Vec<usize> },
    /// Weights whose file names another model: tensors of some models have the same names and shapes.
    #[error("the weights are those of a model `{found}`, not of a `{expected}`; choose the model they belong to")]
    OtherModel { expected: &'static str, found: &'static str },
    /// A shape no model of that kind can have.
    #[error("tensor `{tensor}` has shape {found:?}; a model `{model}` has {expected} there")]
    Impossible { model: &'static str, tensor: String, found: Vec<usize>, expected: &'static str },
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
