//! Hessian-vector products: against differences of the gradient, symmetric, linear, and the same on any number of threads.

mod common;

use common::{Draw, Fallible, KINDS, network};
use proptest::prelude::*;
use ropinn_engine::{
    Activation, Evaluation, Evaluator, Network, NetworkBuilder, Precision, Program, Samples, SetId, SplineBasis,
    TermSpec, Threads,
};
use ropinn_expr::Scope;
use std::sync::Arc;

/// Weights of the equation, of its second part, and of the pairs.
const WEIGHTS: [f64; 3] = [0.7, 0.2, 20.0];

/// Reaction, wave, convection and Burgers; a variable coefficient with data; scalars to be trained, one of them nonlinear.
const EQUATIONS: [&str; 6] = [
    "u_t - 5*u*(1 - u)",
    "u_tt - 4*u_xx",
    "u_t + 50*u_x",
    "u_t + u*u_x - 0.3*u_xx",
    "(1 + x^2)*u_xx + sin(u)*u_t - c",
    "u_t + a*u*u_x - exp(b)*u_xx + a*b",
];

/// Splines of degree five: those of degree three have jumps in the gradient of a second-order loss, which differences cross.
fn smooth_splines() -> Fallible<Arc<Network>> {
    let mut net = NetworkBuilder::new(2);
    let basis = SplineBasis::new(-1.5, 1.5, 4, 5)?;
    let mut x = net.input();
    for (layer, out) in [3, 1].into_iter().enumerate() {
        let inputs = net.width(x);
        let coefficients = net.param(format!("{layer}.coef"), &[out, inputs, basis.len()])?;
        let scales = net.param(format!("{layer}.scale"), &[out, inputs])?;
        let bases = net.spline(x, basis)?;
        let curved = net.spline_linear(bases, coefficients, scales, basis.len())?;
        let weights = net.param(format!("{layer}.straight"), &[out, inputs])?;
        let straight = net.linear_with(x, weights, None)?;
        x = net.sum(&[curved, straight])?;
    }
    Ok(Arc::new(net.build(x)?))
}

/// A loss of two terms: an equation in two parts with sample weights and data, and a periodic pair with two residuals.
struct Setup {
    network: Arc<Network>,
    terms: Vec<TermSpec>,
    theta: Vec<f64>,
    points: Vec<Vec<f64>>,
    data: Vec<f64>,
    sample_weights: Vec<f64>,
}

impl Setup {
    fn new(network: Arc<Network>, equation: &str, draw: &mut Draw, samples: usize) -> Fallible<Self> {
        let names = if network.unknowns() == 2 { vec!["u", "v"] } else { vec!["u"] };
        let mut scope = Scope::new(["x", "t"], names)?;
        scope.trainable("a")?;
        scope.trainable("b")?;
        scope.data("c")?;
        let equation = TermSpec::new("equation", vec![scope.parse(equation)?, scope.parse("u^2 - c*u_x")?]);
        let pair = TermSpec::new("pair", vec![scope.parse("u - at(u, 1)")?, scope.parse("u_x - at(u_x, 1)")?]);
        let theta = draw.many(network.parameters() + 2, 0.7);
        let numbers = 2 * network.elements();
        let points = vec![draw.many(numbers * samples, 0.9), draw.many(2 * numbers * (samples / 3 + 1), 0.9)];
        let sample_weights = draw.many(samples, 0.5).iter().map(|w| 1.0 + w).collect();
        let data = draw.many(samples, 1.0);
        Ok(Self { network, terms: vec![equation.in_parts(vec![1, 1]), pair], theta, points, data, sample_weights })
    }

    fn of_kind(kind: &str, equation: &str, seed: u64, samples: usize) -> Fallible<Self> {
        let mut draw = Draw(seed);
        let network = if kind == "smooth splines" { smooth_splines()? } else { network(kind, &mut draw)? };
        Self::new(network, equation, &mut draw, samples)
    }

    fn evaluator(&self, precision: Precision, threads: usize) -> Fallible<(Evaluator, Vec<SetId>)> {
        let compile = |term| Program::compile(&self.network, term, 2);
        let programs = self.terms.iter().map(compile).collect::<Result<Vec<_>, _>>()?;
        let mut evaluator = Evaluator::new(programs, precision, &Threads::new(threads)?)?;
        let first = Samples { points: &self.points[0], data: &self.data, weights: &self.sample_weights };
        let sets = evaluator.add_all(&[first, Samples::points(&self.points[1])])?;
        Ok((evaluator, sets))
    }

    fn gradient(&self) -> Fallible<impl FnMut(&[f64]) -> Fallible<Vec<f64>>> {
        let (mut evaluator, sets) = self.evaluator(Precision::F64, 1)?;
        Ok(move |theta: &[f64]| {
            let mut out = Evaluation::default();
            evaluator.evaluate(theta, &sets, &WEIGHTS, &mut out)?;
            Ok(out.grad)
        })
    }

    fn hessian(&self, precision: Precision, threads: usize) -> Fallible<impl FnMut(&[f64]) -> Fallible<Vec<f64>>> {
        let (mut evaluator, sets) = self.evaluator(precision, threads)?;
        Ok(move |v: &[f64]| {
            let mut out = vec![f64::NAN; 3]; // what was there before must not matter
            evaluator.hessian_product(&self.theta, v, &sets, &WEIGHTS, &mut out)?;
            Ok(out)
        })
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn combined(a: &[f64], factor: f64, b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + factor * b).collect()
}

fn products_agree_with_differences(kind: &str, equation: &str, seed: u64, samples: usize) -> Fallible {
    let setup = Setup::of_kind(kind, equation, seed, samples)?;
    let (mut gradient, mut hessian) = (setup.gradient()?, setup.hessian(Precision::F64, 1)?);
    let mut draw = Draw(seed ^ 0xABCD);
    let (u, v) = (draw.many(setup.theta.len(), 1.0), draw.many(setup.theta.len(), 1.0));
    let (hu, hv) = (hessian(&u)?, hessian(&v)?);

    // Central differences with one Richardson step: error O(h⁴).
    let mut difference = |h: f64| -> Fallible<Vec<f64>> {
        let ahead = gradient(&combined(&setup.theta, h, &v))?;
        let behind = gradient(&combined(&setup.theta, -h, &v))?;
        Ok(combined(&ahead, -1.0, &behind).iter().map(|d| d / (2.0 * h)).collect())
    };
    let (fine, coarse) = (difference(1e-4)?, difference(2e-4)?);
    let wanted: Vec<f64> = fine.iter().zip(&coarse).map(|(f, c)| (4.0 * f - c) / 3.0).collect();
    let tolerance = if kind.contains("spline") { 1e-3 } else { 1e-7 };
    let gap = norm(&combined(&hv, -1.0, &wanted));
    assert!(gap <= tolerance * norm(&wanted), "{kind}, {equation}, seed {seed}: {gap} of {}", norm(&wanted));

    let (one, other) = (dot(&u, &hv), dot(&v, &hu));
    let size = norm(&u) * norm(&hv) + norm(&v) * norm(&hu);
    assert!((one - other).abs() <= 1e-12 * size, "{kind}, {equation}, seed {seed}: {one} but {other}");
    let sum = hessian(&combined(&u, -2.5, &v))?;
    let gap = norm(&combined(&sum, -1.0, &combined(&hu, -2.5, &hv)));
    assert!(gap <= 1e-12 * (norm(&hu) + norm(&hv)), "{kind}, {equation}, seed {seed}: not linear by {gap}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3))]

    #[test]
    fn products_are_derivatives_of_the_gradient_symmetric_and_linear(seed: u64, samples in 1usize..40) {
        for kind in KINDS.into_iter().filter(|kind| *kind != "spline").chain(["smooth splines"]) {
            for equation in EQUATIONS {
                let done = products_agree_with_differences(kind, equation, seed, samples);
                done.map_err(|e| TestCaseError::fail(format!("{kind}, {equation}: {e}")))?;
            }
        }
    }
}

#[test]
fn cubic_splines_away_from_their_knots() -> Fallible {
    EQUATIONS.into_iter().try_for_each(|equation| products_agree_with_differences("spline", equation, 21, 6))
}

#[test]
fn orders_up_to_the_limit_of_the_engine() -> Fallible {
    products_agree_with_differences("tanh", "u_t + u*u_x + u_xx + 0.1*u_xxxx", 3, 20)
}

/// u = w·x + b and a linear equation: L is a quadratic, and H = 2Σ w/N ∇r ∇rᵀ whatever θ is.
#[test]
fn linear_models_have_the_gram_matrix_of_their_residuals() -> Fallible {
    let mut net = NetworkBuilder::new(2);
    let u = net.linear("out", net.input(), 1)?;
    let net = Arc::new(net.build(u)?);
    let term = TermSpec::new("transport", vec![Scope::new(["x", "t"], ["u"])?.parse("u_t + 3*u_x - 2*u - sin(x)")?]);
    let mut evaluator = Evaluator::new(vec![Program::compile(&net, &term, 0)?], Precision::F64, &Threads::new(1)?)?;
    let points = Draw(5).many(2 * 7, 1.0);
    let set = evaluator.add(0, Samples::points(&points))?;
    let rows: Vec<[f64; 3]> = points.chunks(2).map(|p| [3.0 - 2.0 * p[0], 1.0 - 2.0 * p[1], -2.0]).collect();
    for k in 0..3 {
        let (mut unit, mut column) = ([0.0; 3], Vec::new());
        unit[k] = 1.0;
        evaluator.hessian_product(&[0.4, -1.0, 0.3], &unit, &[set], &[0.6], &mut column)?;
        for (j, found) in column.iter().enumerate() {
            let wanted = 2.0 * 0.6 / 7.0 * rows.iter().map(|row| row[j] * row[k]).sum::<f64>();
            assert!((found - wanted).abs() < 1e-12 * (1.0 + wanted.abs()), "{j}, {k}: {found} but {wanted}");
        }
    }
    Ok(())
}

/// Exact Jv against the gradient rows, for every kind of network, and for orders that have no Hessian.
#[test]
fn push_forwards_are_rows_times_the_direction() -> Fallible {
    let fifth = TermSpec::new("fifth", vec![common::derivative(&[0, 0, 0, 1, 1])]);
    for (seed, kind) in KINDS.iter().enumerate() {
        for equation in EQUATIONS {
            let mut setup = Setup::of_kind(kind, equation, seed as u64, 21)?;
            if *kind == "tanh" {
                setup.terms[1] = fifth.clone();
            }
            push_forward_agrees(kind, &setup)?;
        }
    }
    let spline = Setup::of_kind("spline", "u_xxx*u - u_t", 3, 21)?; // as smooth as cubic splines are
    push_forward_agrees("spline", &spline)
}

fn push_forward_agrees(kind: &str, setup: &Setup) -> Fallible {
    let (mut evaluator, sets) = setup.evaluator(Precision::F64, 2)?;
    let v = Draw(5).many(setup.theta.len(), 1.0);
    for (t, &set) in sets.iter().enumerate() {
        let mut wanted = vec![0.0; evaluator.residual_count(set)?];
        let outputs = evaluator.terms()[t].outputs();
        evaluator.rows(&setup.theta, set, |tile| {
            for i in 0..tile.samples {
                let slopes = tile.rows[i..].iter().step_by(tile.stride);
                wanted[(tile.first + i) * outputs + tile.output] = slopes.zip(&v).map(|(slope, v)| slope * v).sum();
            }
        })?;
        let mut found = vec![f64::NAN; 3];
        evaluator.push_forward(&setup.theta, &v, set, &mut found)?;
        let gap = norm(&combined(&found, -1.0, &wanted));
        assert!(gap <= 1e-12 * norm(&wanted), "{kind}, term {t}: {gap} of {}", norm(&wanted));
    }
    Ok(())
}

#[test]
fn any_thread_count_gives_the_same_bits() -> Fallible {
    for kind in ["tanh", "product", "spline"] {
        let setup = Setup::of_kind(kind, EQUATIONS[3], 7, 700)?;
        let v = Draw(8).many(setup.theta.len(), 1.0);
        for precision in [Precision::F32, Precision::F64] {
            let one = setup.hessian(precision, 1)?(&v)?;
            assert!(setup.hessian(precision, 2)?(&v)? == one, "{kind} {precision}, 2 threads");
            assert!(setup.hessian(precision, 3)?(&v)? == one, "{kind} {precision}, 3 threads");
        }
    }
    Ok(())
}

#[test]
fn single_precision_agrees_with_double() -> Fallible {
    for (kind, equation) in [("tanh", EQUATIONS[1]), ("product", EQUATIONS[5]), ("wave", EQUATIONS[2])] {
        let setup = Setup::of_kind(kind, equation, 9, 300)?;
        let v = Draw(10).many(setup.theta.len(), 1.0);
        let (single, double) = (setup.hessian(Precision::F32, 1)?(&v)?, setup.hessian(Precision::F64, 1)?(&v)?);
        let gap = norm(&combined(&single, -1.0, &double));
        assert!(gap < 1e-4 * norm(&double), "{kind}: {gap} of {}", norm(&double));
    }
    Ok(())
}

#[test]
fn the_loss_alone_has_the_bits_of_the_whole_evaluation() -> Fallible {
    let setup = Setup::of_kind("tanh", EQUATIONS[3], 11, 500)?;
    for precision in [Precision::F32, Precision::F64] {
        let (mut evaluator, sets) = setup.evaluator(precision, 2)?;
        let (mut whole, mut alone) = (Evaluation::default(), Evaluation::default());
        evaluator.evaluate(&setup.theta, &sets, &WEIGHTS, &mut whole)?;
        evaluator.evaluate_loss(&setup.theta, &sets, &WEIGHTS, &mut alone)?;
        assert_eq!((alone.loss, &alone.parts, alone.grad.len()), (whole.loss, &whole.parts, 0));
    }
    Ok(())
}

#[test]
fn a_perturbed_network_at_rest_is_the_network() -> Fallible {
    for kind in KINDS {
        let mut draw = Draw(12);
        let net = network(kind, &mut draw)?;
        let along = Arc::new(net.perturbed()?);
        assert_eq!((along.coordinates(), along.parameters()), (3, 2 * net.parameters()));
        let (theta, v) = (draw.many(net.parameters(), 0.7), draw.many(net.parameters(), 0.7));
        let wanted = [common::derivative(&[]), common::derivative(&[0]), common::derivative(&[1, 1])];
        let point = draw.many(2 * net.elements(), 0.5);
        let plain = common::values(&net, &wanted, &theta, &point)?;
        let at_rest: Vec<f64> = point.chunks(2).flat_map(|place| [place[0], place[1], 0.0]).collect();
        let lifted = common::values(&along, &wanted, &[theta, v].concat(), &at_rest)?;
        assert!(plain.iter().zip(&lifted).all(|(a, b)| (a - b).abs() < 1e-12), "{kind}: {plain:?} but {lifted:?}");
    }
    Ok(())
}

fn message<T>(made: Result<T, ropinn_engine::EngineError>) -> String {
    made.err().map_or_else(|| "no error".into(), |error| error.to_string())
}

#[test]
fn what_has_no_hessian_is_refused() -> Fallible {
    let threads = Threads::new(1)?;
    let scope = Scope::new(["x", "t"], ["u"])?;
    let spec = |text: &str| scope.parse(text).map(|residual| TermSpec::new("equation", vec![residual]));
    let hessian = |net: &Arc<Network>, term: TermSpec| -> Fallible<String> {
        let mut evaluator = Evaluator::new(vec![Program::compile(net, &term, 0)?], Precision::F64, &threads)?;
        let set = evaluator.add(0, Samples::points(&[0.0; 6]))?;
        let theta = vec![0.1; evaluator.parameters()];
        Ok(message(evaluator.hessian_product(&theta, &theta, &[set], &[1.0], &mut Vec::new())))
    };
    let net = network("tanh", &mut Draw(1))?;
    assert_eq!(
        hessian(&net, TermSpec::new("fifth", vec![common::derivative(&[0; 5])]))?,
        "the Hessian of residual `u0_x0x0x0x0x0` needs derivatives of order 6, one more than the residual; \
         the engine propagates up to order 5"
    );
    let mut wide = NetworkBuilder::new(16);
    let z = wide.linear("a", wide.input(), 2)?;
    let h = wide.activate(Activation::Tanh, z)?;
    assert_eq!(
        message(wide.build(h)?.perturbed()?.perturbed()),
        "a network of 17 coordinates cannot be perturbed, which takes one more; expressions know at most 16"
    );
    assert_eq!(
        hessian(&network("spline", &mut Draw(1))?, spec("u_xxx")?)?,
        "the residuals need derivatives of order 4, but the B-spline basis of degree 3 is smooth only to order 3; \
         use a smoother activation such as tanh or sin, or splines of higher degree"
    );

    let mut fine = Evaluator::new(vec![Program::compile(&net, &spec("u_t")?, 0)?], Precision::F64, &threads)?;
    let (theta, mut out) = (vec![0.1; fine.parameters()], Vec::new());
    let set = fine.add(0, Samples::points(&[0.0; 4]))?;
    let short = fine.hessian_product(&theta, &theta[1..], &[set], &[1.0], &mut out);
    let expected = theta.len();
    assert_eq!(message(short), format!("term `all` needs {expected} entries of a direction, but got {}", expected - 1));
    Ok(())
}
