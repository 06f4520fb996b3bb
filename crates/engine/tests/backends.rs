//! Every product of the fast backend against the reference, on random networks and random residuals.

mod common;
mod reference;

use common::{Draw, Fallible, KINDS, max_order, network};
use reference::Reference;
use ropinn_engine::{
    Activation, Evaluation, Evaluator, Jacobian, Network, NetworkBuilder, NodeId, Precision, Program, Samples,
    SplineBasis, TermSpec, Threads,
};
use ropinn_expr::{Lookup, Scope, Table, TableAxis};
use std::sync::Arc;

/// Operations drawn at random, at least one of them trained, on up to three coordinates and four elements.
fn random_network(draw: &mut Draw) -> Fallible<Arc<Network>> {
    let elements = [1, 1, 2, 3][draw.below(4)];
    let mut net = NetworkBuilder::sequence(2, elements);
    let mut nodes = vec![net.linear("first", net.input(), 3)?];
    let scope = Scope::new(["x", "t"], ["u"])?;
    for step in 0..3 + draw.below(4) {
        let name = format!("n{step}");
        let x = nodes[draw.below(nodes.len())];
        let like = |net: &mut NetworkBuilder, draw: &mut Draw, x: NodeId| -> Fallible<NodeId> {
            let same: Vec<NodeId> = nodes.iter().copied().filter(|&node| net.width(node) == net.width(x)).collect();
            Ok(same[draw.below(same.len())])
        };
        let node = match draw.below(12) {
            0 => net.linear(&name, x, 1 + draw.below(3))?,
            1 => net.wave(&name, x)?,
            2 => {
                let other = like(&mut net, draw, x)?;
                net.mul(x, other)?
            }
            3 => {
                let other = like(&mut net, draw, x)?;
                net.sum(&[x, other, x])?
            }
            4 => {
                let both = net.concat(&[x, net.input()])?;
                net.linear(&name, both, 2)?
            }
            5 => {
                let (q, v) = (like(&mut net, draw, x)?, like(&mut net, draw, x)?);
                let heads = if net.width(x) == 2 { 2 } else { 1 };
                net.attention(q, x, v, heads)?
            }
            6 => {
                let (basis, out) = (SplineBasis::new(-1.5, 1.5, 3, 5)?, 1 + draw.below(2));
                let inputs = net.width(x);
                let coefficients = net.param(format!("{name}.coef"), &[out, inputs, basis.len()])?;
                let scales = net.param(format!("{name}.scale"), &[out, inputs])?;
                let bases = net.spline(x, basis)?;
                net.spline_linear(bases, coefficients, scales, basis.len())?
            }
            7 => {
                let features = net.fourier_features(net.input(), &draw.many(4, 0.4))?;
                net.linear(&name, features, 2)?
            }
            8 => {
                let scaled = net.normalise(net.input(), &[(-2.0, 3.0), (0.0, 1.5)])?;
                net.linear(&name, scaled, 2)?
            }
            9 => {
                let width = net.width(x);
                let (offset, distance) = (scope.parse("sin(2*x)*exp(-t)")?, scope.parse("t*(1 - x^2) + 0.3")?);
                net.hard_constraint(x, vec![offset; width], vec![distance; width])?
            }
            _ => net.activate(Activation::ALL[draw.below(Activation::ALL.len())], x)?,
        };
        nodes.push(node);
    }
    let last = net.sum(&[*nodes.last().expect("the first")])?;
    let out = net.linear("last", last, 2)?;
    Ok(Arc::new(net.build(out)?))
}

/// What residuals are made of.
fn scope(network: &Network) -> Fallible<Scope> {
    let mut scope = Scope::new(["x", "t"], if network.unknowns() == 2 { vec!["u", "v"] } else { vec!["u"] })?;
    scope.trainable("a")?;
    scope.trainable("b")?;
    scope.data("c")?;
    let axis = |name: &str| TableAxis { name: name.into(), nodes: vec![-1.5, -0.4, 0.3, 1.2] };
    let values = (0..16).map(|i| 0.5 + 0.1 * f64::from(i * 7 % 16)).collect();
    scope.table("k", Table::new(vec![axis("x"), axis("t")], values, Lookup::Linear)?)?;
    Ok(scope)
}

/// A sum of products of derivatives up to some order, coefficients of all kinds, functions and branches.
fn random_residual(network: &Network, order: usize, draw: &mut Draw) -> String {
    let two = network.unknowns() == 2;
    let term = |draw: &mut Draw| {
        let unknown = |draw: &mut Draw| {
            let name = if two && draw.below(2) == 1 { "v" } else { "u" };
            let axes: String = (0..draw.below(order + 1)).map(|_| ["x", "t"][draw.below(2)]).collect();
            if axes.is_empty() { name.to_owned() } else { format!("{name}_{axes}") }
        };
        let (p, q) = (unknown(draw), unknown(draw));
        let coefficients = ["1", "-0.3", "(1 + x^2)", "exp(-t)", "k(x, t)", "a", "exp(b)", "c", "x*t"];
        let shape = [
            p.clone(),
            p.clone(),
            format!("{p}*{q}"),
            format!("sin({p})*{q}"),
            format!("where({p} > 0.1, {q}, 2*{p})"),
            format!("max({p}, {q})"),
            format!("sqrt(1 + {p}^2)"),
            format!("tanh({p} - c)"),
            format!("(erf({p}) + atan({q}))"),
        ];
        format!("{}*{}", coefficients[draw.below(coefficients.len())], shape[draw.below(shape.len())])
    };
    (0..1 + draw.below(4)).map(|_| term(draw)).collect::<Vec<_>>().join(" + ")
}

/// Every product of an evaluator under its name, the terms having samples, weights and directions of this draw.
fn products(mut evaluator: Evaluator, samples: usize, seed: u64) -> Fallible<Vec<(String, Vec<f64>)>> {
    let mut draw = Draw(seed);
    let (theta, direction) = (draw.many(evaluator.parameters(), 0.7), draw.many(evaluator.parameters(), 1.0));
    let mut sets = Vec::new();
    for term in 0..evaluator.terms().len() {
        let program = &evaluator.terms()[term];
        let (points, data) = (samples * program.coordinates_per_sample(), samples * program.data_columns());
        let (points, data) = (draw.many(points, 0.9), draw.many(data, 1.0));
        let weights: Vec<f64> = draw.many(samples, 0.5).iter().map(|w| 1.0 + w).collect();
        let weights = if term == 0 { &weights[..] } else { &[] };
        sets.push(evaluator.add(term, Samples { points: &points, data: &data, weights })?);
        // A set that was replaced and moved is like any other.
        evaluator.replace(
            sets[term],
            Samples { points: &points[..points.len() / samples], data: &data[..data.len() / samples], weights: &[] },
        )?;
        evaluator.replace(sets[term], Samples { points: &points, data: &data, weights })?;
        evaluator.move_points(sets[term], &points.iter().map(|x| 0.9 * x).collect::<Vec<_>>())?;
    }
    let weights: Vec<f64> = draw.many(evaluator.parts(), 1.0).iter().map(|w| 1.5 + w).collect();
    let mut found: Vec<(String, Vec<f64>)> = Vec::new();
    let mut put = |name: &str, numbers: &[f64]| found.push((name.to_owned(), numbers.to_vec()));

    let (mut out, mut numbers) = (Evaluation::default(), Vec::new());
    evaluator.evaluate(&theta, &sets, &weights, &mut out)?;
    put("loss", &[out.loss]);
    put("terms", &out.parts);
    put("gradient with the loss", &out.grad);
    evaluator.evaluate_loss(&theta, &sets, &weights, &mut out)?;
    put("loss alone", &[out.loss]);
    let mut only = vec![0.0; weights.len()];
    only[weights.len() - 1] = 1.0;
    evaluator.gradient(&theta, &sets, &only, &mut numbers)?;
    put("gradient of a part", &numbers);
    evaluator.normal_equations(&theta, &sets, &weights, &mut out)?;
    put("terms of the normal equations", &out.parts);
    put("gradient of the normal equations", &out.grad);
    // What lies above the diagonal is anybody's.
    let lower = |(k, g): (usize, &f64)| (k % theta.len() <= k / theta.len()).then_some(*g);
    put("Gram matrix", &out.gram.iter().enumerate().filter_map(lower).collect::<Vec<_>>());
    evaluator.hessian_product(&theta, &direction, &sets, &weights, &mut numbers)?;
    put("Hessian product", &numbers);
    let mut jacobian = Jacobian::default();
    evaluator.jacobian(&theta, &sets, &weights, &mut jacobian)?;
    put("scaled residuals of the Jacobian", &jacobian.residuals);
    put("Jacobian", &jacobian.rows);
    put("terms of the Jacobian", &jacobian.parts);
    evaluator.scaled_residuals(&theta, &sets, &weights, &mut numbers)?;
    put("scaled residuals", &numbers);
    let cotangents = draw.many(numbers.len(), 1.0);
    evaluator.scaled_pullback(&theta, &sets, &weights, &cotangents, &mut numbers)?;
    put("scaled pull-back", &numbers);
    evaluator.scaled_push_forward(&theta, &direction, &sets, &weights, &mut numbers)?;
    put("scaled push-forward", &numbers);
    for (term, &set) in sets.iter().enumerate() {
        evaluator.residuals(&theta, set, &mut numbers)?;
        put(&format!("residuals {term}"), &numbers);
        evaluator.push_forward(&theta, &direction, set, &mut numbers)?;
        put(&format!("push-forward {term}"), &numbers);
        let (outputs, parameters) = (evaluator.terms()[term].outputs(), theta.len());
        let mut rows = vec![0.0; samples * outputs * (parameters + 1)];
        evaluator.rows(&theta, set, |tile| {
            for i in 0..tile.samples {
                let row = &mut rows[((tile.first + i) * outputs + tile.output) * (parameters + 1)..][..=parameters];
                row[0] = tile.residuals[i];
                row[1..].iter_mut().zip(tile.rows[i..].iter().step_by(tile.stride)).for_each(|(row, j)| *row = *j);
            }
        })?;
        put(&format!("rows {term}"), &rows);
    }
    let raw: Vec<Vec<f64>> =
        sets.iter().map(|&set| evaluator.residual_count(set).map(|n| draw.many(n, 1.0))).collect::<Result<_, _>>()?;
    evaluator.pullback(&theta, &sets, &raw.iter().map(Vec::as_slice).collect::<Vec<_>>(), &mut numbers)?;
    put("pull-back", &numbers);
    Ok(found)
}

/// The fast backend against the reference, for a residual in two parts and a pair of linked sites.
fn backends_agree(network: &Arc<Network>, residuals: &[String], samples: usize, seed: u64) -> Fallible {
    let scope = scope(network)?;
    let parse = |text: &String| scope.parse(text);
    let equation =
        TermSpec::new("equation", residuals.iter().map(parse).collect::<Result<_, _>>()?).in_parts(vec![1, 1]);
    let pair = ["u - at(u, 1)", "u_x - at((2 + t)*u_x, 1) + at(x, 1)"].map(|text| scope.parse(text));
    let pair = TermSpec::new("pair", Vec::from(pair).into_iter().collect::<Result<_, _>>()?).on_first_element();
    let compile = |term| Program::compile(network, term, 2);
    let programs = [equation, pair].iter().map(compile).collect::<Result<Vec<_>, _>>()?;
    let fast = Evaluator::new(programs.clone(), Precision::F64, &Threads::new(2)?)?;
    let found = products(fast, samples, seed)?;
    let wanted = products(Evaluator::with_backend(Box::new(Reference::new(programs)))?, samples, seed)?;
    let size = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    for ((name, found), (_, wanted)) in found.iter().zip(&wanted) {
        assert_eq!(found.len(), wanted.len(), "{name}");
        let gap = size(&found.iter().zip(wanted).map(|(a, b)| a - b).collect::<Vec<_>>());
        let limit = 1e-9 * (1.0 + size(wanted));
        assert!(gap <= limit, "seed {seed}, {name}: off by {gap} of {}, {residuals:?} on {network:?}", size(wanted));
    }
    Ok(())
}

#[test]
fn random_networks_and_residuals() -> Fallible {
    for seed in 0..24 {
        let mut draw = Draw(seed);
        let network = random_network(&mut draw)?;
        let order = if network.elements() > 1 { 2 } else { 3 };
        let residuals = [random_residual(&network, order, &mut draw), random_residual(&network, 2, &mut draw)];
        let samples = 1 + draw.below(3);
        backends_agree(&network, &residuals, samples, seed).map_err(|error| format!("seed {seed}: {error}"))?;
    }
    Ok(())
}

#[test]
fn every_kind_of_network_up_to_its_highest_order() -> Fallible {
    for (seed, kind) in KINDS.iter().enumerate() {
        let network = network(kind, &mut Draw(seed as u64))?;
        let high = if max_order(kind) < 4 || network.elements() > 1 { "u_xx + u*u_xt" } else { "u_xxxx + u_ttx*u" };
        let residuals = [format!("u_t + u*u_x - 0.3*u_xx - a*u + c*({high})"), "x*u_xx + k(x, t)*u_t - b".to_owned()];
        backends_agree(&network, &residuals, 2, seed as u64).map_err(|error| format!("{kind}: {error}"))?;
    }
    Ok(())
}
