//! The reverse sweep of sequence networks against the channels, which any residual of third order runs on.
//!
//! A residual r and r + c·u_ttt with data c = 0 are the same numbers by two ways that share no rule but those of linear maps.

mod common;

use common::{Draw, Fallible};
use ropinn_engine::{
    Activation, Evaluation, Evaluator, Network, NetworkBuilder, Precision, Program, Samples, TermSpec, Threads,
};
use ropinn_expr::Scope;
use std::sync::Arc;

/// A transformer in small, with every operation there is a rule for, and two unknowns.
fn transformer(elements: usize) -> Fallible<Arc<Network>> {
    let mut net = NetworkBuilder::sequence(2, elements);
    let x = net.embed_periods(&[Some((-1.0, 1.0)), None])?;
    let e = net.linear("embed", x, 6)?;
    let a = net.wave("act1", e)?;
    let [q, k, v] = [net.linear("q", a, 6)?, net.linear("k", a, 6)?, net.linear("v", a, 6)?];
    let mixed = net.attention(q, k, v, 2)?;
    let z = net.sum(&[e, mixed])?;
    let h = net.wave("act2", z)?;
    // One operand of attention three times over, and a product.
    let again = net.attention(h, h, h, 3)?;
    let gate = net.activate(Activation::Gelu, again)?;
    let product = net.mul(gate, h)?;
    let both = net.concat(&[product, z])?;
    let y = net.linear("hidden", both, 7)?;
    let y = net.activate(Activation::Tanh, y)?;
    let u = net.linear("out", y, 2)?;
    let scope = Scope::new(["x", "t"], ["u"])?;
    let (offset, distance) = (scope.parse("sin(2*x)*exp(-t)")?, scope.parse("t*(1 - x^2) + 0.3")?);
    let u = net.hard_constraint(u, vec![offset.clone(), offset], vec![distance.clone(), distance])?;
    Ok(Arc::new(net.build(u)?))
}

/// First and second order, mixed derivatives, products, several unknowns, linked sites, values alone.
const RESIDUALS: [&[&str]; 8] = [
    &["u"],
    &["u_t - 5*u*(1 - u)"],
    &["u_tt - 4*u_xx"],
    &["u_xt + u*u_x - (1 + x^2)*u_t"],
    &["u_t + u*u_x - 0.1*u_xx - a*u", "v_x + u_t*u_xx"],
    &["u_xx + v_tt + sin(v_x)", "u_x + v_t", "u*v_xt - b*x"],
    &["u - at(u, 1)", "u_x - at(u_x, 1)", "u_xt*at(v_tt, 1)"],
    &["v - x"],
];

struct Numbers {
    residuals: Vec<f64>,
    loss: f64,
    gradient: Vec<f64>,
    rows: Vec<f64>,
}

fn numbers(program: Program, precision: Precision, samples: usize) -> Fallible<Numbers> {
    let mut draw = Draw(11);
    let theta = draw.many(program.parameters(), 0.6);
    let points = draw.many(samples * program.coordinates_per_sample(), 0.9);
    let data = vec![0.0; samples * program.data_columns()];
    let outputs = program.outputs();
    let mut evaluator = Evaluator::new(vec![program], precision, &Threads::new(2)?)?;
    let set = evaluator.add(0, Samples { points: &points, data: &data, weights: &[] })?;
    let (mut residuals, mut out) = (Vec::new(), Evaluation::default());
    evaluator.residuals(&theta, set, &mut residuals)?;
    evaluator.evaluate(&theta, &[set], &[1.5], &mut out)?;
    let mut rows = vec![0.0; samples * outputs * theta.len()];
    evaluator.rows(&theta, set, |tile| {
        for i in 0..tile.samples {
            let row = &mut rows[((tile.first + i) * outputs + tile.output) * theta.len()..][..theta.len()];
            row.iter_mut().zip(tile.rows[i..].iter().step_by(tile.stride)).for_each(|(row, j)| *row = *j);
        }
    })?;
    Ok(Numbers { residuals, loss: out.loss, gradient: out.grad, rows })
}

fn agree(name: &str, found: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(found.len(), wanted.len(), "{name}");
    let size = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let gap = size(&found.iter().zip(wanted).map(|(a, b)| a - b).collect::<Vec<_>>());
    assert!(gap <= tolerance * (1.0 + size(wanted)), "{name}: off by {gap} of {}", size(wanted));
}

#[test]
fn the_reverse_sweep_agrees_with_the_channels() -> Fallible {
    let network = transformer(3)?;
    let mut scope = Scope::new(["x", "t"], ["u", "v"])?;
    scope.trainable("a")?;
    scope.trainable("b")?;
    scope.data("c")?;
    for texts in RESIDUALS {
        for is_first in [false, true] {
            let compile = |extra: &str| -> Fallible<Program> {
                let parse = |text: &&str| scope.parse(&format!("{text}{extra}"));
                let spec = TermSpec::new("term", texts.iter().map(parse).collect::<Result<_, _>>()?);
                let spec = if is_first { spec.on_first_element() } else { spec };
                Ok(Program::compile(&network, &spec, 2)?)
            };
            let (sweep, channels) = (compile("")?, compile(" + c*u_ttt")?);
            assert!(sweep.channels() < channels.channels(), "{} channels", sweep.channels());
            assert!(sweep.gemm_flops(10) < channels.gemm_flops(10));
            // More samples than fit in a tile, and not a multiple of anything.
            for (precision, tolerance) in [(Precision::F64, 1e-11), (Precision::F32, 2e-4)] {
                let found = numbers(sweep.clone(), precision, 83)?;
                let wanted = numbers(channels.clone(), Precision::F64, 83)?;
                let name = |what: &str| format!("{what} of {texts:?}, first {is_first}, {precision:?}");
                agree(&name("residuals"), &found.residuals, &wanted.residuals, tolerance);
                agree(&name("loss"), &[found.loss], &[wanted.loss], tolerance);
                agree(&name("gradient"), &found.gradient, &wanted.gradient, tolerance);
                agree(&name("rows"), &found.rows, &wanted.rows, tolerance);
            }
        }
    }
    Ok(())
}

/// Where both amplitudes of a wave vanish, its value says nothing about sine and cosine; the gradient needs them.
#[test]
fn waves_without_amplitude_have_gradients() -> Fallible {
    let network = transformer(2)?;
    let scope = Scope::new(["x", "t"], ["u", "v"])?;
    let spec = TermSpec::new("term", vec![scope.parse("u_t + u_xx - v_x")?]);
    let program = Program::compile(&network, &spec, 0)?;
    let mut draw = Draw(4);
    let mut theta = draw.many(program.parameters(), 0.6);
    let tensor = network.layout().tensors().iter().find(|tensor| tensor.name.starts_with("act2")).ok_or("a wave")?;
    let amplitude = tensor.offset;
    theta[amplitude..amplitude + 2].fill(0.0);
    let points = draw.many(5 * program.coordinates_per_sample(), 0.9);
    let mut evaluator = Evaluator::new(vec![program], Precision::F64, &Threads::new(1)?)?;
    let set = evaluator.add(0, Samples::points(&points))?;
    let (mut here, mut there) = (Evaluation::default(), Evaluation::default());
    evaluator.evaluate(&theta, &[set], &[1.0], &mut here)?;
    for p in amplitude..amplitude + 2 {
        let mut loss = |shift: f64| -> Fallible<f64> {
            let mut moved = theta.clone();
            moved[p] += shift;
            evaluator.evaluate_loss(&moved, &[set], &[1.0], &mut there)?;
            Ok(there.loss)
        };
        let wanted = (loss(1e-5)? - loss(-1e-5)?) / 2e-5;
        assert!((here.grad[p] - wanted).abs() < 1e-6 * (1.0 + wanted.abs()), "{} vs {wanted}", here.grad[p]);
    }
    Ok(())
}

/// A network that is its coordinates, and one that does not depend on them.
#[test]
fn networks_without_layers_have_derivatives() -> Fallible {
    let mut net = NetworkBuilder::sequence(2, 3);
    net.param("idle", &[1])?;
    let x = net.input();
    let coordinates = Arc::new(net.build(x)?);
    let mut net = NetworkBuilder::sequence(2, 3);
    let numbers = net.field(vec![Scope::new(["x", "t"], ["u"])?.parse("0.3")?; 2])?;
    let out = net.linear("out", numbers, 2)?;
    let constant = Arc::new(net.build(out)?);
    let scope = Scope::new(["x", "t"], ["u", "v"])?;
    for (network, slope) in [(coordinates, 1.0), (constant, 0.0)] {
        let residuals = ["u_x", "v_t", "u_t + v_x", "u_xx + v_xt"].map(|text| scope.parse(text));
        let wanted: Vec<_> = Vec::from(residuals).into_iter().collect::<Result<_, _>>()?;
        let found = common::values(&network, &wanted, &vec![0.7; network.parameters()], &[0.25; 12])?;
        let one = [slope, slope, 0.0, 0.0].map(|slope| [slope; 3]).concat();
        assert_eq!(found, [one.clone(), one].concat());
    }
    Ok(())
}
