//! Networks of every kind the engine knows, with random numbers inside, for tests that compare with differences.
#![allow(dead_code, reason = "each test binary uses its own part")]

use ropinn_engine::{
    Activation, Evaluator, Network, NetworkBuilder, Precision, Program, Samples, SplineBasis, TermSpec, Threads,
};
use ropinn_expr::{Expr, MultiIndex, Scope};
use std::sync::Arc;

pub type Fallible<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Small deterministic generator (SplitMix64): uniform in (−1, 1).
pub struct Draw(pub u64);

impl Draw {
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// A whole number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.uniform() + 1.0) / 2.0 * n as f64) as usize % n
    }

    pub fn many(&mut self, n: usize, scale: f64) -> Vec<f64> {
        (0..n).map(|_| scale * self.uniform()).collect()
    }
}

/// The kinds of network in the zoo.
pub const KINDS: [&str; 17] = [
    "tanh",
    "sigmoid",
    "sin",
    "cos",
    "silu",
    "gelu",
    "softplus",
    "wave",
    "product",
    "attention",
    "decoder",
    "spline",
    "fourier",
    "normalised",
    "hard",
    "two-outputs",
    "pieces",
];

/// Where the pieces of the network in pieces meet, along t.
pub const ENDS: [f64; 2] = [-0.3, 0.35];

/// Highest derivative order a kind supports in these tests.
pub fn max_order(kind: &str) -> usize {
    if kind == "spline" { 2 } else { 4 }
}

pub fn network(kind: &str, draw: &mut Draw) -> Fallible<Arc<Network>> {
    let mut net =
        if matches!(kind, "attention" | "decoder") { NetworkBuilder::sequence(2, 3) } else { NetworkBuilder::new(2) };
    let x = net.input();
    let activation = |kind: &str| kind.parse::<Activation>();
    let out = match kind {
        "wave" => {
            let z = net.linear("a", x, 4)?;
            let h = net.wave("act1", z)?;
            let z = net.linear("b", h, 3)?;
            let h = net.wave("act2", z)?;
            net.linear("c", h, 1)?
        }
        "product" => {
            let (p, q) = (net.linear("h1", x, 4)?, net.linear("h2", x, 4)?);
            let product = net.mul(q, p)?;
            let sum = net.sum(&[product, p])?;
            let h = net.activate(Activation::Sigmoid, sum)?;
            let (p, q) = (net.linear("h3", h, 3)?, net.linear("h4", h, 3)?);
            let product = net.mul(q, p)?;
            let sum = net.sum(&[product, p])?;
            let h = net.activate(Activation::Sigmoid, sum)?;
            net.linear("out", h, 1)?
        }
        "attention" | "decoder" => {
            let e = net.linear("embed", x, 4)?;
            let a = net.wave("act1", e)?;
            let joint = net.param("in_proj_weight", &[12, 4])?;
            let bias = net.param("in_proj_bias", &[12])?;
            let [q, k, v] = [0, 1, 2].map(|i| (joint.slice(16 * i, 16), bias.slice(4 * i, 4)));
            let source = if kind == "decoder" { net.activate(Activation::Tanh, e)? } else { a };
            let q = net.linear_with(source, q.0, Some(q.1))?;
            let k = net.linear_with(a, k.0, Some(k.1))?;
            let v = net.linear_with(a, v.0, Some(v.1))?;
            let mixed = net.attention(q, k, v, 2)?;
            let mixed = net.linear("out_proj", mixed, 4)?;
            let z = net.sum(&[e, mixed])?;
            let h = net.wave("act2", z)?;
            net.linear("out", h, 1)?
        }
        "spline" => {
            let basis = SplineBasis::new(-1.0, 1.0, 5, 3)?;
            let layer = |net: &mut NetworkBuilder, name: &str, x, n_in: usize, n_out: usize| -> Fallible<_> {
                let base = net.param(format!("{name}.base"), &[n_out, n_in])?;
                let bias = net.param(format!("{name}.bias"), &[n_out])?;
                let silu = net.activate(Activation::Silu, x)?;
                let linear = net.linear_with(silu, base, Some(bias))?;
                let coef = net.param(format!("{name}.coef"), &[n_out, n_in, basis.len()])?;
                let scale = net.param(format!("{name}.scale"), &[n_out, n_in])?;
                let bases = net.spline(x, basis)?;
                let spline = net.spline_linear(bases, coef, scale, basis.len())?;
                Ok(net.sum(&[linear, spline])?)
            };
            let h = layer(&mut net, "layer0", x, 2, 3)?;
            layer(&mut net, "layer1", h, 3, 1)?
        }
        "fourier" => {
            let features = net.fourier_features(x, &draw.many(6, 0.4))?;
            let z = net.linear("a", features, 5)?;
            let h = net.activate(Activation::Tanh, z)?;
            net.linear("b", h, 1)?
        }
        "normalised" => {
            let scaled = net.normalise(x, &[(-2.0, 3.0), (0.0, 1.5)])?;
            let z = net.linear("a", scaled, 6)?;
            let h = net.activate(Activation::Tanh, z)?;
            net.linear("b", h, 1)?
        }
        "hard" => {
            let scope = Scope::new(["x", "t"], ["u"])?;
            let z = net.linear("a", x, 5)?;
            let h = net.activate(Activation::Sin, z)?;
            let n = net.linear("b", h, 1)?;
            net.hard_constraint(n, vec![scope.parse("sin(2*x)*exp(-t)")?], vec![scope.parse("t*(1 - x^2) + 0.3")?])?
        }
        "two-outputs" => {
            let z = net.linear("a", x, 7)?;
            let h = net.activate(Activation::Tanh, z)?;
            let z = net.linear("b", h, 6)?;
            let h = net.activate(Activation::Sin, z)?;
            net.linear("c", h, 2)?
        }
        "pieces" => {
            let part = |net: &mut NetworkBuilder, k: usize| -> Fallible<_> {
                net.prefix_names(format!("pieces.{k}."));
                let z = net.linear("a", net.input(), 3)?;
                let h = net.activate(Activation::Tanh, z)?;
                Ok(net.linear("b", h, 1)?)
            };
            let parts = (0..3).map(|k| part(&mut net, k)).collect::<Fallible<Vec<_>>>()?;
            net.pieces(1, &ENDS, &parts)?
        }
        smooth => {
            let kind = activation(smooth)?;
            let z = net.linear("a", x, 5)?;
            let h = net.activate(kind, z)?;
            let z = net.linear("b", h, 4)?;
            let h = net.activate(kind, z)?;
            net.linear("c", h, 1)?
        }
    };
    Ok(Arc::new(net.build(out)?))
}

/// ∂^α of unknown 0 as an expression, α given by axes.
pub fn derivative(axes: &[usize]) -> Expr {
    let mut u = Scope::new(["x", "t"], ["u"]).and_then(|s| s.unknown("u")).expect("declared").value();
    for &axis in axes {
        u = u.derivative(axis);
    }
    assert!(u.unknowns().contains(&(0, MultiIndex::from_axes(axes), 0)));
    u
}

/// Values of expressions at points, through a program of their own.
pub fn values(net: &Arc<Network>, wanted: &[Expr], theta: &[f64], points: &[f64]) -> Fallible<Vec<f64>> {
    let program = Program::compile(net, &TermSpec::new("values", wanted.to_vec()), 0)?;
    let mut evaluator = Evaluator::new(vec![program], Precision::F64, &Threads::new(1)?)?;
    let mut out = Vec::new();
    let set = evaluator.add(0, Samples::points(points))?;
    evaluator.residuals(theta, set, &mut out)?;
    Ok(out)
}

pub fn close(found: f64, wanted: f64, tolerance: f64) -> bool {
    (found - wanted).abs() <= tolerance * (1.0 + wanted.abs())
}
