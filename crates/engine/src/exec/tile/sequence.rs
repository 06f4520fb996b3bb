//! The sweeps of a sequence network on a tile: lower values, upper adjoints and the residual forward; upper values, lower
//! adjoints and the parameters backward (see `plan/sequence.rs`).

use super::backward::trained_of;
use super::{Tile, TileShape, shape_of};
use crate::exec::activation::Shape;
use crate::exec::lanes;
use crate::exec::linear;
use crate::exec::parameters::Parameters;
use crate::exec::sequence::activation::{self, Function};
use crate::exec::sequence::attention::{self, Sizes};
use crate::exec::sequence::wave::{self, Wave};
use crate::exec::sequence::{Both, Half, Target, field, product, put_all};
use crate::exec::sink::GradSink;
use crate::network::Op;
use crate::plan::{LinearPlan, SequencePlan, SequenceRule, Side, Source, field_axis};
use crate::program::Program;
use crate::residual::Load;
use ropinn_linalg::Numbers;
use std::mem::take;

/// The coordinates are the first node.
const INPUT: usize = 0;

impl<T: Numbers> Tile<T> {
    /// Network, derivatives and residuals at the loaded samples.
    pub(super) fn sequence_forward(&mut self, program: &Program, plan: &SequencePlan, parameters: &Parameters<T>) {
        self.forward_half(program, plan, parameters, Half::Lower);
        if plan.jets.upper() > 0 {
            self.seed_sums(program, plan);
            self.backward_half(program, plan, parameters, Half::Upper, &mut None);
        }
        let shape = self.shape;
        let (n, columns) = (shape.samples, shape.columns());
        let (out, slopes) = (&self.sequence.lower[program.network().output], &self.sequence.upper_bar[INPUT]);
        let (coords, data) = (&self.coords, &self.data);
        let scalars = &parameters.theta[program.network().parameters()..];
        program.tape().forward(n, &mut self.slots, |load, lanes| match load {
            Load::Coord { axis, site, element } => {
                lanes.copy_from_slice(&coords[axis * columns + shape.column(site, element)..][..n]);
            }
            Load::Data(column) => lanes.copy_from_slice(&data[column * n..][..n]),
            Load::Trainable(k) => lanes.fill(scalars[k]),
            Load::Readout(r) => {
                let (at, is_value) = readout(plan, r, shape);
                lanes.copy_from_slice(&if is_value { out } else { slopes }[at..][..n]);
            }
        });
    }

    /// Reverse sweep from the seeds; parameter adjoints go to the sink.
    pub(super) fn sequence_backward(
        &mut self,
        program: &Program,
        plan: &SequencePlan,
        parameters: &Parameters<T>,
        sink: &mut GradSink<'_, T>,
    ) {
        let shape = self.shape;
        let (n, network) = (shape.samples, program.network());
        // The adjoints of values are lower adjoints of the output, those of derivatives upper values of the coordinates.
        let output_slot = plan.adjoint_slot[network.output];
        let mut ybar = output_slot.map_or_else(Vec::new, |slot| take(&mut self.sequence.lower_bar[slot]));
        let mut seeds = take(&mut self.sequence.upper[INPUT]);
        ybar.fill(T::ZERO);
        seeds.fill(T::ZERO);
        program.tape().backward(n, &self.slots, &mut self.slot_adjoints, &mut self.scratch, |load, w| match load {
            Load::Readout(r) => {
                let (at, is_value) = readout(plan, r, shape);
                let target = if is_value { &mut ybar } else { &mut seeds };
                if !target.is_empty() {
                    lanes::add(&mut target[at..][..n], w);
                }
            }
            Load::Trainable(k) => sink.sum(network.parameters() + k, T::ONE, w),
            Load::Coord { .. } | Load::Data(_) => {}
        });
        self.sequence.upper[INPUT] = seeds;
        let Some(slot) = output_slot else { return };
        self.sequence.lower_bar[slot] = ybar;
        if plan.jets.upper() > 0 {
            self.forward_half(program, plan, parameters, Half::Upper);
        }
        self.sequence.fresh.fill(true);
        self.sequence.fresh[network.output] = false;
        self.backward_half(program, plan, parameters, Half::Lower, &mut Some(sink));
    }

    /// Upper adjoints at the output: 1 on L of every unknown with a group, at all elements.
    fn seed_sums(&mut self, program: &Program, plan: &SequencePlan) {
        let (output, columns, upper) = (program.network().output, self.shape.columns(), plan.jets.upper());
        // The coordinates are read whether or not the network depends on them.
        self.sequence.fresh.fill(true);
        for node in [INPUT, output] {
            self.sequence.upper_bar[node].fill(T::ZERO);
            self.sequence.fresh[node] = false;
        }
        for group in &plan.jets.groups {
            let start = (group.field * upper + group.last) * columns;
            self.sequence.upper_bar[output][start..][..columns].fill(T::ONE);
        }
    }

    fn half_side(&self, program: &Program, plan: &SequencePlan, node: usize, half: Half) -> Side {
        let full = match half {
            Half::Lower => plan.jets.lower(),
            Half::Upper => plan.jets.upper(),
        };
        Side { units: program.network().widths[node], full, uniform: 0, columns: self.shape.columns() }
    }

    fn both(&self, node: usize) -> Both<'_, T> {
        Both { lower: &self.sequence.lower[node], upper: &self.sequence.upper[node] }
    }

    fn attention_sizes(&self, plan: &SequencePlan, heads: usize, units: usize) -> Sizes {
        let TileShape { samples, sites, elements } = self.shape;
        Sizes { samples, sites, elements, heads, units, planes: (plan.jets.lower(), plan.jets.upper()) }
    }

    fn values(&self, half: Half) -> &[Vec<T>] {
        match half {
            Half::Lower => &self.sequence.lower,
            Half::Upper => &self.sequence.upper,
        }
    }

    fn forward_half(&mut self, program: &Program, plan: &SequencePlan, parameters: &Parameters<T>, half: Half) {
        let values = |tile: &mut Self, node: usize| match half {
            Half::Lower => take(&mut tile.sequence.lower[node]),
            Half::Upper => take(&mut tile.sequence.upper[node]),
        };
        for (node, rule) in plan.rules.iter().enumerate() {
            if matches!(rule, SequenceRule::Unused) {
                continue;
            }
            let (mut y, mut kept) = (values(self, node), take(&mut self.sequence.kept[node]));
            self.half_forward(program, plan, node, parameters, half, &mut y, &mut kept);
            self.sequence.kept[node] = kept;
            match half {
                Half::Lower => self.sequence.lower[node] = y,
                Half::Upper => self.sequence.upper[node] = y,
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one node with what it reads and writes")]
    fn half_forward(
        &mut self,
        program: &Program,
        plan: &SequencePlan,
        node: usize,
        parameters: &Parameters<T>,
        half: Half,
        y: &mut [T],
        kept: &mut [T],
    ) {
        let (jets, columns, axes) = (&plan.jets, self.shape.columns(), program.network().coordinates());
        let ys = self.half_side(program, plan, node, half);
        let size = (ys.units, columns);
        let row = ys.full * columns;
        let op = &program.network().ops[node];
        match op {
            Op::Input if half == Half::Lower => {
                for (axis, y) in y[..ys.units * row].chunks_exact_mut(row).enumerate() {
                    y[..columns].copy_from_slice(&self.coords[axis * columns..][..columns]);
                    for (moved, y) in jets.along.iter().zip(y[columns..].chunks_exact_mut(columns)) {
                        y.fill(if *moved == axis { T::ONE } else { T::ZERO });
                    }
                }
            }
            Op::Field { .. } => {
                let kept = &mut kept[..ys.units * field::kept_planes(jets, axes) * columns];
                let y = &mut y[..ys.units * row];
                match (half, &plan.rules[node]) {
                    (Half::Lower, SequenceRule::Field { tape }) => {
                        let coords = &self.coords;
                        tape.forward(columns, &mut self.scratch, |load, lanes| match field_axis(load) {
                            Some(axis) => lanes.copy_from_slice(&coords[axis * columns..][..columns]),
                            None => lanes.fill(T::ZERO),
                        });
                        for (k, kept) in kept.chunks_exact_mut(columns).enumerate() {
                            kept.copy_from_slice(&self.scratch[tape.output(k) * columns..][..columns]);
                        }
                        field::lower_values(jets, axes, kept, y, columns);
                    }
                    _ => field::upper_values(jets, axes, kept, &self.sequence.upper[INPUT], y, columns),
                }
            }
            Op::Linear { x, .. } => {
                let Some(map) = map_of(&plan.rules[node], half) else { return };
                let xs = self.half_side(program, plan, *x, half);
                let mut work = take(&mut self.work);
                let input = (&*self.values(half)[*x], &[][..], xs);
                linear::forward(map, parameters.map(node), input, (y, &mut [], ys), &mut work);
                self.work = work;
            }
            Op::Activate { x, .. } | Op::Wave { x, .. } => {
                let (shape, mut scratch) = (shape_of(op, &parameters.theta), take(&mut self.scratch));
                match half {
                    Half::Lower => {
                        activation::lower_values(jets, shape, &self.sequence.lower[*x], y, kept, size, &mut scratch);
                    }
                    Half::Upper => {
                        let (z, h) = (self.both(*x), &self.sequence.lower[node][..]);
                        let function = Function { shape, z, h, slopes: kept };
                        activation::upper_values(jets, function, y, size, &mut scratch);
                    }
                }
                self.scratch = scratch;
            }
            Op::Mul { a, b } => product::forward(jets, half == Half::Upper, self.both(*a), self.both(*b), y, size),
            Op::Sum { parts } => {
                if parts.is_empty() {
                    y.fill(T::ZERO);
                }
                for (k, part) in parts.iter().enumerate() {
                    put_all(&mut y[..ys.units * row], &self.values(half)[*part][..ys.units * row], k == 0);
                }
            }
            Op::Concat { parts } => {
                let mut start = 0;
                for part in parts {
                    let length = program.network().widths[*part] * row;
                    put_all(&mut y[start..][..length], &self.values(half)[*part][..length], true);
                    start += length;
                }
            }
            Op::Attention { q, k, v, heads } => {
                let (sizes, mut scratch) = (self.attention_sizes(plan, *heads, ys.units), take(&mut self.scratch));
                let operands = [self.both(*q), self.both(*k), self.both(*v)];
                attention::forward(jets, half, operands, y, kept, sizes, &mut scratch);
                self.scratch = scratch;
            }
            // Upper values of the coordinates are the seeds; splines run on channels.
            Op::Input | Op::Spline { .. } | Op::SplineLinear { .. } => {}
        }
    }

    /// Adjoints of a half from those of the output back; the lower half sends those of the parameters to the sink.
    fn backward_half(
        &mut self,
        program: &Program,
        plan: &SequencePlan,
        parameters: &Parameters<T>,
        half: Half,
        sink: &mut Option<&mut GradSink<'_, T>>,
    ) {
        for node in (0..plan.rules.len()).rev() {
            if node == INPUT || self.sequence.fresh[node] {
                continue; // nothing downstream depends on it
            }
            let mut kept = take(&mut self.sequence.kept[node]);
            match half {
                Half::Upper => {
                    let ybar = take(&mut self.sequence.upper_bar[node]);
                    self.upper_backward(program, plan, node, parameters, &ybar, &mut kept);
                    self.sequence.upper_bar[node] = ybar;
                }
                Half::Lower => {
                    if let (Some(slot), Some(sink)) = (plan.adjoint_slot[node], sink.as_mut()) {
                        let ybar = take(&mut self.sequence.lower_bar[slot]);
                        self.lower_backward(program, plan, node, parameters, &ybar, &mut kept, sink);
                        self.sequence.lower_bar[slot] = ybar;
                    }
                }
            }
            self.sequence.kept[node] = kept;
        }
    }

    /// Takes the adjoint buffer of an operand and whether it holds nothing yet; `None` if nobody needs it.
    fn open_half(&mut self, plan: &SequencePlan, node: usize, half: Half) -> Option<(Vec<T>, bool)> {
        let bar = match half {
            Half::Upper => take(&mut self.sequence.upper_bar[node]),
            Half::Lower => take(&mut self.sequence.lower_bar[plan.adjoint_slot[node]?]),
        };
        Some((bar, std::mem::replace(&mut self.sequence.fresh[node], false)))
    }

    fn close_half(&mut self, plan: &SequencePlan, node: usize, half: Half, bar: Vec<T>) {
        match (half, plan.adjoint_slot[node]) {
            (Half::Upper, _) => self.sequence.upper_bar[node] = bar,
            (Half::Lower, Some(slot)) => self.sequence.lower_bar[slot] = bar,
            (Half::Lower, None) => {}
        }
    }

    fn upper_backward(
        &mut self,
        program: &Program,
        plan: &SequencePlan,
        node: usize,
        parameters: &Parameters<T>,
        ybar: &[T],
        kept: &mut [T],
    ) {
        let (jets, columns, axes) = (&plan.jets, self.shape.columns(), program.network().coordinates());
        let op = &program.network().ops[node];
        let ys = self.half_side(program, plan, node, Half::Upper);
        match op {
            Op::Field { .. } => {
                let kept = &kept[..ys.units * field::kept_planes(jets, axes) * columns];
                let mut xbar = take(&mut self.sequence.upper_bar[INPUT]);
                field::upper_adjoints(jets, axes, kept, &ybar[..ys.units * ys.row()], &mut xbar, columns);
                self.sequence.upper_bar[INPUT] = xbar;
            }
            Op::Activate { x, .. } | Op::Wave { x, .. } => {
                let Some((mut xbar, fresh)) = self.open_half(plan, *x, Half::Upper) else { return };
                let mut scratch = take(&mut self.scratch);
                let (z, h) = (self.both(*x), &self.sequence.lower[node][..]);
                let function = Function { shape: shape_of(op, &parameters.theta), z, h, slopes: kept };
                let target = Target { numbers: &mut xbar, fresh };
                activation::upper_adjoints(jets, function, ybar, target, (ys.units, columns), &mut scratch);
                self.scratch = scratch;
                self.close_half(plan, *x, Half::Upper, xbar);
            }
            _ => self.backward_either(program, plan, node, parameters, (&[], ybar), Half::Upper, kept),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one node with what it reads and writes")]
    fn lower_backward(
        &mut self,
        program: &Program,
        plan: &SequencePlan,
        node: usize,
        parameters: &Parameters<T>,
        ybar: &[T],
        kept: &mut [T],
        sink: &mut GradSink<'_, T>,
    ) {
        let (jets, columns) = (&plan.jets, self.shape.columns());
        let op = &program.network().ops[node];
        let upper_bar = take(&mut self.sequence.upper_bar[node]);
        match op {
            Op::Activate { x, .. } | Op::Wave { x, .. } => {
                let mut opened = self.open_half(plan, *x, Half::Lower);
                let mut scratch = take(&mut self.scratch);
                let (z, h) = (self.both(*x), &self.sequence.lower[node][..]);
                let (hbar, size) = (Both { lower: ybar, upper: &upper_bar }, (program.network().widths[node], columns));
                let target = opened.as_mut().map(|(numbers, fresh)| Target { numbers, fresh: *fresh });
                match (op, shape_of(op, &parameters.theta), target) {
                    (Op::Wave { sine, cosine, .. }, Shape::Wave(amplitudes), target) => {
                        let wave = Wave { amplitudes, z, h, slopes: kept, hbar };
                        wave::lower_adjoints(jets, wave, target, [*sine, *cosine], sink, size, &mut scratch);
                    }
                    (_, shape, Some(target)) => {
                        let function = Function { shape, z, h, slopes: kept };
                        activation::lower_adjoints(jets, function, hbar, target, size, &mut scratch);
                    }
                    _ => {}
                }
                self.scratch = scratch;
                if let Some((bar, _)) = opened {
                    self.close_half(plan, *x, Half::Lower, bar);
                }
            }
            Op::Linear { x, .. } => {
                // Each half of the adjoint meets its own half of the operand; the bias moves the value alone.
                for (half, bar) in [(Half::Lower, ybar), (Half::Upper, &upper_bar[..])] {
                    let Some(map) = map_of(&plan.rules[node], half).filter(|map| !map.runs.is_empty()) else {
                        continue;
                    };
                    let (xs, ys) = (self.half_side(program, plan, *x, half), self.half_side(program, plan, node, half));
                    let mut work = take(&mut self.work);
                    let x = (&self.values(half)[*x][..], &[][..], xs);
                    let trained = trained_of(op, program.network().frozen());
                    linear::backward_params(map, trained, x, (bar, &[], ys), sink, &mut work);
                    self.work = work;
                }
                self.backward_either(program, plan, node, parameters, (ybar, &upper_bar), Half::Lower, kept);
            }
            _ => self.backward_either(program, plan, node, parameters, (ybar, &upper_bar), Half::Lower, kept),
        }
        self.sequence.upper_bar[node] = upper_bar;
    }

    /// Operations whose adjoints look alike in both halves.
    #[expect(clippy::too_many_arguments, reason = "one node with what it reads and writes")]
    fn backward_either(
        &mut self,
        program: &Program,
        plan: &SequencePlan,
        node: usize,
        parameters: &Parameters<T>,
        (lower_bar, upper_bar): (&[T], &[T]),
        half: Half,
        kept: &mut [T],
    ) {
        let (jets, columns) = (&plan.jets, self.shape.columns());
        let ys = self.half_side(program, plan, node, half);
        let bars = Both { lower: lower_bar, upper: upper_bar };
        let ybar = if half == Half::Lower { lower_bar } else { upper_bar };
        let op = &program.network().ops[node];
        match op {
            Op::Linear { x, .. } => {
                let Some(map) = map_of(&plan.rules[node], half) else { return };
                let Some((mut xbar, fresh)) = self.open_half(plan, *x, half) else { return };
                let xs = self.half_side(program, plan, *x, half);
                let (numbers, output) = (parameters.map(node), (ybar, &[][..], ys));
                linear::backward_operand(map, numbers, output, (&mut xbar, &mut [], xs), fresh, &mut self.work);
                self.close_half(plan, *x, half, xbar);
            }
            Op::Mul { a, b } => {
                for (own, other) in [(*a, *b), (*b, *a)] {
                    let Some((mut xbar, fresh)) = self.open_half(plan, own, half) else { continue };
                    let target = Target { numbers: &mut xbar, fresh };
                    product::backward(jets, half == Half::Upper, self.both(other), bars, target, (ys.units, columns));
                    self.close_half(plan, own, half, xbar);
                }
            }
            Op::Sum { parts } | Op::Concat { parts } => {
                let mut start = 0;
                for part in parts {
                    let length = program.network().widths[*part] * ys.row();
                    if let Some((mut xbar, fresh)) = self.open_half(plan, *part, half) {
                        put_all(&mut xbar[..length], &ybar[start..][..length], fresh);
                        self.close_half(plan, *part, half, xbar);
                    }
                    start += if matches!(op, Op::Concat { .. }) { length } else { 0 };
                }
            }
            Op::Attention { q, k, v, heads } => {
                self.attention_backward(plan, [*q, *k, *v], *heads, bars, half, (ys, kept))
            }
            _ => {}
        }
    }

    fn attention_backward(
        &mut self,
        plan: &SequencePlan,
        operands: [usize; 3],
        heads: usize,
        bars: Both<'_, T>,
        half: Half,
        (ys, kept): (Side, &mut [T]),
    ) {
        let (jets, sizes) = (&plan.jets, self.attention_sizes(plan, heads, ys.units));
        let mut scratch = take(&mut self.scratch);
        let [q, k, v] = operands;
        attention::backward_scores(jets, half, self.both(v), bars, kept, sizes, &mut scratch);
        for (which, &operand) in operands.iter().enumerate() {
            let Some((mut bar, fresh)) = self.open_half(plan, operand, half) else { continue };
            if fresh {
                bar.fill(T::ZERO);
            }
            let factors = [self.both(q), self.both(k)];
            attention::backward_operand(jets, half, which, factors, bars, &mut bar, kept, sizes, &scratch);
            self.close_half(plan, operand, half, bar);
        }
        self.scratch = scratch;
    }
}

/// Where a read-out lies: the start of its lanes, in the values of the output or in the upper adjoints of the coordinates.
fn readout(plan: &SequencePlan, index: usize, shape: TileShape) -> (usize, bool) {
    let readout = plan.readouts[index];
    let column = shape.column(readout.site, readout.element);
    let columns = shape.columns();
    match readout.source {
        Source::Value { field } => (field * plan.jets.lower() * columns + column, true),
        Source::Slope { axis, plane } => ((axis * plan.jets.upper() + plane) * columns + column, false),
    }
}

fn map_of(rule: &SequenceRule, half: Half) -> Option<&LinearPlan> {
    match (rule, half) {
        (SequenceRule::Linear { lower, .. }, Half::Lower) => Some(lower),
        (SequenceRule::Linear { upper, .. }, Half::Upper) => Some(upper),
        _ => None,
    }
}
