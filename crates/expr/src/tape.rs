//! An expression laid out for many evaluations, one point at a time: every shared part once, each a number in a row of them.

use crate::function::power_value;
use crate::traverse::fold;
use crate::{Cond, Expr, Function, Node, Table};
use std::cell::RefCell;
use std::sync::Arc;

/// One operation on numbers that are there already.
#[derive(Clone, Debug)]
enum Step {
    Const(f64),
    Coord(usize),
    Unknown(usize),
    /// What a point by itself does not have.
    Missing,
    Add(Vec<usize>),
    Mul(Vec<usize>),
    Pow(usize, usize),
    Unary(Function, usize),
    Min(usize, usize),
    Max(usize, usize),
    Where(Cond, Vec<usize>),
    Table(Arc<Table>, Vec<usize>, Vec<u8>),
}

/// An expression of coordinates and unknowns, without derivatives of these, ready to be evaluated often.
///
/// ```
/// use ropinn_expr::{Scope, Tape};
/// let tape = Tape::new(&Scope::new(["x", "t"], ["u"])?.parse("sin(x)^2 + t*u")?);
/// assert_eq!(tape.eval(&[0.0, 2.0], &[3.0]), 6.0);
/// assert!(tape.eval(&[0.0], &[]).is_nan());
/// # Ok::<(), ropinn_expr::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tape {
    steps: Vec<Step>,
}

thread_local! {
    static NUMBERS: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

impl Tape {
    /// Lays an expression out. Derivatives of unknowns, trainable scalars and data have no value.
    pub fn new(expr: &Expr) -> Self {
        let mut steps = Vec::new();
        fold(expr, |expr, v: &[usize]| {
            steps.push(match expr.node() {
                Node::Const(c) => Step::Const(*c),
                Node::Coord { axis, .. } => Step::Coord(*axis),
                Node::Unknown { field, alpha, .. } if alpha.is_zero() => Step::Unknown(*field),
                Node::Unknown { .. } | Node::Trainable(_) | Node::Data(_) => Step::Missing,
                Node::Add(_) => Step::Add(v.to_vec()),
                Node::Mul(_) => Step::Mul(v.to_vec()),
                Node::Pow(..) => Step::Pow(v[0], v[1]),
                Node::Unary(f, _) => Step::Unary(*f, v[0]),
                Node::Min(..) => Step::Min(v[0], v[1]),
                Node::Max(..) => Step::Max(v[0], v[1]),
                Node::Where(cond, ..) => Step::Where(cond.clone(), v.to_vec()),
                Node::Table { table, orders, .. } => Step::Table(table.clone(), v.to_vec(), orders.clone()),
            });
            steps.len() - 1
        });
        Tape { steps }
    }

    /// The value at a point, with these values of the unknowns; NaN where one of them is missing.
    pub fn eval(&self, point: &[f64], unknowns: &[f64]) -> f64 {
        NUMBERS.with_borrow_mut(|numbers| {
            numbers.clear();
            for step in &self.steps {
                let value = step.value(numbers, point, unknowns);
                numbers.push(value);
            }
            numbers.last().copied().unwrap_or(f64::NAN)
        })
    }
}

impl Step {
    fn value(&self, v: &[f64], point: &[f64], unknowns: &[f64]) -> f64 {
        match self {
            Step::Const(c) => *c,
            Step::Coord(axis) => point.get(*axis).copied().unwrap_or(f64::NAN),
            Step::Unknown(field) => unknowns.get(*field).copied().unwrap_or(f64::NAN),
            Step::Missing => f64::NAN,
            Step::Add(terms) => terms.iter().map(|&k| v[k]).sum(),
            Step::Mul(factors) => factors.iter().map(|&k| v[k]).product(),
            Step::Pow(base, exponent) => power_value(v[*base], v[*exponent]),
            Step::Unary(f, a) => f.apply(v[*a]),
            Step::Min(a, b) => {
                if v[*a] <= v[*b] {
                    v[*a]
                } else {
                    v[*b]
                }
            }
            Step::Max(a, b) => {
                if v[*a] >= v[*b] {
                    v[*a]
                } else {
                    v[*b]
                }
            }
            Step::Where(cond, operands) => {
                let (compared, branches) = operands.split_at(operands.len() - 2);
                let holds = cond.decide(&mut compared.iter().map(|&k| v[k]));
                v[branches[usize::from(!holds)]]
            }
            Step::Table(table, args, orders) => {
                let mut at = [0.0; crate::MAX_COORDS];
                args.iter().zip(&mut at).for_each(|(&k, place)| *place = v[k]);
                table.value(&at[..args.len()], orders)
            }
        }
    }
}
