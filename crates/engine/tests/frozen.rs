//! Frozen parameters: the same function, no slopes of theirs, and rows of J without their columns.

mod common;

use common::Fallible;
use ropinn_engine::{
    Activation, Evaluation, Evaluator, Jacobian, Network, NetworkBuilder, Precision, Program, Samples, TermSpec,
    Threads,
};
use ropinn_expr::Scope;
use std::sync::Arc;

/// A network that is corrected by features of its coordinates and of its hidden layer, with and without freezing.
fn corrected(freeze: bool) -> Fallible<Arc<Network>> {
    let mut net = NetworkBuilder::new(2);
    let z = net.linear("linear.0", net.input(), 4)?;
    let hidden = net.wave("wave", z)?;
    let base = net.linear("linear.1", hidden, 1)?;
    let of_hidden = net.linear("of hidden", hidden, 5)?;
    let of_input = net.linear("of input", net.input(), 3)?;
    let features = net.concat(&[of_hidden, of_input])?;
    let features = net.activate(Activation::Gaussian, features)?;
    if freeze {
        net.freeze();
    }
    let correction = net.linear("out", features, 1)?;
    let out = net.sum(&[base, correction])?;
    Ok(Arc::new(net.build(out)?))
}

fn evaluator(network: &Arc<Network>) -> Fallible<Evaluator> {
    let mut scope = Scope::new(["x", "t"], ["u"])?;
    scope.trainable("a")?;
    let specs = [("equation", "u_t + u*u_x - a*u_xx"), ("condition", "u - x")];
    let programs = specs.iter().map(|(name, text)| -> Fallible<Program> {
        Ok(Program::compile(network, &TermSpec::new(*name, vec![scope.parse(text)?]), 1)?)
    });
    Ok(Evaluator::new(programs.collect::<Fallible<Vec<_>>>()?, Precision::F64, &Threads::new(2)?)?)
}

#[test]
fn what_is_frozen_has_no_slopes_and_all_else_has_its_own() -> Fallible {
    let (free, frozen) = (corrected(false)?, corrected(true)?);
    assert_eq!((free.frozen(), frozen.frozen()), (0, free.parameters() - 9));
    let (mut of_free, mut of_frozen) = (evaluator(&free)?, evaluator(&frozen)?);
    let first = frozen.frozen();
    let theta: Vec<f64> = (0..of_free.parameters()).map(|k| (k as f64).sin()).collect();
    let points: Vec<f64> = (0..600).map(|k| (k as f64 * 0.7).cos()).collect();
    let weights = [1.0, 3.0];
    let mut found = Vec::new();
    for evaluator in [&mut of_free, &mut of_frozen] {
        let sets = [evaluator.add(0, Samples::points(&points))?, evaluator.add(1, Samples::points(&points[..80]))?];
        let mut out = Evaluation::default();
        evaluator.evaluate(&theta, &sets, &weights, &mut out)?;
        found.push((out, sets));
    }
    assert_eq!(found[0].0.loss.to_bits(), found[1].0.loss.to_bits());
    assert!(found[1].0.grad[..first].iter().all(|slope| *slope == 0.0));
    assert_eq!(found[0].0.grad[first..], found[1].0.grad[first..]);

    let mut jacobian = Jacobian::default();
    of_free.jacobian(&theta, &found[0].1, &weights, &mut jacobian)?;
    let columns = theta.len() - first;
    let (mut count, mut slope) = (0, vec![0.0; columns]);
    let loss = of_frozen.scaled_rows(&theta, &found[1].1, &weights, |rows, residuals| {
        count += residuals.len();
        for (row, r) in rows.chunks_exact(columns).zip(residuals) {
            slope.iter_mut().zip(row).for_each(|(sum, j)| *sum += 2.0 * r * j);
        }
    })?;
    assert_eq!((count, count), (jacobian.residuals.len(), 300 + 40));
    assert!((loss - jacobian.loss).abs() <= 1e-12 * loss);
    for (sum, grad) in slope.iter().zip(&found[0].0.grad[first..]) {
        assert!((sum - grad).abs() <= 1e-10 * (1.0 + grad.abs()), "{sum} is not {grad}");
    }
    Ok(())
}
