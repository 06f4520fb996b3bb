//! Every operation of a network as operators. Values are `[point][unit]`, or `[point][element][unit]` in networks over sequences; operators
//! act on the last axis, so that both are written the same way.

use super::expressions;
use super::graph::{Attribute, Graph, Value};
use crate::error::ExportError;
use ropinn_engine::{Activation, Bias, Network, Op, SplineBasis, Weights};

const LAST: Attribute<'static> = Attribute::Int("axis", -1);

/// Writes a network into a graph.
pub struct Writer<'a> {
    graph: &'a mut Graph,
    network: &'a Network,
    theta: &'a [f64],
    /// The coordinates.
    input: Value,
    /// What each node of the network has become.
    values: Vec<Value>,
}

impl<'a> Writer<'a> {
    pub fn new(graph: &'a mut Graph, network: &'a Network, theta: &'a [f64], input: Value) -> Self {
        Self { graph, network, theta, input, values: Vec::new() }
    }

    /// The unknowns.
    pub fn output(&mut self) -> Result<Value, ExportError> {
        for (node, operation) in self.network.operations().iter().enumerate() {
            let value = self.operation(node, operation)?;
            self.values.push(value);
        }
        Ok(self.values[self.network.output()].clone())
    }

    fn operation(&mut self, node: usize, operation: &Op) -> Result<Value, ExportError> {
        let width = self.network.width(node);
        let of = |operand: &usize| self.values[*operand].clone();
        Ok(match operation {
            Op::Input => self.input.clone(),
            Op::Field { functions } => expressions::field(self.graph, functions, &self.input)?,
            Op::Linear { x, weights, bias } => {
                let (value, columns) = (of(x), self.network.width(*x));
                let weights = match weights {
                    Weights::Trained(at) => &self.theta[*at..at + width * columns],
                    Weights::Fixed(numbers) => numbers,
                };
                let product = self.product(&value, weights, columns);
                let bias = match bias {
                    Bias::None => return Ok(product),
                    Bias::Trained(at) => &self.theta[*at..at + width],
                    Bias::Fixed(numbers) => numbers,
                };
                let bias = self.graph.numbers(&[width], bias);
                self.graph.apply("Add", &[&product, &bias])
            }
            Op::Activate { x, kind } => activated(self.graph, *kind, &of(x)),
            Op::Wave { x, sine, cosine } => {
                let x = of(x);
                let [sine, cosine] = [("Sin", sine), ("Cos", cosine)].map(|(function, at)| {
                    let (value, factor) = (self.graph.apply(function, &[&x]), self.graph.scalar(self.theta[*at]));
                    self.graph.apply("Mul", &[&value, &factor])
                });
                self.graph.apply("Add", &[&sine, &cosine])
            }
            Op::Mul { a, b } => {
                let (a, b) = (of(a), of(b));
                self.graph.apply("Mul", &[&a, &b])
            }
            Op::Sum { parts } => {
                self.graph.apply("Sum", &parts.iter().map(|part| &self.values[*part]).collect::<Vec<_>>())
            }
            Op::Concat { parts } => {
                self.graph.node("Concat", &parts.iter().map(|part| &self.values[*part]).collect::<Vec<_>>(), &[LAST])
            }
            Op::Attention { q, k, v, heads } => {
                let operands = [of(q), of(k), of(v)];
                self.attention(&operands, *heads, width / heads)
            }
            Op::Spline { x, basis } => {
                let (value, units) = (of(x), self.network.width(*x));
                self.splines(&value, units, basis)
            }
            Op::SplineLinear { x, coefficients, scales, bases } => {
                let (value, columns) = (of(x), self.network.width(*x));
                let (coefficients, scales) = (&self.theta[*coefficients..], &self.theta[*scales..]);
                let weights: Vec<f64> = (0..width * columns).map(|k| coefficients[k] * scales[k / bases]).collect();
                self.product(&value, &weights, columns)
            }
        })
    }

    /// x Wᵀ, W as rows of so many columns.
    fn product(&mut self, x: &Value, weights: &[f64], columns: usize) -> Value {
        let rows = weights.len() / columns;
        let turned: Vec<f64> = (0..weights.len()).map(|k| weights[k % rows * columns + k / rows]).collect();
        let turned = self.graph.numbers(&[columns, rows], &turned);
        self.graph.apply("MatMul", &[x, &turned])
    }

    /// Softmax(q kᵀ/√d) v for each head; heads lie side by side in the units.
    fn attention(&mut self, operands: &[Value; 3], heads: usize, units: usize) -> Value {
        let elements = self.network.elements() as i64;
        let split = self.graph.wholes(&[4], &[-1, elements, heads as i64, units as i64]);
        let joined = self.graph.wholes(&[3], &[-1, elements, (heads * units) as i64]);
        let turned = |graph: &mut Graph, value: &Value, order: [i64; 4]| {
            let parts = graph.apply("Reshape", &[value, &split]);
            graph.node("Transpose", &[&parts], &[Attribute::Ints("perm", &order)])
        };
        let [q, k, v] = operands;
        let q = turned(self.graph, q, [0, 2, 1, 3]);
        let k = turned(self.graph, k, [0, 2, 3, 1]);
        let v = turned(self.graph, v, [0, 2, 1, 3]);
        let scores = self.graph.apply("MatMul", &[&q, &k]);
        let size = self.graph.scalar((units as f64).sqrt().recip());
        let scores = self.graph.apply("Mul", &[&scores, &size]);
        let shares = self.graph.node("Softmax", &[&scores], &[LAST]);
        let mixed = self.graph.apply("MatMul", &[&shares, &v]);
        let mixed = self.graph.node("Transpose", &[&mixed], &[Attribute::Ints("perm", &[0, 2, 1, 3])]);
        self.graph.apply("Reshape", &[&mixed, &joined])
    }

    /// All basis functions of all units. Each is the cardinal spline `M_p(y)`, y counted in knots from where it begins, symmetric
    /// about (p + 1)/2; with z = min(y, p + 1 − y), `p! M_p = Σ_j (−1)^j C(p+1, j) max(z − j, 0)^p` over j ≤ (p + 1)/2: no large
    /// numbers cancel, and outside the support nothing is left.
    fn splines(&mut self, x: &Value, units: usize, basis: &SplineBasis) -> Value {
        let (graph, degree) = (&mut *self.graph, basis.degree());
        let end = graph.wholes(&[1], &[-1]);
        let x = graph.apply("Unsqueeze", &[x, &end]);
        let (starts, step): (Vec<f64>, f64) = ((0..basis.len()).map(|c| basis.knots(c).0).collect(), basis.knots(0).1);
        let (starts, inverse) = (graph.numbers(&[basis.len()], &starts), graph.scalar(step.recip()));
        let past = graph.apply("Sub", &[&x, &starts]);
        let y = graph.apply("Mul", &[&past, &inverse]);
        let support = graph.scalar((degree + 1) as f64);
        let rest = graph.apply("Sub", &[&support, &y]);
        let z = graph.apply("Min", &[&y, &rest]);
        let (mut factor, mut parts) = ((1..=degree).map(|k| k as f64).product::<f64>().recip(), Vec::new());
        for j in 0..=degree.div_ceil(2) {
            let shift = graph.scalar(j as f64);
            let shifted = graph.apply("Sub", &[&z, &shift]);
            let positive = graph.apply("Relu", &[&shifted]);
            let power = (1..degree).fold(positive.clone(), |power, _| graph.apply("Mul", &[&power, &positive]));
            let weight = graph.scalar(factor);
            parts.push(graph.apply("Mul", &[&power, &weight]));
            factor *= -((degree + 1 - j) as f64) / (j + 1) as f64;
        }
        let bases = graph.apply("Sum", &parts.iter().collect::<Vec<_>>());
        // [.., unit, base] to [.., unit·bases + base].
        let elements = self.network.elements();
        let flat = (units * basis.len()) as i64;
        let shape = if elements == 1 { vec![-1, flat] } else { vec![-1, elements as i64, flat] };
        let shape = graph.wholes(&[shape.len()], &shape);
        graph.apply("Reshape", &[&bases, &shape])
    }
}

/// σ(z).
fn activated(graph: &mut Graph, kind: Activation, z: &Value) -> Value {
    match kind {
        Activation::Tanh => graph.apply("Tanh", &[z]),
        Activation::Sigmoid => graph.apply("Sigmoid", &[z]),
        Activation::Sin => graph.apply("Sin", &[z]),
        Activation::Cos => graph.apply("Cos", &[z]),
        Activation::Exp => graph.apply("Exp", &[z]),
        Activation::Identity => z.clone(),
        Activation::Silu => {
            let gate = graph.apply("Sigmoid", &[z]);
            graph.apply("Mul", &[z, &gate])
        }
        // z (1 + erf(z/√2))/2.
        Activation::Gelu => {
            let (scale, one, half) = (graph.scalar(0.5_f64.sqrt()), graph.scalar(1.0), graph.scalar(0.5));
            let scaled = graph.apply("Mul", &[z, &scale]);
            let error = graph.apply_single("Erf", &scaled);
            let shifted = graph.apply("Add", &[&error, &one]);
            let share = graph.apply("Mul", &[&shifted, &half]);
            graph.apply("Mul", &[z, &share])
        }
        // max(z, 0) + ln(1 + e^−|z|).
        Activation::Softplus => {
            let (one, size) = (graph.scalar(1.0), graph.apply("Abs", &[z]));
            let negative = graph.apply("Neg", &[&size]);
            let small = graph.apply("Exp", &[&negative]);
            let sum = graph.apply("Add", &[&one, &small]);
            let (log, positive) = (graph.apply("Log", &[&sum]), graph.apply("Relu", &[z]));
            graph.apply("Add", &[&positive, &log])
        }
        Activation::Gaussian => {
            let (square, factor) = (graph.apply("Mul", &[z, z]), graph.scalar(-0.5));
            let exponent = graph.apply("Mul", &[&square, &factor]);
            graph.apply("Exp", &[&exponent])
        }
    }
}
