//! One tile of samples through a program: coordinates in, residuals out, adjoints back.

mod backward;
mod sequence;

use super::activation::{self, Shape, spline};
use super::attention::{self, Sizes};
use super::combine::{self, Plus};
use super::lanes;
use super::linear;
use super::parameters::Parameters;
use super::sequence::Buffers;
use crate::network::Op;
use crate::plan::{Plan, Plane, Rule, Seed, Side, SlotCoef, SumPart, field_axis};
use crate::program::Program;
use crate::residual::Load;
use ropinn_linalg::{Numbers, Workspace};
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
    work: Workspace<T>,
    /// In place of the values and adjoints above, for programs that have a reverse sweep to the coordinates.
    sequence: Buffers<T>,
}

impl<T: Numbers> Tile<T> {
    /// Buffers for tiles of up to `samples` samples. `rows` reserves room for per-sample gradients of spline layers.
    pub fn new(program: &Program, plan: &Plan, samples: usize, rows: bool) -> Self {
        let shape = TileShape { samples, sites: program.sites(), elements: program.network().elements() };
        let columns = shape.columns();
        let zeros = |n: usize| vec![T::ZERO; n];
        let network = program.network();
        let splines = network.ops.iter().enumerate().map(|(node, op)| match op {
            Op::SplineLinear { x, .. } => network.widths[node] * network.widths[*x],
            _ => 0,
        });
        let spline_grad = splines.max().unwrap_or(0) * if rows { samples } else { 1 };
        let channels = plan.channels.len();
        let field_slots =
            plan.nodes.iter().map(|n| if let Rule::Field { tape, .. } = &n.rule { tape.slots() } else { 0 });
        let attends = network.ops.iter().any(|op| matches!(op, Op::Attention { .. }));
        let sizes = Sizes { samples, sites: shape.sites, elements: shape.elements, channels };
        let splines = network.ops.iter().any(|op| matches!(op, Op::Spline { .. }));
        let scratch = (2 * plan.tower + 6)
            .max(field_slots.max().unwrap_or(0))
            .max(if splines { spline::scratch(plan.tower) } else { 0 })
            .saturating_mul(columns)
            .max(if attends { sizes.scratch() } else { 0 });
        let (sequence, room) = match program.sequence() {
            Some(sequence) => Buffers::new(network, sequence, samples, shape.sites),
            None => (Buffers::none(), 0),
        };
        Self {
            shape,
            values: plan.nodes.iter().map(|n| zeros(n.width * n.full * columns)).collect(),
            uniforms: plan.nodes.iter().map(|n| zeros(n.width * n.uniform)).collect(),
            adjoints: plan.adjoint_sizes.iter().map(|s| zeros(s * columns)).collect(),
            uniform_adjoints: plan.nodes.iter().map(|n| zeros(n.width * n.uniform)).collect(),
            fresh: vec![true; plan.nodes.len()],
            spline_grad: zeros(spline_grad),
            coords: zeros(network.coordinates() * columns),
            data: zeros(program.data_columns() * samples),
            coef_slots: zeros(program.coef_tape().slots() * samples),
            coefs: zeros(program.coef_tape().outputs() * columns),
            slots: zeros(program.tape().slots() * samples),
            slot_adjoints: zeros(program.tape().slots() * samples),
            scratch: zeros(scratch.max(room)),
            sequence,
            work: Workspace::default(),
        }
    }

    /// Loads `valid` samples of (points, data) starting at `first`, padded to `samples` by repeating the last one.
    pub fn load(&mut self, program: &Program, given: (&[f64], &[f64]), first: usize, valid: usize, samples: usize) {
        let (points, data) = given;
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
    pub fn forward(&mut self, program: &Program, plan: &Plan, parameters: &Parameters<T>) {
        if let Some(sequence) = program.sequence() {
            return self.sequence_forward(program, sequence, parameters);
        }
        self.coefficients(program);
        for node in 0..plan.nodes.len() {
            let mut y = take(&mut self.values[node]);
            let mut yu = take(&mut self.uniforms[node]);
            self.forward_node(program, plan, node, parameters, &mut y, &mut yu);
            self.values[node] = y;
            self.uniforms[node] = yu;
        }
        self.residual_forward(program, plan, &parameters.theta);
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

    fn forward_node(
        &mut self,
        program: &Program,
        plan: &Plan,
        node: usize,
        parameters: &Parameters<T>,
        y: &mut [T],
        yu: &mut [T],
    ) {
        let ys = self.side(plan, node);
        let op = &program.network().ops[node];
        match &plan.nodes[node].rule {
            Rule::Input { seeds } => self.input_forward(plan.nodes[node].planes[0], seeds, y, yu, ys),
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
                let xs = self.side(plan, x);
                let (input, output) = ((&*self.values[x], &*self.uniforms[x], xs), (y, yu, ys));
                linear::forward(linear_plan, parameters.map(node), input, output, &mut self.work);
            }
            Rule::Activate(a) => {
                let (values, xs) = (&*self.values[a.x], self.side(plan, a.x));
                let (coefs, scratch) = (&*self.coefs, &mut *self.scratch);
                if let Op::Spline { basis, .. } = op {
                    spline::forward(a, basis, (values, xs), (y, ys), coefs, scratch);
                } else {
                    let input = (values, &*self.uniforms[a.x], xs);
                    activation::forward(a, shape_of(op, &parameters.theta), input, (y, ys), coefs, scratch);
                }
            }
            Rule::Product(p) => {
                let part = |node: usize| (&*self.values[node], self.side(plan, node));
                let plus = p.plus.as_ref().map(|plus| {
                    let (values, side) = part(plus.node);
                    Plus { values, side, planes: &plus.to }
                });
                combine::products(&p.terms, part(p.a), part(p.b), plus, (y, ys), &self.coefs, true);
            }
            Rule::Sum(sum) => {
                for (position, SumPart { node: part, first_unit, to, .. }) in sum.parts.iter().enumerate() {
                    let sp = self.side(plan, *part);
                    let is_first = position == 0 || *first_unit > 0;
                    combine::transfer(to, sp.units, (&self.values[*part], sp, 0), (y, ys, *first_unit), is_first);
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

    /// Channel 0 is the coordinate, if anybody reads it; every other channel is the operator applied to it.
    fn input_forward(&self, value: Plane, seeds: &[Seed], y: &mut [T], yu: &mut [T], ys: Side) {
        let columns = ys.columns;
        y[..ys.units * ys.full * columns].fill(T::ZERO);
        yu.fill(T::ZERO);
        if let Plane::Full(plane) = value {
            for axis in 0..ys.units {
                let target = &mut y[(axis * ys.full + plane) * columns..][..columns];
                target.copy_from_slice(&self.coords[axis * columns..][..columns]);
            }
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

pub(super) fn shape_of<T: Real>(op: &Op, theta: &[T]) -> Shape<T> {
    match op {
        Op::Wave { sine, cosine, .. } => Shape::Wave([theta[*sine], theta[*cosine]]),
        Op::Activate { kind, .. } => Shape::Fixed(*kind),
        _ => Shape::Fixed(crate::network::Activation::Identity),
    }
}
