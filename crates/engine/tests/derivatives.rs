//! Every operation's Taylor rule: coordinate derivatives up to order four against differences of the order below.

mod common;

use common::{Draw, ENDS, Fallible, KINDS, close, derivative, max_order, network, values};
use proptest::prelude::*;

/// All derivatives of order 1..=max in two coordinates, as sorted axis lists.
fn multi_indices(max: usize) -> Vec<Vec<usize>> {
    (1..=max).flat_map(|order| (0..=order).map(move |t| [vec![0; order - t], vec![1; t]].concat())).collect()
}

/// (∂^α u)_i = ∂/∂a_i Σ_k (∂^{α−a} u)_k with a the last axis of α, moving element i alone (one element: the plain derivative).
fn check(kind: &str, seed: u64) -> Fallible {
    let mut draw = Draw(seed);
    let net = network(kind, &mut draw)?;
    let theta = draw.many(net.parameters(), 0.9);
    let elements = net.elements();
    let mut point = draw.many(2 * elements, 0.8);
    if kind == "pieces" && ENDS.iter().any(|end| (point[1] - end).abs() < 0.01) {
        point[1] += 0.05; // differences across an end would compare two pieces
    }
    for axes in multi_indices(max_order(kind)) {
        let (&last, below) = axes.split_last().expect("order at least one");
        let found = values(&net, &[derivative(&axes)], &theta, &point)?;
        for element in 0..elements {
            let lower = |shift: f64| -> Fallible<f64> {
                let mut moved = point.clone();
                moved[2 * element + last] += shift;
                Ok(values(&net, &[derivative(below)], &theta, &moved)?.iter().sum())
            };
            let central = |h: f64| -> Fallible<f64> { Ok((lower(h)? - lower(-h)?) / (2.0 * h)) };
            let wanted = (4.0 * central(1e-3)? - central(2e-3)?) / 3.0;
            // Third derivatives of cubic splines jump at knots: differences across one are only roughly right.
            let tolerance = if kind == "spline" { 2e-2 } else { 1e-6 };
            assert!(
                close(found[element], wanted, tolerance),
                "{kind} seed {seed} ∂{axes:?}: {} vs {wanted}",
                found[element]
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn derivatives_match_differences(seed: u64) {
        for kind in KINDS {
            check(kind, seed).map_err(|e| TestCaseError::fail(format!("{kind}: {e}")))?;
        }
    }
}

#[test]
fn a_linear_layer_has_the_closed_form() -> Fallible {
    let mut net = ropinn_engine::NetworkBuilder::new(2);
    let u = net.linear("only", net.input(), 1)?;
    net.activate(ropinn_engine::Activation::Tanh, u)?; // nobody reads it
    let net = std::sync::Arc::new(net.build(u)?);
    let wanted = [derivative(&[]), derivative(&[0]), derivative(&[1]), derivative(&[0, 1])];
    let found = values(&net, &wanted, &[2.0, -3.0, 0.5], &[1.0, 4.0])?;
    assert_eq!(found, [2.0 - 12.0 + 0.5, 2.0, -3.0, 0.0]);
    // Without anybody who reads the value, too.
    assert_eq!(values(&net, &wanted[1..3], &[2.0, -3.0, 0.5], &[1.0, 4.0])?, [2.0, -3.0]);
    Ok(())
}

#[test]
fn one_sine_unit_has_the_closed_form_up_to_order_five() -> Fallible {
    let mut net = ropinn_engine::NetworkBuilder::new(2);
    let z = net.linear("a", net.input(), 1)?;
    let h = net.activate(ropinn_engine::Activation::Sin, z)?;
    let weight = net.param("w", &[1])?;
    let u = net.linear_with(h, weight, None)?;
    let net = std::sync::Arc::new(net.build(u)?);
    let (a, b, c) = (1.3f64, -0.7f64, 0.2f64);
    let theta = [a, b, c, 2.0];
    for (axes, factor) in
        [(vec![0, 0, 0, 0], a.powi(4)), (vec![0, 0, 1, 1], a * a * b * b), (vec![0, 0, 0, 0, 1], a.powi(4) * b)]
    {
        let (x, t) = (0.4, -0.3);
        let phase = a * x + b * t + c;
        let cycle = [phase.sin(), phase.cos(), -phase.sin(), -phase.cos()];
        let wanted = 2.0 * factor * cycle[axes.len() % 4];
        let found = values(&net, &[derivative(&axes)], &theta, &[x, t])?[0];
        assert!(close(found, wanted, 1e-13), "∂{axes:?}: {found} vs {wanted}");
    }
    Ok(())
}

#[test]
fn a_network_in_pieces_is_each_of_them_to_the_bit() -> Fallible {
    let mut draw = Draw(5);
    let net = network("pieces", &mut draw)?;
    let theta = draw.many(net.parameters(), 0.9);
    let names: Vec<&str> = net.layout().tensors().iter().map(|tensor| tensor.name.as_str()).collect();
    assert_eq!(names[3..5], ["pieces.0.b.bias", "pieces.1.a.weight"]);
    let mut single = ropinn_engine::NetworkBuilder::new(2);
    let z = single.linear("a", single.input(), 3)?;
    let h = single.activate(ropinn_engine::Activation::Tanh, z)?;
    let u = single.linear("b", h, 1)?;
    let single = std::sync::Arc::new(single.build(u)?);
    let wanted = [vec![], vec![0], vec![1], vec![0, 1], vec![1, 1], vec![0, 0, 0]].map(|axes| derivative(&axes));
    let xs = draw.many(40, 2.0);
    // The ends belong to the later piece; what is beyond all ends to the first and the last.
    for t in [-7.0, -0.31, ENDS[0], 0.0, ENDS[1] - 1e-12, ENDS[1], 0.9, 50.0] {
        let points: Vec<f64> = xs.iter().flat_map(|&x| [x, t]).collect();
        let piece = ENDS.iter().filter(|end| t >= **end).count();
        let own = &theta[piece * single.parameters()..][..single.parameters()];
        assert_eq!(values(&net, &wanted, &theta, &points)?, values(&single, &wanted, own, &points)?, "at t = {t}");
    }
    Ok(())
}
