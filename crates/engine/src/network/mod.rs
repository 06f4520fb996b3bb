//! Networks as a small closed set of operations on named, flat parameters.
//!
//! A [`Network`] maps coordinates to unknowns. It is data: a list of operations in evaluation order. Values, coordinate
//! derivatives (Taylor rules) and parameter gradients (adjoint rules) all come from the compiled program, so an operation
//! does not exist until both of its rules do.

mod builder;
mod layout;
mod perturbed;
mod pieces;
mod spline;

pub use builder::NetworkBuilder;
pub use layout::{Param, ParamLayout, Tensor};
pub use spline::SplineBasis;
pub(crate) use spline::{BLOCK, Grid, MAX_DEGREE};

use ropinn_expr::Expr;
pub use ropinn_vmath::Activation;

/// Handle of one intermediate quantity of a network under construction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeId(pub(crate) usize);

/// Where the numbers of a linear map come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Weights {
    /// Trained: offset of an `out × in` row-major block in θ.
    Trained(usize),
    /// Fixed: random Fourier frequencies, input normalisation.
    Fixed(Vec<f64>),
}

/// The bias of a linear map.
#[derive(Clone, Debug, PartialEq)]
pub enum Bias {
    /// There is none.
    None,
    /// Trained: offset of its numbers in θ.
    Trained(usize),
    /// Fixed numbers.
    Fixed(Vec<f64>),
}

/// The closed set of operations. Operands are node numbers smaller than the node's own; trained numbers are offsets in θ.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the formula of an operation says what its operands and numbers are")]
pub enum Op {
    /// The coordinates of the point.
    Input,
    /// Closed-form functions of the coordinates (hard constraints).
    Field { functions: Vec<Expr> },
    /// y = W x + b.
    Linear { x: usize, weights: Weights, bias: Bias },
    /// y = σ(x), element by element.
    Activate { x: usize, kind: Activation },
    /// y = ω₁ sin x + ω₂ cos x with two trained scalars.
    Wave { x: usize, sine: usize, cosine: usize },
    /// y = a ⊙ b.
    Mul { a: usize, b: usize },
    /// y = Σ parts.
    Sum { parts: Vec<usize> },
    /// y = parts one after another.
    Concat { parts: Vec<usize> },
    /// Softmax(q kᵀ/√d) v per head over the elements of the pseudo-sequence, d units per head.
    Attention { q: usize, k: usize, v: usize, heads: usize },
    /// Every B-spline basis function of every unit: y_{i·B+c} = B_c(x_i).
    Spline { x: usize, basis: SplineBasis },
    /// y_j = Σ_i s_{ji} Σ_c C_{jic} x_{i·B+c}, with trained coefficients C (`out·in·B`) and scales s (`out·in`), B the number
    /// of bases.
    SplineLinear { x: usize, coefficients: usize, scales: usize, bases: usize },
}

impl Op {
    /// The operands, in order.
    pub(crate) fn operands(&self) -> Vec<usize> {
        match self {
            Self::Input | Self::Field { .. } => Vec::new(),
            Self::Linear { x, .. }
            | Self::Activate { x, .. }
            | Self::Wave { x, .. }
            | Self::Spline { x, .. }
            | Self::SplineLinear { x, .. } => vec![*x],
            Self::Mul { a, b } => vec![*a, *b],
            Self::Sum { parts } | Self::Concat { parts } => parts.clone(),
            Self::Attention { q, k, v, .. } => vec![*q, *k, *v],
        }
    }

    /// Whether the operation itself holds trained parameters, of which the first so many are frozen.
    pub(crate) fn is_trained(&self, frozen: usize) -> bool {
        match self {
            Self::Linear { weights, bias, .. } => {
                matches!(weights, Weights::Trained(at) if *at >= frozen)
                    || matches!(bias, Bias::Trained(at) if *at >= frozen)
            }
            Self::Wave { sine, cosine, .. } => *sine.max(cosine) >= frozen,
            Self::SplineLinear { coefficients, scales, .. } => *coefficients.max(scales) >= frozen,
            _ => false,
        }
    }
}

/// A network: operations in evaluation order, the parameter layout, and the node that is the output.
#[derive(Clone, Debug)]
pub struct Network {
    pub(crate) ops: Vec<Op>,
    pub(crate) widths: Vec<usize>,
    pub(crate) output: usize,
    pub(crate) coordinates: usize,
    pub(crate) elements: usize,
    /// A coordinate that is zero at every point: only derivatives along it count.
    pub(crate) infinitesimal: Option<usize>,
    layout: ParamLayout,
    /// So many of the first parameters are not trained.
    frozen: usize,
}

impl Network {
    /// The operations in evaluation order, for backends that run them their own way.
    pub fn operations(&self) -> &[Op] {
        &self.ops
    }

    /// Number of units of a node.
    pub fn width(&self, node: usize) -> usize {
        self.widths[node]
    }

    /// The node that holds the unknowns.
    pub fn output(&self) -> usize {
        self.output
    }

    /// Number of input coordinates.
    pub fn coordinates(&self) -> usize {
        self.coordinates
    }

    /// Number of unknowns (output width).
    pub fn unknowns(&self) -> usize {
        self.widths[self.output]
    }

    /// Length of the pseudo-sequence each sample becomes (1 for ordinary networks).
    pub fn elements(&self) -> usize {
        self.elements
    }

    /// Named tensors inside the flat parameter vector.
    pub fn layout(&self) -> &ParamLayout {
        &self.layout
    }

    /// Number of parameters.
    pub fn parameters(&self) -> usize {
        self.layout.len()
    }

    /// How many of them, from the first on, are frozen: numbers like others, but their slopes are zero and cost nothing.
    pub fn frozen(&self) -> usize {
        self.frozen
    }
}
