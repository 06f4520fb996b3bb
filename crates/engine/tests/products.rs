//! A sum takes over the product it adds to: the result is that of the operations one by one.

mod common;

use common::{Draw, Fallible};
use ropinn_engine::{
    Activation, Evaluation, Evaluator, Network, NetworkBuilder, NodeId, Precision, Program, Samples, TermSpec, Threads,
};
use ropinn_expr::Scope;
use std::sync::Arc;

/// How a block is made of H₁z, H₂z and a third map of z.
type Block = fn(&mut NetworkBuilder, NodeId, NodeId, NodeId, bool) -> Fallible<NodeId>;

/// Product plus one more node; `apart` adds a zero as third part, so that the sum takes nothing over.
fn plus(net: &mut NetworkBuilder, product: NodeId, other: NodeId, apart: bool) -> Fallible<NodeId> {
    if !apart {
        return Ok(net.sum(&[product, other])?);
    }
    let width = net.width(product);
    let nothing = net.fixed_linear(net.input(), vec![0.0; 2 * width], vec![0.0; width])?;
    Ok(net.sum(&[product, other, nothing])?)
}

const BLOCKS: [(&str, Block); 6] = [
    ("H₂z ⊙ H₁z + H₁z, the quadratic block", |net, h1, h2, _, apart| {
        let product = net.mul(h2, h1)?;
        plus(net, product, h1, apart)
    }),
    ("H₁z ⊙ H₂z + H₁z", |net, h1, h2, _, apart| {
        let product = net.mul(h1, h2)?;
        plus(net, product, h1, apart)
    }),
    ("H₁z ⊙ H₁z + H₁z", |net, h1, _, _, apart| {
        let product = net.mul(h1, h1)?;
        plus(net, product, h1, apart)
    }),
    ("H₁z ⊙ H₂z + H₃z", |net, h1, h2, h3, apart| {
        let product = net.mul(h1, h2)?;
        plus(net, product, h3, apart)
    }),
    ("a product that something else reads too", |net, h1, h2, h3, apart| {
        let product = net.mul(h1, h2)?;
        let sum = plus(net, product, h3, apart)?;
        Ok(net.mul(sum, product)?)
    }),
    ("a sum of two products", |net, h1, h2, h3, apart| {
        let (one, two) = (net.mul(h1, h2)?, net.mul(h3, h1)?);
        plus(net, one, two, apart)
    }),
];

/// Two blocks with sigmoids and a linear output, as QRes has them.
fn network(block: Block, apart: bool) -> Fallible<Arc<Network>> {
    let mut net = NetworkBuilder::new(2);
    let mut z = net.input();
    for layer in 0..2 {
        let [h1, h2, h3] = ["H1", "H2", "H3"].map(|name| net.linear(&format!("{layer}.{name}"), z, 5));
        let sum = block(&mut net, h1?, h2?, h3?, apart)?;
        z = net.activate(Activation::Sigmoid, sum)?;
    }
    let u = net.linear("out", z, 1)?;
    Ok(Arc::new(net.build(u)?))
}

/// Loss, gradient and a Hessian product.
fn evaluate(net: &Arc<Network>, residual: &str) -> Fallible<Vec<f64>> {
    let scope = Scope::new(["x", "t"], ["u"])?;
    let program = Program::compile(net, &TermSpec::new("r", vec![scope.parse(residual)?]), 0)?;
    let mut draw = Draw(11);
    let (theta, direction) = (draw.many(net.parameters(), 0.8), draw.many(net.parameters(), 1.0));
    let points = draw.many(2 * 70, 1.0);
    let mut evaluator = Evaluator::new(vec![program], Precision::F64, &Threads::new(2)?)?;
    let sets = evaluator.add_all(&[Samples::points(&points)])?;
    let (mut out, mut along) = (Evaluation::default(), Vec::new());
    evaluator.evaluate(&theta, &sets, &[1.0], &mut out)?;
    evaluator.hessian_product(&theta, &direction, &sets, &[1.0], &mut along)?;
    Ok([vec![out.loss], out.grad, along].concat())
}

#[test]
fn a_product_within_a_sum_is_the_product_and_the_sum() -> Fallible {
    let residuals =
        ["u_t - 5*u*(1 - u)", "u_tt - 4*u_xx", "u_t + u*u_x - (1 + x^2)*u_xx + u_xt*u", "u_xxx + x*u_xxt - u"];
    for (name, block) in BLOCKS {
        for residual in residuals {
            let (found, wanted) =
                (evaluate(&network(block, false)?, residual)?, evaluate(&network(block, true)?, residual)?);
            let size = wanted.iter().map(|x| x * x).sum::<f64>().sqrt();
            let gap = found.iter().zip(&wanted).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            assert!(gap <= 1e-12 * size, "{name}, {residual}: off by {gap} of {size}");
        }
    }
    Ok(())
}
