//! Which channels, uniform planes and adjoint buffers are needed where.

use super::field::field_derivative;
use super::nodes::carries_adjoint;
use crate::jet::{ChannelSet, compose_terms, product_terms};
use crate::network::{Network, Op};

/// For each node, which channels can differ from zero. Walks from the input to the output.
fn nonzero_channels(network: &Network, channels: &ChannelSet) -> Vec<Vec<bool>> {
    let mut nonzero: Vec<Vec<bool>> = Vec::with_capacity(network.ops.len());
    for op in &network.ops {
        let can_be = |c: usize| match op {
            Op::Input => c == 0 || channels.operators()[c].parts.iter().any(|(alpha, _)| alpha.order() == 1),
            Op::Field { functions } => {
                let parts = &channels.operators()[c].parts;
                functions.iter().any(|f| parts.iter().any(|(alpha, _)| field_derivative(network, f, alpha).is_some()))
            }
            Op::Linear { x, .. } | Op::SplineLinear { x, .. } => c == 0 || nonzero[*x][c],
            Op::Activate { x, .. } | Op::Wave { x, .. } | Op::Spline { x, .. } => {
                c == 0 || compose_terms(channels, c).iter().any(|term| term.factors.iter().all(|&f| nonzero[*x][f]))
            }
            Op::Mul { a, b } => {
                product_terms(channels, c).iter().any(|term| nonzero[*a][term.left] && nonzero[*b][term.right])
            }
            Op::Sum { parts } | Op::Concat { parts } => parts.iter().any(|&part| nonzero[part][c]),
            Op::Attention { .. } => true,
        };
        let node = (0..channels.len()).map(can_be).collect();
        nonzero.push(node);
    }
    nonzero
}

/// For each node, which channels somebody reads. Walks from the output back to the input.
pub(super) fn needed_channels(network: &Network, channels: &ChannelSet, wanted: &[bool]) -> Vec<Vec<bool>> {
    let count = channels.len();
    let mut needed = vec![vec![false; count]; network.ops.len()];
    needed[network.output] = wanted.to_vec();
    let nonzero = nonzero_channels(network, channels);
    for node in (0..network.ops.len()).rev() {
        let asked: Vec<usize> = (0..count).filter(|&c| needed[node][c]).collect();
        if asked.is_empty() {
            continue;
        }
        let mut mark = |operand: usize, channel: usize| needed[operand][channel] = true;
        match &network.ops[node] {
            Op::Input | Op::Field { .. } => {}
            Op::Linear { x, .. } | Op::SplineLinear { x, .. } => asked.iter().for_each(|&c| mark(*x, c)),
            Op::Sum { parts } | Op::Concat { parts } => {
                asked.iter().for_each(|&c| parts.iter().for_each(|&part| mark(part, c)));
            }
            Op::Activate { x, .. } | Op::Wave { x, .. } | Op::Spline { x, .. } => {
                mark(*x, 0); // every derivative of σ is taken at the value
                for &c in &asked {
                    compose_terms(channels, c).iter().flat_map(|t| &t.factors).for_each(|&f| mark(*x, f));
                }
            }
            Op::Mul { a, b } => {
                for &c in &asked {
                    // A factor beside one that is always zero is not read.
                    let terms = product_terms(channels, c);
                    for term in terms.iter().filter(|t| nonzero[*a][t.left] && nonzero[*b][t.right]) {
                        mark(*a, term.left);
                        mark(*b, term.right);
                    }
                }
            }
            // Scores, softmax and mixing multiply everything with everything.
            Op::Attention { q, k, v, .. } => {
                (0..count).for_each(|c| [*q, *k, *v].iter().for_each(|&operand| mark(operand, c)));
            }
        }
    }
    needed
}

/// Whether every consumer of a node can read channels stored as one number per unit.
pub(super) fn uniform_allowed(network: &Network, share: bool) -> Vec<bool> {
    let mut allowed = vec![share && network.elements == 1; network.ops.len()];
    allowed[network.output] = false;
    for node in (0..network.ops.len()).rev() {
        let (passes_on, takes) = match &network.ops[node] {
            Op::Linear { .. } => (true, allowed[node]),
            Op::Activate { .. } | Op::Wave { .. } => (false, true),
            _ => (false, false),
        };
        let readable = takes || (passes_on && allowed[node]);
        for operand in network.ops[node].operands() {
            allowed[operand] &= readable;
        }
    }
    allowed
}

/// Assigns adjoint buffers: a node's buffer is taken when its last consumer runs backward and free once the node itself has.
pub(super) fn adjoint_buffers(network: &Network, size_of: impl Fn(usize) -> usize) -> (Vec<Option<usize>>, Vec<usize>) {
    let carries = carries_adjoint(network);
    let mut slot_of = vec![None; network.ops.len()];
    let mut sizes: Vec<usize> = Vec::new();
    let mut free: Vec<usize> = Vec::new();
    let mut take = |node: usize, slot_of: &mut Vec<Option<usize>>, free: &mut Vec<usize>| {
        if carries[node] && slot_of[node].is_none() {
            let size = size_of(node);
            let slot = free.pop().unwrap_or_else(|| {
                sizes.push(0);
                sizes.len() - 1
            });
            sizes[slot] = sizes[slot].max(size);
            slot_of[node] = Some(slot);
        }
    };
    take(network.output, &mut slot_of, &mut free);
    for node in (0..network.ops.len()).rev() {
        if slot_of[node].is_none() {
            continue;
        }
        for operand in network.ops[node].operands() {
            take(operand, &mut slot_of, &mut free);
        }
        free.extend(slot_of[node]);
    }
    (slot_of, sizes)
}
