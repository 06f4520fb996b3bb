//! How each kind of node is computed: rules resolved to storage, as the executor reads them.

use super::{Operand, Plane, SlotCoef};
use crate::residual::Tape;

/// One node: its storage and how it is computed.
#[derive(Clone, Debug)]
pub(crate) struct NodePlan {
    pub width: usize,
    /// Storage of each channel.
    pub planes: Vec<Plane>,
    /// Number of full planes.
    pub full: usize,
    /// Number of uniform channels.
    pub uniform: usize,
    pub rule: Rule,
}

/// A term `coef · Π operands`; in a chain rule the derivative order of σ is the number of factors.
#[derive(Clone, Debug)]
pub(crate) struct SlotTerm {
    pub coef: SlotCoef,
    pub factors: Vec<Operand>,
}

/// What an input channel is on one coordinate: the operator applied to that coordinate.
#[derive(Clone, Debug)]
pub(crate) struct Seed {
    pub plane: Plane,
    pub axis: usize,
    /// Only this sequence element moves.
    pub element: Option<usize>,
    pub coef: SlotCoef,
}

/// Contribution of tape output `output` to one plane of a field node.
#[derive(Clone, Debug)]
pub(crate) struct FieldPart {
    pub unit: usize,
    pub plane: usize,
    pub element: Option<usize>,
    pub output: usize,
    pub coef: SlotCoef,
}

/// A linear map: runs of planes that are adjacent in operand and result, and uniform channels one by one.
#[derive(Clone, Debug)]
pub(crate) struct LinearPlan {
    pub x: usize,
    pub inputs: usize,
    /// (first plane of x, first plane of y, number of planes).
    pub runs: Vec<(usize, usize, usize)>,
    /// (uniform channel of x, uniform channel of y).
    pub uniforms: Vec<(usize, usize)>,
    /// Plane that receives the bias.
    pub value: Option<usize>,
    /// Matrix products per column: forward, and backward to weights and operand where those are trained.
    pub passes: usize,
}

/// An element-wise function: the value plane and the chain-rule terms of the others.
#[derive(Clone, Debug)]
pub(crate) struct ActivationPlan {
    pub x: usize,
    /// Plane of x holding the value.
    pub value_in: usize,
    /// Plane of y holding the value, if somebody reads it.
    pub value_out: Option<usize>,
    pub outs: Vec<(usize, Vec<SlotTerm>)>,
    /// Highest number of factors.
    pub order: usize,
    /// The same terms in the form of the fused kernel, if they have it.
    pub quadratic: Option<Quadratic>,
}

/// A first derivative in [`Quadratic`]: its planes, and its weight in the second-order part of the operator.
#[derive(Clone, Debug)]
pub(crate) struct FirstOrder {
    pub input: usize,
    pub output: Option<usize>,
    pub weight: f64,
}

/// The operator in [`Quadratic`]: its planes (the operand's may be identically zero).
#[derive(Clone, Debug)]
pub(crate) struct SecondOrder {
    pub input: Option<usize>,
    pub output: usize,
}

/// First derivatives and at most one operator with a diagonal second-order part; every plane of the operand is one of these.
#[derive(Clone, Debug)]
pub(crate) struct Quadratic {
    pub value_in: usize,
    pub value_out: Option<usize>,
    pub first: Vec<FirstOrder>,
    pub operator: Option<SecondOrder>,
}

impl Quadratic {
    /// Recognises the form; `None` if any term is of another kind.
    pub(super) fn recognise(
        value_in: usize,
        value_out: Option<usize>,
        outs: &[(usize, Vec<SlotTerm>)],
        planes: usize,
    ) -> Option<Self> {
        let mut first: Vec<FirstOrder> = Vec::new();
        let mut operator = None;
        for (output, terms) in outs {
            let constant = terms.iter().all(|t| t.coef.lanes.is_none());
            match terms.as_slice() {
                _ if !constant => return None,
                [SlotTerm { coef, factors }] if factors.len() == 1 && coef.scale == 1.0 => {
                    let Operand::Full(input) = factors[0] else { return None };
                    first.push(FirstOrder { input, output: Some(*output), weight: 0.0 });
                }
                _ if operator.is_some() => return None,
                _ => operator = Some((*output, terms)),
            }
        }
        let operator = match operator {
            None => None,
            Some((output, terms)) => {
                let mut input = None;
                for term in terms {
                    match term.factors[..] {
                        [Operand::Full(plane)] if term.coef.scale == 1.0 => input = Some(plane),
                        [Operand::Full(a), Operand::Full(b)] if a == b => {
                            let known = first.iter_mut().find(|f| f.input == a);
                            match known {
                                Some(f) => f.weight += term.coef.scale,
                                None => first.push(FirstOrder { input: a, output: None, weight: term.coef.scale }),
                            }
                        }
                        _ => return None,
                    }
                }
                Some(SecondOrder { input, output })
            }
        };
        let stored = 1 + first.len() + usize::from(operator.as_ref().is_some_and(|l| l.input.is_some()));
        (stored == planes).then_some(Self { value_in, value_out, first, operator })
    }
}

/// A product-rule term: coefficient, plane of a, plane of b.
pub(crate) type ProductSlots = (SlotCoef, usize, usize);

/// Attention carries every channel inside; operands may lack some.
#[derive(Clone, Debug)]
pub(crate) struct AttentionPlan {
    pub operands: [usize; 3],
    pub heads: usize,
    /// Plane of each channel in q, k, v.
    pub from: [Vec<Option<usize>>; 3],
    /// Plane of each channel in y.
    pub to: Vec<Option<usize>>,
    pub products: Vec<Vec<ProductSlots>>,
    /// Chain-rule terms over channels (all full inside).
    pub compositions: Vec<Vec<SlotTerm>>,
}

/// How a node is computed.
#[derive(Clone, Debug)]
pub(crate) enum Rule {
    Input { seeds: Vec<Seed> },
    Field { tape: Tape, parts: Vec<FieldPart> },
    Linear(LinearPlan),
    Activate(ActivationPlan),
    Product(ProductPlan),
    Sum(SumPlan),
    Attention(AttentionPlan),
}

impl NodePlan {
    pub fn gemm_flops(&self) -> f64 {
        match &self.rule {
            Rule::Linear(l) => {
                let planes: usize = l.runs.iter().map(|r| r.2).sum();
                2.0 * (l.inputs * self.width * planes * l.passes) as f64
            }
            _ => 0.0,
        }
    }
}

/// `y = a ⊙ b`, or `a ⊙ b + c`, by the product rule.
#[derive(Clone, Debug)]
pub(crate) struct ProductPlan {
    pub a: usize,
    pub b: usize,
    /// For each plane of y its terms: coefficient, plane of a, plane of b.
    pub terms: Vec<Vec<ProductSlots>>,
    /// The same by plane of a (coefficient, plane of y, plane of b) and by plane of b (coefficient, plane of y, plane of a).
    pub adjoint_terms: [Vec<Vec<ProductSlots>>; 2],
    pub plus: Option<Addend>,
}

/// What is added to a product.
#[derive(Clone, Debug)]
pub(crate) struct Addend {
    pub node: usize,
    /// For each plane of y the plane it takes.
    pub to: Vec<Option<usize>>,
    /// For each of its own planes the plane of y.
    pub from: Vec<Option<usize>>,
}

/// One part of a sum or concatenation.
#[derive(Clone, Debug)]
pub(crate) struct SumPart {
    pub node: usize,
    /// First unit of y it adds to.
    pub first_unit: usize,
    /// For each plane of y the plane it takes.
    pub to: Vec<Option<usize>>,
    /// For each of its own planes the plane of y.
    pub from: Vec<Option<usize>>,
}

/// A sum or concatenation.
#[derive(Clone, Debug)]
pub(crate) struct SumPlan {
    pub parts: Vec<SumPart>,
}
