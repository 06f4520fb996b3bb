//! Tables: look-up against functions that linear interpolation reproduces exactly, and refusals by message.

use proptest::prelude::*;
use ropinn_expr::{Lookup, Table, TableAxis};

fn axis(name: &str, nodes: &[f64]) -> TableAxis {
    TableAxis { name: name.into(), nodes: nodes.to_vec() }
}

fn nodes() -> impl Strategy<Value = Vec<f64>> {
    let uneven = (-3.0..3.0_f64, prop::collection::vec(0.05..2.0_f64, 1..7)).prop_map(|(first, steps)| {
        let mut nodes = vec![first];
        nodes.extend(steps.iter().scan(first, |x, h| {
            *x += h;
            Some(*x)
        }));
        nodes
    });
    let even = (-3.0..3.0_f64, 0.05..2.0_f64, 2..9_usize)
        .prop_map(|(first, h, n)| (0..n).map(|i| first + h * i as f64).collect());
    prop_oneof![uneven, even]
}

proptest! {
    #[test]
    fn linear_look_up_reproduces_multilinear_functions(
        x in nodes(), y in nodes(), z in nodes(), c in [-2.0..2.0_f64, -2.0..2.0, -2.0..2.0, -2.0..2.0],
        at in [-0.2..1.2_f64, -0.2..1.2, -0.2..1.2]
    ) {
        // f = c0 + c1 x + c2 x y + c3 x y z is linear in each coordinate, clamped outside.
        let f = |p: [f64; 3]| c[0] + c[1] * p[0] + c[2] * p[0] * p[1] + c[3] * p[0] * p[1] * p[2];
        let mut values = Vec::new();
        for &a in &x { for &b in &y { for &d in &z { values.push(f([a, b, d])); } } }
        let table = Table::new(vec![axis("x", &x), axis("y", &y), axis("z", &z)], values, Lookup::Linear).unwrap();
        let ends = [&x, &y, &z].map(|n| (n[0], n[n.len() - 1]));
        let point: [f64; 3] = std::array::from_fn(|k| ends[k].0 + at[k] * (ends[k].1 - ends[k].0));
        let clamped: [f64; 3] = std::array::from_fn(|k| point[k].clamp(ends[k].0, ends[k].1));
        let close = |got: f64, want: f64| (got - want).abs() < 1e-9 * (1.0 + want.abs());
        prop_assert!(close(table.value(&point, &[0, 0, 0]), f(clamped)));
        let inside = |k: usize| f64::from(u8::from((0.0..=1.0).contains(&at[k])));
        let [a, b, d] = clamped;
        prop_assert!(close(table.value(&point, &[1, 0, 0]), inside(0) * (c[1] + c[2] * b + c[3] * b * d)));
        prop_assert!(close(table.value(&point, &[0, 1, 0]), inside(1) * (c[2] * a + c[3] * a * d)));
        prop_assert!(close(table.value(&point, &[1, 1, 1]), inside(0) * inside(1) * inside(2) * c[3]));
        prop_assert_eq!(table.value(&point, &[2, 0, 0]), 0.0);
    }

    #[test]
    fn nearest_look_up_is_the_value_of_the_nearest_node(x in nodes(), at in -0.3..1.3_f64) {
        let values: Vec<f64> = (0..x.len()).map(|i| i as f64).collect();
        let table = Table::new(vec![axis("x", &x)], values, Lookup::Nearest).unwrap();
        let point = x[0] + at * (x[x.len() - 1] - x[0]);
        let got = table.value(&[point], &[0]) as usize;
        let distance = |i: usize| (x[i] - point).abs();
        prop_assert!((0..x.len()).all(|i| distance(got) <= distance(i) + 1e-12));
        prop_assert_eq!(table.value(&[point], &[1]), 0.0);
    }

    #[test]
    fn every_node_gives_back_its_value(x in nodes(), lookup in prop_oneof![Just(Lookup::Nearest), Just(Lookup::Linear)]) {
        let values: Vec<f64> = (0..x.len()).map(|i| (i * i) as f64 - 3.5).collect();
        let table = Table::new(vec![axis("x", &x)], values.clone(), lookup).unwrap();
        for (node, value) in x.iter().zip(values) {
            prop_assert_eq!(table.value(&[*node], &[0]), value);
        }
    }
}

#[test]
fn edge_cases_have_defined_answers() {
    let single = Table::new(vec![axis("x", &[1.0])], vec![7.0], Lookup::Linear).unwrap();
    assert_eq!(single.value(&[-5.0], &[0]), 7.0);
    assert_eq!(single.value(&[1.0], &[1]), 0.0);
    let line = Table::new(vec![axis("x", &[0.0, 2.0])], vec![1.0, 5.0], Lookup::Linear).unwrap();
    assert!(line.value(&[f64::NAN], &[0]).is_nan());
    assert_eq!(line.value(&[f64::INFINITY], &[0]), 5.0);
    assert_eq!(line.value(&[f64::NEG_INFINITY], &[1]), 0.0);
    assert_eq!([0.0, 2.0].map(|x| line.value(&[x], &[1])), [2.0, 2.0]);
    let near = Table::new(vec![axis("x", &[0.0, 2.0])], vec![1.0, 5.0], Lookup::Nearest).unwrap();
    assert_eq!(near.value(&[1.0], &[0]), 1.0);
}

#[test]
fn malformed_tables_are_refused_by_name() {
    let refusal = |axes: Vec<TableAxis>, values: &[f64]| {
        let refused = Table::new(axes, values.to_vec(), Lookup::Linear);
        refused.unwrap_err().to_string()
    };
    let x = || axis("x", &[0.0, 1.0]);
    assert_eq!(refusal(vec![], &[]), "a table needs at least one axis");
    assert_eq!(refusal(vec![axis("x", &[])], &[]), "axis `x` has no nodes; give at least one");
    assert_eq!(
        refusal(vec![axis("x", &[0.0, 2.0, 2.0])], &[1.0; 3]),
        "axis `x`: node 2 (2) is not above node 1 (2); sort the nodes and drop repeats"
    );
    assert_eq!(refusal(vec![axis("x", &[0.0, f64::NAN])], &[1.0; 2]), "axis `x`: node 1 is NaN; nodes must be finite");
    assert_eq!(
        refusal(vec![x(), axis("y", &[0.0, 1.0, 2.0])], &[1.0; 5]),
        "a table of shape [2, 3] has 6 values, found 5"
    );
    assert_eq!(
        refusal(vec![x(), axis("y", &[0.0, 1.0, 2.0])], &[1.0, 1.0, 1.0, 1.0, f64::INFINITY, 1.0]),
        "the value at [1, 1] is inf; values must be finite"
    );
    assert_eq!(refusal(vec![x(), x()], &[1.0; 4]), "two axes are named `x`; give each its own name");
    let many = (0..17).map(|k| axis(&format!("x{k}"), &[0.0])).collect();
    assert_eq!(refusal(many, &[1.0]), "a table has at most 16 axes, found 17");
}
