//! Building a network node by node, with every mismatch caught where it is made.

use super::{Bias, Network, NodeId, Op, Param, ParamLayout, SplineBasis, Weights};
use crate::error::{EngineError, Result};
use ropinn_expr::Expr;
use ropinn_vmath::Activation;

/// Builds a [`Network`].
///
/// ```
/// use ropinn_engine::{Activation, NetworkBuilder};
/// let mut net = NetworkBuilder::new(2);
/// let x = net.input();
/// let z = net.linear("linear.0", x, 16)?;
/// let h = net.activate(Activation::Tanh, z)?;
/// let u = net.linear("linear.2", h, 1)?;
/// let net = net.build(u)?;
/// assert_eq!(net.parameters(), 2 * 16 + 16 + 16 + 1);
/// # Ok::<(), ropinn_engine::EngineError>(())
/// ```
#[derive(Clone, Debug)]
pub struct NetworkBuilder {
    ops: Vec<Op>,
    widths: Vec<usize>,
    layout: ParamLayout,
    coordinates: usize,
    elements: usize,
    front: NodeId,
    /// What the names of parameters begin with.
    prefix: String,
    /// So many of the first parameters are not trained.
    frozen: usize,
}

impl NetworkBuilder {
    /// A network over `coordinates` inputs.
    pub fn new(coordinates: usize) -> Self {
        Self::sequence(coordinates, 1)
    }

    /// A network over pseudo-sequences: each sample is `elements` points that attention may mix.
    pub fn sequence(coordinates: usize, elements: usize) -> Self {
        Self {
            ops: vec![Op::Input],
            widths: vec![coordinates],
            layout: ParamLayout::default(),
            coordinates,
            elements: elements.max(1),
            front: NodeId(0),
            prefix: String::new(),
            frozen: 0,
        }
    }

    /// Freezes all parameters there are so far: they stay in θ and in weights, and their slopes are zero.
    ///
    /// ```
    /// use ropinn_engine::{Activation, NetworkBuilder};
    /// let mut net = NetworkBuilder::new(2);
    /// let z = net.linear("features", net.input(), 100)?;
    /// net.freeze();
    /// let phi = net.activate(Activation::Sin, z)?;
    /// let u = net.linear("out", phi, 1)?;
    /// let net = net.build(u)?;
    /// assert_eq!((net.parameters(), net.frozen()), (300 + 101, 300));
    /// # Ok::<(), ropinn_engine::EngineError>(())
    /// ```
    pub fn freeze(&mut self) {
        self.frozen = self.layout.len();
    }

    /// What a linear map is applied to, if the node is one.
    pub fn operand_of_linear(&self, node: NodeId) -> Option<NodeId> {
        match &self.ops[node.0] {
            Op::Linear { x, .. } => Some(NodeId(*x)),
            _ => None,
        }
    }

    /// What the network begins with: the coordinates, unless [`Self::embed_periods`] has put something in their place.
    pub fn input(&self) -> NodeId {
        self.front
    }

    /// Makes the network periodic in some coordinates: `(low, high)` of such a coordinate is one period, and
    /// `sin ωx, cos ωx` with ω = 2π/(high − low) take its place in [`Self::input`]. Whatever is built on that has the same
    /// values and derivatives of every order at both ends.
    pub fn embed_periods(&mut self, periods: &[Option<(f64, f64)>]) -> Result<NodeId> {
        let (x, n) = (self.front, self.width(self.front));
        if periods.len() != n {
            return Err(EngineError::RangeCount { expected: n, found: periods.len() });
        }
        let mut parts = Vec::new();
        for (i, period) in periods.iter().enumerate() {
            let mut row = vec![0.0; n];
            let Some((low, high)) = *period else {
                row[i] = 1.0;
                parts.push(self.fixed_linear(x, row, vec![0.0])?);
                continue;
            };
            if !(low < high && (high - low).is_finite()) {
                return Err(EngineError::EmptyRange { coordinate: i, low, high });
            }
            row[i] = std::f64::consts::TAU / (high - low);
            let phase = self.fixed_linear(x, row.clone(), vec![-row[i] * low])?;
            parts.extend([self.activate(Activation::Sin, phase)?, self.activate(Activation::Cos, phase)?]);
        }
        self.front = self.concat(&parts)?;
        Ok(self.front)
    }

    /// Number of coordinates.
    pub fn coordinates(&self) -> usize {
        self.coordinates
    }

    /// Width of a node.
    pub fn width(&self, node: NodeId) -> usize {
        self.widths[node.0]
    }

    fn push(&mut self, op: Op, width: usize) -> NodeId {
        self.ops.push(op);
        self.widths.push(width);
        NodeId(self.ops.len() - 1)
    }

    /// What the names of all further parameters begin with, such as `pieces.0.`; nothing unless said.
    pub fn prefix_names(&mut self, prefix: impl Into<String>) {
        self.prefix = prefix.into();
    }

    /// What they begin with now.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Adds a named parameter tensor to θ.
    pub fn param(&mut self, name: impl Into<String>, shape: &[usize]) -> Result<Param> {
        let name = self.prefix.clone() + &name.into();
        if self.layout.get(&name).is_some() {
            return Err(EngineError::DuplicateParameter { name });
        }
        if shape.contains(&0) {
            return Err(EngineError::ZeroWidth { node: name });
        }
        Ok(self.layout.push(name, shape.to_vec()))
    }

    /// `y = W x + b` with new tensors `<name>.weight` (out × in) and `<name>.bias` (out).
    pub fn linear(&mut self, name: &str, x: NodeId, out: usize) -> Result<NodeId> {
        let weight = self.param(format!("{name}.weight"), &[out, self.width(x)])?;
        let bias = self.param(format!("{name}.bias"), &[out])?;
        self.linear_with(x, weight, Some(bias))
    }

    /// `y = W x + b` on existing parameters; `weight` holds `out × in` numbers row by row.
    pub fn linear_with(&mut self, x: NodeId, weight: Param, bias: Option<Param>) -> Result<NodeId> {
        let inputs = self.width(x);
        let out = weight.len / inputs.max(1);
        if out == 0 || out * inputs != weight.len {
            return Err(EngineError::WeightShape { inputs, entries: weight.len });
        }
        if let Some(bias) = bias.filter(|b| b.len != out) {
            return Err(EngineError::BiasShape { outputs: out, entries: bias.len });
        }
        let bias = bias.map_or(Bias::None, |b| Bias::Trained(b.offset));
        Ok(self.push(Op::Linear { x: x.0, weights: Weights::Trained(weight.offset), bias }, out))
    }

    /// `y = W x + b` with fixed numbers: `weights` holds `out × in` numbers row by row, `bias` `out` numbers.
    pub fn fixed_linear(&mut self, x: NodeId, weights: Vec<f64>, bias: Vec<f64>) -> Result<NodeId> {
        let inputs = self.width(x);
        let out = weights.len() / inputs.max(1);
        if out == 0 || out * inputs != weights.len() {
            return Err(EngineError::WeightShape { inputs, entries: weights.len() });
        }
        if bias.len() != out {
            return Err(EngineError::BiasShape { outputs: out, entries: bias.len() });
        }
        if let Some(index) = weights.iter().chain(&bias).position(|v| !v.is_finite()) {
            return Err(EngineError::NonFiniteConstant { node: "fixed linear map".into(), index });
        }
        Ok(self.push(Op::Linear { x: x.0, weights: Weights::Fixed(weights), bias: Bias::Fixed(bias) }, out))
    }

    /// Input normalisation: maps each coordinate from `[low, high]` to `[−1, 1]`.
    pub fn normalise(&mut self, x: NodeId, ranges: &[(f64, f64)]) -> Result<NodeId> {
        let n = self.width(x);
        if ranges.len() != n {
            return Err(EngineError::RangeCount { expected: n, found: ranges.len() });
        }
        let mut weights = vec![0.0; n * n];
        let mut bias = vec![0.0; n];
        for (i, &(low, high)) in ranges.iter().enumerate() {
            if !(low < high && (high - low).is_finite()) {
                return Err(EngineError::EmptyRange { coordinate: i, low, high });
            }
            weights[i * n + i] = 2.0 / (high - low);
            bias[i] = -(high + low) / (high - low);
        }
        self.fixed_linear(x, weights, bias)
    }

    /// Random Fourier features `[sin(2πBx), cos(2πBx)]`; `frequencies` holds B row by row.
    pub fn fourier_features(&mut self, x: NodeId, frequencies: &[f64]) -> Result<NodeId> {
        let weights: Vec<f64> = frequencies.iter().map(|f| f * std::f64::consts::TAU).collect();
        let rows = weights.len() / self.width(x).max(1);
        let phase = self.fixed_linear(x, weights, vec![0.0; rows])?;
        let sine = self.activate(Activation::Sin, phase)?;
        let cosine = self.activate(Activation::Cos, phase)?;
        self.concat(&[sine, cosine])
    }

    /// `y = σ(x)` element by element.
    pub fn activate(&mut self, kind: Activation, x: NodeId) -> Result<NodeId> {
        Ok(self.push(Op::Activate { x: x.0, kind }, self.width(x)))
    }

    /// `y = ω₁ sin x + ω₂ cos x` with new scalars `<name>.w1` and `<name>.w2` (PINNsFormer's Wavelet activation).
    pub fn wave(&mut self, name: &str, x: NodeId) -> Result<NodeId> {
        let sine = self.param(format!("{name}.w1"), &[1])?.offset;
        let cosine = self.param(format!("{name}.w2"), &[1])?.offset;
        Ok(self.push(Op::Wave { x: x.0, sine, cosine }, self.width(x)))
    }

    /// `y = a ⊙ b`.
    pub fn mul(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        self.same_width("product", &[a, b])?;
        Ok(self.push(Op::Mul { a: a.0, b: b.0 }, self.width(a)))
    }

    /// `y = Σ parts`.
    pub fn sum(&mut self, parts: &[NodeId]) -> Result<NodeId> {
        self.same_width("sum", parts)?;
        let width = self.width(parts[0]);
        Ok(self.push(Op::Sum { parts: parts.iter().map(|p| p.0).collect() }, width))
    }

    /// The parts one after another.
    pub fn concat(&mut self, parts: &[NodeId]) -> Result<NodeId> {
        if parts.is_empty() {
            return Err(EngineError::NoOperands { operation: "concatenation" });
        }
        let width = parts.iter().map(|&p| self.width(p)).sum();
        Ok(self.push(Op::Concat { parts: parts.iter().map(|p| p.0).collect() }, width))
    }

    /// Multi-head attention over the sequence elements: `softmax(q kᵀ/√d) v`, heads side by side.
    pub fn attention(&mut self, q: NodeId, k: NodeId, v: NodeId, heads: usize) -> Result<NodeId> {
        self.same_width("attention", &[q, k, v])?;
        let width = self.width(q);
        if heads == 0 || !width.is_multiple_of(heads) {
            return Err(EngineError::Heads { width, heads });
        }
        Ok(self.push(Op::Attention { q: q.0, k: k.0, v: v.0, heads }, width))
    }

    /// All basis functions of all units: width `in · basis.len()`.
    pub fn spline(&mut self, x: NodeId, basis: SplineBasis) -> Result<NodeId> {
        let width = self.width(x) * basis.len();
        Ok(self.push(Op::Spline { x: x.0, basis }, width))
    }

    /// `y_j = Σ_i s_{ji} Σ_c C_{jic} B_c(x_i)` on the output of [`Self::spline`].
    pub fn spline_linear(&mut self, x: NodeId, coefficients: Param, scales: Param, bases: usize) -> Result<NodeId> {
        let inputs = self.width(x) / bases.max(1);
        let out = scales.len / inputs.max(1);
        if out == 0 || inputs * bases != self.width(x) || out * inputs != scales.len {
            return Err(EngineError::WeightShape { inputs, entries: scales.len });
        }
        if coefficients.len != scales.len * bases {
            return Err(EngineError::WeightShape { inputs: inputs * bases, entries: coefficients.len });
        }
        let op = Op::SplineLinear { x: x.0, coefficients: coefficients.offset, scales: scales.offset, bases };
        Ok(self.push(op, out))
    }

    /// Closed-form functions of the coordinates, one unit each.
    pub fn field(&mut self, functions: Vec<Expr>) -> Result<NodeId> {
        if functions.is_empty() {
            return Err(EngineError::NoOperands { operation: "field" });
        }
        for function in &functions {
            if function.depends_on_unknowns() || function.depends_on_trainables() || function.max_site() > 0 {
                return Err(EngineError::FieldNotClosed { function: function.to_string() });
            }
        }
        let width = functions.len();
        Ok(self.push(Op::Field { functions }, width))
    }

    /// Hard constraint `u = g(x) + d(x)·N(x)`, one `g` and one `d` per output of `net`.
    pub fn hard_constraint(&mut self, net: NodeId, g: Vec<Expr>, d: Vec<Expr>) -> Result<NodeId> {
        let offset = self.field(g)?;
        let distance = self.field(d)?;
        let shaped = self.mul(distance, net)?;
        self.sum(&[offset, shaped])
    }

    fn same_width(&self, operation: &'static str, parts: &[NodeId]) -> Result {
        let Some(&first) = parts.first() else {
            return Err(EngineError::NoOperands { operation });
        };
        match parts.iter().find(|&&p| self.width(p) != self.width(first)) {
            Some(&other) => {
                Err(EngineError::WidthMismatch { operation, left: self.width(first), right: self.width(other) })
            }
            None => Ok(()),
        }
    }

    /// Finishes the network with `output` as the unknowns.
    pub fn build(self, output: NodeId) -> Result<Network> {
        if self.layout.is_empty() {
            return Err(EngineError::NoParameters);
        }
        if self.coordinates == 0 {
            return Err(EngineError::ZeroWidth { node: "input".into() });
        }
        Ok(Network {
            ops: self.ops,
            widths: self.widths,
            output: output.0,
            coordinates: self.coordinates,
            elements: self.elements,
            infinitesimal: None,
            layout: self.layout,
            frozen: self.frozen,
        })
    }
}
