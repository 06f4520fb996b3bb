//! Networks over pseudo-sequences by a reverse sweep: which jets a program carries, and where its read-outs lie.
//!
//! With `S_f = Σ_j u_{f,j}` over the elements, residuals read `∂S_f/∂a_i` and `∂/∂a_i (D_b S_f)`, where a_i is coordinate a of
//! element i and `D_b` moves all elements along b: the gradients of `S_f` and of `D_b S_f` with respect to all coordinates, which
//! a reverse sweep gives at once. With the adjoints `ū_i`, `ḡ_{a,i}` and `h̄_{ab,i}` of the read-outs held fast, the gradient
//! with respect to θ is that of `Σ ū_i u_i + L S_f`,
//!
//! ```text
//! L = V + Σ_b W_b D_b,   V = Σ_{a,i} ḡ_{a,i} ∂/∂a_i,   W_b = Σ_{a,i} h̄_{ab,i} ∂/∂a_i.
//! ```
//!
//! Channels are 1 and `D_b`, the *lower* ones, and `W_b` and L of each unknown f, the *upper* ones. By the chain rule
//!
//! ```text
//! lower values   need  lower values;                    upper values   need  lower values too;
//! upper adjoints need  lower values;                    lower adjoints need  everything,
//! ```
//!
//! and neither upper values nor lower adjoints are needed for the read-outs: the adjoint of `L a_i` is `∂S_f/∂a_i`, that of
//! `W_b a_i` is `∂/∂a_i (D_b S_f)`. So both halves of a sweep are computed once: lower values forward, upper adjoints back to the
//! coordinates, the residual, upper values forward, lower adjoints back, and the parameters from both halves.

use super::liveness::adjoint_buffers;
use super::nodes::carries_adjoint;
use super::rules::LinearPlan;
use crate::network::{Network, Op};
use crate::residual::{Load, Tape, TapeBuilder};
use ropinn_expr::{Expr, MultiIndex};

/// The upper channels of one unknown.
#[derive(Clone, Debug)]
pub(crate) struct JetGroup {
    pub field: usize,
    /// Lower plane of `D_b` and upper plane of `W_b`.
    pub pairs: Vec<(usize, usize)>,
    /// Upper plane of L.
    pub last: usize,
}

/// The channels of a program: lower planes are the value and `D_b`, upper planes come group by group.
#[derive(Clone, Debug)]
pub(crate) struct Jets {
    /// The coordinate of each `D_b`; its lower plane is one more than its position.
    pub along: Vec<usize>,
    pub groups: Vec<JetGroup>,
}

impl Jets {
    pub fn lower(&self) -> usize {
        1 + self.along.len()
    }

    pub fn upper(&self) -> usize {
        self.groups.last().map_or(0, |group| group.last + 1)
    }

    /// The channels that can read these derivatives of unknowns, each of first or second order.
    fn covering(derivatives: &[(usize, MultiIndex)]) -> Self {
        let mut along: Vec<usize> = derivatives.iter().filter_map(|(_, alpha)| together(*alpha)).collect();
        along.sort_unstable();
        along.dedup();
        let mut fields: Vec<usize> = derivatives.iter().map(|(field, _)| *field).collect();
        fields.sort_unstable();
        fields.dedup();
        let (mut groups, mut upper) = (Vec::new(), 0);
        for field in fields {
            let of_field = || derivatives.iter().filter(|(f, _)| *f == field).filter_map(|(_, alpha)| together(*alpha));
            let mut pairs = Vec::new();
            for (position, axis) in along.iter().enumerate() {
                if of_field().any(|b| b == *axis) {
                    pairs.push((1 + position, upper));
                    upper += 1;
                }
            }
            groups.push(JetGroup { field, pairs, last: upper });
            upper += 1;
        }
        Self { along, groups }
    }

    /// The upper plane whose adjoint at the coordinates holds a derivative, and the coordinate.
    fn place(&self, field: usize, alpha: MultiIndex) -> Option<(usize, usize)> {
        let group = self.groups.iter().find(|group| group.field == field)?;
        let last = alpha.axes().last()?;
        match together(alpha) {
            None => Some((group.last, last)),
            Some(axis) => {
                let lower = 1 + self.along.iter().position(|b| *b == axis)?;
                group.pairs.iter().find(|(b, _)| *b == lower).map(|(_, upper)| (*upper, last))
            }
        }
    }
}

/// The coordinate along which a second derivative moves all elements; its last coordinate moves one.
fn together(alpha: MultiIndex) -> Option<usize> {
    let mut axes = alpha.axes();
    match (axes.next(), axes.next()) {
        (Some(b), Some(_)) => Some(b),
        _ => None,
    }
}

/// What a read-out is: an unknown, or an entry of the adjoint of the coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    Value { field: usize },
    Slope { axis: usize, plane: usize },
}

/// A number the tape reads at one place of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PlaceReadout {
    pub source: Source,
    pub site: usize,
    pub element: usize,
}

/// A node: what it needs beside its operation.
#[derive(Clone, Debug)]
pub(crate) enum SequenceRule {
    /// Nobody reads it.
    Unused,
    /// The maps of lower and upper planes.
    Linear {
        lower: LinearPlan,
        upper: LinearPlan,
    },
    /// Of every function g: g, then `∂_a g` for every coordinate, then `∂_a ∂_b g` for every `D_b` and every coordinate.
    Field {
        tape: Tape,
    },
    Plain,
}

/// Everything the executor needs to run a sequence network on a tile.
#[derive(Clone, Debug)]
pub(crate) struct SequencePlan {
    pub jets: Jets,
    pub rules: Vec<SequenceRule>,
    pub readouts: Vec<PlaceReadout>,
    /// Buffer of each node's lower adjoint, and their sizes in units.
    pub adjoint_slot: Vec<Option<usize>>,
    pub adjoint_units: Vec<usize>,
    flops_per_column: f64,
}

impl SequencePlan {
    /// The plan and the tape of the residuals at every element used, the element running fastest. `None` for programs it does
    /// not cover: they run on channels alone.
    pub fn new(network: &Network, residuals: &[Expr], elements_used: usize) -> Option<(Self, Tape)> {
        if network.elements() < 2 || network.infinitesimal.is_some() || !network.ops.iter().skip(1).all(is_covered) {
            return None;
        }
        let unknowns = || residuals.iter().flat_map(|residual| residual.unknowns());
        if unknowns().any(|(_, alpha, _)| alpha.order() > 2) {
            return None;
        }
        let derivatives: Vec<(usize, MultiIndex)> =
            unknowns().filter(|(_, alpha, _)| alpha.order() > 0).map(|(field, alpha, _)| (field, alpha)).collect();
        let jets = Jets::covering(&derivatives);
        let (mut tape, mut outputs) = (TapeBuilder::default(), Vec::new());
        let mut readouts: Vec<PlaceReadout> = Vec::new();
        for residual in residuals {
            for element in 0..elements_used {
                outputs.push(tape.expr(residual, element, &mut |tape, field, alpha, site| {
                    let source = match jets.place(field, alpha) {
                        Some((plane, axis)) if alpha.order() > 0 => Source::Slope { axis, plane },
                        _ => Source::Value { field },
                    };
                    let readout = PlaceReadout { source, site, element };
                    let index = readouts.iter().position(|r| *r == readout).unwrap_or_else(|| {
                        readouts.push(readout);
                        readouts.len() - 1
                    });
                    tape.load(Load::Readout(index))
                }));
            }
        }
        let rules = rules(network, &jets);
        let (adjoint_slot, adjoint_units) =
            adjoint_buffers(network, |node| network.widths[node], |node| network.ops[node].operands());
        let flops_per_column = flops_per_column(network, &jets, &rules);
        Some((Self { jets, rules, readouts, adjoint_slot, adjoint_units, flops_per_column }, tape.finish(outputs)))
    }

    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.jets.lower() + self.jets.upper()
    }

    /// Floating-point operations of the matrix products for one column, every half of a sweep once.
    pub fn gemm_flops_per_column(&self) -> f64 {
        self.flops_per_column
    }
}

/// Whether there are rules for both halves; splines have none.
fn is_covered(op: &Op) -> bool {
    !matches!(op, Op::Input | Op::Spline { .. } | Op::SplineLinear { .. })
}

fn rules(network: &Network, jets: &Jets) -> Vec<SequenceRule> {
    let mut is_read = vec![false; network.ops.len()];
    is_read[network.output] = true;
    for node in (0..network.ops.len()).rev().filter(|node| *node <= network.output) {
        if is_read[node] {
            network.ops[node].operands().into_iter().for_each(|operand| is_read[operand] = true);
        }
    }
    let rule = |(op, is_read): (&Op, bool)| match op {
        // The coordinates hold the seeds and the slopes, read or not.
        Op::Input => SequenceRule::Plain,
        _ if !is_read => SequenceRule::Unused,
        Op::Linear { x, .. } => {
            let inputs = network.widths[*x];
            let map = |planes: usize, value: Option<usize>| {
                let runs = if planes > 0 { vec![(0, 0, planes)] } else { Vec::new() };
                LinearPlan { x: *x, inputs, runs, uniforms: Vec::new(), value, passes: 0 }
            };
            SequenceRule::Linear { lower: map(jets.lower(), Some(0)), upper: map(jets.upper(), None) }
        }
        Op::Field { functions } => SequenceRule::Field { tape: field_tape(network, jets, functions) },
        _ => SequenceRule::Plain,
    };
    network.ops.iter().zip(is_read).map(rule).collect()
}

fn field_tape(network: &Network, jets: &Jets, functions: &[Expr]) -> Tape {
    let (mut tape, mut outputs) = (TapeBuilder::default(), Vec::new());
    let mut put = |expr: &Expr| outputs.push(tape.expr(expr, 0, &mut |tape, _, _, _| tape.constant(0.0)));
    for function in functions {
        put(function);
        (0..network.coordinates()).for_each(|a| put(&function.derivative(a)));
        for b in &jets.along {
            let moved = function.derivative(*b);
            (0..network.coordinates()).for_each(|a| put(&moved.derivative(a)));
        }
    }
    tape.finish(outputs)
}

/// Values of all planes, upper adjoints, lower adjoints that lead to parameters, and weights from all planes.
fn flops_per_column(network: &Network, jets: &Jets, rules: &[SequenceRule]) -> f64 {
    let carries = carries_adjoint(network);
    let (lower, upper) = (jets.lower(), jets.upper());
    let flops = |(node, rule): (usize, &SequenceRule)| {
        let (SequenceRule::Linear { lower: map, .. }, op) = (rule, &network.ops[node]) else { return 0.0 };
        let mut planes = lower + 2 * upper;
        planes += if carries[map.x] { lower } else { 0 };
        planes += if op.is_trained(network.frozen()) { lower + upper } else { 0 };
        2.0 * (map.inputs * network.widths[node] * planes) as f64
    };
    rules.iter().enumerate().map(flops).sum()
}
