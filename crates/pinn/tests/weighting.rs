//! Kernel traces against differences and pull-backs, and the weighting rules on numbers worked out by hand.

use ropinn::weighting::{
    BalanceRule, GradientBalance, GradientSize, KernelOf, KernelTrace, Ntk, Subset, TraceScale, balance_targets,
    ntk_weights, part_traces, smoothed,
};
use ropinn_domain::{Purpose, Stream};
use ropinn_engine::{
    Activation, EngineError, Evaluator, NetworkBuilder, Precision, Program, Samples, TermSpec, Threads,
};
use ropinn_expr::Scope;
use std::sync::Arc;

type Fallible = Result<(), Box<dyn std::error::Error>>;

fn numbers(n: usize, seed: u64) -> Vec<f64> {
    let mut values = vec![0.0; n];
    Stream::new(seed, Purpose::Weights).fill_uniform(&mut values);
    values.iter().map(|v| 1.4 * v - 0.7).collect()
}

/// Two residuals per point and data, on a network with a hidden layer of five.
fn setting() -> Result<(Evaluator, Vec<f64>), Box<dyn std::error::Error>> {
    let mut net = NetworkBuilder::new(2);
    let z = net.linear("a", net.input(), 5)?;
    let h = net.activate(Activation::Tanh, z)?;
    let u = net.linear("b", h, 1)?;
    let net = Arc::new(net.build(u)?);
    let mut scope = Scope::new(["x", "t"], ["u"])?;
    scope.data("y")?;
    let spec = TermSpec::new("pair", vec![scope.parse("u_t + u*u_x - 0.1*u_xx")?, scope.parse("y*u - 1")?]);
    let evaluator = Evaluator::new(vec![Program::compile(&net, &spec, 0)?], Precision::F64, &Threads::new(1)?)?;
    let theta = numbers(evaluator.parameters(), 3);
    Ok((evaluator, theta))
}

/// All parts together.
fn term_trace(evaluator: &mut Evaluator, theta: &[f64], samples: Samples<'_>) -> Result<KernelTrace, EngineError> {
    Ok(part_traces(evaluator, 0, theta, samples)?.into_iter().sum())
}

#[test]
fn the_trace_is_the_sum_of_squared_rows() -> Fallible {
    let (mut evaluator, theta) = setting()?;
    // More samples than one tile of lanes, and not a multiple of it.
    let samples = 21;
    let (points, data) = (numbers(2 * samples, 5), numbers(samples, 6));
    let given = Samples { points: &points, data: &data, weights: &[] };
    let found = term_trace(&mut evaluator, &theta, given)?;
    let set = evaluator.add(0, given)?;
    assert_eq!(found.rows, 2 * samples);

    // Row by row through pull-backs of unit cotangents.
    let mut by_pullback = 0.0;
    for row in 0..2 * samples {
        let (mut unit, mut grad) = (vec![0.0; 2 * samples], Vec::new());
        unit[row] = 1.0;
        evaluator.pullback(&theta, &[set], &[&unit], &mut grad)?;
        by_pullback += grad.iter().map(|g| g * g).sum::<f64>();
    }
    assert!((found.trace - by_pullback).abs() < 1e-11 * by_pullback, "{} or {by_pullback}", found.trace);

    // Column by column through central differences.
    let mut by_differences = 0.0;
    for p in 0..theta.len() {
        let mut residuals_at = |shift: f64| {
            let (mut moved, mut out) = (theta.clone(), Vec::new());
            moved[p] += shift;
            evaluator.residuals(&moved, set, &mut out).map(|()| out)
        };
        let h = 1e-5;
        let (up, down) = (residuals_at(h)?, residuals_at(-h)?);
        by_differences += up.iter().zip(&down).map(|(u, d)| ((u - d) / (2.0 * h)).powi(2)).sum::<f64>();
    }
    assert!((found.trace - by_differences).abs() < 1e-7 * by_differences, "{} or {by_differences}", found.trace);
    Ok(())
}

#[test]
fn traces_of_parts_add_up_and_subsets_are_fair() -> Fallible {
    let (mut evaluator, theta) = setting()?;
    let samples = 12;
    let (points, data) = (numbers(2 * samples, 15), numbers(samples, 16));
    let part =
        |from: usize, to: usize| Samples { points: &points[2 * from..2 * to], data: &data[from..to], weights: &[] };
    let whole = term_trace(&mut evaluator, &theta, part(0, samples))?;
    let parts: KernelTrace =
        [(0, 5), (5, 12)].iter().map(|&(a, b)| term_trace(&mut evaluator, &theta, part(a, b)).unwrap()).sum();
    assert_eq!(parts.rows, whole.rows);
    assert!((parts.trace - whole.trace).abs() < 1e-12 * whole.trace);

    // The mean over subsets of 4 of 12 is a third of the whole; the draw is repeatable and keeps points with their data.
    let program = evaluator.terms()[0].clone();
    let mut stream = Stream::new(1, Purpose::Batch);
    let mut mean = 0.0;
    let draws = 4000;
    for _ in 0..draws {
        let subset = Subset::draw(&program, part(0, samples), 4, &mut stream);
        let few = subset.samples();
        assert_eq!((few.points.len(), few.data.len()), (8, 4));
        for (point, y) in few.points.chunks_exact(2).zip(few.data) {
            let i = data.iter().position(|other| other == y).unwrap();
            assert_eq!(point, &points[2 * i..2 * i + 2]);
        }
        mean += term_trace(&mut evaluator, &theta, few)?.trace / f64::from(draws);
    }
    assert!((mean - whole.trace / 3.0).abs() < 0.02 * whole.trace, "{mean} of {}", whole.trace);
    let all = Subset::draw(&program, part(0, samples), 300, &mut stream);
    assert_eq!((all.samples().points, all.samples().data), (&points[..], &data[..]));
    Ok(())
}

#[test]
fn kernel_weights_by_hand() {
    let traces = [(8.0, 4), (2.0, 1), (6.0, 2)].map(|(trace, rows)| KernelTrace { trace, rows });
    assert_eq!(ntk_weights(&traces, TraceScale::Sum).unwrap(), [2.0, 8.0, 16.0 / 6.0]);
    assert_eq!(ntk_weights(&traces, TraceScale::Mean).unwrap(), [3.5, 3.5, 7.0 / 3.0]);
    assert_eq!(ntk_weights(&traces[..1], TraceScale::Sum).unwrap(), [1.0]);
    // Weighted traces are all equal, which is what the rule is for.
    let weights = ntk_weights(&traces, TraceScale::Sum).unwrap();
    assert!(weights.iter().zip(&traces).all(|(w, t)| (w * t.trace - 16.0).abs() < 1e-14));
    assert_eq!(Ntk::default(), Ntk { period: 10, samples: 300, scale: TraceScale::Sum, of: KernelOf::Residual });
}

#[test]
fn gradient_weights_by_hand() {
    let sizes = [GradientSize::of(&[3.0, -4.0]), GradientSize::of(&[0.0, 0.5]), GradientSize::of(&[0.6, -0.8])];
    assert_eq!(sizes[0], GradientSize { largest: 4.0, mean: 3.5, norm: 5.0 });
    let close = |found: Vec<f64>, wanted: [f64; 3]| {
        assert!(found.iter().zip(wanted).all(|(f, w)| (f - w).abs() < 1e-14), "{found:?} for {wanted:?}");
    };
    close(balance_targets(&sizes, 0, BalanceRule::MaxOverMean).unwrap(), [1.0, 16.0, 4.0 / 0.7]);
    close(balance_targets(&sizes, 2, BalanceRule::MaxOverMean).unwrap(), [0.8 / 3.5, 3.2, 1.0]);
    close(balance_targets(&sizes, 0, BalanceRule::EqualNorms).unwrap(), [1.3, 13.0, 6.5]);
    let mut weights = [1.0, 1.0];
    smoothed(&mut weights, &[1.0, 11.0], 0.1);
    assert_eq!(weights, [1.0, 2.0]);
    smoothed(&mut weights, &[5.0, 7.0], 1.0);
    assert_eq!(weights, [5.0, 7.0]);
    assert_eq!(GradientBalance::default(), GradientBalance { period: 10, alpha: 0.1, rule: BalanceRule::MaxOverMean });
}

#[test]
fn refusals_name_the_culprit() {
    let trace =
        |trace, rows| ntk_weights(&[KernelTrace { trace: 1.0, rows: 1 }, KernelTrace { trace, rows }], TraceScale::Sum);
    assert_eq!(
        trace(0.0, 3).unwrap_err().to_string(),
        "the kernel trace of term 1 is 0, so its weight has no value; drop the term from the weighting"
    );
    assert_eq!(
        trace(f64::NAN, 3).unwrap_err().to_string(),
        "the kernel trace of term 1 is NaN, so its weight has no value; drop the term from the weighting"
    );
    assert_eq!(
        trace(1.0, 0).unwrap_err().to_string(),
        "term 1 has no rows, so its weight has no value; give it at least one point"
    );
    let sizes = [GradientSize::of(&[1.0]), GradientSize::of(&[0.0])];
    assert_eq!(
        balance_targets(&sizes, 0, BalanceRule::MaxOverMean).unwrap_err().to_string(),
        "the gradient of term 1 is 0, so its weight has no value; drop the term from the weighting"
    );
    assert_eq!(
        balance_targets(&sizes, 2, BalanceRule::EqualNorms).unwrap_err().to_string(),
        "the gradients of 2 terms are to be compared with term 2; choose one of them"
    );
    assert!(GradientSize::of(&[1.0, f64::NAN, 2.0]).norm.is_nan());
    assert_eq!(
        GradientBalance { alpha: 0.0, ..GradientBalance::default() }.validate().unwrap_err().to_string(),
        "setting `alpha` of the weighting is 0; it must be above 0 and at most 1"
    );
    assert_eq!(
        Ntk { samples: 0, ..Ntk::default() }.validate().unwrap_err().to_string(),
        "setting `samples` of the weighting is 0; it must be at least 1"
    );
}
