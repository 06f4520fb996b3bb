//! Functions of one argument, minimum and maximum, piecewise choice and table look-up.

use std::sync::Arc;

use crate::{Cond, Expr, Function, Node, Table, TableError};

impl Expr {
    /// A function of one argument.
    pub fn apply(function: Function, argument: &Expr) -> Expr {
        if let Some(c) = argument.as_constant() {
            let value = function.apply(c);
            if value.is_finite() {
                return Expr::constant(value);
            }
        }
        Expr::from_node(Node::Unary(function, argument.clone()))
    }

    /// The smaller of two expressions.
    pub fn minimum(a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
        let (a, b) = in_order(a.into(), b.into());
        match (a.as_constant(), b.as_constant()) {
            _ if a == b => a,
            (Some(c), Some(d)) if c <= d => a,
            (Some(c), Some(d)) if c > d => b,
            _ => Expr::from_node(Node::Min(a, b)),
        }
    }

    /// The larger of two expressions.
    pub fn maximum(a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
        let (a, b) = in_order(a.into(), b.into());
        match (a.as_constant(), b.as_constant()) {
            _ if a == b => a,
            (Some(c), Some(d)) if c >= d => a,
            (Some(c), Some(d)) if c < d => b,
            _ => Expr::from_node(Node::Max(a, b)),
        }
    }

    /// `a` where the condition holds, `b` elsewhere.
    pub fn select(condition: Cond, a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
        let (a, b) = (a.into(), b.into());
        match condition.known() {
            _ if a == b => a,
            Some(true) => a,
            Some(false) => b,
            None => Expr::from_node(Node::Where(condition, a, b)),
        }
    }

    /// The table's value at the arguments, one for each of its axes.
    pub fn table(table: &Arc<Table>, args: impl Into<Vec<Expr>>) -> Result<Expr, TableError> {
        let args = args.into();
        let expected = table.axes().len();
        if args.len() != expected {
            return Err(TableError::ArgumentCount { expected, found: args.len() });
        }
        Ok(Expr::look_up(table, args, vec![0; expected]))
    }

    /// A look-up with as many arguments and derivative orders as the table has axes.
    pub(crate) fn look_up(table: &Arc<Table>, args: Vec<Expr>, orders: Vec<u8>) -> Expr {
        if orders.iter().any(|&k| !table.has_derivative(k)) {
            return Expr::constant(0.0);
        }
        let known: Option<Vec<f64>> = args.iter().map(Expr::as_constant).collect();
        if let Some(at) = known {
            let value = table.value(&at, &orders);
            if value.is_finite() {
                return Expr::constant(value);
            }
        }
        Expr::from_node(Node::Table { table: Arc::clone(table), args, orders })
    }
}

/// Minimum and maximum do not mind the order; equality of expressions should not either.
fn in_order(a: Expr, b: Expr) -> (Expr, Expr) {
    if a <= b { (a, b) } else { (b, a) }
}
