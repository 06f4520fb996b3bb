//! Storage of every node, and its rule.

use super::field::{direction, field_derivative};
use super::rules::{ActivationPlan, AttentionPlan, FieldPart, LinearPlan, NodePlan, Quadratic, Rule, Seed, SlotTerm};
use super::{Operand, Plane};
use crate::jet::{ChannelSet, compose_terms, product_terms};
use crate::network::{Network, Op};
use crate::residual::TapeBuilder;
use ropinn_expr::Expr;

/// Nodes whose adjoint leads to a trained parameter.
pub(super) fn carries_adjoint(network: &Network) -> Vec<bool> {
    let mut carries = vec![false; network.ops.len()];
    for (node, op) in network.ops.iter().enumerate() {
        carries[node] = op.is_trained(network.frozen()) || op.operands().iter().any(|&x| carries[x]);
    }
    carries
}

/// Plans all nodes in evaluation order.
pub(super) fn plan_nodes(
    network: &Network,
    channels: &ChannelSet,
    needed: &[Vec<bool>],
    uniform: &[bool],
    taken: &[Option<usize>],
) -> Vec<NodePlan> {
    let carries = carries_adjoint(network);
    let mut nodes: Vec<NodePlan> = Vec::with_capacity(network.ops.len());
    for (index, op) in network.ops.iter().enumerate() {
        let context =
            Context { network, channels, needed: &needed[index], nodes: &nodes, width: network.widths[index] };
        let node = match op {
            // Nobody reads it.
            _ if !needed[index].contains(&true) => context.sum(&[], false),
            Op::Input => context.input(uniform[index]),
            Op::Field { functions } => context.field(functions),
            Op::Linear { x, .. } | Op::SplineLinear { x, .. } => {
                context.linear(*x, 1 + usize::from(op.is_trained(network.frozen())) + usize::from(carries[*x]))
            }
            Op::Activate { x, .. } | Op::Wave { x, .. } | Op::Spline { x, .. } => context.activation(*x),
            Op::Mul { a, b } => context.product(*a, *b, None),
            Op::Sum { parts } => match taken[index].map(|product| (product, &network.ops[product])) {
                Some((product, Op::Mul { a, b })) => {
                    context.product(*a, *b, parts.iter().copied().find(|&part| part != product))
                }
                _ => context.sum(parts, false),
            },
            Op::Concat { parts } => context.sum(parts, true),
            Op::Attention { q, k, v, heads } => context.attention([*q, *k, *v], *heads),
        };
        nodes.push(node);
    }
    nodes
}

pub(super) struct Context<'a> {
    network: &'a Network,
    pub channels: &'a ChannelSet,
    needed: &'a [bool],
    pub nodes: &'a [NodePlan],
    width: usize,
}

impl Context<'_> {
    /// Numbers the stored channels in order and attaches the rule.
    pub(super) fn store(&self, kinds: impl Fn(usize) -> Storage, rule: impl FnOnce(&[Plane]) -> Rule) -> NodePlan {
        let (mut full, mut uniform) = (0, 0);
        let planes: Vec<Plane> = (0..self.channels.len())
            .map(|c| match if self.needed[c] { kinds(c) } else { Storage::Zero } {
                Storage::Zero => Plane::Zero,
                Storage::Uniform => {
                    uniform += 1;
                    Plane::Uniform(uniform - 1)
                }
                Storage::Full => {
                    full += 1;
                    Plane::Full(full - 1)
                }
            })
            .collect();
        let rule = rule(&planes);
        NodePlan { width: self.width, planes, full, uniform, rule }
    }

    fn input(&self, uniform: bool) -> NodePlan {
        let seeds: Vec<Vec<Seed>> = (0..self.channels.len()).map(|c| self.seeds(c)).collect();
        let kind = |c: usize| match seeds[c].as_slice() {
            _ if c == 0 => Storage::Full,
            [] => Storage::Zero,
            s if uniform && s.iter().all(|s| s.coef.lanes.is_none()) => Storage::Uniform,
            _ => Storage::Full,
        };
        self.store(kind, |planes| Rule::Input {
            seeds: planes
                .iter()
                .zip(&seeds)
                .filter(|(plane, _)| **plane != Plane::Zero)
                .flat_map(|(plane, seeds)| seeds.iter().map(|s| Seed { plane: *plane, ..s.clone() }))
                .collect(),
        })
    }

    /// First-order parts of a channel's operator: its effect on each coordinate.
    fn seeds(&self, channel: usize) -> Vec<Seed> {
        let axes = self.network.coordinates;
        let parts = &self.channels.operators()[channel].parts;
        let first_order = parts.iter().filter(|(alpha, _)| alpha.order() == 1);
        first_order
            .map(|(alpha, coef)| {
                let (axis, element) = direction(alpha.directions().next().expect("order one"), axes);
                Seed { plane: Plane::Zero, axis, element, coef: (*coef).into() }
            })
            .collect()
    }

    fn field(&self, functions: &[Expr]) -> NodePlan {
        let mut builder = TapeBuilder::default();
        let mut outputs = Vec::new();
        let mut pieces: Vec<(usize, FieldPart)> = Vec::new();
        for c in (0..self.channels.len()).filter(|&c| self.needed[c]) {
            for (unit, function) in functions.iter().enumerate() {
                for (alpha, coef) in &self.channels.operators()[c].parts {
                    let Some((derivative, element)) = field_derivative(self.network, function, alpha) else { continue };
                    let slot = builder.expr(&derivative, 0, &mut |b, _, _, _| b.constant(0.0));
                    outputs.push(slot);
                    let output = outputs.len() - 1;
                    pieces.push((c, FieldPart { unit, plane: 0, element, output, coef: (*coef).into() }));
                }
            }
        }
        let kind = |c: usize| if pieces.iter().any(|(d, _)| *d == c) { Storage::Full } else { Storage::Zero };
        self.store(kind, |planes| Rule::Field {
            tape: builder.finish(outputs),
            parts: pieces
                .iter()
                .filter_map(|(c, part)| match planes[*c] {
                    Plane::Full(plane) => Some(FieldPart { plane, ..part.clone() }),
                    _ => None,
                })
                .collect(),
        })
    }

    fn linear(&self, x: usize, passes: usize) -> NodePlan {
        let source = &self.nodes[x];
        let kind = |c: usize| match source.planes[c] {
            Plane::Zero if c == 0 => Storage::Full,
            Plane::Zero => Storage::Zero,
            Plane::Uniform(_) => Storage::Uniform,
            Plane::Full(_) => Storage::Full,
        };
        self.store(kind, |planes| {
            let mut runs: Vec<(usize, usize, usize)> = Vec::new();
            let mut uniforms = Vec::new();
            for (from, to) in source.planes.iter().zip(planes) {
                match (*from, *to) {
                    (Plane::Full(f), Plane::Full(t)) => match runs.last_mut() {
                        Some((f0, t0, count)) if *f0 + *count == f && *t0 + *count == t => *count += 1,
                        _ => runs.push((f, t, 1)),
                    },
                    (Plane::Uniform(f), Plane::Uniform(t)) => uniforms.push((f, t)),
                    _ => {}
                }
            }
            let value = full_slot(planes[0]);
            Rule::Linear(LinearPlan { x, inputs: source.width, runs, uniforms, value, passes })
        })
    }

    fn activation(&self, x: usize) -> NodePlan {
        let source = &self.nodes[x].planes;
        let terms: Vec<Vec<SlotTerm>> =
            (0..self.channels.len()).map(|c| resolve_compose(self.channels, c, |f| operand(source[f]))).collect();
        let kind = |c: usize| if c == 0 || !terms[c].is_empty() { Storage::Full } else { Storage::Zero };
        self.store(kind, |planes| {
            let outs: Vec<(usize, Vec<SlotTerm>)> = planes
                .iter()
                .enumerate()
                .skip(1)
                .filter_map(|(c, plane)| full_slot(*plane).map(|slot| (slot, terms[c].clone())))
                .collect();
            let order = outs.iter().flat_map(|(_, t)| t).map(|t| t.factors.len()).max().unwrap_or(0);
            let value_in = full_slot(source[0]).expect("the value of an activation's operand is always a plane");
            let value_out = full_slot(planes[0]);
            let quadratic = Quadratic::recognise(value_in, value_out, &outs, self.nodes[x].full).filter(|_| order > 0);
            Rule::Activate(ActivationPlan { x, value_in, value_out, outs, order, quadratic })
        })
    }

    fn attention(&self, operands: [usize; 3], heads: usize) -> NodePlan {
        let from = operands.map(|o| self.nodes[o].planes.iter().map(|p| full_slot(*p)).collect());
        let channels = 0..self.channels.len();
        let products = channels
            .clone()
            .map(|c| product_terms(self.channels, c).iter().map(|t| (t.coef.into(), t.left, t.right)).collect())
            .collect();
        let compositions = channels.map(|c| resolve_compose(self.channels, c, |f| Some(Operand::Full(f)))).collect();
        self.store(
            |_| Storage::Full,
            |planes| {
                let to = planes.iter().map(|p| full_slot(*p)).collect();
                Rule::Attention(AttentionPlan { operands, heads, from, to, products, compositions })
            },
        )
    }
}

pub(super) enum Storage {
    Zero,
    Uniform,
    Full,
}

pub(super) fn full_slot(plane: Plane) -> Option<usize> {
    match plane {
        Plane::Full(slot) => Some(slot),
        _ => None,
    }
}

fn operand(plane: Plane) -> Option<Operand> {
    match plane {
        Plane::Zero => None,
        Plane::Uniform(slot) => Some(Operand::Uniform(slot)),
        Plane::Full(slot) => Some(Operand::Full(slot)),
    }
}

/// Chain-rule terms of a channel with factors looked up in storage; terms with a zero factor are gone.
fn resolve_compose(channels: &ChannelSet, c: usize, find: impl Fn(usize) -> Option<Operand>) -> Vec<SlotTerm> {
    compose_terms(channels, c)
        .iter()
        .filter_map(|term| {
            let factors = term.factors.iter().map(|&f| find(f)).collect::<Option<Vec<_>>>()?;
            Some(SlotTerm { coef: term.coef.into(), factors })
        })
        .collect()
}
