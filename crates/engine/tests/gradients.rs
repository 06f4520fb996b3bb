//! Gradients of everything at once: precision, threads, sample weights, and more planes than a word has bits.

mod common;

use common::{Draw, Fallible, KINDS, close, max_order, network};
use proptest::prelude::*;
use ropinn_engine::{
    Activation, Elements, Evaluation, Evaluator, Network, NetworkBuilder, Precision, Program, Samples, SetId, TermSpec,
    Threads,
};
use ropinn_expr::{Scope, Table, TableAxis};
use std::sync::Arc;

/// A term with everything in it: nonlinear, mixed, varying coefficients, data, a trained scalar, tables, branches.
fn rich_term(kind: &str, net: &Network) -> Fallible<TermSpec> {
    let names = if net.unknowns() == 2 { vec!["u", "v"] } else { vec!["u"] };
    let mut scope = Scope::new(["x", "t"], names)?;
    scope.trainable("lambda")?;
    scope.data("y")?;
    let axis = |name: &str| TableAxis { name: name.into(), nodes: vec![-1.5, -0.4, 0.3, 1.2] };
    let values = (0..16).map(|i| 0.5 + 0.1 * f64::from(i * 7 % 16)).collect();
    scope.table("k", Table::new(vec![axis("x"), axis("t")], values, ropinn_expr::Lookup::Linear)?)?;
    let mut residuals = vec![
        "u_t + u*u_x - 0.3*u_xx - lambda*u",
        "(1 + x^2)*u_xx + exp(-t)*u_t + k(x, t)*u_x + sin(u)*u_t^2 - y",
        "where(u > 0, u_x, 2*u_t) + u_xt*u + max(u_x, u_t) + sqrt(1 + u_x^2 + u_t^2)",
    ];
    if max_order(kind) >= 4 {
        residuals.push("u_xxxx + u_ttx*u + x*u_xxt");
    }
    if net.unknowns() == 2 {
        residuals.push("v_t - u*v_xx + v*u_x + d(u*v_x, x)");
    }
    let residuals = residuals.into_iter().map(|text| scope.parse(text)).collect::<Result<_, _>>()?;
    Ok(TermSpec::new("rich", residuals))
}

/// u(x) − u(x′) and the slope difference over two linked sites, first element only.
fn periodic_term() -> Fallible<TermSpec> {
    let scope = Scope::new(["x", "t"], ["u"])?;
    let residuals = vec![scope.parse("u - at(u, 1)")?, scope.parse("u_x - at((2 + t)*u_x, 1) + at(x, 1)")?];
    Ok(TermSpec { elements: Elements::First, ..TermSpec::new("periodic", residuals) })
}

struct Setup {
    programs: Vec<Program>,
    theta: Vec<f64>,
    points: Vec<Vec<f64>>,
    data: Vec<Vec<f64>>,
}

impl Setup {
    fn new(kind: &str, seed: u64, samples: usize) -> Fallible<Self> {
        let mut draw = Draw(seed);
        let net = network(kind, &mut draw)?;
        let programs: Vec<Program> = [rich_term(kind, &net)?, periodic_term()?]
            .iter()
            .map(|spec| Program::compile(&net, spec, 1))
            .collect::<Result<_, _>>()?;
        let theta = draw.many(programs[0].parameters(), 0.7);
        let points = programs.iter().map(|p| draw.many(samples * p.coordinates_per_sample(), 0.9)).collect();
        let data = programs.iter().map(|p| draw.many(samples * p.data_columns(), 1.0)).collect();
        Ok(Self { programs, theta, points, data })
    }

    fn evaluator(&self, precision: Precision, threads: usize) -> Fallible<(Evaluator, Vec<SetId>)> {
        let mut evaluator = Evaluator::new(self.programs.clone(), precision, &Threads::new(threads)?)?;
        let lists = self.points.iter().zip(&self.data);
        let samples: Vec<_> = lists.map(|(points, data)| Samples { points, data, weights: &[] }).collect();
        let sets = evaluator.add_all(&samples)?;
        Ok((evaluator, sets))
    }

    fn evaluate(&self, precision: Precision, threads: usize) -> Fallible<Evaluation> {
        let mut out = Evaluation::default();
        let (mut evaluator, sets) = self.evaluator(precision, threads)?;
        evaluator.evaluate(&self.theta, &sets, &[1.0, 0.5], &mut out)?;
        Ok(out)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn single_precision_agrees_with_double(seed: u64) {
        for kind in KINDS {
            let both = Setup::new(kind, seed, 40)
                .and_then(|s| Ok((s.evaluate(Precision::F32, 1)?, s.evaluate(Precision::F64, 1)?)))
                .map_err(|e| TestCaseError::fail(format!("{kind}: {e}")))?;
            let (single, double) = both;
            prop_assert!(close(single.loss, double.loss, 1e-3), "{kind}: {} vs {}", single.loss, double.loss);
            let norm = double.grad.iter().map(|g| g * g).sum::<f64>().sqrt();
            let gap = single.grad.iter().zip(&double.grad).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            prop_assert!(gap <= 2e-3 * norm, "{kind}: gradients differ by {gap} of {norm}");
        }
    }
}

#[test]
fn any_thread_count_and_any_repeat_give_the_same_bits() -> Fallible {
    for kind in ["tanh", "attention", "spline", "two-outputs"] {
        let setup = Setup::new(kind, 7, 1000)?;
        let one32 = setup.evaluate(Precision::F32, 1)?;
        let one64 = setup.evaluate(Precision::F64, 1)?;
        for threads in [2, 3, 2] {
            assert_eq!(setup.evaluate(Precision::F32, threads)?, one32, "{kind} f32 with {threads} threads");
            assert_eq!(setup.evaluate(Precision::F64, threads)?, one64, "{kind} f64 with {threads} threads");
        }
        let (mut evaluator, sets) = setup.evaluator(Precision::F32, 3)?;
        let mut out = Evaluation::default();
        for _ in 0..3 {
            evaluator.evaluate(&setup.theta, &sets, &[1.0, 0.5], &mut out)?;
            assert_eq!(out, one32, "{kind}: repeat on one evaluator");
        }
    }
    Ok(())
}

#[test]
fn sample_weights_weigh_the_mean_square() -> Fallible {
    let mut draw = Draw(3);
    let net: Arc<Network> = network("tanh", &mut draw)?;
    let scope = Scope::new(["x", "t"], ["u"])?;
    let program = Program::compile(&net, &TermSpec::new("r", vec![scope.parse("u_t - u")?]), 0)?;
    let theta = draw.many(net.parameters(), 0.8);
    let points = draw.many(2 * 50, 1.0);
    let weights: Vec<f64> = (0..50).map(|i| f64::from(i % 3)).collect();
    let mut evaluator = Evaluator::new(vec![program], Precision::F64, &Threads::new(2)?)?;
    let mut residuals = Vec::new();
    let set = evaluator.add(0, Samples { points: &points, data: &[], weights: &weights })?;
    evaluator.residuals(&theta, set, &mut residuals)?;
    let wanted: f64 = residuals.iter().zip(&weights).map(|(r, w)| w * r * r).sum::<f64>() / 50.0;
    let mut out = Evaluation::default();
    evaluator.evaluate(&theta, &[set], &[2.0], &mut out)?;
    assert!(close(out.parts[0], wanted, 1e-13) && close(out.loss, 2.0 * wanted, 1e-13));
    Ok(())
}

/// The gradient of a loss over a few points against central differences along a few directions.
fn planes_agree(net: &Arc<Network>, residual: ropinn_expr::Expr, planes: usize) -> Fallible {
    let program = Program::compile(net, &TermSpec::new("planes", vec![residual]), 0)?;
    assert!(program.channels() >= planes, "{} channels", program.channels());
    let mut draw = Draw(planes as u64);
    let (theta, points) = (draw.many(net.parameters(), 0.6), draw.many(3 * program.coordinates_per_sample(), 0.8));
    let mut evaluator = Evaluator::new(vec![program], Precision::F64, &Threads::new(1)?)?;
    let sets = evaluator.add_all(&[Samples::points(&points)])?;
    let (mut here, mut there) = (Evaluation::default(), Evaluation::default());
    evaluator.evaluate(&theta, &sets, &[1.0], &mut here)?;
    let size = here.grad.iter().map(|g| g * g).sum::<f64>().sqrt();
    for _ in 0..4 {
        let v = draw.many(theta.len(), 1.0);
        let mut loss = |shift: f64| -> Fallible<f64> {
            let moved: Vec<f64> = theta.iter().zip(&v).map(|(t, v)| t + shift * v).collect();
            evaluator.evaluate_loss(&moved, &sets, &[1.0], &mut there)?;
            Ok(there.loss)
        };
        let wanted = (loss(1e-6)? - loss(-1e-6)?) / 2e-6;
        let found: f64 = here.grad.iter().zip(&v).map(|(g, v)| g * v).sum();
        assert!((found - wanted).abs() < 1e-6 * size, "{planes} planes: {found} vs {wanted}, gradient of size {size}");
    }
    Ok(())
}

/// Planes were once counted in the bits of a word: beyond 64 of them gradients were wrong.
#[test]
fn gradients_are_right_for_any_number_of_planes() -> Fallible {
    // A sequence carries three channels per element, and three for all of them.
    for (elements, planes) in [(23, 70), (43, 130)] {
        let mut net = NetworkBuilder::sequence(2, elements);
        let z = net.linear("a", net.input(), 2)?;
        let h = net.wave("act", z)?;
        let sum = net.sum(&[h, z])?;
        let y = net.activate(Activation::Tanh, sum)?;
        let u = net.linear("b", y, 1)?;
        // Third derivatives run on channels; lower ones have a reverse sweep and a handful of planes.
        let wave = Scope::new(["x", "t"], ["u"])?.parse("u_ttt - 4*u_xx + u")?;
        planes_agree(&Arc::new(net.build(u)?), wave, planes)?;
    }
    // All second derivatives in many coordinates, squared, so that none of them share a channel.
    for (coordinates, planes) in [(11, 70), (15, 130)] {
        let mut net = NetworkBuilder::new(coordinates);
        let z = net.linear("a", net.input(), 2)?;
        let h = net.wave("act", z)?;
        let z = net.linear("b", h, 2)?;
        let h = net.activate(Activation::Sin, z)?;
        let u = net.linear("c", h, 1)?;
        let names: Vec<String> = (0..coordinates).map(|axis| format!("x{axis}")).collect();
        let u_of = Scope::new(names, ["u"])?.unknown("u")?.value();
        let pairs = (0..coordinates).flat_map(|i| (i..coordinates).map(move |j| (i, j)));
        let squares = pairs.map(|(i, j)| u_of.derivative(i).derivative(j)).map(|second| second.clone() * second);
        planes_agree(&Arc::new(net.build(u)?), squares.reduce(|a, b| a + b).expect("pairs"), planes)?;
    }
    Ok(())
}
