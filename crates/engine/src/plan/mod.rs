//! The plan of a program: which channels each node carries, how they are stored, and which terms compute them.
//!
//! Memory of a node is `[unit][plane][column]`: one row per unit, its stored channels (*planes*) side by side, each plane
//! holding all columns of a tile (samples × sites × sequence elements). A linear map over all channels is then a single
//! matrix product, and a channel that is the same for all columns (a tangent before the first activation) is one number
//! per unit instead of a plane.

mod combine;
mod field;
mod liveness;
mod nodes;
mod rules;
mod sequence;

pub(crate) use field::field_axis;
pub(crate) use rules::{
    ActivationPlan, AttentionPlan, LinearPlan, NodePlan, ProductSlots, Quadratic, Rule, Seed, SlotTerm, SumPart,
};
pub(crate) use sequence::{JetGroup, Jets, SequencePlan, SequenceRule, Source};

use crate::jet::{ChannelSet, Coef};
use crate::network::Network;

/// How one channel of a node is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plane {
    /// Identically zero, or not needed by anybody.
    Zero,
    /// One number per unit: index among the node's uniform channels.
    Uniform(usize),
    /// Full plane: index among the node's planes.
    Full(usize),
}

/// A channel operand resolved to storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Uniform(usize),
    Full(usize),
}

/// Sizes of a node's storage on a tile: rows of `full · columns` numbers, one per unit, and `uniform` numbers per unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    pub units: usize,
    pub full: usize,
    pub uniform: usize,
    pub columns: usize,
}

impl Side {
    /// Distance between units.
    pub fn row(&self) -> usize {
        self.full * self.columns
    }
}

/// Everything the executor needs to run a network on a tile.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub channels: ChannelSet,
    pub nodes: Vec<NodePlan>,
    /// Highest activation derivative any backward sweep asks for.
    pub tower: usize,
    /// Adjoint buffer of each node (nodes share buffers when their lifetimes do not overlap).
    pub adjoint_slot: Vec<Option<usize>>,
    /// Size of each adjoint buffer in planes·units (times the columns of a tile).
    pub adjoint_sizes: Vec<usize>,
}

impl Plan {
    /// Plans `network` for `channels`, of which the output node must deliver `wanted`.
    ///
    /// Per-sample gradient rows need the adjoint of every column, so they plan with `share_uniform` off.
    pub fn new(network: &Network, channels: ChannelSet, wanted: &[bool], share_uniform: bool) -> Self {
        let mut needed = liveness::needed_channels(network, &channels, wanted);
        let taken = combine::taken_over(network);
        taken.iter().flatten().for_each(|&product| needed[product].fill(false));
        let uniform = liveness::uniform_allowed(network, share_uniform);
        let nodes = nodes::plan_nodes(network, &channels, &needed, &uniform, &taken);
        let size_of = |node: usize| nodes[node].width * nodes[node].full;
        let (adjoint_slot, adjoint_sizes) =
            liveness::adjoint_buffers(network, size_of, |node| combine::operands(network, &taken, node));
        let tower = channels.order() + 1;
        Self { channels, nodes, tower, adjoint_slot, adjoint_sizes }
    }

    /// The plan of a program that runs in another way: no node is stored.
    pub fn empty() -> Self {
        let (adjoint_slot, adjoint_sizes) = (Vec::new(), Vec::new());
        Self { channels: ChannelSet::covering(&[]), nodes: Vec::new(), tower: 1, adjoint_slot, adjoint_sizes }
    }

    /// Storage of a node on a tile of `columns` columns.
    pub fn side(&self, node: usize, columns: usize) -> Side {
        let n = &self.nodes[node];
        Side { units: n.width, full: n.full, uniform: n.uniform, columns }
    }

    /// Floating-point operations of the matrix products for one column, forward and backward, counted once each.
    pub fn gemm_flops_per_column(&self) -> f64 {
        self.nodes.iter().map(|n| n.gemm_flops()).sum()
    }
}

/// Resolves a coefficient: constant number, or lane array times number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SlotCoef {
    pub scale: f64,
    pub lanes: Option<usize>,
}

impl From<Coef> for SlotCoef {
    fn from(coef: Coef) -> Self {
        match coef {
            Coef::Const(scale) => Self { scale, lanes: None },
            Coef::Varying { slot, scale } => Self { scale, lanes: Some(slot) },
        }
    }
}
