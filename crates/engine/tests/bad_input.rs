//! Bad input gets a typed error that names the culprit and the next step.

mod common;

use common::{Draw, Fallible, network};
use ropinn_engine::{
    Activation, EngineError, Evaluation, Evaluator, NetworkBuilder, Precision, Program, Samples, SplineBasis, TermSpec,
    Threads,
};
use ropinn_expr::Scope;

fn message<T>(result: Result<T, EngineError>) -> String {
    result.err().map_or_else(|| "no error".into(), |e| e.to_string())
}

#[test]
fn networks_that_cannot_be() -> Fallible {
    let net = NetworkBuilder::new(2);
    let x = net.input();
    assert_eq!(message(net.build(x)), "the network has no parameters; add at least one linear layer");
    let mut net = NetworkBuilder::new(2);
    let x = net.input();
    assert_eq!(message(net.linear("a", x, 0)), "`a.weight` has width 0; widths start at 1");
    let a = net.linear("b", x, 3)?;
    assert_eq!(message(net.linear("b", x, 3)), "parameter `b.weight` exists already; give each layer its own name");
    let c = net.linear("c", x, 4)?;
    assert_eq!(message(net.mul(a, c)), "a product needs operands of equal width, but they have 3 and 4");
    assert_eq!(message(net.sum(&[])), "a sum needs at least one operand");
    assert_eq!(message(net.attention(c, c, c, 3)), "3 attention heads do not divide the width 4; choose a divisor");
    assert_eq!(
        message(net.pieces(1, &[0.5], &[a])),
        "1 pieces with 1 ends between them; give one end fewer than pieces"
    );
    for (ends, end) in [([0.5, 0.5], "0.5"), ([0.0, f64::NAN], "NaN")] {
        let refused = format!("a piece cannot end at {end}; ends must be finite, each above the one before");
        assert_eq!(message(net.pieces(1, &ends, &[a; 3])), refused);
    }
    assert_eq!(message(net.pieces(1, &[0.5], &[a, c])), "a sum needs operands of equal width, but they have 3 and 4");
    assert_eq!(message(net.normalise(x, &[(0.0, 1.0)])), "normalisation needs 2 ranges, one per coordinate, but got 1");
    assert_eq!(
        message(net.normalise(x, &[(0.0, 1.0), (2.0, 2.0)])),
        "coordinate 1 has the empty range [2, 2]; the upper end must be larger and finite"
    );
    assert_eq!(
        message(net.fixed_linear(x, vec![1.0, f64::NAN], vec![0.0])),
        "number 1 of the fixed linear map is not finite"
    );
    let short = net.param("short", &[5])?;
    assert_eq!(
        message(net.linear_with(x, short, None)),
        "a weight block of 5 numbers does not fit an operand of width 2; it needs a multiple of 2"
    );
    assert_eq!(
        message(SplineBasis::new(1.0, -1.0, 5, 3)),
        "a spline grid of 5 intervals on [1, -1] is empty; give at least one interval and low < high"
    );
    assert_eq!(message(SplineBasis::new(-1.0, 1.0, 5, 9)), "spline degree 9 is not supported; choose 1 to 5");
    let scope = Scope::new(["x", "t"], ["u"])?;
    assert_eq!(
        message(net.field(vec![scope.parse("x*u")?])),
        format!(
            "`{}` must depend on the coordinates only to serve as a hard constraint or coefficient field",
            scope.parse("x*u")?
        )
    );
    Ok(())
}

#[test]
fn residuals_that_do_not_fit_the_network() -> Fallible {
    let net = network("tanh", &mut Draw(1))?;
    let compile = |names: [&str; 3], text: &str| -> Fallible<String> {
        let scope = Scope::new(names, ["u", "v"])?;
        Ok(message(Program::compile(&net, &TermSpec::new("r", vec![scope.parse(text)?]), 0)))
    };
    let axes = ["x", "t", "z"];
    assert!(
        compile(axes, "v_t - v")?
            .ends_with("uses unknown number 1, but the network has 1 output(s); widen its last layer")
    );
    assert!(compile(axes, "u_z")?.ends_with("uses coordinate number 2, but the network has 2 coordinate(s)"));
    assert!(compile(axes, "u*z")?.ends_with("uses coordinate number 2, but the network has 2 coordinate(s)"));
    assert_eq!(
        message(Program::compile(&net, &TermSpec::new("r", vec![]), 0)),
        "there is no residual to compile; give at least one expression"
    );
    let scope = Scope::new(["x", "t"], ["u"])?;
    let sixth = scope.parse("u_xxxx")?.derivative(0).derivative(1);
    assert!(
        message(Program::compile(&net, &TermSpec::new("r", vec![sixth]), 0))
            .ends_with("needs derivatives of order 6; the engine propagates up to order 5")
    );
    Ok(())
}

#[test]
fn splines_refuse_orders_beyond_their_degree() -> Fallible {
    let net = network("spline", &mut Draw(1))?;
    let scope = Scope::new(["x", "t"], ["u"])?;
    assert_eq!(
        message(Program::compile(&net, &TermSpec::new("r", vec![scope.parse("u_xxxx")?]), 0)),
        "the residuals need derivatives of order 4, but the B-spline basis of degree 3 is smooth only to order 3; \
         use a smoother activation such as tanh or sin, or splines of higher degree"
    );
    Ok(())
}

#[test]
fn samples_that_do_not_fit_the_terms() -> Fallible {
    let net = network("tanh", &mut Draw(1))?;
    let mut scope = Scope::new(["x", "t"], ["u"])?;
    scope.data("y")?;
    let program = Program::compile(&net, &TermSpec::new("fit", vec![scope.parse("u - y")?]), 0)?;
    let mut evaluator = Evaluator::new(vec![program.clone()], Precision::F64, &Threads::new(1)?)?;
    let theta = vec![0.1; evaluator.parameters()];
    let mut out = Evaluation::default();
    let points = [0.0, 1.0, 2.0, 3.0];
    let samples = |points, data| Samples { points, data, weights: &[] };
    let set = evaluator.add(0, samples(&points, &[0.0, 0.0]))?;
    assert_eq!(
        message(evaluator.evaluate(&theta[1..], &[set], &[1.0], &mut out)),
        format!("theta has {} numbers, but the program has {} parameters", theta.len() - 1, theta.len())
    );
    let none = message(evaluator.evaluate(&theta, &[], &[1.0], &mut out));
    assert_eq!(none, "0 batches for 1 terms; give one batch per term, in order");
    assert_eq!(message(evaluator.add_all(&[])), "0 batches for 1 terms; give one batch per term, in order");
    let mut run = |samples| {
        let (added, replaced) = (message(evaluator.add(0, samples)), message(evaluator.replace(set, samples)));
        assert_eq!(added, replaced);
        added
    };
    assert_eq!(run(samples(&[], &[])), "term `fit` has no points; give at least one");
    assert_eq!(
        run(samples(&points[..3], &[0.0])),
        "term `fit`: 3 coordinates are not a whole number of samples of 2 coordinates each"
    );
    assert_eq!(
        run(samples(&points, &[0.0])),
        "term `fit` needs 2 data values (1 column(s) for each of 2 samples), but got 1"
    );
    assert_eq!(
        run(Samples { points: &points, data: &[0.0, 0.0], weights: &[1.0] }),
        "term `fit` needs 2 sample weights, but got 1"
    );
    assert_eq!(message(evaluator.move_points(set, &points[..2])), "term `fit` needs 4 coordinates, but got 2");
    evaluator.remove(set)?;
    let gone = "there is no set number 0; hand over its samples first";
    assert_eq!(message(evaluator.residuals(&theta, set, &mut Vec::new())), gone);
    assert_eq!(message(evaluator.evaluate(&theta, &[set], &[1.0], &mut out)), gone);

    let again = Program::compile(&net, &TermSpec::new("again", vec![scope.parse("u - y")?]), 0)?;
    let mut evaluator = Evaluator::new(vec![program.clone(), again], Precision::F64, &Threads::new(1)?)?;
    let sets = evaluator.add_all(&[samples(&points, &[0.0, 0.0]); 2])?;
    assert_eq!(
        message(evaluator.evaluate(&theta, &[sets[1], sets[0]], &[1.0, 1.0], &mut out)),
        "set number 1 has samples of term `again`, but stands for term `fit`; give one set per term, in order"
    );
    let mut other = NetworkBuilder::new(2);
    let z = other.linear("a", other.input(), 3)?;
    let h = other.activate(Activation::Tanh, z)?;
    let u = other.linear("b", h, 1)?;
    let other = std::sync::Arc::new(other.build(u)?);
    let stranger = Program::compile(&other, &TermSpec::new("other", vec![scope.parse("u")?]), 0)?;
    let found = message(Evaluator::new(vec![program, stranger], Precision::F32, &Threads::new(1)?).map(|_| ()));
    assert!(found.starts_with("term `other` has 13 parameters where the first term has"), "{found}");
    Ok(())
}

#[test]
fn absurd_thread_counts_are_refused() {
    assert_eq!(
        message(Threads::new(100_000).map(|_| ())),
        "100000 threads are too many; ask for at most 1024, or 0 for one per core"
    );
}
