//! The reverse sweep of a tile: from seeds at the residuals to parameter adjoints.

use super::{Tile, shape_of};
use crate::exec::activation::{self, OperandAdjoint, Output, spline};
use crate::exec::combine::{self, Plus};
use crate::exec::linear::{self, Trained};
use crate::exec::parameters::Parameters;
use crate::exec::sink::GradSink;
use crate::exec::{attention, lanes};
use crate::network::{Bias, Op, Weights};
use crate::plan::{LinearPlan, Plan, Plane, Rule, Side, SumPart};
use crate::program::Program;
use crate::residual::Load;
use ropinn_linalg::{Numbers, Workspace};
use std::mem::take;

impl<T: Numbers> Tile<T> {
    /// Reverse sweep from the seeds; parameter adjoints go to the sink.
    pub fn backward(&mut self, program: &Program, plan: &Plan, parameters: &Parameters<T>, sink: &mut GradSink<'_, T>) {
        if let Some(sequence) = program.sequence() {
            return self.sequence_backward(program, sequence, parameters, sink);
        }
        self.fresh.fill(true);
        self.uniform_adjoints.iter_mut().for_each(|u| u.fill(T::ZERO));
        self.residual_backward(program, plan, sink);
        for node in (0..plan.nodes.len()).rev() {
            let Some(slot) = plan.adjoint_slot[node] else { continue };
            if self.fresh[node] {
                continue; // nothing downstream depends on it
            }
            let ybar = take(&mut self.adjoints[slot]);
            let yubar = take(&mut self.uniform_adjoints[node]);
            self.backward_node(program, plan, node, parameters, (&ybar, &yubar), sink);
            self.adjoints[slot] = ybar;
            self.uniform_adjoints[node] = yubar;
        }
    }

    fn residual_backward(&mut self, program: &Program, plan: &Plan, sink: &mut GradSink<'_, T>) {
        let shape = self.shape;
        let (n, columns) = (shape.samples, shape.columns());
        let network = program.network();
        let Some(slot) = plan.adjoint_slot[network.output] else { return };
        let side = self.side(plan, network.output);
        let planes = &plan.nodes[network.output].planes;
        let mut ybar = take(&mut self.adjoints[slot]);
        ybar[..side.units * side.full * columns].fill(T::ZERO);
        self.fresh[network.output] = false;
        program.tape().backward(n, &self.slots, &mut self.slot_adjoints, &mut self.scratch, |load, w| match load {
            Load::Readout(r) => {
                let readout = &program.readouts()[r];
                if let Plane::Full(plane) = planes[readout.channel] {
                    for element in readout.elements.clone() {
                        let start = (readout.field * side.full + plane) * columns + shape.column(readout.site, element);
                        lanes::add(&mut ybar[start..][..n], w);
                    }
                }
            }
            Load::Trainable(k) => sink.sum(network.parameters() + k, T::ONE, w),
            Load::Coord { .. } | Load::Data(_) => {}
        });
        self.adjoints[slot] = ybar;
    }

    /// Takes the adjoint buffer of an operand, zeroed if it holds nothing yet; `None` if nobody needs it.
    fn open(&mut self, plan: &Plan, node: usize, zero: bool) -> Option<(usize, Vec<T>, bool)> {
        let slot = plan.adjoint_slot[node]?;
        let mut bar = take(&mut self.adjoints[slot]);
        let fresh = std::mem::replace(&mut self.fresh[node], false);
        if fresh && zero {
            let side = self.side(plan, node);
            bar[..side.units * side.full * side.columns].fill(T::ZERO);
        }
        Some((slot, bar, fresh))
    }

    fn backward_node(
        &mut self,
        program: &Program,
        plan: &Plan,
        node: usize,
        parameters: &Parameters<T>,
        (ybar, yubar): (&[T], &[T]),
        sink: &mut GradSink<'_, T>,
    ) {
        let ys = self.side(plan, node);
        let op = &program.network().ops[node];
        match &plan.nodes[node].rule {
            Rule::Input { .. } | Rule::Field { .. } => {}
            Rule::Linear(l) => {
                let xs = self.side(plan, l.x);
                let (x, xu) = (&self.values[l.x], &self.uniforms[l.x]);
                let numbers = (&**x, &**xu, xs);
                if let Op::SplineLinear { coefficients, scales, bases, .. } = op {
                    let mut grad = take(&mut self.spline_grad);
                    let offsets = [*coefficients, *scales, *bases];
                    let theta = &parameters.theta;
                    spline_params(l, numbers, (ybar, yubar, ys), theta, offsets, &mut grad, sink, &mut self.work);
                    self.spline_grad = grad;
                } else {
                    linear::backward_params(
                        l,
                        trained_of(op, program.network().frozen()),
                        numbers,
                        (ybar, yubar, ys),
                        sink,
                        &mut self.work,
                    );
                }
                if let Some((slot, mut xbar, fresh)) = self.open(plan, l.x, false) {
                    let mut xubar = take(&mut self.uniform_adjoints[l.x]);
                    let (map, output) = (parameters.map(node), (ybar, yubar, ys));
                    linear::backward_operand(l, map, output, (&mut xbar, &mut xubar, xs), fresh, &mut self.work);
                    self.uniform_adjoints[l.x] = xubar;
                    self.adjoints[slot] = xbar;
                }
            }
            Rule::Activate(a) => {
                let xs = self.side(plan, a.x);
                let mut opened = self.open(plan, a.x, false);
                let mut xubar = take(&mut self.uniform_adjoints[a.x]);
                let adjoint = opened.as_mut().map(|(_, planes, fresh)| OperandAdjoint {
                    planes,
                    uniforms: &mut xubar,
                    fresh: *fresh,
                });
                let amplitudes = if let Op::Wave { sine, cosine, .. } = op { Some([*sine, *cosine]) } else { None };
                let input = (&*self.values[a.x], &*self.uniforms[a.x], xs);
                let output = Output { values: &self.values[node], adjoint: ybar, side: ys };
                let room = (&*self.coefs, &mut *self.scratch);
                let shape = shape_of(op, &parameters.theta);
                if let Op::Spline { basis, .. } = op {
                    spline::backward(a, basis, (input.0, xs), output, adjoint, room);
                } else {
                    activation::backward(a, shape, input, output, adjoint, amplitudes, sink, room);
                }
                self.uniform_adjoints[a.x] = xubar;
                if let Some((slot, xbar, _)) = opened {
                    self.adjoints[slot] = xbar;
                }
            }
            Rule::Product(p) => {
                // An addend that is a factor too has its share in the same pass.
                let mut plus = p.plus.as_ref();
                for (own, other, terms) in [(p.a, p.b, &p.adjoint_terms[0]), (p.b, p.a, &p.adjoint_terms[1])] {
                    if let Some((slot, mut xbar, fresh)) = self.open(plan, own, false) {
                        let opposite = (&*self.values[other], self.side(plan, other));
                        let same = plus.take_if(|plus| plus.node == own);
                        let same = same.map(|plus| Plus { values: ybar, side: ys, planes: &plus.from });
                        let target = (&mut *xbar, self.side(plan, own));
                        combine::products(terms, (ybar, ys), opposite, same, target, &self.coefs, fresh);
                        self.adjoints[slot] = xbar;
                    }
                }
                if let Some(plus) = plus
                    && let Some((slot, mut xbar, fresh)) = self.open(plan, plus.node, false)
                {
                    let side = self.side(plan, plus.node);
                    combine::transfer(&plus.from, side.units, (ybar, ys, 0), (&mut xbar, side, 0), fresh);
                    self.adjoints[slot] = xbar;
                }
            }
            Rule::Sum(sum) => {
                for SumPart { node: part, first_unit, from, .. } in &sum.parts {
                    if let Some((slot, mut xbar, fresh)) = self.open(plan, *part, false) {
                        let sp = self.side(plan, *part);
                        combine::transfer(from, sp.units, (ybar, ys, *first_unit), (&mut xbar, sp, 0), fresh);
                        self.adjoints[slot] = xbar;
                    }
                }
            }
            Rule::Attention(a) => {
                let sizes = self.sizes(plan);
                // An operand that is there twice has one buffer, and both adjoints are added to it.
                let (mut bars, mut places) = ([const { Vec::new() }; 3], [None; 3]);
                for (which, operand) in a.operands.iter().enumerate() {
                    places[which] = match a.operands[..which].iter().position(|other| other == operand) {
                        Some(same) => places[same],
                        None => self.open(plan, *operand, true).map(|(_, bar, _)| {
                            bars[which] = bar;
                            which
                        }),
                    };
                }
                let (values, columns) = (&self.values, self.shape.columns());
                let inputs = a.operands.map(|o| (&*values[o], plan.side(o, columns)));
                let room = &mut self.scratch;
                attention::backward(a, inputs, (ybar, ys), places, &mut bars, &self.coefs, sizes, room);
                for (which, bar) in bars.into_iter().enumerate() {
                    if let (Some(slot), true) = (plan.adjoint_slot[a.operands[which]], places[which] == Some(which)) {
                        self.adjoints[slot] = bar;
                    }
                }
            }
        }
    }
}

/// What a linear map trains, of parameters whose first so many are frozen.
pub(super) fn trained_of(op: &Op, frozen: usize) -> Trained {
    let Op::Linear { weights, bias, .. } = op else { return Trained { weights: None, bias: None } };
    let weights = if let Weights::Trained(offset) = weights { Some(*offset) } else { None };
    let bias = if let Bias::Trained(offset) = bias { Some(*offset) } else { None };
    let free = |offset: &usize| *offset >= frozen;
    Trained { weights: weights.filter(free), bias: bias.filter(free) }
}

/// Adjoints of spline coefficients and scales through their product: C̄ = s·W̄, s̄ = Σ_c C·W̄.
#[expect(clippy::too_many_arguments, reason = "a linear map with its adjoints, and where its numbers lie")]
fn spline_params<T: Numbers>(
    plan: &LinearPlan,
    x: (&[T], &[T], Side),
    y: (&[T], &[T], Side),
    theta: &[T],
    [coefficients, scales, bases]: [usize; 3],
    grad: &mut [T],
    sink: &mut GradSink<'_, T>,
    work: &mut Workspace<T>,
) {
    let entries = x.2.units * y.2.units;
    let trained = Trained { weights: Some(0), bias: None };
    match sink {
        GradSink::Sum(total) => {
            let grad = &mut grad[..entries];
            grad.fill(T::ZERO);
            linear::backward_params(plan, trained, x, y, &mut GradSink::Sum(grad), work);
            for (i, &g) in grad.iter().enumerate() {
                total[coefficients + i] += theta[scales + i / bases] * g;
                total[scales + i / bases] += theta[coefficients + i] * g;
            }
        }
        GradSink::Rows { samples, .. } => {
            let n = *samples;
            let grad = &mut grad[..entries * n];
            grad.fill(T::ZERO);
            let mut own = GradSink::Rows { rows: grad, samples: n, first: 0 };
            linear::backward_params(plan, trained, x, y, &mut own, work);
            for (i, g) in grad.chunks_exact(n).enumerate() {
                sink.sum(coefficients + i, theta[scales + i / bases], g);
                sink.sum(scales + i / bases, theta[coefficients + i], g);
            }
        }
    }
}
