//! Gram matrix, Jacobian, scaled residuals and pull-backs: against rows, against each other, and for any number of threads.

mod common;

use common::{Draw, Fallible, close, network};
use ropinn_engine::{Evaluation, Evaluator, Jacobian, Precision, Program, Samples, SetId, TermSpec, Threads};
use ropinn_expr::Scope;

const WEIGHTS: [f64; 2] = [0.7, 20.0];

/// Two terms of one network: a nonlinear equation with a trained scalar, and a periodic pair with two residuals.
struct Setup {
    programs: Vec<Program>,
    theta: Vec<f64>,
    points: Vec<Vec<f64>>,
    sample_weights: Vec<f64>,
}

impl Setup {
    fn new(kind: &str, seed: u64, samples: usize) -> Fallible<Self> {
        let mut draw = Draw(seed);
        let net = network(kind, &mut draw)?;
        let names = if net.unknowns() == 2 { vec!["u", "v"] } else { vec!["u"] };
        let mut scope = Scope::new(["x", "t"], names)?;
        scope.trainable("lambda")?;
        let equation = TermSpec::new("equation", vec![scope.parse("u_t + lambda*u*u_x - 0.3*u_xx")?]);
        let pair = TermSpec::new("pair", vec![scope.parse("u - at(u, 1)")?, scope.parse("u_x - at(u_x, 1)")?]);
        let programs: Vec<Program> = [equation, pair.on_first_element()]
            .iter()
            .map(|spec| Program::compile(&net, spec, 1))
            .collect::<Result<_, _>>()?;
        let theta = draw.many(programs[0].parameters(), 0.7);
        let counts = [samples, samples / 3 + 1];
        let points = programs.iter().zip(counts).map(|(p, n)| draw.many(n * p.coordinates_per_sample(), 0.9)).collect();
        let sample_weights = draw.many(samples, 0.5).iter().map(|w| 1.0 + w).collect();
        Ok(Self { programs, theta, points, sample_weights })
    }

    fn evaluator(&self, precision: Precision, threads: usize) -> Fallible<(Evaluator, Vec<SetId>)> {
        let mut evaluator = Evaluator::new(self.programs.clone(), precision, &Threads::new(threads)?)?;
        let first = Samples { points: &self.points[0], data: &[], weights: &self.sample_weights };
        let sets = evaluator.add_all(&[first, Samples::points(&self.points[1])])?;
        Ok((evaluator, sets))
    }

    fn normal(&self, precision: Precision, threads: usize) -> Fallible<Evaluation> {
        let mut out = Evaluation::default();
        let (mut evaluator, sets) = self.evaluator(precision, threads)?;
        // Twice: nothing of the first call may be left in the second.
        evaluator.normal_equations(&self.theta, &sets, &WEIGHTS, &mut out)?;
        evaluator.normal_equations(&self.theta, &sets, &WEIGHTS, &mut out)?;
        Ok(out)
    }
}

fn products_agree(kind: &str, seed: u64, samples: usize) -> Fallible {
    let setup = Setup::new(kind, seed, samples)?;
    let p = setup.theta.len();
    let (mut evaluator, sets) = setup.evaluator(Precision::F64, 2)?;
    let normal = setup.normal(Precision::F64, 2)?;
    let (mut jacobian, mut plain) = (Jacobian::default(), Evaluation::default());
    evaluator.jacobian(&setup.theta, &sets, &WEIGHTS, &mut jacobian)?;
    evaluator.evaluate(&setup.theta, &sets, &WEIGHTS, &mut plain)?;

    for (loss, terms) in [(normal.loss, &normal.parts), (jacobian.loss, &jacobian.parts)] {
        assert!(close(loss, plain.loss, 1e-12), "{kind}: loss {loss} vs {}", plain.loss);
        assert!(terms.iter().zip(&plain.parts).all(|(a, b)| close(*a, *b, 1e-12)), "{kind}: {terms:?}");
    }
    for (k, (found, wanted)) in normal.grad.iter().zip(&plain.grad).enumerate() {
        assert!(close(*found, *wanted, 1e-10), "{kind} seed {seed}: gradient {k}: {found} vs {wanted}");
    }
    for i in 0..p {
        for j in 0..=i {
            let wanted: f64 = jacobian.rows.chunks_exact(p).map(|row| row[i] * row[j]).sum();
            let found = normal.gram[i * p + j];
            assert!(close(found, wanted, 1e-10), "{kind} seed {seed}: gram {i},{j}: {found} vs {wanted}");
        }
    }

    let mut residuals = Vec::new();
    evaluator.scaled_residuals(&setup.theta, &sets, &WEIGHTS, &mut residuals)?;
    let gap = residuals.iter().zip(&jacobian.residuals).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(residuals.len() == jacobian.residuals.len() && gap < 1e-12, "{kind}: residuals differ by {gap}");
    let w = Draw(seed ^ 77).many(residuals.len(), 1.0);
    let mut pulled = Vec::new();
    evaluator.scaled_pullback(&setup.theta, &sets, &WEIGHTS, &w, &mut pulled)?;
    for (k, found) in pulled.iter().enumerate() {
        let wanted: f64 = jacobian.rows.chunks_exact(p).zip(&w).map(|(row, w)| row[k] * w).sum();
        assert!(close(*found, wanted, 1e-10), "{kind} seed {seed}: pull-back {k}: {found} vs {wanted}");
    }
    Ok(())
}

#[test]
fn several_panels_agree_too() -> Fallible {
    products_agree("tanh", 5, 9000)
}

#[test]
fn any_thread_count_gives_the_same_bits() -> Fallible {
    for kind in ["tanh", "attention", "two-outputs"] {
        let setup = Setup::new(kind, 7, 1500)?;
        for precision in [Precision::F32, Precision::F64] {
            let one = setup.normal(precision, 1)?;
            assert!(setup.normal(precision, 2)? == one, "{kind} {precision}, 2 threads");
            assert!(setup.normal(precision, 3)? == one, "{kind} {precision}, 3 threads");
        }
    }
    Ok(())
}

#[test]
fn single_precision_agrees_with_double() -> Fallible {
    let setup = Setup::new("tanh", 9, 500)?;
    let (single, double) = (setup.normal(Precision::F32, 1)?, setup.normal(Precision::F64, 1)?);
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let gap: Vec<f64> = single.gram.iter().zip(&double.gram).map(|(a, b)| a - b).collect();
    assert!(norm(&gap) < 1e-4 * norm(&double.gram), "{} of {}", norm(&gap), norm(&double.gram));
    Ok(())
}

#[test]
fn wrong_lengths_are_refused() -> Fallible {
    let setup = Setup::new("tanh", 1, 10)?;
    let (mut evaluator, sets) = setup.evaluator(Precision::F64, 1)?;
    let mut out = Vec::new();
    let short = evaluator.scaled_pullback(&setup.theta, &sets, &WEIGHTS, &[1.0], &mut out);
    assert!(short.expect_err("too few cotangents").to_string().contains("cotangents"));
    let mut normal = Evaluation::default();
    let missing = evaluator.normal_equations(&setup.theta, &sets[..1], &WEIGHTS, &mut normal);
    assert!(missing.is_err());
    Ok(())
}
