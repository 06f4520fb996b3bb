//! Wider networks that begin as the same function: new units take what comes in at random and hand nothing on.
//!
//! With W' = [W 0; A B] in every layer, A and B drawn as at a start, the old units have the values they had, and the zeros in
//! the columns of the new ones have gradients that are not zero. A deeper network of smooth activations has no such start.

use super::{ModelConfig, ModelError, ModelKind};
use ropinn_engine::{ParamLayout, Tensor};

impl ModelConfig {
    /// The model with more units in each hidden layer, if it can begin as the same function.
    pub(crate) fn wider(&self, wanted: usize) -> Result<Self, ModelError> {
        let (model, (width, _)) = (self.kind(), self.width_and_depth());
        if !matches!(model, ModelKind::Pinn | ModelKind::Fls | ModelKind::Qres) {
            return Err(ModelError::CannotGrow { model });
        }
        if wanted < width {
            return Err(ModelError::Narrower { model, width, wanted });
        }
        let mut wider = self.clone();
        wider.resize(Some(wanted), None);
        Ok(wider)
    }
}

/// Puts the parameters of a narrower network into those a wider one starts with.
pub(crate) fn graft((narrow, old): (&ParamLayout, &[f64]), (wide, start): (&ParamLayout, &mut [f64])) {
    for (from, to) in narrow.tensors().iter().zip(wide.tensors()) {
        let ((rows, columns), (_, wider)) = (matrix(from), matrix(to));
        let targets = start[to.range()].chunks_exact_mut(wider);
        for (target, own) in targets.zip(old[from.range()].chunks_exact(columns)).take(rows) {
            let (kept, new) = target.split_at_mut(columns);
            kept.copy_from_slice(own);
            new.fill(0.0);
        }
    }
}

/// Rows and columns; a bias has one column.
fn matrix(tensor: &Tensor) -> (usize, usize) {
    match tensor.shape[..] {
        [rows, columns] => (rows, columns),
        _ => (tensor.len(), 1),
    }
}
