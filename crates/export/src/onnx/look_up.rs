//! Tables as operators: v = Σ_c w_c v_c over the corners c of the cell, w_c a product of one weight for each axis, as `ropinn_expr::Table` has
//! it. Arguments outside the nodes are moved to the nearest end, where derivatives vanish.

use super::graph::{Attribute, Graph, Number, Value};
use ropinn_expr::{Lookup, Table};

/// Where an argument falls on an axis: the place of a node, times its stride, and its weight.
struct Corner {
    place: Value,
    weight: Value,
}

/// The value, or the derivative by `orders`, at arguments `[.., 1]`.
pub fn table(graph: &mut Graph, table: &Table, args: &[Value], orders: &[u8]) -> Value {
    let highest = if table.lookup() == Lookup::Nearest { 0 } else { 1 };
    if orders.iter().any(|order| *order > highest) {
        return graph.scalar(0.0);
    }
    let sizes: Vec<usize> = table.axes().iter().map(|axis| axis.nodes.len()).collect();
    let mut corners: Vec<Corner> = Vec::new();
    for (axis, arg) in args.iter().enumerate() {
        let stride: usize = sizes[axis + 1..].iter().product();
        let own = of_axis(graph, &table.axes()[axis].nodes, table.lookup(), (arg, orders[axis]), stride);
        corners = if axis == 0 { own } else { products(graph, &corners, &own) };
    }
    let values = graph.numbers(&[table.values().len()], table.values());
    let parts: Vec<Value> = corners
        .iter()
        .map(|corner| {
            let value = graph.apply("Gather", &[&values, &corner.place]);
            graph.apply("Mul", &[&value, &corner.weight])
        })
        .collect();
    graph.apply("Sum", &parts.iter().collect::<Vec<_>>())
}

fn products(graph: &mut Graph, some: &[Corner], others: &[Corner]) -> Vec<Corner> {
    let mut all = Vec::new();
    for (one, other) in some.iter().flat_map(|one| others.iter().map(move |other| (one, other))) {
        let place = graph.apply("Add", &[&one.place, &other.place]);
        all.push(Corner { place, weight: graph.apply("Mul", &[&one.weight, &other.weight]) });
    }
    all
}

/// One node, or the two around the argument.
fn of_axis(graph: &mut Graph, nodes: &[f64], lookup: Lookup, (arg, order): (&Value, u8), stride: usize) -> Vec<Corner> {
    let stride = graph.wholes(&[1], &[stride as i64]);
    let last = nodes.len() - 1;
    let one = graph.scalar(1.0);
    if last == 0 {
        let weight = graph.scalar(if order == 0 { 1.0 } else { 0.0 });
        return vec![Corner { place: graph.wholes(&[1], &[0]), weight }];
    }
    if lookup == Lookup::Nearest {
        // So many midpoints lie below; in the middle the lower node counts.
        let midpoints: Vec<f64> = nodes.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
        let cell = beyond(graph, arg, &midpoints, "Greater");
        return vec![Corner { place: graph.apply("Mul", &[&cell, &stride]), weight: one }];
    }
    let cell = beyond(graph, arg, &nodes[1..last], "GreaterOrEqual");
    let steps: Vec<f64> = nodes.windows(2).map(|pair| (pair[1] - pair[0]).recip()).collect();
    let (lows, steps) = (graph.numbers(&[last], &nodes[..last]), graph.numbers(&[last], &steps));
    let (low, step) = (graph.apply("Gather", &[&lows, &cell]), graph.apply("Gather", &[&steps, &cell]));
    let (first, end) = (graph.scalar(nodes[0]), graph.scalar(nodes[last]));
    let weights = if order == 0 {
        let inside = graph.apply("Max", &[arg, &first]);
        let inside = graph.apply("Min", &[&inside, &end]);
        let past = graph.apply("Sub", &[&inside, &low]);
        let upper = graph.apply("Mul", &[&past, &step]);
        [graph.apply("Sub", &[&one, &upper]), upper]
    } else {
        let (above, below) = (graph.apply("GreaterOrEqual", &[arg, &first]), graph.apply("LessOrEqual", &[arg, &end]));
        let (inside, none) = (graph.apply("And", &[&above, &below]), graph.scalar(0.0));
        let slope = graph.apply("Where", &[&inside, &step, &none]);
        [graph.apply("Neg", &[&slope]), slope]
    };
    let next = graph.wholes(&[1], &[1]);
    let upper = graph.apply("Add", &[&cell, &next]);
    let places = [&cell, &upper].map(|node| graph.apply("Mul", &[node, &stride]));
    places.into_iter().zip(weights).map(|(place, weight)| Corner { place, weight }).collect()
}

/// How many of some numbers an argument `[.., 1]` is beyond, as whole numbers `[.., 1]`.
fn beyond(graph: &mut Graph, arg: &Value, numbers: &[f64], how: &str) -> Value {
    if numbers.is_empty() {
        return graph.wholes(&[1], &[0]);
    }
    let ends = graph.numbers(&[numbers.len()], numbers);
    let compared = graph.apply(how, &[arg, &ends]);
    let counted = graph.cast(&compared, Number::Int64);
    let axes = graph.wholes(&[1], &[-1]);
    graph.node("ReduceSum", &[&counted, &axes], &[Attribute::Int("keepdims", 1)])
}
