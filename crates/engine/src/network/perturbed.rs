//! A network along a line in parameter space, as a network with one more coordinate.
//!
//! N(x, ε; θ, v) has every parameter p of N(x; θ) replaced by p + ε p', p' being the matching entry of v. ε is the last
//! coordinate and always 0 at the points: ∂_ε is then the derivative along v, and it mixes with coordinate derivatives like
//! any other (Pearlmutter, "Fast exact multiplication by the Hessian", 1994, in the engine's own channels). A linear map
//! W x + b becomes W x + b + ε ⊙ (V x + c). Terms of order ε² have no effect at ε = 0 and are left out.

use super::{Bias, Network, Op, ParamLayout, Weights};
use crate::error::{EngineError, Result};
use ropinn_expr::{Expr, MAX_COORDS};

impl Network {
    /// The network with parameters `[θ; v]` and one more, last coordinate ε that stands for θ + εv and must be 0 at every
    /// point.
    ///
    /// ```
    /// use ropinn_engine::NetworkBuilder;
    /// let mut net = NetworkBuilder::new(2);
    /// let u = net.linear("out", net.input(), 1)?;
    /// let along = net.build(u)?.perturbed()?; // w·x + b + ε (v·x + c)
    /// assert_eq!((along.coordinates(), along.parameters()), (3, 2 * 3));
    /// # Ok::<(), ropinn_engine::EngineError>(())
    /// ```
    pub fn perturbed(&self) -> Result<Network> {
        let (elements, coordinates, max) = (self.elements, self.coordinates, MAX_COORDS);
        if coordinates > max {
            return Err(EngineError::TooManyCoordinates { coordinates, max });
        }
        let mut rewriting = Rewriting::new(self);
        for (op, &width) in self.ops.iter().zip(&self.widths) {
            rewriting.add(op, width);
        }
        Ok(Network {
            output: rewriting.place_of[self.output],
            ops: rewriting.ops,
            widths: rewriting.widths,
            coordinates: coordinates + 1,
            elements,
            infinitesimal: Some(coordinates),
            layout: doubled(&self.layout),
            frozen: self.frozen,
        })
    }

    /// An expression where the infinitesimal coordinate is zero.
    pub(crate) fn at_rest(&self, expr: Expr) -> Expr {
        match self.infinitesimal {
            Some(axis) if expr.depends_on_coords() => {
                let zero = std::iter::once(Expr::constant(0.0));
                expr.substitute_coords(&(0..axis).map(Expr::coord).chain(zero).collect::<Vec<_>>())
            }
            _ => expr,
        }
    }
}

/// The tensors of θ, then those of v under names of their own.
fn doubled(layout: &ParamLayout) -> ParamLayout {
    let mut both = layout.clone();
    for tensor in layout.tensors() {
        both.push(format!("direction.{}", tensor.name), tensor.shape.clone());
    }
    both
}

/// Operations of the perturbed network so far, and where those of the original went.
struct Rewriting {
    ops: Vec<Op>,
    widths: Vec<usize>,
    place_of: Vec<usize>,
    /// ε broadcast to each width that was asked for, and its node.
    epsilons: Vec<(usize, usize)>,
    coordinates: usize,
    parameters: usize,
}

impl Rewriting {
    fn new(network: &Network) -> Self {
        let (coordinates, parameters) = (network.coordinates, network.parameters());
        let (ops, widths) = (vec![Op::Input], vec![coordinates + 1]);
        Self { ops, widths, place_of: Vec::new(), epsilons: Vec::new(), coordinates, parameters }
    }

    fn push(&mut self, op: Op, width: usize) -> usize {
        self.ops.push(op);
        self.widths.push(width);
        self.ops.len() - 1
    }

    /// Adds an operation of the original network, perturbed.
    fn add(&mut self, op: &Op, width: usize) {
        let at = |x: &usize| self.place_of[*x];
        let moved = match op {
            Op::Input => self.without_epsilon(),
            Op::Field { functions } => Op::Field { functions: functions.clone() },
            Op::Linear { x, weights, bias } => Op::Linear { x: at(x), weights: weights.clone(), bias: bias.clone() },
            Op::Activate { x, kind } => Op::Activate { x: at(x), kind: *kind },
            Op::Wave { x, sine, cosine } => Op::Wave { x: at(x), sine: *sine, cosine: *cosine },
            Op::Mul { a, b } => Op::Mul { a: at(a), b: at(b) },
            Op::Sum { parts } => Op::Sum { parts: parts.iter().map(at).collect() },
            Op::Concat { parts } => Op::Concat { parts: parts.iter().map(at).collect() },
            Op::Attention { q, k, v, heads } => Op::Attention { q: at(q), k: at(k), v: at(v), heads: *heads },
            Op::Spline { x, basis } => Op::Spline { x: at(x), basis: *basis },
            &Op::SplineLinear { ref x, coefficients, scales, bases } => {
                Op::SplineLinear { x: at(x), coefficients, scales, bases }
            }
        };
        let slopes = self.slopes(&moved, width);
        let value = self.push(moved, width);
        let place = if slopes.is_empty() { value } else { self.plus_epsilon_times(value, slopes, width) };
        self.place_of.push(place);
    }

    /// The original coordinates.
    fn without_epsilon(&self) -> Op {
        let (rows, columns) = (self.coordinates, self.coordinates + 1);
        let mut identity = vec![0.0; rows * columns];
        (0..rows).for_each(|axis| identity[axis * columns + axis] = 1.0);
        Op::Linear { x: 0, weights: Weights::Fixed(identity), bias: Bias::None }
    }

    /// Operations that add up to the derivative of `op` along the direction at fixed operands; none for operations without
    /// trained parameters.
    fn slopes(&self, op: &Op, width: usize) -> Vec<Op> {
        let shift = self.parameters;
        match *op {
            Op::Linear { x, ref weights, ref bias } => {
                let weights = match weights {
                    Weights::Trained(offset) => Some(Weights::Trained(offset + shift)),
                    Weights::Fixed(_) => None,
                };
                let bias = match bias {
                    Bias::Trained(offset) => Some(Bias::Trained(offset + shift)),
                    Bias::None | Bias::Fixed(_) => None,
                };
                if weights.is_none() && bias.is_none() {
                    return Vec::new();
                }
                let weights = weights.unwrap_or_else(|| Weights::Fixed(vec![0.0; width * self.widths[x]]));
                vec![Op::Linear { x, weights, bias: bias.unwrap_or(Bias::None) }]
            }
            Op::Wave { x, sine, cosine } => vec![Op::Wave { x, sine: sine + shift, cosine: cosine + shift }],
            // (s C)' = s C' + s' C.
            Op::SplineLinear { x, coefficients, scales, bases } => vec![
                Op::SplineLinear { x, coefficients: coefficients + shift, scales, bases },
                Op::SplineLinear { x, coefficients, scales: scales + shift, bases },
            ],
            _ => Vec::new(),
        }
    }

    /// value + ε ⊙ Σ slopes.
    fn plus_epsilon_times(&mut self, value: usize, slopes: Vec<Op>, width: usize) -> usize {
        let mut parts: Vec<usize> = slopes.into_iter().map(|slope| self.push(slope, width)).collect();
        let slope = if parts.len() == 1 { parts.remove(0) } else { self.push(Op::Sum { parts }, width) };
        let epsilon = self.epsilon(width);
        let moved = self.push(Op::Mul { a: epsilon, b: slope }, width);
        self.push(Op::Sum { parts: vec![value, moved] }, width)
    }

    fn epsilon(&mut self, width: usize) -> usize {
        if let Some((_, node)) = self.epsilons.iter().find(|(known, _)| *known == width) {
            return *node;
        }
        let functions = vec![Expr::coord(self.coordinates); width];
        let node = self.push(Op::Field { functions }, width);
        self.epsilons.push((width, node));
        node
    }
}
