//! What a file of this module says of its architecture. A new one is a file with this trait and a line in the list of `kind`.

use super::paper::Benchmark;
use super::{ModelError, ModelInputs, ModelKind, Sequence};
use crate::weights::{NamedTensor, NamedTensors, WeightsError};
use ropinn_domain::Stream;
use ropinn_engine::{NetworkBuilder, NodeId, ParamLayout, Tensor};

/// Limits that keep a mistyped size from asking for absurd amounts of memory or time.
pub(super) const MAX_WIDTH: usize = 1 << 16;
pub(super) const MAX_DEPTH: usize = 1 << 10;

/// The sizes of an architecture; those two kinds share are told which of them they are.
pub(super) trait Backbone {
    /// Checks what the engine does not.
    fn check(&self, check: &Check) -> Result<(), ModelError>;

    /// The network up to its unknowns, its parameters under the names of the published PyTorch module.
    fn lay_out(&self, kind: ModelKind, net: &mut NetworkBuilder, inputs: &ModelInputs) -> Result<NodeId, ModelError>;

    /// Takes the sizes a file's tensors have; starts from the default ones, which stay where shapes do not tell.
    fn read(&mut self, shapes: &Shapes<'_>) -> Result<(), WeightsError>;

    /// Takes the sizes of the paper's experiments; starts from the default ones.
    fn take_paper(&mut self, _: ModelKind, _: Benchmark) {}

    /// Takes sizes that train in about a minute, and says how many outer steps that is; chosen by measurement.
    fn take_quick(&mut self) -> u64;

    /// What `--width` and `--depth` mean here.
    fn width_and_depth(&self) -> (usize, usize);

    /// Changes them, where given.
    fn resize(&mut self, width: Option<usize>, depth: Option<usize>);

    /// Settings that are not counts, by name.
    fn numbers(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// The pseudo-sequence a point becomes.
    fn sequence(&self) -> Option<Sequence> {
        None
    }

    /// Fills a tensor that does not start as those of linear maps do; says whether it has.
    fn start(&self, _: &Tensor, _: &ParamLayout, _: &mut [f64], _draw: &mut dyn FnMut() -> Stream) -> bool {
        false
    }
}

/// Sets a size if another is wanted.
pub(super) fn set(own: &mut usize, wanted: Option<usize>) {
    *own = wanted.unwrap_or(*own);
}

/// Names the model in every complaint.
pub(super) struct Check {
    pub model: ModelKind,
}

impl Check {
    pub fn size(&self, size: &'static str, value: usize, max: usize) -> Result<(), ModelError> {
        let model = self.model;
        match value {
            0 => Err(ModelError::ZeroSize { model, size }),
            value if value > max => Err(ModelError::SizeTooLarge { model, size, value, max }),
            _ => Ok(()),
        }
    }

    pub fn positive(&self, number: &'static str, value: f64) -> Result<(), ModelError> {
        let fine = value > 0.0 && value.is_finite();
        if fine { Ok(()) } else { Err(ModelError::NotPositive { model: self.model, number, value }) }
    }
}

/// Reads the sizes of a model off the shapes of its tensors.
pub(super) struct Shapes<'a> {
    pub kind: ModelKind,
    pub tensors: &'a NamedTensors,
}

impl Shapes<'_> {
    pub fn tensor(&self, name: &str) -> Result<&NamedTensor, WeightsError> {
        self.tensors.get(name).ok_or_else(|| self.missing(name))
    }

    pub fn matrix(&self, name: &str) -> Result<(usize, usize), WeightsError> {
        match self.tensor(name)?.shape[..] {
            [rows, columns] if rows > 0 && columns > 0 => Ok((rows, columns)),
            ref found => Err(self.impossible(name, found, "a matrix")),
        }
    }

    pub fn rows(&self, name: &str) -> Result<usize, WeightsError> {
        Ok(self.matrix(name)?.0)
    }

    /// How many tensors of a numbered family there are.
    pub fn count(&self, name: impl Fn(usize) -> String) -> usize {
        (0..).take_while(|&i| self.tensors.get(&name(i)).is_some()).count()
    }

    pub fn missing(&self, name: &str) -> WeightsError {
        WeightsError::Missing { missing: vec![name.to_owned()], unexpected: Vec::new() }
    }

    pub fn impossible(&self, tensor: &str, found: &[usize], expected: &'static str) -> WeightsError {
        WeightsError::Impossible { model: self.kind.name(), tensor: tensor.to_owned(), found: found.to_vec(), expected }
    }
}
