//! One tile of samples through a program: coordinates in, residuals out, adjoints back.

use super::activation::{self, OperandAdjoint, Output, Shape};
use super::attention::{self, Sizes};
use super::combine;
use super::lanes;
use super::linear::{self, Numbers, Trained};
use super::sink::GradSink;
use crate::network::{Bias, Op, Weights};
use crate::plan::{Plan, Plane, Rule, Seed, Side, SlotCoef, field_axis};
use crate::program::Program;
use crate::residual::Load;
use ropinn_vmath::Real;
use std::mem::take;

/// Sizes of a tile. Columns run `[site][element][sample]`, samples fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TileShape {
    pub samples: usize,
    pub sites: usize,
    pub elements: usize,
}

impl TileShape {
    pub fn columns(&self) -> usize {
        self.samples * self.sites * self.elements
    }

    fn column(&self, site: usize, element: usize) -> usize {
        (site * self.elements + element) * self.samples
    }
}

/// Buffers for one program on one thread; sized once, used for every tile.
pub(crate) struct Tile<T> {
    shape: TileShape,
    values: Vec<Vec<T>>,
    uniforms: Vec<Vec<T>>,
    adjoints: Vec<Vec<T>>,
    uniform_adjoints: Vec<Vec<T>>,
    fresh: Vec<bool>,
    /// Weights that are not a plain block of θ: fixed maps, and spline coefficients times scales.
    weights: Vec<Vec<T>>,
    biases: Vec<Vec<T>>,
    spline_grad: Vec<T>,
    /// `[axis][column]`.
    coords: Vec<T>,
    /// `[data column][sample]`.
    data: Vec<T>,
    coef_slots: Vec<T>,
    coefs: Vec<T>,
    slots: Vec<T>,
    slot_adjoints: Vec<T>,
    scratch: Vec<T>,
}

impl<T: Real> Tile<T> {
    /// Buffers for tiles of up to `samples` samples. `rows` reserves room for per-sample gradients of spline layers.
    pub fn new(program: &Program, plan: &Plan, samples: usize, rows: bool) -> Self {
        let shape = TileShape { samples, sites: program.sites(), elements: program.network().elements() };
        let columns = shape.columns();
        let zeros = |n: usize| vec![T::ZERO; n];
        let network = program.network();
        let cast = |v: &[f64]| v.iter().map(|&x| T::from_f64(x)).collect::<Vec<T>>();
        let weights: Vec<Vec<T>> = network
            .ops
            .iter()
            .enumerate()
            .map(|(node, op)| match op {
                Op::Linear { weights: Weights::Fixed(w), .. } => cast(w),
                Op::SplineLinear { x, .. } => zeros(network.widths[node] * network.widths[*x]),
                _ => Vec::new(),
            })
            .collect();
        let biases = network
            .ops
            .iter()
            .map(|op| match op {
                Op::Linear { bias: Bias::Fixed(b), .. } => cast(b),
                _ => Vec::new(),
            })
            .collect();
        let splines = network.ops.iter().zip(&weights).filter(|(op, _)| matches!(op, Op::SplineLinear { .. }));
        let spline_grad = splines.map(|(_, w)| w.len()).max().unwrap_or(0) * if rows { samples } else { 1 };
        let channels = plan.channels.len();
        let field_slots =
            plan.nodes.iter().map(|n| if let Rule::Field { tape, .. } = &n.rule { tape.slots() } else { 0 });
        let attends = network.ops.iter().any(|op| matches!(op, Op::Attention { .. }));
        let sizes = Sizes { samples, sites: shape.sites, elements: shape.elements, channels };
        let scratch = (2 * plan.tower + 6)
            .max(field_slots.max().unwrap_or(0))
            .saturating_mul(columns)
            .max(if attends { sizes.scratch() } else { 0 });
        Self {
            shape,
            values: plan.nodes.iter().map(|n| zeros(n.width * n.full * columns)).collect(),
            uniforms: plan.nodes.iter().map(|n| zeros(n.width * n.uniform)).collect(),
            adjoints: plan.adjoint_sizes.iter().map(|s| zeros(s * columns)).collect(),
            uniform_adjoints: plan.nodes.iter().map(|n| zeros(n.width * n.uniform)).collect(),
            fresh: vec![true; plan.nodes.len()],
            weights,
            biases,
            spline_grad: zeros(spline_grad),
            coords: zeros(network.coordinates() * columns),
            data: zeros(program.data_columns() * samples),
            coef_slots: zeros(program.coef_tape().slots() * samples),
            coefs: zeros(program.coef_tape().outputs() * columns),
            slots: zeros(program.tape().slots() * samples),
            slot_adjoints: zeros(program.tape().slots() * samples),
            scratch: zeros(scratch),
        }
    }

    /// Loads `valid` samples starting at `first`; the tile is padded to `samples` by repeating the last one.
    pub fn load(
        &mut self,
        program: &Program,
        points: &[f64],
        data: &[f64],
        first: usize,
        valid: usize,
        samples: usize,
    ) {
        self.shape.samples = samples;
        let (shape, axes) = (self.shape, program.network().coordinates());
        let (columns, places) = (shape.columns(), shape.sites * shape.elements);
        for sample in 0..samples {
            let source = first + sample.min(valid - 1);
            let point = &points[source * places * axes..][..places * axes];
            for (place, place_coords) in point.chunks_exact(axes).enumerate() {
                for (axis, &value) in place_coords.iter().enumerate() {
                    self.coords[axis * columns + place * samples + sample] = T::from_f64(value);
                }
            }
            for column in 0..program.data_columns() {
                self.data[column * samples + sample] = T::from_f64(data[source * program.data_columns() + column]);
            }
        }
    }

    /// Residual number k (outputs of the program) at every sample of the tile.
    pub fn residual(&self, program: &Program, k: usize) -> &[T] {
        &self.slots[program.tape().output(k) * self.shape.samples..][..self.shape.samples]
    }

    /// Seeds for the next backward sweep: all zero.
    pub fn clear_seeds(&mut self) {
        self.slot_adjoints.fill(T::ZERO);
    }

    /// Adds to the seed of residual k.
    pub fn seed(&mut self, program: &Program, k: usize) -> &mut [T] {
        &mut self.slot_adjoints[program.tape().output(k) * self.shape.samples..][..self.shape.samples]
    }

    fn side(&self, plan: &Plan, node: usize) -> Side {
        plan.side(node, self.shape.columns())
    }

    fn sizes(&self, plan: &Plan) -> Sizes {
        let TileShape { samples, sites, elements } = self.shape;
        Sizes { samples, sites, elements, channels: plan.channels.len() }
    }

    /// Network and residuals at the loaded samples.
    pub fn forward(&mut self, program: &Program, plan: &Plan, theta: &[T]) {
        self.coefficients(program);
        for node in 0..plan.nodes.len() {
            let mut y = take(&mut self.values[node]);
            let mut yu = take(&mut self.uniforms[node]);
            self.forward_node(program, plan, node, theta, &mut y, &mut yu);
            self.values[node] = y;
            self.uniforms[node] = yu;
        }
        self.residual_forward(program, plan, theta);
    }

    /// Point-dependent operator coefficients: computed per site, the same for every element of a sample.
    fn coefficients(&mut self, program: &Program) {
        let tape = program.coef_tape();
        if tape.outputs() == 0 {
            return;
        }
        let (shape, columns) = (self.shape, self.shape.columns());
        for site in 0..shape.sites {
            let (coords, data) = (&self.coords, &self.data);
            tape.forward(shape.samples, &mut self.coef_slots, |load, lanes| match load {
                Load::Coord { axis, element, .. } => {
                    let start = axis * columns + shape.column(site, element);
                    lanes.copy_from_slice(&coords[start..][..shape.samples]);
                }
                Load::Data(column) => lanes.copy_from_slice(&data[column * shape.samples..][..shape.samples]),
                Load::Trainable(_) | Load::Readout(_) => lanes.fill(T::ZERO),
            });
            for k in 0..tape.outputs() {
                let source = &self.coef_slots[tape.output(k) * shape.samples..][..shape.samples];
                for element in 0..shape.elements {
                    let start = k * columns + shape.column(site, element);
                    self.coefs[start..][..shape.samples].copy_from_slice(source);
                }
            }
        }
    }

    fn forward_node(&mut self, program: &Program, plan: &Plan, node: usize, theta: &[T], y: &mut [T], yu: &mut [T]) {
        let ys = self.side(plan, node);
        let op = &program.network().ops[node];
        match &plan.nodes[node].rule {
            Rule::Input { seeds } => self.input_forward(seeds, y, yu, ys),
            Rule::Field { tape, parts } => {
                let columns = self.shape.columns();
                let coords = &self.coords;
                tape.forward(columns, &mut self.scratch, |load, lanes| match field_axis(load) {
                    Some(axis) => lanes.copy_from_slice(&coords[axis * columns..][..columns]),
                    None => lanes.fill(T::ZERO),
                });
                y[..ys.units * ys.full * columns].fill(T::ZERO);
                for part in parts {
                    let source = &self.scratch[tape.output(part.output) * columns..][..columns];
                    let target = &mut y[(part.unit * ys.full + part.plane) * columns..][..columns];
                    add_on_element(target, part.element, &part.coef, &self.coefs, Some(source), self.shape);
                }
            }
            Rule::Linear(linear_plan) => {
                let x = linear_plan.x;
                self.refresh_spline_weights(op, node, theta);
                let numbers = Numbers {
                    weights: weights_of(op, theta, &self.weights[node], ys.units * linear_plan.inputs),
                    bias: bias_of(op, theta, &self.biases[node], ys.units),
                };
                let xs = self.side(plan, x);
                linear::forward(linear_plan, numbers, (&self.values[x], &self.uniforms[x], xs), (y, yu, ys));
            }
            Rule::Activate(activation_plan) => {
                let x = activation_plan.x;
                let xs = self.side(plan, x);
                let input = (&*self.values[x], &*self.uniforms[x], xs);
                activation::forward(
                    activation_plan,
                    shape_of(op, theta),
                    input,
                    (y, ys),
                    &self.coefs,
                    &mut self.scratch,
                );
            }
            Rule::Product(p) => {
                let (a, b) = ((&*self.values[p.a], self.side(plan, p.a)), (&*self.values[p.b], self.side(plan, p.b)));
                combine::product_forward(p, a, b, (y, ys), &self.coefs);
            }
            Rule::Sum(sum) => {
                y[..ys.units * ys.full * ys.columns].fill(T::ZERO);
                for (part, first_unit, pairs) in &sum.parts {
                    let sp = self.side(plan, *part);
                    combine::add_planes(pairs, sp.units, *first_unit, (&self.values[*part], sp), (y, ys));
                }
            }
            Rule::Attention(attention_plan) => {
                let sizes = self.sizes(plan);
                let (values, columns) = (&self.values, self.shape.columns());
                let inputs = attention_plan.operands.map(|o| (&*values[o], plan.side(o, columns)));
                attention::forward(attention_plan, inputs, (y, ys), &self.coefs, sizes, &mut self.scratch);
            }
        }
    }

    /// Channel 0 is the coordinate; every other channel is the operator applied to it.
    fn input_forward(&self, seeds: &[Seed], y: &mut [T], yu: &mut [T], ys: Side) {
        let columns = ys.columns;
        y[..ys.units * ys.full * columns].fill(T::ZERO);
        yu.fill(T::ZERO);
        for axis in 0..ys.units {
            y[axis * ys.full * columns..][..columns].copy_from_slice(&self.coords[axis * columns..][..columns]);
        }
        for seed in seeds {
            match seed.plane {
                Plane::Zero => {}
                Plane::Uniform(u) => yu[seed.axis * ys.uniform + u] += T::from_f64(seed.coef.scale),
                Plane::Full(plane) => {
                    let target = &mut y[(seed.axis * ys.full + plane) * columns..][..columns];
                    add_on_element(target, seed.element, &seed.coef, &self.coefs, None, self.shape);
                }
            }
        }
    }

    fn refresh_spline_weights(&mut self, op: &Op, node: usize, theta: &[T]) {
        if let Op::SplineLinear { coefficients, scales, bases, .. } = op {
            for (i, w) in self.weights[node].iter_mut().enumerate() {
                *w = theta[coefficients + i] * theta[scales + i / bases];
            }
        }
    }

    fn residual_forward(&mut self, program: &Program, plan: &Plan, theta: &[T]) {
        let shape = self.shape;
        let (n, columns) = (shape.samples, shape.columns());
        let output = program.network().output;
        let (out, out_side) = (&self.values[output], &plan.nodes[output]);
        let (coords, data) = (&self.coords, &self.data);
        let scalars = &theta[program.network().parameters()..];
        program.tape().forward(n, &mut self.slots, |load, lanes| match load {
            Load::Coord { axis, site, element } => {
                lanes.copy_from_slice(&coords[axis * columns + shape.column(site, element)..][..n]);
            }
            Load::Data(column) => lanes.copy_from_slice(&data[column * n..][..n]),
            Load::Trainable(k) => lanes.fill(scalars[k]),
            Load::Readout(r) => {
                let readout = &program.readouts()[r];
                lanes.fill(T::ZERO);
                if let Plane::Full(plane) = out_side.planes[readout.channel] {
                    for element in readout.elements.clone() {
                        let start =
                            (readout.field * out_side.full + plane) * columns + shape.column(readout.site, element);
                        lanes::add(lanes, &out[start..][..n]);
                    }
                }
            }
        });
    }

    /// Reverse sweep from the seeds; parameter adjoints go to the sink.
    pub fn backward(&mut self, program: &Program, plan: &Plan, theta: &[T], sink: &mut GradSink<'_, T>) {
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
            self.backward_node(program, plan, node, theta, (&ybar, &yubar), sink);
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
        theta: &[T],
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
                    spline_params(
                        l,
                        numbers,
                        (ybar, yubar, ys),
                        theta,
                        [*coefficients, *scales, *bases],
                        &mut grad,
                        sink,
                    );
                    self.spline_grad = grad;
                } else {
                    linear::backward_params(l, trained_of(op), numbers, (ybar, yubar, ys), sink);
                }
                if let Some((slot, mut xbar, fresh)) = self.open(plan, l.x, false) {
                    let mut xubar = take(&mut self.uniform_adjoints[l.x]);
                    let weights = weights_of(op, theta, &self.weights[node], ys.units * l.inputs);
                    linear::backward_operand(l, weights, (ybar, yubar, ys), (&mut xbar, &mut xubar, xs), fresh);
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
                activation::backward(a, shape_of(op, theta), input, output, adjoint, amplitudes, sink, room);
                self.uniform_adjoints[a.x] = xubar;
                if let Some((slot, xbar, _)) = opened {
                    self.adjoints[slot] = xbar;
                }
            }
            Rule::Product(p) => {
                for (own, other, left) in [(p.a, p.b, true), (p.b, p.a, false)] {
                    if let Some((slot, mut xbar, _)) = self.open(plan, own, true) {
                        let sides = (self.side(plan, other), self.side(plan, own));
                        let opposite = (&*self.values[other], sides.0);
                        combine::product_backward(p, left, opposite, (ybar, ys), (&mut xbar, sides.1), &self.coefs);
                        self.adjoints[slot] = xbar;
                    }
                }
            }
            Rule::Sum(sum) => {
                for (part, first_unit, pairs) in &sum.parts {
                    if let Some((slot, mut xbar, _)) = self.open(plan, *part, true) {
                        let sp = self.side(plan, *part);
                        combine::take_planes(pairs, sp.units, *first_unit, (ybar, ys), (&mut xbar, sp));
                        self.adjoints[slot] = xbar;
                    }
                }
            }
            Rule::Attention(attention_plan) => {
                let sizes = self.sizes(plan);
                for (which, &operand) in attention_plan.operands.iter().enumerate() {
                    if let Some((slot, mut xbar, _)) = self.open(plan, operand, true) {
                        let (values, columns) = (&self.values, self.shape.columns());
                        let inputs = attention_plan.operands.map(|o| (&*values[o], plan.side(o, columns)));
                        let coefs = &self.coefs;
                        let y = (ybar, ys);
                        attention::backward(
                            attention_plan,
                            which,
                            inputs,
                            y,
                            &mut xbar,
                            coefs,
                            sizes,
                            &mut self.scratch,
                        );
                        self.adjoints[slot] = xbar;
                    }
                }
            }
        }
    }
}

/// target += coef[·source], on all columns or on those of one element.
fn add_on_element<T: Real>(
    target: &mut [T],
    element: Option<usize>,
    coef: &SlotCoef,
    coefs: &[T],
    source: Option<&[T]>,
    shape: TileShape,
) {
    let columns = shape.columns();
    let scale = T::from_f64(coef.scale);
    for site in 0..shape.sites {
        for e in (0..shape.elements).filter(|e| element.is_none_or(|only| only == *e)) {
            for column in shape.column(site, e)..shape.column(site, e) + shape.samples {
                let varying = coef.lanes.map_or(T::ONE, |slot| coefs[slot * columns + column]);
                target[column] += scale * varying * source.map_or(T::ONE, |s| s[column]);
            }
        }
    }
}

fn weights_of<'a, T>(op: &Op, theta: &'a [T], own: &'a [T], len: usize) -> &'a [T] {
    match op {
        Op::Linear { weights: Weights::Trained(offset), .. } => &theta[*offset..offset + len],
        _ => own,
    }
}

fn bias_of<'a, T>(op: &Op, theta: &'a [T], own: &'a [T], len: usize) -> Option<&'a [T]> {
    match op {
        Op::Linear { bias: Bias::Trained(offset), .. } => Some(&theta[*offset..offset + len]),
        Op::Linear { bias: Bias::Fixed(_), .. } => Some(own),
        _ => None,
    }
}

fn trained_of(op: &Op) -> Trained {
    let Op::Linear { weights, bias, .. } = op else { return Trained { weights: None, bias: None } };
    Trained {
        weights: if let Weights::Trained(offset) = weights { Some(*offset) } else { None },
        bias: if let Bias::Trained(offset) = bias { Some(*offset) } else { None },
    }
}

fn shape_of<'a, T: Real>(op: &'a Op, theta: &[T]) -> Shape<'a, T> {
    match op {
        Op::Wave { sine, cosine, .. } => Shape::Wave([theta[*sine], theta[*cosine]]),
        Op::Spline { basis, .. } => Shape::Spline(basis),
        Op::Activate { kind, .. } => Shape::Fixed(*kind),
        _ => Shape::Fixed(crate::network::Activation::Identity),
    }
}

/// Adjoints of spline coefficients and scales through their product: C̄ = s·W̄, s̄ = Σ_c C·W̄.
fn spline_params<T: Real>(
    plan: &crate::plan::LinearPlan,
    x: (&[T], &[T], Side),
    y: (&[T], &[T], Side),
    theta: &[T],
    [coefficients, scales, bases]: [usize; 3],
    grad: &mut [T],
    sink: &mut GradSink<'_, T>,
) {
    let entries = x.2.units * y.2.units;
    let trained = Trained { weights: Some(0), bias: None };
    match sink {
        GradSink::Sum(total) => {
            let grad = &mut grad[..entries];
            grad.fill(T::ZERO);
            linear::backward_params(plan, trained, x, y, &mut GradSink::Sum(grad));
            for (i, &g) in grad.iter().enumerate() {
                total[coefficients + i] += theta[scales + i / bases] * g;
                total[scales + i / bases] += theta[coefficients + i] * g;
            }
        }
        GradSink::Rows { rows, samples } => {
            let n = *samples;
            let grad = &mut grad[..entries * n];
            grad.fill(T::ZERO);
            linear::backward_params(plan, trained, x, y, &mut GradSink::Rows { rows: grad, samples: n });
            for (i, g) in grad.chunks_exact(n).enumerate() {
                lanes::axpy(&mut rows[(coefficients + i) * n..][..n], theta[scales + i / bases], g);
                lanes::axpy(&mut rows[(scales + i / bases) * n..][..n], theta[coefficients + i], g);
            }
        }
    }
}
