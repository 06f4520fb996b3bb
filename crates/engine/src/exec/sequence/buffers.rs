//! Memory of the two halves of every node on a tile.

use super::activation::scratch_planes;
use super::attention::Sizes;
use super::field::kept_planes;
use crate::network::{Network, Op};
use crate::plan::{SequencePlan, SequenceRule};
use ropinn_vmath::Real;

/// Values and adjoints of a sequence network on one tile; nothing for programs that run on channels alone.
pub(crate) struct Buffers<T> {
    pub lower: Vec<Vec<T>>,
    pub upper: Vec<Vec<T>>,
    /// Upper adjoints stay until the lower ones are computed, which may be several times for one tile.
    pub upper_bar: Vec<Vec<T>>,
    /// Lower adjoints by buffer.
    pub lower_bar: Vec<Vec<T>>,
    /// What an operation keeps from one half to the next.
    pub kept: Vec<Vec<T>>,
    pub fresh: Vec<bool>,
}

impl<T: Real> Buffers<T> {
    pub fn none() -> Self {
        let none = Vec::new;
        Self { lower: none(), upper: none(), upper_bar: none(), lower_bar: none(), kept: none(), fresh: Vec::new() }
    }

    /// Memory for tiles of this shape, and how much scratch they need.
    pub fn new(network: &Network, plan: &SequencePlan, samples: usize, sites: usize) -> (Self, usize) {
        let (elements, axes) = (network.elements(), network.coordinates());
        let (jets, columns) = (&plan.jets, samples * sites * elements);
        let zeros = |n: usize| vec![T::ZERO; n];
        let mut scratch = scratch_planes(jets) * columns;
        let mut kept = Vec::with_capacity(network.ops.len());
        for (node, (op, rule)) in network.ops.iter().zip(&plan.rules).enumerate() {
            let units = network.widths[node];
            kept.push(zeros(match (op, rule) {
                (_, SequenceRule::Unused) => 0,
                (_, SequenceRule::Field { tape }) => {
                    scratch = scratch.max(tape.slots() * columns);
                    units * kept_planes(jets, axes) * columns
                }
                (Op::Wave { .. }, _) => units * columns,
                (Op::Attention { heads, .. }, _) => {
                    let planes = (jets.lower(), jets.upper());
                    let sizes = Sizes { samples, sites, elements, heads: *heads, units, planes };
                    scratch = scratch.max(sizes.scratch());
                    sizes.kept()
                }
                _ => 0,
            }));
        }
        let half = |planes: usize| {
            let nodes = network.widths.iter().zip(&plan.rules);
            let used = nodes.map(|(units, rule)| if matches!(rule, SequenceRule::Unused) { 0 } else { *units });
            used.map(|units| zeros(units * planes * columns)).collect::<Vec<_>>()
        };
        let buffers = Self {
            lower: half(jets.lower()),
            upper: half(jets.upper()),
            upper_bar: half(jets.upper()),
            lower_bar: plan.adjoint_units.iter().map(|units| zeros(units * jets.lower() * columns)).collect(),
            kept,
            fresh: vec![true; network.ops.len()],
        };
        (buffers, scratch)
    }
}
