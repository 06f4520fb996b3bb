//! Trained parameters as named tensors in safetensors files, exchangeable with PyTorch.
//!
//! θ is one flat vector inside the library and a set of named tensors outside. Names and shapes are those of the published
//! PyTorch modules, so `model.load_state_dict(safetensors.torch.load_file(path))` reads what [`save_weights`] writes, and
//! [`theta_from`] reads what `safetensors.torch.save_file(model.state_dict(), path)` writes.
//!
//! ```
//! use ropinn::model::{Init, Model, ModelConfig, ModelInputs, ModelKind};
//! use ropinn::weights::{read_weights, save_weights, theta_from};
//! use ropinn_engine::Precision;
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("weights.safetensors");
//! let model = ModelConfig::new(ModelKind::Kan);
//! let network = model.build(&ModelInputs::new(2, 1))?;
//! let theta = model.initialise(&network, 7, &Init::default());
//! save_weights(&path, network.layout(), &theta, Precision::F64, &Default::default())?;
//!
//! let tensors = read_weights(&path)?;
//! assert_eq!(ModelConfig::from_weights(ModelKind::Kan, &tensors)?, model);
//! assert_eq!(theta_from(&tensors, network.layout())?, theta);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod file;

pub use error::WeightsError;
pub use file::{MAX_FILE_BYTES, MAX_HEADER_BYTES, read_weights};

use ropinn_engine::{ParamLayout, Precision};
use std::collections::BTreeMap;
use std::path::Path;

/// What the names of scalars trained along with the network begin with.
const TRAINED: &str = "trained.";

/// One tensor of a weights file, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTensor {
    /// Shape.
    pub shape: Vec<usize>,
    /// Entries, the last index running fastest.
    pub values: Vec<f64>,
}

/// The content of a weights file: tensors by name, and free text by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedTensors {
    /// Tensors by name.
    pub tensors: BTreeMap<String, NamedTensor>,
    /// Text such as the configuration the weights were trained with.
    pub metadata: BTreeMap<String, String>,
    /// The precision of the file they were read from: f64 if any tensor has it.
    pub precision: Option<Precision>,
}

impl NamedTensors {
    /// Cuts θ into its tensors; numbers after the network's own parameters are refused.
    pub fn from_theta(layout: &ParamLayout, theta: &[f64]) -> Result<Self, WeightsError> {
        if theta.len() != layout.len() {
            return Err(WeightsError::ThetaLength { expected: layout.len(), found: theta.len() });
        }
        let named = |tensor: &ropinn_engine::Tensor| {
            let values = theta[tensor.range()].to_vec();
            (tensor.name.clone(), NamedTensor { shape: tensor.shape.clone(), values })
        };
        Ok(Self { tensors: layout.tensors().iter().map(named).collect(), ..Self::default() })
    }

    /// Adds scalars trained along with the network, as tensors `trained.<name>` of one number.
    pub fn with_trained<'a>(mut self, scalars: impl IntoIterator<Item = (&'a str, f64)>) -> Self {
        let named = |(name, value)| (format!("{TRAINED}{name}"), NamedTensor { shape: vec![1], values: vec![value] });
        self.tensors.extend(scalars.into_iter().map(named));
        self
    }

    /// The value of a trained scalar, if it is there. Files of old versions keep it as text.
    pub fn trained(&self, name: &str) -> Option<f64> {
        let key = format!("{TRAINED}{name}");
        match self.get(&key) {
            Some(tensor) => tensor.values.first().copied().filter(|_| tensor.values.len() == 1),
            None => self.metadata.get(&key)?.parse().ok().filter(|value: &f64| value.is_finite()),
        }
    }

    /// The tensor of that name.
    pub fn get(&self, name: &str) -> Option<&NamedTensor> {
        self.tensors.get(name)
    }

    /// Writes the file; whoever reads `path` meanwhile sees the old file or the whole new one.
    pub fn save(&self, path: &Path, precision: Precision) -> Result<(), WeightsError> {
        file::write(self, path, precision)
    }
}

/// Writes the tensors of θ to a safetensors file, in one go or not at all.
///
/// The same parameters and metadata always give the same bytes.
pub fn save_weights(
    path: &Path,
    layout: &ParamLayout,
    theta: &[f64],
    precision: Precision,
    metadata: &BTreeMap<String, String>,
) -> Result<(), WeightsError> {
    let tensors = NamedTensors::from_theta(layout, theta)?;
    NamedTensors { metadata: metadata.clone(), ..tensors }.save(path, precision)
}

/// Puts tensors together to the θ of a network; every tensor must fit by name and shape, and none may be left over.
///
/// Passed over are trained scalars ([`NamedTensors::trained`]) and the tensors of the published KAN that take no part in
/// training: its grid, masks and symbolic branch.
pub fn theta_from(tensors: &NamedTensors, layout: &ParamLayout) -> Result<Vec<f64>, WeightsError> {
    let missing: Vec<String> =
        layout.tensors().iter().filter(|t| tensors.get(&t.name).is_none()).map(|t| t.name.clone()).collect();
    let is_kan = layout.get("act_fun.0.coef").is_some();
    let known =
        |name: &str| layout.get(name).is_some() || name.starts_with(TRAINED) || is_kan && is_frozen_in_kan(name);
    let unexpected: Vec<String> = tensors.tensors.keys().filter(|name| !known(name)).cloned().collect();
    if !missing.is_empty() {
        return Err(WeightsError::Missing { missing, unexpected });
    }
    if !unexpected.is_empty() {
        return Err(WeightsError::Unexpected { unexpected });
    }
    let mut theta = vec![0.0; layout.len()];
    for tensor in layout.tensors() {
        let NamedTensor { shape, values } = &tensors.tensors[&tensor.name];
        if *shape != tensor.shape || values.len() != tensor.len() {
            return Err(WeightsError::Shape {
                tensor: tensor.name.clone(),
                expected: tensor.shape.clone(),
                found: shape.clone(),
            });
        }
        theta[tensor.range()].copy_from_slice(values);
    }
    Ok(theta)
}

/// `symbolic_fun.*`, `act_fun.<layer>.grid` and `act_fun.<layer>.mask`: fixed or without effect in the published KAN.
fn is_frozen_in_kan(name: &str) -> bool {
    name.starts_with("symbolic_fun.")
        || name.starts_with("act_fun.") && (name.ends_with(".grid") || name.ends_with(".mask"))
}
