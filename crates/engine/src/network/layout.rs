//! The flat parameter vector θ and the named tensors inside it.

/// One named tensor inside θ, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Name as an equivalent PyTorch module would call it, e.g. `linear.0.weight`.
    pub name: String,
    /// Shape, row-major.
    pub shape: Vec<usize>,
    /// First entry in θ.
    pub offset: usize,
}

impl Tensor {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether the tensor has no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where it lies in θ.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.offset..self.offset + self.len()
    }
}

/// A block of parameters handed to an operation: where it starts in θ and how long it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// First entry in θ.
    pub offset: usize,
    /// Number of entries.
    pub len: usize,
}

impl Param {
    /// The sub-block of `len` entries starting `skip` entries in; shorter if the block ends before.
    pub fn slice(self, skip: usize, len: usize) -> Self {
        let skip = skip.min(self.len);
        Self { offset: self.offset + skip, len: len.min(self.len - skip) }
    }
}

/// All tensors of a network in the order they lie in θ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParamLayout {
    tensors: Vec<Tensor>,
}

impl ParamLayout {
    pub(super) fn push(&mut self, name: String, shape: Vec<usize>) -> Param {
        let tensor = Tensor { name, shape, offset: self.len() };
        let param = Param { offset: tensor.offset, len: tensor.len() };
        self.tensors.push(tensor);
        param
    }

    /// The tensors in order.
    pub fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    /// The tensor of that name.
    pub fn get(&self, name: &str) -> Option<&Tensor> {
        self.tensors.iter().find(|t| t.name == name)
    }

    /// Total number of parameters.
    pub fn len(&self) -> usize {
        self.tensors.last().map_or(0, |t| t.offset + t.len())
    }

    /// Whether there is nothing to train.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
