//! Closed-form functions of the coordinates as operators: what is built into a solution.

use super::graph::{Attribute, Graph, Value};
use super::look_up;
use crate::error::ExportError;
use ropinn_expr::{Comparison, Cond, Expr, Function, Node};

/// Some functions of the coordinates `[.., coordinate]`, side by side: `[.., function]`.
pub fn field(graph: &mut Graph, functions: &[Expr], coordinates: &Value) -> Result<Value, ExportError> {
    let axis = graph.wholes(&[1], &[0]);
    let first = graph.node("Gather", &[coordinates, &axis], &[Attribute::Int("axis", -1)]);
    let shape = graph.apply("Shape", &[&first]);
    let mut columns = Vec::new();
    for function in functions {
        let value = expression(graph, function, coordinates)?;
        // A number that is the same everywhere is one number until here.
        columns.push(graph.apply("Expand", &[&value, &shape]));
    }
    Ok(graph.node("Concat", &columns.iter().collect::<Vec<_>>(), &[Attribute::Int("axis", -1)]))
}

fn expression(graph: &mut Graph, expr: &Expr, coordinates: &Value) -> Result<Value, ExportError> {
    let mut refused = None;
    let value = expr.fold(|expr, v: &[Value]| match expr.node() {
        Node::Const(c) => graph.scalar(*c),
        Node::Coord { axis, .. } => {
            let place = graph.wholes(&[1], &[*axis as i64]);
            graph.node("Gather", &[coordinates, &place], &[Attribute::Int("axis", -1)])
        }
        Node::Unknown { .. } | Node::Trainable(_) | Node::Data(_) => {
            refused = Some(ExportError::NotInOnnx(format!("`{expr}` is no function of the coordinates")));
            graph.scalar(f64::NAN)
        }
        Node::Add(_) => graph.apply("Sum", &v.iter().collect::<Vec<_>>()),
        Node::Mul(_) => v[1..].iter().fold(v[0].clone(), |all, factor| graph.apply("Mul", &[&all, factor])),
        Node::Pow(..) => graph.apply("Pow", &[&v[0], &v[1]]),
        Node::Unary(function, _) => unary(graph, *function, &v[0]),
        Node::Min(..) => graph.apply("Min", &[&v[0], &v[1]]),
        Node::Max(..) => graph.apply("Max", &[&v[0], &v[1]]),
        Node::Where(condition, ..) => {
            let (compared, branches) = v.split_at(v.len() - 2);
            let holds = decided(graph, condition, &mut compared.iter());
            graph.apply("Where", &[&holds, &branches[0], &branches[1]])
        }
        Node::Table { table, orders, .. } => look_up::table(graph, table, v, orders),
    });
    refused.map_or(Ok(value), Err)
}

/// Whether a condition holds, with its compared expressions in order.
fn decided<'a>(graph: &mut Graph, condition: &Cond, compared: &mut impl Iterator<Item = &'a Value>) -> Value {
    match condition {
        Cond::Compare(how, ..) => {
            let mut next = || compared.next().expect("one value for each compared expression");
            let (a, b) = (next(), next());
            let operator = match how {
                Comparison::Lt => "Less",
                Comparison::Le => "LessOrEqual",
                Comparison::Gt => "Greater",
                Comparison::Ge => "GreaterOrEqual",
                Comparison::Eq | Comparison::Ne => "Equal",
            };
            let holds = graph.apply(operator, &[a, b]);
            if *how == Comparison::Ne { graph.apply("Not", &[&holds]) } else { holds }
        }
        Cond::And(a, b) | Cond::Or(a, b) => {
            let (a, b) = (decided(graph, a, compared), decided(graph, b, compared));
            graph.apply(if matches!(condition, Cond::And(..)) { "And" } else { "Or" }, &[&a, &b])
        }
        Cond::Not(a) => {
            let a = decided(graph, a, compared);
            graph.apply("Not", &[&a])
        }
    }
}

fn unary(graph: &mut Graph, function: Function, a: &Value) -> Value {
    match function {
        Function::Sin => graph.apply("Sin", &[a]),
        Function::Cos => graph.apply("Cos", &[a]),
        Function::Exp => graph.apply("Exp", &[a]),
        Function::Log => graph.apply("Log", &[a]),
        Function::Sqrt => graph.apply("Sqrt", &[a]),
        Function::Tanh => graph.apply("Tanh", &[a]),
        Function::Abs => graph.apply("Abs", &[a]),
        Function::Sign => graph.apply("Sign", &[a]),
        Function::Atan => graph.apply_single("Atan", a),
        Function::Erf => graph.apply_single("Erf", a),
        // onnxruntime has the operators of these in single precision only, and they are soon said in others.
        Function::Tan => {
            let (sine, cosine) = (graph.apply("Sin", &[a]), graph.apply("Cos", &[a]));
            graph.apply("Div", &[&sine, &cosine])
        }
        Function::Sinh | Function::Cosh => {
            let (opposite, half) = (graph.apply("Neg", &[a]), graph.scalar(0.5));
            let (rising, falling) = (graph.apply("Exp", &[a]), graph.apply("Exp", &[&opposite]));
            let both = graph.apply(if function == Function::Sinh { "Sub" } else { "Add" }, &[&rising, &falling]);
            graph.apply("Mul", &[&both, &half])
        }
    }
}
