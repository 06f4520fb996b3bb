//! Sums come in groups: computed anywhere, in any order, and added in order, they have the bits of the whole.

mod common;

use common::{Draw, Fallible, network};
use ropinn_engine::{Evaluation, Evaluator, Precision, Program, Samples, SetId, Sum, TermSpec, Threads};
use ropinn_expr::Scope;

const WEIGHTS: [f64; 2] = [0.7, 20.0];

struct Setup {
    programs: Vec<Program>,
    theta: Vec<f64>,
    points: Vec<Vec<f64>>,
}

impl Setup {
    fn new(kind: &str, samples: usize) -> Fallible<Self> {
        let mut draw = Draw(samples as u64);
        let net = network(kind, &mut draw)?;
        let scope = Scope::new(["x", "t"], ["u"])?;
        let terms = ["u_t + u*u_x - 0.3*u_xx", "u - at(u, 1)"].map(|text| scope.parse(text));
        let compile = |residual| Program::compile(&net, &TermSpec::new("term", vec![residual]), 0);
        let programs = Vec::from(terms).into_iter().map(|term| Ok(compile(term?)?)).collect::<Fallible<Vec<_>>>()?;
        let counts = [samples, samples / 5 + 1];
        let points = programs.iter().zip(counts).map(|(p, n)| draw.many(n * p.coordinates_per_sample(), 0.9)).collect();
        Ok(Self { programs, theta: draw.many(net.parameters(), 0.7), points })
    }

    /// A machine of its own.
    fn evaluator(&self, precision: Precision, threads: usize) -> Fallible<(Evaluator, Vec<SetId>)> {
        let mut evaluator = Evaluator::new(self.programs.clone(), precision, &Threads::new(threads)?)?;
        let samples: Vec<Samples<'_>> = self.points.iter().map(|points| Samples::points(points)).collect();
        let sets = evaluator.add_all(&samples)?;
        Ok((evaluator, sets))
    }
}

fn groups_add_up(setup: &Setup, precision: Precision, sum: Sum<'_>, least: usize) -> Fallible {
    let (mut one, sets) = setup.evaluator(precision, 2)?;
    let mut whole = Evaluation::default();
    one.backend().sum(&setup.theta, &sets, sum, &mut whole)?;
    let groups = one.backend().groups(&sets, sum)?;
    assert!(groups >= least, "{groups} groups of {sum:?}");

    // One machine takes the odd groups, last first; another the others in one go.
    let (mut two, other_sets) = setup.evaluator(precision, 3)?;
    let mut parts = vec![Evaluation::default(); groups];
    for group in (1..groups).step_by(2).rev() {
        let keep = &mut |sums: &Evaluation| parts[group] = sums.clone();
        one.backend().partial_sums(&setup.theta, &sets, sum, group..group + 1, keep)?;
    }
    let mut all = Vec::new();
    let keep = &mut |sums: &Evaluation| all.push(sums.clone());
    two.backend().partial_sums(&setup.theta, &other_sets, sum, 0..groups, keep)?;
    parts.iter_mut().zip(all).step_by(2).for_each(|(part, sums)| *part = sums);

    let mut together = Evaluation::default();
    parts.iter().for_each(|part| together.add(part));
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    for (found, wanted) in
        [(&together.parts, &whole.parts), (&together.grad, &whole.grad), (&together.gram, &whole.gram)]
    {
        assert!(bits(found) == bits(wanted), "{precision}: groups do not add up");
    }
    Ok(())
}

#[test]
fn groups_have_the_bits_of_the_whole() -> Fallible {
    let (weights, mut draw) = (&WEIGHTS[..], Draw(1));
    for (kind, samples) in [("tanh", 3000), ("attention", 700), ("spline", 500)] {
        let setup = Setup::new(kind, samples)?;
        let direction = draw.many(setup.theta.len(), 1.0);
        let (evaluator, sets) = setup.evaluator(Precision::F64, 1)?;
        let counts = sets.iter().map(|&set| evaluator.residual_count(set)).collect::<Result<Vec<_>, _>>()?;
        let cotangents: Vec<Vec<f64>> = counts.iter().map(|&count| draw.many(count, 1.0)).collect();
        let cotangents: Vec<&[f64]> = cotangents.iter().map(Vec::as_slice).collect();
        for precision in [Precision::F32, Precision::F64] {
            for sum in [
                Sum::Loss,
                Sum::LossAndGradient { weights },
                Sum::Gradient { weights: &[0.0, 1.0] },
                Sum::Pullback { cotangents: &cotangents },
                Sum::Hessian { weights, direction: &direction },
            ] {
                groups_add_up(&setup, precision, sum, 4)?;
            }
            groups_add_up(&setup, precision, Sum::NormalEquations { weights }, if kind == "spline" { 1 } else { 2 })?;
        }
    }
    Ok(())
}

/// Groups of JᵀJ that are too long to be held at once.
#[test]
fn groups_of_several_panels_have_the_bits_of_the_whole() -> Fallible {
    let setup = Setup::new("tanh", 40_000)?;
    groups_add_up(&setup, Precision::F32, Sum::NormalEquations { weights: &WEIGHTS }, 8)
}
